/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of fsck.f2fs: -l and -M instead of a check, -t beside it. The views are those of dump.f2fs.
 */
#ifndef F2FSKIT_FSCK_LISTING_H
#define F2FSKIT_FSCK_LISTING_H

#include "findings.h"
#include "devices.h"

/* Print the list of -l or -M. Returns an exit code. */
int listing_run(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a);
/* Print the lines about the volume that f2fs-tools begin with; nothing if it cannot be opened. */
void listing_banner(struct cli *cli, struct session *s);
/* Print the tree of directories. Unreadable parts are reported on standard error; the check judges them. */
void listing_tree(struct cli *cli, struct session *s);
/* Print the lines that f2fs-tools end with. */
void listing_summary(struct session *s, const struct report *r, const struct f2fs_check_result *result);

#endif
