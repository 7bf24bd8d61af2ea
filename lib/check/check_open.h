/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run the passes of a check over one set of facts.
 */
#ifndef F2FSKIT_CHECK_CHECK_OPEN_H
#define F2FSKIT_CHECK_CHECK_OPEN_H

#include "facts/run.h"

struct f2fs_device;
struct witness_book;

/* How to run the passes. */
struct check_run {
	const struct f2fs_check_options *options; /* NULL for the defaults */
	enum f2fs_open_mode mode;
	const char *last; /* the pass to end with, NULL: all of them are run */
	bool as_is;	  /* the superblock is not corrected by the inodes */
	bool is_flagged;  /* the repair itself asked for a check, until it is through */
	struct witness_book *book; /* decisions of an earlier check, and those of this one; NULL: its own */
};
/* Check a volume and report the findings. *out: the checker with its facts, until check_close(). */
int check_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct check_run *run,
	       struct f2fs_check_result *result, struct checker **out);
/*
 * Free a check, or do nothing for NULL. err: the result of the work done with it. An error keeps the last error
 * message.
 */
void check_close(struct f2fs_context *ctx, struct checker *c, int err);

#endif
