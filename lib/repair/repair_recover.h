/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recover fsynced data before a repair.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_RECOVER_H
#define F2FSKIT_REPAIR_REPAIR_RECOVER_H

#include "facts/run.h"

struct f2fs_device;
struct f2fs_recover_result;

/* Was something fsynced after the last checkpoint that can be had? *is_unread: it cannot be
 * read. Fails with NOMEM and CANCELED only. */
int repair_must_recover(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
			bool *out, bool *is_unread);
/* Recover it; *is_done: set when that worked. Fails likewise. */
int repair_recover(struct checker *c, struct f2fs_recover_result *out, bool *is_done);

#endif
