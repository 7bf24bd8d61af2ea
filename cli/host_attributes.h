/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy mode, owner and attributes of a file of the host to the new file that replaces it.
 */
#ifndef F2FSKIT_CLI_HOST_ATTRIBUTES_H
#define F2FSKIT_CLI_HOST_ATTRIBUTES_H

#include "cli/host.h"

/* Give the file that is open as to what that open as from has: extended attributes, the access control list among them,
 * owner, group and mode. Where the owner or group is not allowed nobody may do more than before. -1 after a message
 * with the path: the access control list or an attribute of the user's cannot be kept. */
int cli_copy_attributes(struct cli *cli, const char *path, int from, int to);

#endif
