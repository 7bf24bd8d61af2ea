/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose where moved data goes.
 */
#ifndef F2FSKIT_GC_MOVE_TARGET_H
#define F2FSKIT_GC_MOVE_TARGET_H

#include <f2fskit/gc.h>

#include "gc/age_target.h"
#include "log/pinned.h"

struct live_block;

/* Where data goes that is moved. */
struct move_target {
	/* Allocate up to `want` consecutive blocks for data, which is the contents of the blocks from b on; *got of
	 * them, at least one. */
	int (*put)(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		   uint32_t *got);
	void *user;
	bool is_rehearsal; /* contents are neither read nor written */
	bool reads;	   /* put reads the contents itself, to where they go; data means nothing */
};

struct gc_target {
	struct move_target move;
	struct f2fs_context *ctx;
	struct txn *txn;
	bool fills, by_age; /* holes, and those of segments of the same age */
	struct age_targets by_type[F2FS_HOT_NODE]; /* segments with holes; list: NULL until they were looked for */
	struct filler filler;			   /* of one of these */
	struct pinned pinned;
	uint8_t *left; /* set by the caller with move_pinned: sections that pinned blocks went to are marked there */
};
/* Begin when the victims are barred; gc_target_drop() in any case. where: an enum f2fs_gc_target, not TO_ADAPTIVE. */
int gc_target_begin(struct gc_target *t, struct txn *txn, const struct f2fs_gc_options *options, unsigned where);
/* Write what waits, before the commit. */
int gc_target_end(struct gc_target *t);
void gc_target_drop(struct gc_target *t);

#endif
