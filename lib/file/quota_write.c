/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store the counts and limits of a transaction (quota_count.c) in the quota files, with the commit (FORMAT files 9.3).
 * A repair fills a new file.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/data_read.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/pages.h"
#include "file/quota_changes.h"
#include "file/quota_count.h"
#include "file/quota_write.h"
#include "file/run.h"
#include "file/winode.h"
#include "format/quota_rescue.h"
#include "format/quota_walk.h"
#include "log/nodes.h"

#define ENTRIES_PER_LEAF 14u
#define EMPTY_BLOCKS 2u /* header and the root of the tree */
#define GRACE_SECONDS 604800u

/* A quota file in memory. */
struct quota_image {
	struct f2fs_context *ctx;
	uint8_t *bytes;
	uint32_t blocks, room; /* quota blocks */
};

/* All bytes zero: no entry, as a leaf has it. */
static bool is_no_entry(const uint8_t *entry)
{
	return is_zero(entry, quota_SIZE);
}

/* An entry of zeros would be a free slot: id 0 without usage and limits is stored with a time of 1. */
static void escape(uint8_t *entry)
{
	if (is_no_entry(entry))
		quota_set_dqb_itime(entry, 1);
}

static void unescape(uint8_t *entry)
{
	const uint64_t time = quota_dqb_itime(entry);

	quota_set_dqb_itime(entry, 0);
	if (time != 1 || !is_no_entry(entry))
		quota_set_dqb_itime(entry, time);
}

static uint8_t *block_at(const struct quota_image *q, uint32_t block)
{
	return q->bytes + (size_t)block * QUOTA_BLOCK_SIZE;
}

/* A zeroed block: from the free list, else after the end. 0 when memory is short. */
static uint32_t take_block(struct quota_image *q)
{
	uint32_t block = qhead_dqi_free_blk(q->bytes);

	if (block) {
		qhead_set_dqi_free_blk(q->bytes, qleaf_dqdh_next_free(block_at(q, block)));
		memset(block_at(q, block), 0, QUOTA_BLOCK_SIZE);
		return block;
	}
	if (q->blocks == q->room) {
		uint8_t *bytes = mem_realloc_array(q->ctx, q->bytes, (size_t)q->room * 2, QUOTA_BLOCK_SIZE);

		if (!bytes)
			return 0;
		q->bytes = bytes;
		memset(block_at(q, q->room), 0, (size_t)q->room * QUOTA_BLOCK_SIZE);
		q->room *= 2;
	}
	block = q->blocks++;
	qhead_set_dqi_blocks(q->bytes, q->blocks);
	return block;
}

/* Put a new entry into a leaf with room; its block number, 0 when memory is short. */
static uint32_t add_entry(struct quota_image *q, uint32_t id)
{
	uint32_t leaf = qhead_dqi_free_entry(q->bytes);
	uint8_t *p, *entry;
	uint16_t n;

	if (!leaf) {
		leaf = take_block(q);
		if (!leaf)
			return 0;
		qhead_set_dqi_free_entry(q->bytes, leaf);
	}
	p = block_at(q, leaf);
	entry = p + qleaf_SIZE;
	for (unsigned i = 0; i < ENTRIES_PER_LEAF && !is_no_entry(entry); i++)
		entry += quota_SIZE;
	quota_set_dqb_id(entry, id);
	escape(entry);
	n = (uint16_t)(qleaf_dqdh_entries(p) + 1);
	qleaf_set_dqdh_entries(p, n);
	if (n == ENTRIES_PER_LEAF) { /* full: out of the list, of which it is the head */
		uint32_t next = qleaf_dqdh_next_free(p);

		qhead_set_dqi_free_entry(q->bytes, next);
		if (next)
			qleaf_set_dqdh_prev_free(block_at(q, next), 0);
		qleaf_set_dqdh_next_free(p, 0);
	}
	return leaf;
}

static uint8_t *find_in_leaf(const struct quota_image *q, uint32_t leaf, uint32_t id)
{
	uint8_t *entry = block_at(q, leaf) + qleaf_SIZE;

	for (unsigned i = 0; i < ENTRIES_PER_LEAF; i++, entry += quota_SIZE)
		if (quota_dqb_id(entry) == id && !is_no_entry(entry))
			return entry;
	return NULL;
}

/* Find or make the entry of an id. The file was checked: references are in range. */
static uint8_t *need_entry(struct quota_image *q, uint32_t id)
{
	uint32_t at = 1;

	for (unsigned level = 0; level < QUOTA_LEVELS; level++) {
		size_t offset = (size_t)at * QUOTA_BLOCK_SIZE + ((id >> (8 * (3 - level))) & 0xff) * 4;
		uint32_t next = get_le32(q->bytes + offset);

		if (!next) {
			next = level + 1 < QUOTA_LEVELS ? take_block(q) : add_entry(q, id);
			if (!next)
				return NULL;
			put_le32(q->bytes + offset, next); /* bytes may have moved */
		}
		at = next;
	}
	return find_in_leaf(q, at, id);
}

static uint64_t add_clamped(uint64_t value, int64_t change)
{
	return change < 0 && (uint64_t)-change > value ? 0 : value + (uint64_t)change;
}

/* A count of usage that changes, and its soft limit. */
struct usage {
	uint64_t before, after, soft;
	uint64_t grace; /* the end of its time of grace; 0: none runs */
	const struct quota_rises *rises;
	int64_t limited; /* when the limit was set, in this transaction; -1: it was not */
	uint32_t period;
};

/* Grace begins when usage rises above the soft limit, or a limit below it is set, and ends when usage falls back. */
static uint64_t grace_after(const struct usage *u)
{
	int64_t since = -1;
	bool is_new;

	if (u->soft == 0 || u->after <= u->soft)
		return 0;
	is_new = quota_rises_find(u->rises, (int64_t)(u->soft - u->before), &since) || u->grace == 0;
	since = since > u->limited ? since : u->limited;
	return is_new && since >= 0 ? (uint64_t)since + u->period : u->grace;
}

static void set_limits(const struct quota_change *change, uint8_t *entry)
{
	if (change->limits & F2FS_QUOTA_SPACE_SOFT)
		quota_set_dqb_bsoftlimit(entry, change->space_soft);
	if (change->limits & F2FS_QUOTA_SPACE_HARD)
		quota_set_dqb_bhardlimit(entry, change->space_hard);
	if (change->limits & F2FS_QUOTA_INODES_SOFT)
		quota_set_dqb_isoftlimit(entry, change->inodes_soft);
	if (change->limits & F2FS_QUOTA_INODES_HARD)
		quota_set_dqb_ihardlimit(entry, change->inodes_hard);
}

/* Limits as they were set, and usage as it was counted; space counts bytes, its limits KiB. */
static void apply_change(const struct quota_image *q, const struct quota_change *change, uint8_t *entry)
{
	const unsigned of_space = F2FS_QUOTA_SPACE_SOFT | F2FS_QUOTA_SPACE_HARD;
	const unsigned of_inodes = F2FS_QUOTA_INODES_SOFT | F2FS_QUOTA_INODES_HARD;
	const int64_t limited = change->now > 0 ? change->now : 0;
	struct usage space = { .before = quota_dqb_curspace(entry),
			       .grace = quota_dqb_btime(entry),
			       .rises = &change->space_rises,
			       .limited = change->limits & of_space ? limited : -1,
			       .period = qhead_dqi_bgrace(q->bytes) };
	struct usage inodes = { .before = quota_dqb_curinodes(entry),
				.grace = quota_dqb_itime(entry),
				.rises = &change->inode_rises,
				.limited = change->limits & of_inodes ? limited : -1,
				.period = qhead_dqi_igrace(q->bytes) };

	set_limits(change, entry);
	space.soft = quota_dqb_bsoftlimit(entry) << 10;
	space.after = add_clamped(space.before, change->space);
	inodes.soft = quota_dqb_isoftlimit(entry);
	inodes.after = add_clamped(inodes.before, change->inodes);
	quota_set_dqb_curspace(entry, space.after);
	quota_set_dqb_btime(entry, grace_after(&space));
	quota_set_dqb_curinodes(entry, inodes.after);
	quota_set_dqb_itime(entry, grace_after(&inodes));
}

static void set_period(struct quota_image *q, const struct quota_period *period)
{
	if (!period->is_set)
		return;
	qhead_set_dqi_bgrace(q->bytes, period->space);
	qhead_set_dqi_igrace(q->bytes, period->inodes);
}

static int apply(struct quota_image *q, const struct vec *list)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct quota_change *change = vec_at(list, i);
		uint8_t *entry;

		if (change->space == 0 && change->inodes == 0 && !change->limits && !change->space_rises.lowest &&
		    !change->inode_rises.lowest)
			continue;
		entry = need_entry(q, change->id);
		if (!entry)
			return F2FS_ERR_NOMEM;
		unescape(entry);
		apply_change(q, change, entry);
		escape(entry);
	}
	return 0;
}

static int read_image(void *user, uint64_t offset, void *buf, size_t n)
{
	memcpy(buf, ((struct quota_image *)user)->bytes + offset, n);
	return 0;
}

/* Is the file sound, so that its references can be followed? */
static int check_image(struct f2fs_inode *inode, struct quota_image *q, uint64_t size)
{
	const struct quota_visitor visitor = { 0 };
	struct quota_work *work = mem_alloc(q->ctx, sizeof(*work));
	struct quota_file file;
	uint8_t *map = NULL;
	int rc = work ? quota_open(&file, read_image, q, size) : F2FS_ERR_NOMEM;

	if (rc == 0) {
		map = mem_alloc(q->ctx, quota_check_size(&file));
		rc = map ? quota_check(&file, work, map, &visitor) : F2FS_ERR_NOMEM;
	}
	if (rc > 0)
		rc = inode_corrupt(inode, RULE_QUOTA_TREE, "quota block %u: %s", (unsigned)file.last_problem.block,
				   quota_problem_text(file.last_problem.kind));
	else if (rc == 0 && file.version != 1)
		rc = error_set(q->ctx, F2FS_ERR_UNSUPPORTED, "quota files of the old format cannot be changed");
	mem_free(q->ctx, map);
	mem_free(q->ctx, work);
	return rc;
}

/* Write the blocks that differ from the file's. */
static int write_image(struct f2fs_inode *inode, struct winode *w, const struct quota_image *q, uint8_t *scratch)
{
	const uint32_t bs = inode->vol->geo.block_size;
	const uint64_t size = (uint64_t)q->blocks * QUOTA_BLOCK_SIZE;
	int err = 0;

	for (uint64_t at = 0; at < size && !err; at += bs) {
		size_t n = size - at < bs ? (size_t)(size - at) : bs;
		uint8_t *page;

		err = data_read(inode, at, scratch, bs);
		if (err || memcmp(scratch, q->bytes + at, n) == 0)
			continue;
		err = page_get(w, at / bs, false, &page);
		if (!err)
			memcpy(page, q->bytes + at, n);
	}
	if (!err && inode_i_size(winode_block(w)) < size)
		inode_set_i_size(winode_block(w), size);
	node_dirty(w->txn, w->node);
	return err;
}

/* The blocks that the header counts: as with Linux, the file may be longer. */
static int count_blocks(struct f2fs_inode *inode, uint32_t *out)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;
	const uint64_t size = inode_i_size(inode->block);
	uint8_t head[QUOTA_BLOCK_SIZE];
	int err;

	if (size / QUOTA_BLOCK_SIZE < 2)
		return inode_corrupt(inode, RULE_QUOTA_TREE, "%llu bytes", (unsigned long long)size);
	err = data_read(inode, 0, head, sizeof(head));
	if (err)
		return err;
	*out = qhead_dqi_blocks(head);
	if (*out < 2 || *out > size / QUOTA_BLOCK_SIZE || *out > UINT32_MAX / 4 ||
	    *out > (uint64_t)(geo->end_blkaddr - geo->main_blkaddr) * geo->block_size / QUOTA_BLOCK_SIZE)
		return inode_corrupt(inode, RULE_QUOTA_TREE, "%u blocks in %llu bytes", (unsigned)*out,
				     (unsigned long long)size);
	return 0;
}

/* Load a quota file and apply the transaction's changes; q->bytes is the caller's to free in any case. */
static int load_changed(struct f2fs_inode *inode, unsigned kind, struct quota_image *q)
{
	struct f2fs_volume *vol = inode->vol;
	int err = count_blocks(inode, &q->blocks);

	if (err)
		return err;
	q->ctx = vol->ctx;
	q->room = q->blocks;
	q->bytes = mem_calloc(vol->ctx, q->room, QUOTA_BLOCK_SIZE);
	err = q->bytes ? data_read(inode, 0, q->bytes, (size_t)q->room * QUOTA_BLOCK_SIZE) : F2FS_ERR_NOMEM;
	if (!err)
		err = check_image(inode, q, (uint64_t)q->room * QUOTA_BLOCK_SIZE);
	if (err)
		return err;
	if (!quota_changes_kind(vol->txn, kind))
		return 0;
	set_period(q, &vol->txn->file->quota->periods[kind]);
	return apply(q, &vol->txn->file->quota->list[kind]);
}

int quota_check_changed(struct f2fs_inode *inode, unsigned kind)
{
	struct quota_image q = { 0 };
	int err = load_changed(inode, kind, &q);

	mem_free(inode->vol->ctx, q.bytes);
	return err;
}

int quota_load_changed(struct f2fs_inode *inode, unsigned kind, uint8_t **bytes, uint64_t *size)
{
	const struct txn *txn = inode->vol->txn;
	struct quota_image q = { 0 };
	int err;

	if (!quota_changes_kind(txn, kind))
		return 0;
	err = load_changed(inode, kind, &q);
	if (err) {
		mem_free(inode->vol->ctx, q.bytes);
		return err;
	}
	*bytes = q.bytes;
	*size = (uint64_t)q.blocks * QUOTA_BLOCK_SIZE;
	return 0;
}

static int store_kind(struct txn *txn, unsigned kind)
{
	struct f2fs_volume *vol = txn->vol;
	struct quota_image q = { 0 };
	struct f2fs_inode *inode;
	uint8_t *scratch = NULL;
	struct winode w;
	int err = inode_open(vol, sb_qf_ino(vol->sb, kind), &inode);

	if (err)
		return err;
	err = load_changed(inode, kind, &q);
	if (!err) {
		scratch = mem_alloc(vol->ctx, vol->geo.block_size);
		err = scratch ? 0 : F2FS_ERR_NOMEM;
	}
	if (!err)
		err = winode_get(vol, inode->ino, &w);
	if (!err)
		err = write_image(inode, &w, &q, scratch);
	mem_free(vol->ctx, q.bytes);
	mem_free(vol->ctx, scratch);
	f2fs_inode_close(inode);
	return err;
}

int quota_store(struct txn *txn)
{
	for (unsigned kind = 0; kind < QUOTA_KINDS && txn->file->quota; kind++) {
		int err = quota_changes_kind(txn, kind) ? store_kind(txn, kind) : 0;

		if (err)
			return err;
	}
	quota_drop(txn);
	return 0;
}

static int put_limits(struct quota_image *q, const struct quota_entry *kept)
{
	uint8_t *entry;

	if (!(kept->inodes_soft | kept->inodes_hard | kept->space_soft | kept->space_hard))
		return 0;
	entry = need_entry(q, kept->id);
	if (!entry)
		return F2FS_ERR_NOMEM;
	unescape(entry);
	quota_set_dqb_isoftlimit(entry, kept->inodes_soft);
	quota_set_dqb_ihardlimit(entry, kept->inodes_hard);
	quota_set_dqb_bsoftlimit(entry, kept->space_soft);
	quota_set_dqb_bhardlimit(entry, kept->space_hard);
	quota_set_dqb_btime(entry, kept->space_grace);
	quota_set_dqb_itime(entry, kept->inodes_grace);
	escape(entry);
	return 0;
}

static int put_pages(struct winode *w, const struct quota_image *q)
{
	const uint32_t bs = w->txn->vol->geo.block_size;
	const size_t size = (size_t)q->blocks * QUOTA_BLOCK_SIZE;
	int err = 0;

	for (size_t at = 0; at < size && !err; at += bs) {
		uint8_t *page;

		err = page_get(w, at / bs, true, &page);
		if (err)
			break;
		memset(page, 0, bs);
		memcpy(page, q->bytes + at, size - at < bs ? size - at : bs);
	}
	inode_set_i_size(winode_block(w), size);
	node_dirty(w->txn, w->node);
	return err;
}

int quota_fill(struct winode *w, unsigned kind, const struct quota_rescue *kept)
{
	struct quota_image q = { .ctx = w->txn->vol->ctx, .blocks = EMPTY_BLOCKS, .room = EMPTY_BLOCKS };
	int err = 0;

	q.bytes = mem_calloc(q.ctx, q.room, QUOTA_BLOCK_SIZE);
	if (!q.bytes)
		return F2FS_ERR_NOMEM;
	qhead_set_dqh_magic(q.bytes, quota_magic((enum quota_type)kind));
	qhead_set_dqh_version(q.bytes, 1);
	qhead_set_dqi_bgrace(q.bytes, kept ? kept->space_grace : GRACE_SECONDS);
	qhead_set_dqi_igrace(q.bytes, kept ? kept->inodes_grace : GRACE_SECONDS);
	qhead_set_dqi_blocks(q.bytes, q.blocks);
	for (size_t i = 0; kept && i < kept->entries.count && !err; i++)
		err = put_limits(&q, vec_at(&kept->entries, i));
	if (!err)
		err = put_pages(w, &q);
	mem_free(q.ctx, q.bytes);
	return err;
}
