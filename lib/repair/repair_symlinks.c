/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair sizes and targets of symlinks. A target is in the inode or in one block of its own. Its text says how long it
 * is. Linux takes a target that begins with a NUL byte for none, so each of these bytes becomes a question mark: the
 * rest may still show what the target was.
 */
#include "repair/repair_symlinks.h"

#include <string.h>

#include "file/pages.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "repair/repair_left.h"
#include "volume/block_read.h"

/* Set a size that cannot be to the length of the text. */
static void mend_size(uint8_t *inode, const uint8_t *text, uint32_t room)
{
	const uint8_t *end;

	if (inode_i_size(inode) != 0 && inode_i_size(inode) <= room)
		return;
	end = memchr(text, 0, room);
	if (end != text)
		inode_set_i_size(inode, end ? (uint64_t)(end - text) : room);
}

/* Write over the NUL bytes that a target begins with. Returns the size it has then. */
static uint64_t mark_target(uint8_t *text, uint64_t size, uint32_t room)
{
	const uint64_t length = size < room ? size : room;
	uint64_t begin = 0;

	while (begin < length && text[begin] == 0)
		begin++;
	if (begin == length && length != 0) /* nothing is left of it */
		size = begin = 1;
	memset(text, '?', (size_t)begin);
	return size;
}

void symlink_mend_inside(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	struct inode_layout layout;
	uint8_t *text;

	inode_layout(r->geo, block, &layout);
	text = block + layout.inline_offset;
	if (repair_wanted(r, P_SYMLINK_SIZE, inode->ino))
		mend_size(block, text, layout.inline_size);
	if (!(inode_i_advise(block) & FLAG_i_advise_encrypt) && repair_wanted(r, P_SYMLINK_TARGET, inode->ino))
		inode_set_i_size(block, mark_target(text, inode_i_size(block), layout.inline_size));
}

void symlink_mend_size(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	struct inode_layout layout;
	const uint8_t *text;
	f2fs_blk_t addr;

	if ((inode_i_size(block) != 0 && inode_i_size(block) <= r->geo->block_size) ||
	    !repair_wanted(r, P_SYMLINK_SIZE, inode->ino))
		return;
	inode_layout(r->geo, block, &layout);
	addr = get_le32(block + layout.slot_offset);
	if (geometry_is_main(r->geo, addr) && volume_peek(r->vol, addr, &text) == 0)
		mend_size(block, text, r->geo->block_size);
	if (inode_i_size(block) == 0 || inode_i_size(block) > r->geo->block_size)
		inode_set_i_size(block, 1);
}

/* Mark the target in the first block of a symlink. */
static int mark_block(struct repair *r, f2fs_nid_t ino)
{
	struct winode w;
	uint8_t *page;
	int err = winode_get(r->vol, ino, &w);

	if (err || winode_is_inline(&w)) /* mended with the inode */
		return err;
	err = page_get(&w, 0, false, &page);
	if (err)
		return err;
	inode_set_i_size(winode_block(&w), mark_target(page, inode_i_size(winode_block(&w)), r->geo->block_size));
	node_dirty(r->txn, w.node);
	r->is_changed = true;
	return 0;
}

int repair_symlinks(struct repair *r)
{
	int err = 0;

	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);

		if (f->problem == P_SYMLINK_TARGET && !f->is_left && repair_may_write(r, f->ino))
			err = mark_block(r, f->ino);
	}
	return err;
}
