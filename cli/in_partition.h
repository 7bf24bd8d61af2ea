/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The partition of a disk or disk image that holds the volume (--partition).
 */
#ifndef F2FSKIT_CLI_IN_PARTITION_H
#define F2FSKIT_CLI_IN_PARTITION_H

#include "cli/image.h"

/*
 * Let the device of opened be the partition that was named. When none was named, and no offset, and the device does
 * not begin with F2FS, take the only partition that does, with a warning. Returns 0, or an error after a message.
 */
int cli_partition_enter(struct cli *cli, const struct cli_image *image, struct cli_opened *opened);

#endif
