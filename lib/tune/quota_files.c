/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn quota on and off on a volume with files (FORMAT files 9.3).
 *
 * The superblock names a quota file only while that is whole: it is written after the commit that makes the files, and
 * before the one that removes them. An interruption between the two leaves hidden files that nothing names. Linux does
 * not see them, and the next change of quota removes them: it knows them by their form.
 */
#include "tune/quota_files.h"

#include <string.h>

#include "device/device.h"
#include "file/change.h"
#include "file/inode_free.h"
#include "file/quota_count.h"
#include "file/quota_make.h"
#include "file/write.h"
#include "format/inode.h"
#include "format/quota.h"
#include "format/superblock.h"
#include "log/commit.h"
#include "log/superblocks.h"
#include "tune/inode_walk.h"
#include "volume/block_read.h"

struct left_file {
	f2fs_nid_t ino;
	enum quota_type kind;
};

/* A change of some kinds: bits of 1 << enum quota_type. */
struct quota_files {
	struct inode_walk inodes;
	struct f2fs_volume *vol;
	unsigned kinds;
	bool counts;
	uint8_t *data;	 /* of one block */
	struct vec left; /* struct left_file: files of these kinds, which the superblock does not name */
};

/* ---- looking at all inodes ---- */

/* A quota file by its form: no name, no directory, unchangeable, and in its first block the header of its kind. */
static bool is_quota_file(struct quota_files *q, const uint8_t *inode, enum quota_type *kind)
{
	const struct f2fs_geometry *geo = &q->vol->geo;
	struct inode_layout layout;
	f2fs_blk_t addr;

	if ((inode_i_mode(inode) & MODE_TYPE) != MODE_REG || inode_i_links(inode) != 1 || inode_i_pino(inode) != 0 ||
	    inode_i_namelen(inode) != 0 || !(inode_i_flags(inode) & FLAG_i_flags_immutable) ||
	    inode_has_inline(inode, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry))
		return false;
	inode_layout(geo, inode, &layout);
	addr = get_le32(inode + layout.slot_offset);
	return geometry_is_main(geo, addr) &&
	       device_read_quiet(q->vol->cache, (uint64_t)addr << geo->block_bits, q->data, geo->block_size) == 0 &&
	       quota_is_header(q->data, kind);
}

static int count(struct quota_files *q, const uint8_t *inode)
{
	const int64_t blocks = (int64_t)inode_i_blocks(inode) - 1; /* its own node does not count */
	uint32_t ids[QUOTA_KINDS];
	int err = 0;

	quota_owners(inode, ids);
	for (unsigned kind = 0; kind < QUOTA_KINDS && blocks >= 0 && !err; kind++)
		if (q->kinds & 1u << kind)
			err = quota_adjust(txn_of(q->vol), kind, ids[kind], blocks * q->vol->geo.block_size, 1);
	return err;
}

static int look(void *user, const struct f2fs_nat_info *nat)
{
	struct quota_files *q = user;
	const uint8_t *inode = q->inodes.block;
	int err = inode_walk_read(&q->inodes, nat);
	enum quota_type kind;

	if (err || quota_is_file(q->vol, nat->nid))
		return err;
	if (is_quota_file(q, inode, &kind)) {
		struct left_file *left = q->kinds & 1u << kind ? vec_push(&q->left, 1) : NULL;

		if (left)
			*left = (struct left_file){ nat->nid, kind };
		return left || !(q->kinds & 1u << kind) ? 0 : F2FS_ERR_NOMEM;
	}
	return q->counts ? count(q, inode) : 0;
}

/* ---- changing ---- */

/* Named while it goes, so that no one is charged for its blocks. */
static int remove_left(struct quota_files *q)
{
	struct f2fs_volume *vol = q->vol;
	int err = 0;

	for (size_t i = 0; i < q->left.count && !err; i++) {
		const struct left_file *left = vec_at(&q->left, i);
		const f2fs_nid_t named = sb_qf_ino(vol->sb, left->kind);
		struct winode w;

		sb_set_qf_ino(vol->sb, left->kind, left->ino);
		err = winode_get(vol, left->ino, &w);
		if (!err)
			err = inode_free(&w);
		sb_set_qf_ino(vol->sb, left->kind, named);
	}
	return err;
}

static int make_files(struct quota_files *q)
{
	struct txn *txn = txn_of(q->vol);
	int err = 0;

	for (unsigned kind = 0; kind < QUOTA_KINDS && !err; kind++)
		if (q->kinds & 1u << kind)
			err = quota_add(txn, kind);
	cp_set_ckpt_flags(txn->cp, cp_ckpt_flags(txn->cp) & ~(uint32_t)FLAG_ckpt_flags_quota_need_fsck);
	return err;
}

/* Commit the removal of files that the superblock does not name, and, if it counts, new ones; or take it back. */
static int change(struct f2fs_volume *vol, unsigned kinds, bool counts)
{
	struct quota_files q = {
		.inodes = { vol, "quota", NULL }, .vol = vol, .kinds = kinds, .counts = counts
	};
	bool commits;
	int err = change_start(vol);

	vec_init(&q.left, vol->ctx, sizeof(struct left_file));
	q.inodes.block = mem_alloc(vol->ctx, (size_t)2 << vol->geo.block_bits);
	if (!err && !q.inodes.block)
		err = F2FS_ERR_NOMEM;
	q.data = q.inodes.block ? q.inodes.block + vol->geo.block_size : NULL;
	if (!err)
		err = inode_walk_each(&q.inodes, look, &q);
	if (!err)
		err = remove_left(&q);
	if (!err && counts)
		err = make_files(&q);
	commits = !err && (counts || q.left.count);
	if (commits)
		err = txn_commit(vol);
	if (err || !commits)
		txn_roll_back(vol);
	mem_free(vol->ctx, q.inodes.block);
	vec_fini(&q.left);
	return err;
}

int quota_files_on(struct f2fs_volume *vol, unsigned kinds, uint32_t features)
{
	uint8_t sb[sb_SIZE];
	int err;

	memcpy(sb, vol->sb, sizeof(sb));
	err = change(vol, kinds, true);
	for (unsigned kind = 0; kind < QUOTA_KINDS; kind++) {
		const f2fs_nid_t made = sb_qf_ino(vol->sb, kind);

		sb_set_qf_ino(vol->sb, kind, sb_qf_ino(sb, kind)); /* until the device has it */
		if (!err)
			sb_set_qf_ino(sb, kind, made);
	}
	sb_set_feature(sb, sb_feature(sb) | features);
	if (!err)
		err = superblock_replace(vol, sb);
	if (!err)
		vol->geo.feature = sb_feature(sb);
	vol->generation++;
	return err;
}

int quota_files_off(struct f2fs_volume *vol, unsigned kinds, uint32_t features)
{
	uint8_t sb[sb_SIZE];
	int err;

	memcpy(sb, vol->sb, sizeof(sb));
	sb_set_feature(sb, sb_feature(sb) & ~features);
	for (unsigned kind = 0; kind < QUOTA_KINDS; kind++)
		if (kinds & 1u << kind)
			sb_set_qf_ino(sb, kind, 0);
	err = superblock_replace(vol, sb);
	if (err)
		return err;
	vol->geo.feature = sb_feature(sb);
	vol->generation++;
	return change(vol, kinds, false);
}
