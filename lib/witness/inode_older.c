/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take an older copy of a lost inode, and bring it to the present as far as the tables and other inodes know.
 */
#include <string.h>

#include "base/bitmap.h"
#include "facts/dir_judge.h"
#include "witness/inode_older.h"
#include "witness/inode_packed.h"
#include "witness/witness.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_unclaimed.h"

/* Does the inode that is being built lead to a block or a node that the tables give to it? */
static bool has_own_block(const struct builder *b, f2fs_nid_t nid)
{
	const struct f2fs_geometry *geo = b->c->geo;
	struct inode_layout layout;

	inode_layout(geo, b->block, &layout);
	for (size_t i = unclaimed_first(&b->blocks, nid); i < b->blocks.count; i++) {
		const struct unclaimed *one = vec_at(&b->blocks, i);

		if (one->nid != nid)
			break;
		if (one->slot < layout.slots &&
		    get_le32(b->block + layout.slot_offset + (size_t)one->slot * 4) == one->addr)
			return true;
	}
	for (unsigned i = 0; i < INODE_NIDS; i++) {
		const struct nid_fact *node = facts_nid(&b->c->facts, inode_nid(geo, b->block, i));

		if (node && node->kind >= FACT_DIRECT && node->ino == nid)
			return true;
	}
	return false;
}

/* Copy an older version of the inode, if it is one of the same file. */
int inode_copy_older(struct builder *b, const struct lost_inode *lost, bool *is_copied)
{
	const f2fs_blk_t addr = older_copies_at(&b->older, lost->nid);
	const uint8_t *block;
	int err;

	*is_copied = false;
	if (!addr)
		return 0;
	err = witness_peek(b->c, addr, &block);
	if (err || !block)
		return err;
	memcpy(b->block, block, b->c->geo->block_size);
	if (lost_is_nameless(lost))
		b->type = f2fs_type_of_mode(inode_i_mode(block));
	*is_copied = f2fs_type_of_mode(inode_i_mode(block)) == b->type &&
		     (lost->nid == lost->dir || builder_has_name(b, lost) || has_own_block(b, lost->nid));
	return 0;
}

/* May a pointer of the older copy stay, although no summary names its slot? */
static int may_stay(struct builder *b, f2fs_blk_t value, bool *out)
{
	const struct seg_fact *seg;
	struct block_view view;
	int err;

	*out = value == F2FS_NEW_ADDR || value == F2FS_COMPRESS_ADDR;
	if (*out || !geometry_is_main(b->c->geo, value))
		return 0;
	err = witness_view_tables(b->c, value, &view);
	seg = facts_seg(&b->c->facts, geometry_segment_of(b->c->geo, value));
	*out = !err && !view.has_sum && view.is_in_sit && seg &&
	       !msb_test(seg->data_map, geometry_offset_of(b->c->geo, value)) &&
	       !msb_test(seg->node_map, geometry_offset_of(b->c->geo, value));
	return err;
}

/* Drop the pointers of an older copy to blocks and nodes that are not the inode's any more. */
static int drop_old_pointers(struct builder *b, const struct inode_layout *layout, f2fs_nid_t nid)
{
	const struct f2fs_geometry *geo = b->c->geo;
	int err = 0;

	for (uint32_t i = 0; i < layout->slots && !err; i++) {
		uint8_t *slot = b->block + layout->slot_offset + (size_t)i * 4;
		bool stays = true;

		if (get_le32(slot) != F2FS_NULL_ADDR)
			err = may_stay(b, get_le32(slot), &stays);
		if (!stays)
			put_le32(slot, F2FS_NULL_ADDR);
	}
	for (unsigned i = 0; i < INODE_NIDS && !err; i++) {
		const struct nid_fact *node = facts_nid(&b->c->facts, inode_nid(geo, b->block, i));
		bool is_own = node && node->ino == nid && node->nid != nid;

		if (is_own && node->kind < FACT_DIRECT) /* lost with the inode: the next vote builds it again */
			err = rebuild_is_due(b->c, &b->misplaced, node, &is_own);
		if (!is_own)
			inode_set_nid(geo, b->block, i, 0);
	}
	return err;
}

/* The file was inside the inode when the copy was written, and has blocks now. */
static void turn_inside_out(struct builder *b, const struct inode_layout *layout)
{
	const uint8_t inside = FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry | FLAG_i_inline_data_exist;

	inode_set_i_inline(b->block, inode_i_inline(b->block) & (uint8_t)~inside);
	memset(b->block + layout->slot_offset, 0, (size_t)layout->slots * 4);
}

/* Is the inode of an old entry in another directory since? i_pino is right in an inode with one name, unless marked. */
static int has_moved(struct builder *b, f2fs_nid_t dir, const struct dentry_ref *ref, bool *out)
{
	const struct inode_fact *inode = facts_inode(&b->c->facts, ref->ino);
	const uint8_t *block;
	int err;

	*out = false;
	if (!inode || (inode->type != F2FS_TYPE_DIRECTORY && inode->links != 1) ||
	    (inode->state & (INODE_MENDED | INODE_BAD_SUM)))
		return 0;
	err = witness_peek(b->c, facts_nid(&b->c->facts, ref->ino)->addr, &block);
	*out = !err && block && inode_i_pino(block) != dir && !(inode_i_advise(block) & FLAG_i_advise_lost_pino);
	return err;
}

/* Drop the entries of an older directory whose inodes are elsewhere since. */
static int drop_old_entries(struct builder *b, const struct inode_layout *layout, f2fs_nid_t dir)
{
	uint8_t *bitmap = b->block + layout->inline_offset;
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0;
	int err = 0;

	if (inode_i_advise(b->block) & FLAG_i_advise_encrypt)
		return 0;
	dentry_area_of_inode(b->block, layout, &area);
	while (!err && (found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		bool is_old = false;

		if (found == DENTRY_FOUND && !name_is_dots(&ref))
			err = has_moved(b, dir, &ref, &is_old);
		for (uint32_t i = ref.slot; is_old && i < slot; i++)
			lsb_clear(bitmap, i);
	}
	return err;
}

static int renew(struct builder *b, const struct lost_inode *lost, uint32_t *end)
{
	struct inode_layout layout;
	uint8_t *slots = b->block;
	int err = 0;

	inode_layout(b->c->geo, b->block, &layout);
	slots += layout.slot_offset;
	*end = 0;
	if (inode_has_inline(b->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry)) {
		uint8_t *try = mem_calloc(b->c->ctx, layout.slots, 4);

		if (!try)
			return F2FS_ERR_NOMEM;
		*end = rebuild_slots(&b->blocks, lost->nid, try, layout.slots);
		if (*end) {
			turn_inside_out(b, &layout);
			memcpy(slots, try, (size_t)layout.slots * 4);
		}
		mem_free(b->c->ctx, try);
		return *end || b->type != F2FS_TYPE_DIRECTORY ? 0 : drop_old_entries(b, &layout, lost->nid);
	}
	if (b->type != F2FS_TYPE_REGULAR && b->type != F2FS_TYPE_DIRECTORY && b->type != F2FS_TYPE_SYMLINK)
		return 0;
	err = drop_old_pointers(b, &layout, lost->nid);
	*end = rebuild_slots(&b->blocks, lost->nid, slots, layout.slots);
	rebuild_heads(slots, layout.slots, layout.cluster_blocks);
	inode_set_i_ext_fofs(b->block, 0);
	inode_set_i_ext_blk(b->block, 0);
	inode_set_i_ext_len(b->block, 0);
	return err;
}

/* Bring an older copy to the present. It does not fit a file that is compressed since: how is in the lost inode. */
int inode_renew(struct builder *b, const struct lost_inode *lost, uint32_t *end, bool *fits)
{
	struct inode_layout layout;
	bool is_packed = false;
	int err = renew(b, lost, end);

	inode_layout(b->c->geo, b->block, &layout);
	if (!err && *end && !layout.is_compressed)
		err = inode_looks_compressed(b->c, b->block + layout.slot_offset, layout.slots, false, &is_packed);
	*fits = !is_packed;
	return err;
}
