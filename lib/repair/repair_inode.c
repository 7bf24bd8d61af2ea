/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute the right contents of a kept node's block, on a copy of it: the corrections of inode_mend(), pointers that
 * count, counts, flags and hints that agree with the facts. Links, parents and directories' dots come later, with the
 * tree.
 */
#include <string.h>

#include "base/error.h"
#include "facts/cut.h"
#include "facts/dir_judge.h"
#include "facts/inode_mend.h"
#include "file/cluster_shown.h"
#include "format/cluster.h"
#include "repair/repair.h"
#include "repair/repair_inode.h"
#include "repair/repair_left.h"
#include "repair/repair_shared.h"
#include "repair/repair_symlinks.h"

#define MAX_MENDS 16u

/* Nothing of a compressed cluster can be read when a part is gone. */
static void drop_cut_clusters(const struct repair *r, uint8_t *slots, uint32_t count, uint32_t cluster)
{
	for (uint32_t i = 0; i + cluster <= count; i += cluster)
		if (cut_is_cluster(r->c, slots + (size_t)i * 4, cluster))
			memset(slots + (size_t)i * 4, 0, (size_t)cluster * 4);
}

/* Mend a cluster whose pointers follow no pattern: undecompressible blocks are dropped, ordinary blocks stay. */
static void mend_cluster(const struct repair *r, uint8_t *slots, uint32_t count)
{
	struct cluster_shape shape;

	cluster_classify(r->geo, slots, count, &shape);
	for (uint32_t i = 0; shape.kind == CLUSTER_ILLEGAL && i < count; i++)
		if (get_le32(slots + (size_t)i * 4) == F2FS_COMPRESS_ADDR)
			put_le32(slots + (size_t)i * 4, F2FS_NULL_ADDR);
}

static bool wants_cluster(const struct repair *r, f2fs_nid_t nid, uint32_t slot, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!repair_wants_slot(r, P_CLUSTER, nid, slot + i))
			return false;
	return true;
}

void repair_slots(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode, uint8_t *slots,
		  uint32_t count)
{
	if (inode->cluster_blocks && r->c->cut_end)
		drop_cut_clusters(r, slots, count, inode->cluster_blocks);
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *raw = slots + (size_t)i * 4;
		f2fs_blk_t addr = get_le32(raw);

		if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR ||
		    (addr == F2FS_COMPRESS_ADDR && inode->cluster_blocks))
			continue;
		if (geometry_is_main(r->geo, addr))
			put_le32(raw, repair_moved_to(r, fact->nid, i, addr));
		else if (cut_is_lost(r->c, addr) || repair_wants_slot(r, P_ADDRESS, fact->nid, i))
			put_le32(raw, F2FS_NULL_ADDR);
	}
	for (uint32_t i = 0; inode->cluster_blocks && i + inode->cluster_blocks <= count; i += inode->cluster_blocks)
		if (wants_cluster(r, fact->nid, i, inode->cluster_blocks))
			mend_cluster(r, slots + (size_t)i * 4, inode->cluster_blocks);
}

bool repair_keeps_child(const struct repair *r, const struct nid_fact *by, uint32_t slot, f2fs_nid_t child,
			uint32_t place)
{
	const struct nid_fact *fact = facts_nid(&r->c->facts, child);

	if ((fact && (fact->flags & FACT_HELD)) || !repair_wanted(r, P_NODE_TWICE, child))
		return true;
	if (!repair_wants_slot(r, P_NODE_CHILD_RANGE, by->nid, slot) ||
	    !repair_wants_slot(r, P_NODE_CHILD_FREE, by->nid, slot) ||
	    !repair_wants_slot(r, P_NODE_CHILD_OWNER, by->nid, slot))
		return true;
	return fact && (fact->flags & FACT_KEPT) && fact->parent == by->nid && fact->place == place;
}

static void mend_rules(const struct repair *r, uint8_t *block, f2fs_nid_t nid)
{
	for (unsigned i = 0; i < MAX_MENDS; i++) {
		enum rule rule = inode_check(&r->c->plain, block, nid, 0);

		if (!rule)
			return;
		if (rule == RULE_INODE_ROOT && (inode_i_mode(block) & MODE_TYPE) != MODE_DIR)
			inode_set_i_mode(block, (uint16_t)((inode_i_mode(block) & 07777u) | MODE_DIR));
		else if (!inode_mend(&r->c->plain, block, nid, rule))
			return;
	}
}

static void mend_times(uint8_t *block)
{
	if (inode_i_atime_nsec(block) >= INODE_NSECS)
		inode_set_i_atime_nsec(block, 0);
	if (inode_i_ctime_nsec(block) >= INODE_NSECS)
		inode_set_i_ctime_nsec(block, 0);
	if (inode_i_mtime_nsec(block) >= INODE_NSECS)
		inode_set_i_mtime_nsec(block, 0);
}

static void mend_owner(uint8_t *block)
{
	if (inode_i_uid(block) == NOBODY_ID)
		inode_set_i_uid(block, OVERFLOW_ID);
	if (inode_i_gid(block) == NOBODY_ID)
		inode_set_i_gid(block, OVERFLOW_ID);
	if (inode_has_extra(block, extra_OFS_i_projid + 4) && extra_i_projid(inode_extra(block)) == NOBODY_ID)
		extra_set_i_projid(block + INODE_ADDR_OFFSET, 0);
}

static void mend_numbers(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	const uint64_t most = node_max_file_blocks(r->geo, inode->node_slots) << r->geo->block_bits;

	if (repair_wanted(r, P_INODE_TIME, inode->ino))
		mend_times(block);
	if (repair_wanted(r, P_INODE_OWNER, inode->ino))
		mend_owner(block);
	/* how often a pinned file was in GC's way; others have none */
	if (inode->type == F2FS_TYPE_REGULAR && !inode_has_inline(block, FLAG_i_inline_pin_file) &&
	    (inode_i_current_depth(block) & 0xffff) != 0)
		inode_set_i_current_depth(block, inode_i_current_depth(block) & ~0xffffu);
	if (inode_i_namelen(block) > NAME_MAX_BYTES && repair_wanted(r, P_INODE_NAMELEN, inode->ino))
		inode_set_i_namelen(block, 0);
	if (inode_i_size(block) > most && !(inode->state & INODE_ALIAS) &&
	    repair_wanted(r, P_INODE_SIZE, inode->ino))
		inode_set_i_size(block, most);
	if (inode_i_blocks(block) != inode->blocks_found && inode->blocks_found &&
	    repair_wanted(r, P_BLOCK_COUNT, inode->ino))
		inode_set_i_blocks(block, inode->blocks_found);
	if (inode->cluster_blocks && inode->compr_blocks != inode->compr_found &&
	    repair_wanted(r, P_COMPR_BLOCKS, inode->ino))
		extra_set_i_compr_blocks(block + INODE_ADDR_OFFSET, inode->compr_found);
	if (inode->type == F2FS_TYPE_REGULAR && !(inode->state & INODE_ALIAS) && inode->cluster_blocks == 0 &&
	    inode->ext_seen != inode->ext_len && repair_wanted(r, P_EXTENT_WRONG, inode->ino))
		inode_set_i_ext_len(block, 0);
}

/* Marks that need a feature which is off are damage: nothing of the kind was ever made here. */
static void mend_marks(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	uint32_t flags = inode_i_flags(block);
	uint8_t advise = inode_i_advise(block);

	if (!(inode->state & INODE_ALIAS))
		flags &= ~(uint32_t)FLAG_i_flags_device_alias;
	if (!geometry_has(r->geo, F2FS_FEAT_COMPRESSION))
		flags &= ~(uint32_t)FLAG_i_flags_compr;
	if ((inode_i_mode(block) & MODE_TYPE) != MODE_DIR)
		flags &= ~(uint32_t)FLAG_i_flags_casefold;
	if (!geometry_has(r->geo, F2FS_FEAT_ENCRYPT))
		advise &= (uint8_t)~FLAG_i_advise_encrypt;
	if (!geometry_has(r->geo, F2FS_FEAT_VERITY))
		advise &= (uint8_t)~FLAG_i_advise_verity;
	if (geometry_has(r->geo, F2FS_FEAT_RO))
		advise &= (uint8_t)~FLAG_i_advise_trunc;
	if (flags != inode_i_flags(block))
		inode_set_i_flags(block, flags);
	if (advise != inode_i_advise(block))
		inode_set_i_advise(block, advise);
}

static void mend_inside(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	struct inode_layout layout;

	inode_layout(r->geo, block, &layout);
	if (repair_wanted(r, P_INLINE_WORD, inode->ino))
		put_le32(block + layout.slot_offset, 0);
	for (unsigned i = 0; i < 5 && repair_wanted(r, P_INLINE_NODES, inode->ino); i++)
		inode_set_nid(r->geo, block, i, 0);
	if (inode->type == F2FS_TYPE_DIRECTORY) {
		if (inode->links != 0 && !dir_size_inside(r->geo, inode_i_size(block)) &&
		    repair_wanted(r, P_DIR_SIZE, inode->ino))
			inode_set_i_size(block, layout.inline_size);
		return;
	}
	if (repair_wanted(r, P_DATA_EXIST, inode->ino) &&
	    !is_zero(block + layout.inline_offset, layout.inline_size))
		inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_data_exist);
	if (inode->type == F2FS_TYPE_SYMLINK && inode->links != 0)
		symlink_mend_inside(r, inode, block);
}

static void mend_directory(const struct repair *r, const struct inode_fact *dir, uint8_t *block)
{
	const uint64_t end = (uint64_t)dir->end_found << r->geo->block_bits;
	const uint64_t most = dir_most_blocks(r->geo, dir);

	if (dir->links == 0 || (dir->inlines & FLAG_i_inline_inline_dentry))
		return;
	if (repair_wanted(r, P_DIR_DEPTH, dir->ino))
		inode_set_i_current_depth(block, dir_depth_due(r->geo, dir));
	if (!repair_wanted(r, P_DIR_SIZE, dir->ino))
		return;
	if (inode_i_size(block) < end || dir->size >> r->geo->block_bits > most)
		inode_set_i_size(block, end);
	inode_set_i_size(block,
			 (inode_i_size(block) + r->geo->block_size - 1) >> r->geo->block_bits << r->geo->block_bits);
}

/* Set the extent and the flag of a device alias. */
static void mend_alias(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	if (repair_wanted(r, P_ALIAS_EXTENT, inode->ino)) {
		inode_set_i_ext_fofs(block, 0);
		inode_set_i_ext_blk(block, inode->ext_blk);
		inode_set_i_ext_len(block, inode->ext_len);
	}
	if (repair_wanted(r, P_ALIAS_PIN, inode->ino))
		inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_pin_file);
}

static void mend_contents(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode,
			  uint8_t *block)
{
	const bool holds_blocks = inode_fact_has_contents(inode);
	struct inode_layout layout;

	if (inode->state & INODE_ALIAS) {
		mend_alias(r, inode, block);
		return;
	}
	if (holds_blocks && inode_fact_is_inline(inode)) {
		mend_inside(r, inode, block);
		return;
	}
	for (unsigned i = 0; i < 5 && (holds_blocks || repair_wanted(r, P_SPECIAL_NODES, inode->ino)); i++)
		if (inode_nid(r->geo, block, i) &&
		    (!holds_blocks || !repair_keeps_child(r, fact, i, inode_nid(r->geo, block, i),
							 node_offset_below_inode(r->geo, i))))
			inode_set_nid(r->geo, block, i, 0);
	if (!holds_blocks)
		return;
	inode_layout(r->geo, block, &layout);
	repair_slots(r, fact, inode, block + layout.slot_offset,
		     layout.slots < inode->slots ? layout.slots : inode->slots);
	if (inode->type == F2FS_TYPE_SYMLINK && inode->links != 0)
		symlink_mend_size(r, inode, block);
	if (inode->type == F2FS_TYPE_DIRECTORY)
		mend_directory(r, inode, block);
}

/* Mend the count of attempts to move a file that is not pinned. Under a wrong checksum that count is worthless. */
static void mend_attempts(const struct inode_fact *inode, uint8_t *block)
{
	if (inode->type == F2FS_TYPE_REGULAR && (inode->state & INODE_BAD_SUM) &&
	    !(inode_i_inline(block) & FLAG_i_inline_pin_file))
		inode_set_i_current_depth(block, inode_i_current_depth(block) & ~(uint32_t)0xffff);
}

/* Mend fields that contradict the slots, or that a check of all contents found: reported once, looked for again. */
static void mend_packing(const struct repair *r, const struct inode_fact *inode, uint8_t *block)
{
	bool is_changed;

	if ((packing_is_doubtful(r->geo, block) || r->c->options.depth == F2FS_CHECK_CONTENT) &&
	    repair_wanted(r, P_INODE_PACKING, inode->ino) && packing_correct(r->vol, block, &is_changed) != 0)
		error_clear(r->c->ctx); /* fields out of range get valid numbers all the same */
}

void repair_inode_block(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode,
			uint8_t *block)
{
	enum rule misread;

	if (inode->state & INODE_RETYPED) /* rules hold by type */
		inode_set_i_mode(block, inode->mode);
	misread = inode_misread(r->geo, block);
	if (misread && repair_wanted(r, problem_of_rule(misread), inode->ino))
		inode_mend_misread(block);
	mend_packing(r, inode, block);
	if (repair_wanted(r, P_FEATURE_FLAG, inode->ino))
		mend_marks(r, inode, block);
	mend_rules(r, block, fact->nid);
	if (inode_i_xattr_nid(block) && !repair_keeps_child(r, fact, 5, inode_i_xattr_nid(block), XATTR_NODE_OFFSET))
		inode_set_i_xattr_nid(block, 0);
	mend_numbers(r, inode, block);
	mend_attempts(inode, block);
	mend_contents(r, fact, inode, block);
	mend_rules(r, block, fact->nid); /* some rules hold for an inode without blocks only */
}
