/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change label and UUID of a volume, and the inode checksums that depend on the UUID.
 *
 * An interruption is harmless, because superblocks.c replaces one copy after the other. With inode_checksum the UUID
 * changes in four steps, each durable before the next. The feature is removed from both superblocks, so that checksums
 * are ignored. The UUID is set. Each inode gets the checksum of the new UUID: four bytes of an otherwise unchanged
 * block, on zoned volumes all inodes rewritten in one commit. The feature is set again.
 *
 * Between any two writes a kernel finds either the feature and right checksums, or no feature. Inodes that have
 * checksums without the feature show that a change was interrupted: the next one sets the feature again.
 */
#include <f2fskit/file.h>
#include <f2fskit/label.h>
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/utf16.h"
#include "device/device.h"
#include "file/change.h"
#include "file/write.h"
#include "format/inode.h"
#include "format/superblock.h"
#include "format/xattr.h"
#include "log/commit.h"
#include "log/nodes.h"
#include "log/run.h"
#include "log/superblocks.h"
#include "log/txn.h"
#include "tune/inode_walk.h"
#include "tune/label.h"
#include "volume/block_read.h"
#include "volume/counters.h"
#include "volume/rescue_features.h"
#include "volume/weigh.h"

int label_encode(struct f2fs_context *ctx, const char *label, uint8_t *units)
{
	for (const char *c = label; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f || (*c == '\xc2' && (unsigned char)c[1] - 0x80u < 0x20))
			return error_set(ctx, F2FS_ERR_INVALID, "the label has a control character");
	switch (utf16_encode(label, strlen(label), units, sb_SIZE_volume_name / 2)) {
	case UTF16_OK:
		return 0;
	case UTF16_NO_ROOM:
		return error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "the label is longer than %u UTF-16 units",
				 sb_SIZE_volume_name / 2);
	default:
		return error_set(ctx, F2FS_ERR_INVALID, "the label is not valid UTF-8");
	}
}

int f2fs_volume_set_label(struct f2fs_volume *vol, const char *label)
{
	uint8_t sb[sb_SIZE];
	int err;

	error_clear(vol->ctx);
	err = superblock_writable(vol);
	if (err)
		return err;
	memcpy(sb, vol->sb, sizeof(sb));
	err = label_encode(vol->ctx, label, sb_volume_name_w(sb));
	return err ? err : superblock_replace(vol, sb);
}

/* ---- inodes ---- */

struct walk {
	struct inode_walk inodes;
	struct f2fs_volume *vol;
	uint32_t seed;		  /* of the new UUID */
	struct f2fs_geometry geo; /* with inode_checksum */
};

/* A checksum that is wrong now stays wrong: correcting it would hide damage. */
static int check_sum(void *user, const struct f2fs_nat_info *nat)
{
	struct walk *w = user;
	const uint8_t *block = w->inodes.block;
	int err = inode_walk_read(&w->inodes, nat);

	if (err || !inode_has_checksum(&w->vol->geo, block) ||
	    extra_i_inode_checksum(inode_extra(block)) == inode_checksum(&w->geo, block, w->vol->checksum_seed))
		return err;
	return volume_corrupt(w->vol, RULE_INODE_CHECKSUM, nat->block_addr, nat->nid, "repair the volume first");
}

/* Rewrite one inode's checksum in place. */
static int sum_inode(void *user, const struct f2fs_nat_info *nat)
{
	struct walk *w = user;
	uint8_t *block = w->inodes.block, *extra = block + INODE_ADDR_OFFSET;
	int err = inode_walk_read(&w->inodes, nat);
	uint32_t sum;

	if (err || !inode_has_checksum(&w->geo, block))
		return err;
	sum = inode_checksum(&w->geo, block, w->seed);
	if (extra_i_inode_checksum(extra) == sum)
		return 0;
	extra_set_i_inode_checksum(extra, sum);
	return volume_write(w->vol, F2FS_WRITE_NODE, (uint64_t)nat->block_addr * w->geo.block_size, block,
			    w->geo.block_size);
}

/* Does an encrypted file's key depend on the UUID (FORMAT files 9.1)? */
static int check_policy(void *user, const struct f2fs_nat_info *nat)
{
	struct walk *w = user;
	enum { POLICY_FLAGS = 3, UUID_FLAGS = 0x18 }; /* of both versions of the context */
	struct f2fs_inode *inode;
	struct f2fs_xattr x;
	int err = inode_walk_read(&w->inodes, nat), count;

	if (err || !(inode_i_advise(w->inodes.block) & FLAG_i_advise_encrypt))
		return err;
	err = f2fs_inode_open(w->vol, nat->nid, &inode);
	if (err)
		return err;
	count = f2fs_xattr_count(inode);
	err = count < 0 ? count : 0;
	for (int i = 0; !err && i < count; i++) {
		err = f2fs_xattr_at(inode, (unsigned)i, &x);
		if (!err && x.name_index == XATTR_ENCRYPTION && x.value_size > POLICY_FLAGS &&
		    (x.value[POLICY_FLAGS] & UUID_FLAGS))
			err = error_set(
				w->vol->ctx, F2FS_ERR_UNSUPPORTED,
				"inode %u is encrypted with a key that depends on the UUID: it could not be read "
				"any more",
				(unsigned)nat->nid);
	}
	f2fs_inode_close(inode);
	return err;
}

/* ---- UUID ---- */

#define ENOUGH_INODES 2000u /* Rewrite an inode with its checksum. */
static int rewrite_inode(void *user, const struct f2fs_nat_info *nat)
{
	struct walk *w = user;
	struct txn *txn = txn_of(w->vol);
	struct node *node;
	int err = node_get(txn, nat->nid, &node);

	if (err)
		return err;
	if (inode_has_checksum(&w->geo, node->block))
		node_dirty(txn, node);
	return nodes_trim(txn);
}

/* Where nothing is written in place: all inodes go elsewhere, in one commit. */
static int sum_elsewhere(struct walk *w)
{
	const uint32_t feature = w->vol->geo.feature, seed = w->vol->checksum_seed;
	int err = change_start(w->vol);

	if (err)
		return err;
	w->vol->geo.feature = w->geo.feature;
	w->vol->checksum_seed = w->seed;
	err = inode_walk_each(&w->inodes, rewrite_inode, w);
	if (!err)
		err = txn_commit(w->vol);
	if (err)
		txn_roll_back(w->vol);
	w->vol->geo.feature = feature;
	w->vol->checksum_seed = seed;
	return err;
}

/* Clear the feature inode_checksum, set the UUID, rewrite the checksums, set the feature again. */
static int change_with_checksums(struct walk *w, uint8_t *sb)
{
	const uint32_t feature = sb_feature(sb) | F2FS_FEAT_INODE_CHECKSUM;
	struct f2fs_volume *vol = w->vol;
	uint8_t now[sb_SIZE];
	int err = inode_walk_each(&w->inodes, check_sum, w);

	if (err)
		return err;
	memcpy(now, vol->sb, sizeof(now));
	if (sb_feature(now) & F2FS_FEAT_INODE_CHECKSUM) {
		sb_set_feature(now, sb_feature(now) & ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM);
		err = superblock_replace(vol, now);
	}
	if (!err) {
		vol->geo.feature &= ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM;
		sb_set_feature(sb, feature & ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM);
		err = superblock_replace(vol, sb);
	}
	if (!err)
		err = geometry_has(&vol->geo, F2FS_FEAT_BLKZONED) ? sum_elsewhere(w)
								  : inode_walk_each(&w->inodes, sum_inode, w);
	if (!err)
		err = volume_flush(vol);
	if (err) {
		log_message(vol->ctx, F2FS_LOG_WARNING,
			    "the volume is without inode_checksum: set the UUID again to give it back");
		return err;
	}
	sb_set_feature(sb, feature);
	vol->geo.feature = feature;
	return superblock_replace(vol, sb);
}

static int change_uuid(struct walk *w, const uint8_t *uuid, unsigned flags)
{
	struct f2fs_volume *vol = w->vol;
	uint8_t sb[sb_SIZE];
	int err;

	if (geometry_has(&vol->geo, F2FS_FEAT_ENCRYPT) && !(flags & F2FS_UUID_FORCE)) {
		err = inode_walk_each(&w->inodes, check_policy, w);
		if (err)
			return err;
	}
	memcpy(sb, vol->sb, sizeof(sb));
	memcpy(sb_uuid_w(sb), uuid, 16);
	if (!geometry_has(&w->geo, F2FS_FEAT_INODE_CHECKSUM))
		return superblock_replace(vol, sb);
	return change_with_checksums(w, sb);
}

/* Have most inodes a checksum, although the feature is away? */
static int was_cut(struct f2fs_volume *vol, bool *out)
{
	const uint32_t feature = vol->geo.feature;
	struct features_seen seen;
	int err;

	*out = false;
	if (!(feature & F2FS_FEAT_EXTRA_ATTR) || (feature & F2FS_FEAT_INODE_CHECKSUM))
		return 0;
	err = features_look(vol, ENOUGH_INODES, &seen);
	*out = !err && (seen.shown & F2FS_FEAT_INODE_CHECKSUM) != 0;
	return err;
}

int f2fs_volume_set_uuid(struct f2fs_volume *vol, const uint8_t uuid[16], unsigned flags)
{
	struct walk w = { .inodes = { vol, "uuid", NULL },
			  .vol = vol,
			  .seed = crc_f2fs(0xFFFFFFFFu, uuid, 16),
			  .geo = vol->geo };
	bool has_sums = false;
	int err;

	error_clear(vol->ctx);
	err = inode_walk_ready(vol);
	if (!err)
		err = was_cut(vol, &has_sums);
	if (!err && (flags & F2FS_UUID_CHECKSUM) && !geometry_has(&vol->geo, F2FS_FEAT_EXTRA_ATTR))
		err = error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "inode_checksum needs the feature extra_attr");
	if (err)
		return err;
	if (has_sums || (flags & F2FS_UUID_CHECKSUM))
		w.geo.feature |= F2FS_FEAT_INODE_CHECKSUM;
	w.inodes.block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!w.inodes.block)
		return F2FS_ERR_NOMEM;
	err = change_uuid(&w, uuid, flags);
	mem_free(vol->ctx, w.inodes.block);
	if (!err)
		vol->checksum_seed = w.seed;
	vol->generation++; /* copies of inodes in memory have old checksums */
	return err;
}
