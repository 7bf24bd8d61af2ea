/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out whether blocks are blank: all zeros, or all 0xFF.
 */
#ifndef F2FSKIT_FORENSICS_BLANK_H
#define F2FSKIT_FORENSICS_BLANK_H

#include "forensics/past.h"

enum blank { BLANK_NO, BLANK_YES, BLANK_UNREAD };
void blank_init(struct past_blanks *b, struct f2fs_context *ctx);
void blank_fini(struct past_blanks *b, struct f2fs_context *ctx);
/* Does a block of the main area look discarded: zeros or 0xFF only? Fails with NOMEM, CANCELED. */
int blank_ask(struct f2fs_past *past, f2fs_blk_t addr, enum blank *out);

#endif
