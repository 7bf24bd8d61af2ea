/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fsck.f2fs lists: -l and -M instead of a check, -t beside it. The views are those of dump.f2fs.
 */
#ifndef F2FSKIT_FSCK_LISTING_H
#define F2FSKIT_FSCK_LISTING_H

#include "findings.h"
#include "devices.h"

/* Returns an exit code. */
int listing_run(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a);
/* The lines about the volume with which f2fs-tools begin; nothing when it cannot be opened. */
void listing_banner(struct cli *cli, struct session *s);
/* The tree of directories. What of it cannot be read is said on standard error; the check judges it. */
void listing_tree(struct cli *cli, struct session *s);
/* The lines with which they end. */
void listing_summary(struct session *s, const struct report *r, const struct f2fs_check_result *result);

#endif
