/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A volume as a repair would leave it. */
#ifndef F2FSKIT_CLI_REPAIRED_H
#define F2FSKIT_CLI_REPAIRED_H

#include "cli/image.h"

/* Put a layer that takes all writes on top of a device, whose reference it takes over when that works. */
int cli_cover(struct f2fs_device **dev);
/* Where the volume on a first and only device ends, in bytes of that; 0: it cannot be opened, even with damage. */
uint64_t cli_volume_end(struct cli_opened *opened);
/* Append zeros in memory to the first device, up to length bytes, as room for a repair. Returns 0, or an enum
 * f2fs_error. */
int cli_lengthen(struct cli_opened *opened, uint64_t length);
/*
 * Repair the volume in memory. Replaces its devices, which were opened for reading, by layers with the writes of the
 * repair. Returns 0, or an enum f2fs_error after a message.
 */
int cli_image_repair(struct cli *cli, struct cli_opened *opened);

#endif
