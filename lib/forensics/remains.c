/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge each block of an inode, to find out how much of it is left.
 */
#include <string.h>

#include "base/error.h"
#include "file/map_read.h"
#include "forensics/fate.h"
#include "forensics/inode_at.h"
#include "forensics/remains.h"

/* Does the next version have the same block at the same place of the file? */
static bool is_shared(struct f2fs_inode *newer, uint64_t file_block, f2fs_blk_t addr)
{
	struct map_run run = { 0 };

	return newer && map_find(newer, file_block, &run) == 0 && run.slots && get_le32(run.slots) == addr;
}

static int count_slot(struct f2fs_inode *inode, const struct map_run *run, uint64_t i, struct f2fs_remains *out)
{
	const f2fs_blk_t addr = get_le32(run->slots + i * 4);
	enum fate fate;
	int err;

	if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR || addr == F2FS_COMPRESS_ADDR)
		return 0;
	out->blocks++;
	err = past_judge(inode, run->nid, run->ofs_in_node + (uint32_t)i, addr, &fate);
	if (err)
		return err;
	out->current += fate == FATE_CURRENT;
	out->intact += fate == FATE_INTACT;
	out->unknown += fate == FATE_UNKNOWN;
	out->blank += fate == FATE_BLANK;
	out->overwritten += fate == FATE_OVERWRITTEN;
	out->bad += fate == FATE_BAD;
	return 0;
}

static int count_run(struct f2fs_inode *inode, struct f2fs_inode *newer, uint64_t at, const struct map_run *run,
		     struct f2fs_remains *out)
{
	int err = 0;

	for (uint64_t i = 0; i < run->count && run->slots && !err; i++) {
		const uint64_t before = out->blocks;

		err = count_slot(inode, run, i, out);
		if (!err && out->blocks != before)
			out->shared += is_shared(newer, at + i, get_le32(run->slots + i * 4));
	}
	if (!err && run->slots)
		err = progress_tick(inode->vol->ctx, "judge", run->count * 64);
	return err;
}

/* Does the inode have slots at all? */
static bool has_slots(const struct f2fs_inode *inode)
{
	const unsigned type = inode_type(inode);

	return (type == MODE_REG || type == MODE_DIR || type == MODE_LNK) && !inode_is_alias(inode) &&
	       !inode_has_inline(inode->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry);
}

int fate_count(struct f2fs_inode *inode, struct f2fs_inode *newer, struct f2fs_remains *out)
{
	const uint32_t bits = inode->vol->geo.block_bits;
	const uint64_t size = inode_i_size(inode->block), blocks = (size >> bits) + ((size & ((1u << bits) - 1)) != 0);
	uint64_t at = 0;
	int err = 0;

	memset(out, 0, sizeof(*out));
	out->nodes = 1;
	if (inode_is_alias(inode)) /* a range of the device: it has no slots */
		out->blocks = out->unknown = inode_i_ext_len(inode->block);
	if (!has_slots(inode))
		return 0;
	if (newer && !has_slots(newer))
		newer = NULL;
	past_count_into(inode, out);
	while (!err) {
		struct map_run run = { 0 };

		err = map_find(inode, at, &run);
		if (err == F2FS_ERR_NOT_FOUND) { /* the end of the tree */
			err = 0;
			break;
		}
		if (err == F2FS_ERR_NOMEM || run.count == 0)
			break;
		if (err && at < blocks)
			out->lost += run.count < blocks - at ? run.count : blocks - at;
		err = err ? 0 : count_run(inode, newer, at, &run, out);
		at += run.count;
	}
	past_count_into(inode, NULL);
	if (!err)
		error_clear(inode->vol->ctx);
	return err;
}
