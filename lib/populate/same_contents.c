/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare contents of a file of the volume with those of an item, byte by byte. Done for files with several names
 * alone: links that changed partners may have the size and the time of the file that had the name before.
 */
#include "populate/same_contents.h"

#include <string.h>

#include "base/bytes.h"
#include "populate/run.h"
#include "volume/volume.h"

/* Is a range of the file, of which the source has a hole, all zeros? Holes are not read. */
static int check_zeros(struct populate *p, struct f2fs_inode *inode, uint64_t from, uint64_t to, uint8_t *buffer,
		       bool *same)
{
	const uint32_t bits = p->vol->geo.block_bits;

	while (from < to && *same) {
		struct f2fs_file_extent extent;
		uint64_t end;
		size_t done;
		int err = f2fs_inode_extent(inode, from >> bits, &extent);

		if (err)
			return err == F2FS_ERR_NOT_FOUND ? 0 : err;
		end = (extent.file_block + extent.count) << bits;
		end = end < to && extent.kind != F2FS_EXTENT_INLINE ? end : to;
		if (extent.kind != F2FS_EXTENT_HOLE && extent.kind != F2FS_EXTENT_RESERVED) {
			end = end - from < SOURCE_BUFFER ? end : from + SOURCE_BUFFER;
			err = f2fs_inode_read(inode, from, buffer, (size_t)(end - from), &done);
			*same = !err && is_zero(buffer, done);
		}
		if (!err)
			err = source_progress(&p->src, 0);
		if (err)
			return err;
		from = end;
	}
	return 0;
}

static int compare(struct populate *p, struct f2fs_inode *inode, struct source_item *item, uint8_t *buffer, bool *same)
{
	struct source_chunk chunk = { .length = 0 };
	uint64_t end = 0;
	size_t done;
	int err;

	for (*same = true; *same; end = chunk.offset + chunk.length) {
		err = p->src.ops->read(&p->src, item, &chunk);
		p->is_of_source = err != 0;
		if (err)
			return err;
		if (chunk.length == 0)
			return check_zeros(p, inode, end, item->size, buffer, same);
		err = check_zeros(p, inode, end, chunk.offset, buffer, same);
		if (!err && *same)
			err = f2fs_inode_read(inode, chunk.offset, buffer, chunk.length, &done);
		if (!err)
			err = source_progress(&p->src, 0);
		if (err)
			return err;
		*same = *same && done == chunk.length && memcmp(buffer, chunk.data, done) == 0;
	}
	return 0;
}

int populate_same_contents(struct populate *p, struct f2fs_inode *inode, const struct source_item *item, bool *same)
{
	struct source_item own = *item; /* reading corrects its size */
	uint8_t *buffer;
	int err;

	*same = true;
	if (!p->src.ops->again || p->zeros)
		return 0;
	buffer = mem_alloc(p->ctx, SOURCE_BUFFER);
	if (!buffer)
		return F2FS_ERR_NOMEM;
	err = compare(p, inode, &own, buffer, same);
	p->src.ops->again(&p->src);
	mem_free(p->ctx, buffer);
	return err;
}
