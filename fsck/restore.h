/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Restore the volume from an undo file.
 */
#ifndef F2FSKIT_FSCK_RESTORE_H
#define F2FSKIT_FSCK_RESTORE_H

#include "request.h"

/* --restore: an exit code. */
int session_restore(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a);

#endif
