/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Asking the placement, if there is one, about contents that are written: which stream they go to, and whether they
 * wait (log/streams.c has the streams).
 */
#include <f2fskit/placement.h>

#include "file/map_write.h"
#include "file/place.h"
#include "file/winode.h"
#include "file/write.h"
#include "format/inode.h"
#include "log/streams.h"

/* Does the placement decide about this file? Only about contents of regular files without another temperature. */
static bool is_asked(const struct winode *w)
{
	const uint8_t *block = winode_block(w);

	return placement_of(w->txn->vol) && (inode_i_mode(block) & MODE_TYPE) == MODE_REG &&
	       !(inode_i_advise(block) & (FLAG_i_advise_hot | FLAG_i_advise_cold)) &&
	       !(inode_i_flags(block) & FLAG_i_flags_compr) && !inode_has_inline(block, FLAG_i_inline_pin_file);
}

f2fs_blk_t place_block(const struct txn *txn, const uint8_t *raw)
{
	const f2fs_blk_t addr = get_le32(raw);

	return geometry_is_main(&txn->vol->geo, addr) ? addr : F2FS_NULL_ADDR;
}

int place_append(struct winode *w, const struct placed_run *run, f2fs_blk_t *addr, uint32_t *got)
{
	const struct f2fs_placement *p = placement_of(w->txn->vol);
	struct stream_run part = { .ino = w->node->nid,
				   .owner = slot_owner(&run->slot, 0),
				   .want = 1,
				   .data = run->data };
	unsigned stream;

	*got = 0;
	if (!is_asked(w))
		return 0;
	stream = p->classify(p->user, part.ino, run->file_block, place_block(w->txn, run->slot.raw));
	while (part.want < run->count &&
	       p->classify(p->user, part.ino, run->file_block + part.want,
			   place_block(w->txn, run->slot.raw + (size_t)part.want * 4)) == stream)
		part.want++;
	return stream_append(w->txn, stream, &part, addr, got);
}

void place_written(struct winode *w, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	const struct f2fs_placement *p = placement_of(w->txn->vol);

	if (p && p->written && is_asked(w))
		p->written(p->user, w->node->nid, file_block, geometry_is_main(&w->txn->vol->geo, old) ? old : 0, addr);
}

bool place_delays(const struct winode *w)
{
	const struct f2fs_placement *p = placement_of(w->txn->vol);

	return p && p->delay && is_asked(w);
}
