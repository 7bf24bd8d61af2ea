/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * View of a checkpoint: its block, journals and orphans, as they are on the device. The running transaction changes a
 * copy of its own.
 */
#ifndef F2FSKIT_VOLUME_CHECKPOINT_VIEW_H
#define F2FSKIT_VOLUME_CHECKPOINT_VIEW_H

#include "base/context.h"
#include "base/map32.h"
#include "base/vec.h"
#include "format/checkpoint.h"

struct checkpoint_view {
	const uint8_t *cp; /* checkpoint block and payload, one array; NULL: none is loaded */
	unsigned pack;	   /* 1 or 2 */
	struct pack_layout layout;
	const uint8_t *sit_bitmap, *nat_bitmap;	  /* within cp */
	const uint8_t *nat_journal, *sit_journal; /* journal areas; entries are checked */
	struct map32 nat_journal_index;		  /* nid -> entry number */
	struct vec orphans;			  /* f2fs_nid_t */
};

/* An empty view; ended by checkpoint_view_fini(). */
void checkpoint_view_init(struct checkpoint_view *view, struct f2fs_context *ctx);
/* Free all that it holds, and leave it empty. */
void checkpoint_view_fini(struct checkpoint_view *view, struct f2fs_context *ctx);
/* Fill an empty view with copies of what another one holds. */
int checkpoint_view_copy(struct checkpoint_view *view, const struct checkpoint_view *from,
			 const struct f2fs_geometry *geo, struct f2fs_context *ctx);
/* Take over checkpoint block and payload that were read of a pack, in place of those before. */
void checkpoint_view_adopt(struct checkpoint_view *view, const uint8_t *cp, unsigned pack,
			   const struct f2fs_geometry *geo, struct f2fs_context *ctx);

#endif
