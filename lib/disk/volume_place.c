/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look for superblocks at the start of a device, and at each sector of its first MiB.
 */
#include "disk/volume_place.h"

#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/superblock.h"

#define SECTOR 512u
#define MOST_BLOCK 16384u /* bytes of a block at the most */

/* Sizes of a block: the second superblock is in block 1. */
static const uint32_t block_sizes[] = { 4096, 16384 };

static bool read_within(struct f2fs_device *dev, uint64_t offset, uint8_t *buffer, size_t length)
{
	return range_within(offset, length, dev->info.size) && device_read_quiet(dev, offset, buffer, length) == 0;
}

bool volume_place_has_magic(struct f2fs_device *dev, uint64_t start, uint8_t *sb, bool *is_valid)
{
	const uint64_t places[] = { 0, block_sizes[0], block_sizes[1] };
	uint8_t copy[sb_SIZE];
	bool has_magic = false;

	*is_valid = false;
	for (unsigned i = 0; i < 3 && !*is_valid; i++) {
		if (!read_within(dev, start + places[i] + SB_OFFSET, copy, sb_SIZE) || sb_magic(copy) != F2FS_MAGIC)
			continue;
		has_magic = true;
		*is_valid = superblock_check(copy) == RULE_NONE &&
			    (places[i] == 0 || 1u << sb_log_blocksize(copy) == places[i]);
		if (*is_valid)
			memcpy(sb, copy, sb_SIZE);
	}
	return has_magic;
}

/* Is a checkpoint where a superblock says, if its volume begins at start? block: room for one. */
static bool has_checkpoint(struct f2fs_device *dev, const uint8_t *sb, uint64_t start, uint8_t *block)
{
	const uint32_t size = 1u << sb_log_blocksize(sb);

	return read_within(dev, start + (uint64_t)sb_cp_blkaddr(sb) * size, block, size) &&
	       checkpoint_check_block(block, size) == RULE_NONE;
}

/* Where does the volume begin that has a valid superblock, its first or second, in the block at offset at? */
static uint64_t find_start(struct f2fs_device *dev, const uint8_t *sb, uint64_t at, uint8_t *block)
{
	const uint64_t size = (uint64_t)1 << sb_log_blocksize(sb);

	return at > size && !has_checkpoint(dev, sb, at, block) && has_checkpoint(dev, sb, at - size, block) ? at - size
													      : at;
}

int volume_place_search(struct f2fs_device *dev, uint64_t *start)
{
	const uint64_t whole = dev->info.size, most = VOLUME_PLACE_MOST + SB_OFFSET + sb_SIZE;
	const size_t length = whole < most ? (size_t)whole : (size_t)most;
	uint8_t *bytes = mem_alloc(dev->ctx, length + MOST_BLOCK);
	int err = F2FS_ERR_NOT_FOUND;

	if (!bytes)
		return F2FS_ERR_NOMEM;
	if (device_read_quiet(dev, 0, bytes, length) != 0)
		memset(bytes, 0, length);
	for (uint64_t at = SECTOR; err && at + SB_OFFSET + sb_SIZE <= length; at += SECTOR) {
		const uint8_t *sb = bytes + at + SB_OFFSET;

		if (get_le32(sb) != F2FS_MAGIC || superblock_check(sb) != RULE_NONE)
			continue;
		*start = find_start(dev, sb, at, bytes + length);
		err = 0;
	}
	mem_free(dev->ctx, bytes);
	return err;
}
