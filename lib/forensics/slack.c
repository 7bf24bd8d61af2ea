/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the slack after the ends of files: the rest of the last block or of the contents in an inode, and whole blocks
 * that a file keeps beyond its end.
 */
#include "base/bytes.h"
#include "file/compress.h"
#include "file/crypto.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "forensics/leftovers.h"
#include "forensics/slack.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

struct slack {
	struct f2fs_past *past;
	bool with_zeros;
	int (*visit)(void *user, const struct f2fs_leftover *range);
	void *user;
	uint8_t *block;
};

static int tell(struct slack *s, const struct f2fs_inode *inode, uint64_t offset, uint64_t length)
{
	const struct f2fs_leftover range = { .kind = F2FS_LEFTOVER_SLACK,
					     .offset = offset,
					     .length = length,
					     .ino = inode->ino,
					     .is_enciphered = crypto_has_contents(inode->block) };

	return s->visit(s->user, &range);
}

/* The part of a block from a byte on, unless it is all zeros or cannot be read. */
static int tell_block(struct slack *s, const struct f2fs_inode *inode, f2fs_blk_t addr, uint32_t from)
{
	const struct f2fs_geometry *geo = &s->past->vol->geo;

	if (!geometry_is_main(geo, addr))
		return 0;
	if (!s->with_zeros) {
		int err = volume_read(s->past->vol, addr, 0, s->block, geo->block_size);

		if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
			return err;
		if (err || is_zero(s->block + from, geo->block_size - from))
			return 0;
	}
	return tell(s, inode, ((uint64_t)addr << geo->block_bits) + from, geo->block_size - from);
}

static int tell_inline(struct slack *s, const struct f2fs_inode *inode)
{
	const uint64_t size = inode_i_size(inode->block);
	const uint64_t start = ((uint64_t)inode->addr << s->past->vol->geo.block_bits) + inode->layout.inline_offset;
	const uint8_t *bytes = inode->block + inode->layout.inline_offset;

	if (size >= inode->layout.inline_size ||
	    (!s->with_zeros && is_zero(bytes + size, inode->layout.inline_size - (size_t)size)))
		return 0;
	return tell(s, inode, start + size, inode->layout.inline_size - size);
}

/* Slots from the one that holds the end of the file on, to the end of the tree. */
static int tell_slots(struct slack *s, struct f2fs_inode *inode)
{
	const struct f2fs_geometry *geo = &s->past->vol->geo;
	const uint64_t size = inode_i_size(inode->block), last = size >> geo->block_bits;
	uint32_t within = (uint32_t)(size & (geo->block_size - 1));
	uint64_t at = inode->layout.is_compressed ? last - last % inode->layout.cluster_blocks : last;
	bool is_packed = false;
	int err = 0;

	while (!err) {
		struct map_run run = { 0 };

		err = map_find(inode, at, &run);
		if (err || run.count == 0)
			return err == F2FS_ERR_NOMEM ? err : 0;
		for (uint64_t i = 0; i < run.count && run.slots && !err; i++) {
			const f2fs_blk_t addr = get_le32(run.slots + i * 4);

			/* what follows in a packed cluster is not one block of the file after the other */
			if (inode->layout.is_compressed && (at + i) % inode->layout.cluster_blocks == 0)
				is_packed = compress_is_cluster(inode, addr);
			if (at + i >= last && !is_packed)
				err = tell_block(s, inode, addr, at + i == last ? within : 0);
		}
		if (!err)
			err = progress_tick(s->past->vol->ctx, "slack", run.count * 64);
		at += run.count;
	}
	return err;
}

static int tell_inode(struct slack *s, struct f2fs_inode *inode)
{
	const unsigned type = inode_type(inode);

	if ((type != MODE_REG && type != MODE_LNK) || inode_is_alias(inode))
		return 0;
	if (inode_has_inline(inode->block, FLAG_i_inline_inline_data))
		return tell_inline(s, inode);
	return tell_slots(s, inode);
}

static bool ends_all(int err)
{
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

/* A file that cannot be opened has no visible contents. */
static int tell_number(struct slack *s, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	int err = inode_open(s->past->vol, ino, &inode);

	if (err)
		return ends_all(err) ? err : 0;
	err = tell_inode(s, inode);
	f2fs_inode_close(inode);
	return err;
}

/* The first entry in use from nid on; blocks of the NAT that cannot be read are passed over. */
static int next_entry(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const uint32_t per_block = vol->geo.nat_per_block;
	int err = nat_next(vol, nid, out);

	while (err && err != F2FS_ERR_NOT_FOUND && !ends_all(err) && nid < vol->geo.max_nid - per_block) {
		nid = (nid / per_block + 1) * per_block;
		err = nat_next(vol, nid, out);
	}
	return err;
}

static int tell_all(struct slack *s)
{
	struct f2fs_volume *vol = s->past->vol;
	struct f2fs_nat_info entry;
	int err = next_entry(vol, vol->geo.root_ino, &entry);

	while (!err) {
		if (entry.ino == entry.nid)
			err = tell_number(s, entry.nid);
		if (!err)
			err = progress_tick(vol->ctx, "slack", vol->geo.block_size);
		if (!err)
			err = next_entry(vol, entry.nid + 1, &entry);
	}
	return err == F2FS_ERR_NOT_FOUND ? 0 : err;
}

int leftovers_slack(struct f2fs_past *past, bool with_zeros,
		    int (*visit)(void *user, const struct f2fs_leftover *range), void *user)
{
	struct slack s = { .past = past, .with_zeros = with_zeros, .visit = visit, .user = user };
	int err;

	s.block = mem_alloc(past->vol->ctx, past->vol->geo.block_size);
	if (!s.block)
		return F2FS_ERR_NOMEM;
	err = tell_all(&s);
	mem_free(past->vol->ctx, s.block);
	return err;
}

int leftovers_slack_of(struct f2fs_past *past, f2fs_nid_t ino,
		       int (*visit)(void *user, const struct f2fs_leftover *range), void *user)
{
	struct slack s = { .past = past, .with_zeros = true, .visit = visit, .user = user };

	return tell_number(&s, ino);
}
