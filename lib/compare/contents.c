/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare contents of a file, byte by byte, and the places of its blocks. The source gives the data. The holes between
 * must be zeros here.
 */
#include "compare/contents.h"

#include <string.h>

#include "base/bytes.h"
#include "compare/run.h"
#include "source/volume_source.h"
#include "volume/read_room.h"
#include "volume/volume.h"

/* Read a piece of the file that is not longer than the buffer. Bytes past the end are zeros. */
static int read_piece(struct compare *c, struct f2fs_inode *inode, uint64_t offset, size_t length)
{
	size_t done;
	int err = read_room_take(c->ctx, c->vol, &c->room, length);

	if (!err)
		err = f2fs_inode_read(inode, offset, c->buffer, length, &done);
	if (!err && done < length)
		memset(c->buffer + done, 0, length - done);
	return err;
}

/* Is a range of the file all zeros? Holes are not read. */
static int check_zeros(struct compare *c, struct f2fs_inode *inode, uint64_t from, uint64_t to, bool *differ)
{
	const uint32_t bits = c->vol->geo.block_bits;
	int err = 0;

	while (from < to && !*differ && !err) {
		struct f2fs_file_extent extent;
		uint64_t end;

		err = f2fs_inode_extent(inode, from >> bits, &extent);
		if (err == F2FS_ERR_NOT_FOUND)
			return 0;
		if (err)
			break;
		end = (extent.file_block + extent.count) << bits;
		end = end < to && extent.kind != F2FS_EXTENT_INLINE ? end : to;
		if (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED) {
			from = end;
			err = read_room_take(c->ctx, c->vol, &c->room, 0);
			continue;
		}
		end = end - from < SOURCE_BUFFER ? end : from + SOURCE_BUFFER;
		err = read_piece(c, inode, from, (size_t)(end - from));
		*differ = !err && !is_zero(c->buffer, (size_t)(end - from));
		if (!err)
			err = source_progress(&c->src, end - from);
		from = end;
	}
	return err;
}

static int compare_chunk(struct compare *c, const struct source_chunk *chunk, struct f2fs_inode *inode, bool *differ)
{
	for (size_t at = 0; at < chunk->length && !*differ; at += SOURCE_BUFFER) {
		const size_t left = chunk->length - at, n = left < SOURCE_BUFFER ? left : SOURCE_BUFFER;
		int err = read_piece(c, inode, chunk->offset + at, n);

		if (!err)
			err = source_progress(&c->src, n);
		if (err)
			return err;
		*differ = memcmp(c->buffer, (const uint8_t *)chunk->data + at, n) != 0;
		c->result->bytes += n;
	}
	return 0;
}

int compare_contents(struct compare *c, struct source_item *item, struct f2fs_inode *inode, bool *differ)
{
	struct source_chunk chunk = { .length = 0 };
	uint64_t end = 0;
	int err;

	*differ = false;
	for (;;) {
		err = c->src.ops->read(&c->src, item, &chunk);
		if (err || chunk.length == 0)
			break;
		err = check_zeros(c, inode, end, chunk.offset, differ);
		if (!err && !*differ)
			err = compare_chunk(c, &chunk, inode, differ);
		if (err || *differ)
			return err;
		end = chunk.offset + chunk.length;
	}
	return err ? err : check_zeros(c, inode, end, item->size, differ);
}

static bool same_extent(const struct f2fs_file_extent *a, const struct f2fs_file_extent *b)
{
	return a->file_block == b->file_block && a->count == b->count && a->addr == b->addr && a->kind == b->kind;
}

int compare_layout(struct compare *c, struct f2fs_inode *inode, struct f2fs_inode *other, bool *differ)
{
	struct f2fs_file_extent a, b;
	uint64_t at = 0;

	*differ = false;
	for (;;) {
		const int left = f2fs_inode_extent(inode, at, &a), right = f2fs_inode_extent(other, at, &b);
		int err = read_room_take(c->ctx, c->vol, &c->room, 0);

		if (err)
			return err;
		if (left && left != F2FS_ERR_NOT_FOUND)
			return left;
		if (right && right != F2FS_ERR_NOT_FOUND)
			return source_volume_error(&c->src, right);
		*differ = left != right || (!left && !same_extent(&a, &b));
		if (left || *differ)
			return 0;
		at = a.file_block + a.count;
	}
}
