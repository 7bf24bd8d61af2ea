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
#include "tune/inode_walk.h"
#include "tune/superblocks.h"
#include "volume/block_read.h"

enum { KINDS = sb_COUNT_qf_ino };

struct owner_usage {
	uint32_t id;
	int64_t space, inodes;
};

struct left_file {
	f2fs_nid_t ino;
	enum quota_type kind;
};

struct quota_files {
	struct inode_walk inodes;
	struct f2fs_volume *vol;
	uint8_t *data;	   /* of one block */
	unsigned kinds;	   /* to count for */
	struct map32 index[KINDS]; /* id -> number in owners */
	struct vec owners[KINDS];  /* struct owner_usage */
	struct vec left;   /* struct left_file: files that the superblock does not name */
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

static int count_for(struct quota_files *q, unsigned kind, uint32_t id, int64_t space)
{
	uint64_t *at = id == UINT32_MAX ? NULL : map32_find(&q->index[kind], id);
	struct owner_usage *owner;

	if (id == UINT32_MAX)
		return 0;
	owner = at ? vec_at(&q->owners[kind], (size_t)*at) : vec_push(&q->owners[kind], 1);
	if (!owner || (!at && map32_set(&q->index[kind], id, q->owners[kind].count - 1) != 0))
		return F2FS_ERR_NOMEM;
	owner->id = id;
	owner->space += space;
	owner->inodes++;
	return 0;
}

static int look(void *user, const struct f2fs_nat_info *nat)
{
	struct quota_files *q = user;
	const uint8_t *inode = q->inodes.block;
	uint32_t ids[KINDS];
	int err = inode_walk_read(&q->inodes, nat);
	enum quota_type kind;

	if (err || quota_is_file(q->vol, nat->nid))
		return err;
	if (is_quota_file(q, inode, &kind)) {
		struct left_file *left = vec_push(&q->left, 1);

		if (left)
			*left = (struct left_file){ nat->nid, kind };
		return left ? 0 : F2FS_ERR_NOMEM;
	}
	ids[QUOTA_USER] = inode_i_uid(inode);
	ids[QUOTA_GROUP] = inode_i_gid(inode);
	ids[QUOTA_PROJECT] = inode_has_extra(inode, extra_OFS_i_projid + 4) ? extra_i_projid(inode_extra(inode)) : 0;
	for (unsigned i = 0; i < KINDS && !err; i++)
		if (q->kinds & 1u << i && inode_i_blocks(inode) > 0)
			err = count_for(q, i, ids[i],
					(int64_t)((inode_i_blocks(inode) - 1) << q->vol->geo.block_bits));
	return err;
}

static void quota_files_fini(struct quota_files *q)
{
	for (unsigned i = 0; i < KINDS; i++) {
		map32_fini(&q->index[i]);
		vec_fini(&q->owners[i]);
	}
	vec_fini(&q->left);
	mem_free(q->vol->ctx, q->inodes.block);
}

/* Count the usage of all owners for some kinds, and find files that are left. Ended by quota_files_fini(). */
static int look_at_all(struct quota_files *q, struct f2fs_volume *vol, unsigned kinds)
{
	*q = (struct quota_files){ .inodes = { vol, "quota", NULL }, .vol = vol, .kinds = kinds };
	for (unsigned i = 0; i < KINDS; i++) {
		map32_init(&q->index[i], vol->ctx);
		vec_init(&q->owners[i], vol->ctx, sizeof(struct owner_usage));
	}
	vec_init(&q->left, vol->ctx, sizeof(struct left_file));
	q->inodes.block = mem_alloc(vol->ctx, (size_t)2 << vol->geo.block_bits);
	if (!q->inodes.block)
		return F2FS_ERR_NOMEM;
	q->data = q->inodes.block + vol->geo.block_size;
	return inode_walk_each(&q->inodes, look, q);
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

	for (unsigned kind = 0; kind < KINDS && !err; kind++) {
		if (!(q->kinds & 1u << kind))
			continue;
		err = quota_add(txn, kind);
		for (size_t i = 0; i < q->owners[kind].count && !err; i++) {
			const struct owner_usage *owner = vec_at(&q->owners[kind], i);

			err = quota_adjust(txn, kind, owner->id, owner->space, owner->inodes);
		}
	}
	return err;
}

/* Commit what changes the files, or take it back. */
static int commit(struct quota_files *q)
{
	struct f2fs_volume *vol = q->vol;
	int err = change_start(vol);

	if (!err)
		err = remove_left(q);
	if (!err)
		err = make_files(q);
	if (!err && q->kinds)
		cp_set_ckpt_flags(txn_of(vol)->cp,
				  cp_ckpt_flags(txn_of(vol)->cp) & ~(uint32_t)FLAG_ckpt_flags_quota_need_fsck);
	if (!err)
		err = txn_commit(vol);
	if (err)
		txn_roll_back(vol);
	return err;
}

int quota_files_on(struct f2fs_volume *vol, unsigned kinds, uint32_t features)
{
	struct quota_files q;
	uint8_t sb[sb_SIZE];
	int err = look_at_all(&q, vol, kinds);

	memcpy(sb, vol->sb, sizeof(sb));
	if (!err)
		err = commit(&q);
	for (unsigned kind = 0; kind < KINDS; kind++) {
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
	quota_files_fini(&q);
	return err;
}

int quota_files_off(struct f2fs_volume *vol, unsigned kinds, uint32_t features)
{
	struct quota_files q;
	uint8_t sb[sb_SIZE];
	int err;

	memcpy(sb, vol->sb, sizeof(sb));
	sb_set_feature(sb, sb_feature(sb) & ~features);
	for (unsigned kind = 0; kind < KINDS; kind++)
		if (kinds & 1u << kind)
			sb_set_qf_ino(sb, kind, 0);
	err = superblock_replace(vol, sb);
	if (err)
		return err;
	vol->geo.feature = sb_feature(sb);
	vol->generation++;
	err = look_at_all(&q, vol, 0);
	if (!err && q.left.count)
		err = commit(&q);
	quota_files_fini(&q);
	return err;
}
