/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make one file durable without a checkpoint: choose the nodes from which a recovery restores the file, and find the
 * cases that no chain of nodes can express (FORMAT files 12.3 to 12.10).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/fsync.h"
#include "file/inode_past.h"
#include "file/inode_sync.h"
#include "file/page_store.h"
#include "file/pages_flush.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/chain.h"
#include "log/chain_write.h"
#include "log/commit.h"
#include "log/nodes.h"
#include "log/txn_state.h"
#include "volume/block_read.h"
#include "volume/counters.h"
#include "volume/nat_read.h"

static const struct {
	const char *name, *text;
} reasons[] = {
#define ROW(name, number, text) [number] = { #name, text },
	F2FS_FSYNC_REASON_TABLE(ROW)
#undef ROW
};

const char *f2fs_fsync_reason_name(int reason)
{
	return reason >= 0 && (size_t)reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[reason].name : NULL;
}

const char *f2fs_fsync_reason_text(int reason)
{
	return reason >= 0 && (size_t)reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[reason].text : NULL;
}

/* A part of the inode block that recovery does not take from the chain. */
struct piece {
	uint16_t start, end;
};

static const struct piece kept_by_recovery[] = {
	{ inode_OFS_i_links, inode_OFS_i_links + 4 },
	{ inode_OFS_i_generation, inode_OFS_i_generation + 4 },
	{ inode_OFS_i_pino, inode_OFS_i_dir_level + 1 },
};
static const struct piece kept_extra[] = {
	{ extra_OFS_i_extra_isize, extra_OFS_i_projid },
	{ extra_OFS_i_crtime, extra_OFS_i_crtime_nsec + 4 },
	{ extra_OFS_i_compr_blocks, extra_SIZE },
};

/* Does the inode differ in a part that recovery would not take over? Then only a checkpoint makes it durable. */
static bool differs_in_kept(const uint8_t *base, const uint8_t *now)
{
	const uint8_t extra_bit = FLAG_i_inline_extra_attr;

	if ((inode_i_inline(base) ^ inode_i_inline(now)) & extra_bit)
		return true;
	for (size_t i = 0; i < sizeof(kept_by_recovery) / sizeof(kept_by_recovery[0]); i++) {
		const struct piece *p = &kept_by_recovery[i];

		if (memcmp(base + p->start, now + p->start, p->end - p->start) != 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(kept_extra) / sizeof(kept_extra[0]); i++) {
		const struct piece *p = &kept_extra[i];

		if (inode_has_extra(now, p->end) && memcmp(base + INODE_ADDR_OFFSET + p->start,
							   now + INODE_ADDR_OFFSET + p->start, p->end - p->start) != 0)
			return true;
	}
	return false;
}

/* One more than the last file block that a node of the file has a block for, 0 for none. */
static uint64_t end_of_node(const struct winode *w, const struct node *node)
{
	const uint32_t offset = node_offset_of(node_footer(&w->txn->vol->geo, node->block));
	const uint8_t *slots = node->block + (offset == 0 ? w->layout.slot_offset : 0);
	uint32_t n = offset == 0 ? w->layout.slots : w->layout.node_slots;

	if (offset == XATTR_NODE_OFFSET || (offset == 0 && inode_has_inline(node->block, FLAG_i_inline_inline_data)))
		return 0;
	while (n > 0 && get_le32(slots + (size_t)(n - 1) * 4) == F2FS_NULL_ADDR)
		n--;
	return n == 0 ? 0 : node_first_block(&w->txn->vol->geo, w->layout.slots, w->layout.node_slots, offset) + n;
}

static uint64_t blocks_of_size(const struct winode *w, uint64_t size)
{
	return (size >> w->txn->vol->geo.block_bits) + ((size & (w->txn->vol->geo.block_size - 1)) != 0);
}

static bool keeps_size(const struct winode *w)
{
	return (inode_i_advise(winode_block(w)) & FLAG_i_advise_keep_size) != 0;
}

/* Find reasons for a checkpoint in the directory of the file. */
static int parent_reason(struct winode *w, bool is_new, int *reason)
{
	const f2fs_nid_t pino = inode_i_pino(winode_block(w));
	const unsigned bits = chain_bits(w->txn, pino);
	struct f2fs_nat_info entry;
	int err;

	if (bits & CHAIN_DIR_XATTR)
		*reason = F2FS_FSYNC_PARENT_XATTRS;
	if (!is_new)
		return 0;
	if (inode_i_advise(winode_block(w)) & FLAG_i_advise_lost_pino)
		*reason = F2FS_FSYNC_WRONG_PARENT;
	if (bits & (w->txn->vol->write.fsync_mode == F2FS_FSYNC_MODE_POSIX ? CHAIN_NAME_LIVES : CHAIN_NAME_TAKEN))
		*reason = F2FS_FSYNC_PARENT_NAMES;
	err = nat_get_stored(w->txn->vol, pino, &entry);
	if (!err && entry.block_addr == F2FS_NULL_ADDR)
		*reason = F2FS_FSYNC_NEW_PARENT;
	return err;
}

/* Find reasons for a checkpoint in the file. base: the inode block that recovery starts from, NULL for a new file. */
static int own_reason(const struct winode *w, const uint8_t *base)
{
	const uint8_t *block = winode_block(w);
	const struct txn *txn = w->txn;

	if ((inode_i_mode(block) & MODE_TYPE) != MODE_REG)
		return F2FS_FSYNC_NOT_REGULAR;
	if (w->layout.is_compressed)
		return F2FS_FSYNC_COMPRESSED;
	if (inode_i_links(block) != 1)
		return F2FS_FSYNC_LINKS;
	/* a file whose nodes look like a directory's goes to another log: that of a device alias, as mkfs.f2fs makes it
	 */
	if (txn->chain.is_broken || !(footer_flag(node_footer(&txn->vol->geo, block)) & 1))
		return F2FS_FSYNC_LOGS;
	if (!chain_has_room(txn))
		return F2FS_FSYNC_NO_ROOM;
	if (chain_bits(txn, w->node->nid) & CHAIN_NODE_FREED)
		return F2FS_FSYNC_NODE_FREED;
	if (!keeps_size(w) && end_of_node(w, w->node) > blocks_of_size(w, inode_i_size(block)))
		return F2FS_FSYNC_BEYOND_END;
	return base && differs_in_kept(base, block) ? F2FS_FSYNC_IDENTITY : F2FS_FSYNC_NONE;
}

static int find_reason(struct winode *w, bool *is_new, int *reason)
{
	const uint8_t *base = NULL;
	f2fs_blk_t addr;
	int err = chain_base(w->txn, w->node->nid, &addr);

	*is_new = addr == F2FS_NULL_ADDR;
	if (!err && !*is_new && !geometry_is_main(&w->txn->vol->geo, addr))
		err = volume_corrupt(w->txn->vol, RULE_NAT_BLOCK, F2FS_NO_BLOCK, w->node->nid, "block_addr is %u",
				     (unsigned)addr);
	if (!err && !*is_new)
		err = volume_peek(w->txn->vol, addr, &base);
	if (err)
		return err;
	*reason = own_reason(w, base);
	return *reason == F2FS_FSYNC_NONE ? parent_reason(w, *is_new, reason) : 0;
}

/*
 * Does recovery set the new size without the inode? It lets a file end with the last block of the changed nodes, so yes
 * if the file ends exactly there (FORMAT files 12.8).
 */
static int size_follows(struct winode *w, const struct node *list, uint64_t old_size, bool *follows)
{
	const uint64_t size = inode_i_size(winode_block(w));
	const struct node *last = NULL;
	const uint8_t *stored;
	struct f2fs_nat_info entry;
	uint64_t end = 0, index;
	int err;

	for (const struct node *node = list; node; node = node->next_dirty) {
		const uint64_t node_end = node == w->node ? 0 : end_of_node(w, node);

		if (node_end > end) {
			end = node_end;
			last = node;
		}
	}
	*follows = size == old_size && (end <= blocks_of_size(w, size) || keeps_size(w));
	if (size <= old_size || keeps_size(w) || !last || end << w->txn->vol->geo.block_bits != size)
		return 0;
	/* the last slot has to be seen to change */
	index = end - 1 -
		node_first_block(&w->txn->vol->geo, w->layout.slots, w->layout.node_slots,
				 node_offset_of(node_footer(&w->txn->vol->geo, last->block)));
	err = nat_get(w->txn->vol, last->nid, &entry);
	*follows = !err && entry.block_addr == F2FS_NEW_ADDR;
	if (err || *follows)
		return err;
	err = volume_peek(w->txn->vol, entry.block_addr, &stored);
	if (!err)
		*follows = memcmp(stored + index * 4, last->block + index * 4, 4) != 0;
	return err;
}

/*
 * Did the inode change in a way that recovery cannot derive from the other nodes? Compare it with its last written
 * state, after equalising every field that follows from those nodes.
 */
static int inode_matters(struct winode *w, const struct node *list, unsigned flags, bool *matters)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint64_t *known = map32_find(&w->txn->chain.sizes, w->node->nid);
	const uint8_t *now = winode_block(w), *stored;
	uint8_t *copy = w->txn->scratch;
	struct f2fs_nat_info entry;
	bool follows;
	int err = nat_get(w->txn->vol, w->node->nid, &entry);

	*matters = true;
	if (err || entry.block_addr == F2FS_NEW_ADDR)
		return err;
	err = volume_peek(w->txn->vol, entry.block_addr, &stored);
	if (err)
		return err;
	memcpy(copy, stored, geo->block_size);
	err = size_follows(w, list, known ? *known : inode_i_size(copy), &follows);
	if (err)
		return err;
	if (follows)
		inode_set_i_size(copy, inode_i_size(now));
	inode_set_i_blocks(copy, inode_i_blocks(now));
	memcpy(copy + inode_OFS_i_ext_fofs, now + inode_OFS_i_ext_fofs, 12);
	if (flags & F2FS_FSYNC_DATA)
		memcpy(copy + inode_OFS_i_atime, now + inode_OFS_i_atime, inode_OFS_i_generation - inode_OFS_i_atime);
	if (inode_has_checksum(geo, now))
		extra_set_i_inode_checksum(copy + INODE_ADDR_OFFSET, extra_i_inode_checksum(now + INODE_ADDR_OFFSET));
	/* recovery finds nodes by their place in the file, so node ids and the footer do not count */
	*matters = memcmp(copy, now, inode_nids_offset(geo)) != 0;
	return 0;
}

/* Take the inode out of a list of nodes. */
static void without_inode(struct winode *w, struct node **list)
{
	struct node *own = w->node;

	for (struct node **link = list; *link; link = &(*link)->next_dirty) {
		if (*link != own)
			continue;
		*link = own->next_dirty;
		own->next_dirty = NULL;
		return;
	}
}

static void add_last(struct node **list, struct node *node)
{
	while (*list)
		list = &(*list)->next_dirty;
	*list = node;
	node->next_dirty = NULL;
	node->is_dirty = true;
}

/* Flush contents that were overwritten in place, where no node has to be written after them. */
static int flush_contents(const struct winode *w)
{
	int err = (chain_bits(w->txn, w->node->nid) & CHAIN_UNFLUSHED) != 0 ? volume_flush(w->txn->vol) : 0;

	if (!err)
		chain_unnote(w->txn, w->node->nid, CHAIN_UNFLUSHED);
	return err;
}

/* Write the nodes that a recovery needs: the changed ones, and the inode last unless the others suffice. */
static int write_chain(struct winode *w, bool is_new, unsigned flags)
{
	const bool unmarked = (chain_bits(w->txn, w->node->nid) & CHAIN_UNMARKED) != 0, was_dirty = w->node->is_dirty;
	struct node *list = nodes_detach(w->txn, w->node->nid);
	bool matters = was_dirty;
	int err = 0;

	if (was_dirty && !is_new)
		err = inode_matters(w, list, flags, &matters);
	if (err) {
		nodes_attach(w->txn, list);
		return err;
	}
	without_inode(w, &list);
	if (is_new || matters || (unmarked && !list)) {
		add_last(&list, w->node);
		map32_remove(&w->txn->chain.sizes, w->node->nid);
	} else {
		if (was_dirty)
			nodes_attach(w->txn, w->node);
		if (list)
			err = map32_set(&w->txn->chain.sizes, w->node->nid, inode_i_size(winode_block(w)));
		if (err) {
			nodes_attach(w->txn, list);
			return err;
		}
	}
	return list ? chain_write(w->txn, w->node->nid, list, is_new) : flush_contents(w);
}

static bool is_changed(const struct winode *w)
{
	return nat_changes_find(&w->txn->nat, w->node->nid, NULL) || w->node->is_dirty ||
	       pages_exist(w->txn->vol, w->node->nid) ||
	       (chain_bits(w->txn, w->node->nid) & CHAIN_UNFLUSHED) != 0;
}

int inode_fsync(struct f2fs_inode *inode, unsigned flags)
{
	struct f2fs_volume *vol = inode->vol;
	struct winode w;
	bool is_new;
	int reason, err;

	err = inode_need_current(inode);
	if (err)
		return err;
	if (!vol->txn) /* nothing has changed since the last commit */
		return 0;
	err = txn_need_sound(vol->txn);
	if (!err)
		err = inode_sync(inode);
	if (!err)
		err = winode_get(vol, inode->ino, &w);
	if (err || !is_changed(&w))
		return err;
	err = find_reason(&w, &is_new, &reason);
	if (err)
		return err;
	if (reason != F2FS_FSYNC_NONE)
		return txn_commit(vol);
	err = pages_flush_file(w.txn, w.node->nid);
	if (!err)
		err = write_chain(&w, is_new, flags);
	if (err) /* an error here may leave blocks in use that nothing refers to */
		txn_fail(w.txn);
	return err;
}

int f2fs_fsync(struct f2fs_inode *inode, unsigned flags)
{
	error_clear(inode->vol->ctx);
	if (flags & ~(unsigned)F2FS_FSYNC_DATA)
		return error_set(inode->vol->ctx, F2FS_ERR_INVALID, "fsync has no flags 0x%x", flags);
	return inode_fsync(inode, flags);
}

int f2fs_fsync_reason(struct f2fs_inode *inode, int *reason)
{
	struct winode w;
	bool is_new;
	int err;

	error_clear(inode->vol->ctx);
	*reason = F2FS_FSYNC_NONE;
	err = inode_need_current(inode);
	if (err || !inode->vol->txn)
		return err;
	err = winode_get(inode->vol, inode->ino, &w);
	return err ? err : find_reason(&w, &is_new, reason);
}

int f2fs_volume_set_sync(struct f2fs_volume *vol, int mode)
{
	error_clear(vol->ctx);
	if (mode < F2FS_SYNC_NONE || mode > F2FS_SYNC_ALL)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no mode of writing %d", mode);
	vol->sync_mode = mode;
	return 0;
}
