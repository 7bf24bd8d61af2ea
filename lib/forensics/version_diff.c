/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare two versions of a file: fields of the inodes, extended attributes, and ranges of file blocks.
 */
#include <f2fskit/format.h>
#include <string.h>

#include "base/error.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/xattr_read.h"
#include "forensics/past.h"

enum { COMPARED_AT_ONCE = 64 * 1024, MOST_COMPARED = 65536 }; /* bytes; blocks of a range */

struct pair {
	struct f2fs_inode *inode[2];
	uint64_t blocks;       /* of the longer one */
	uint64_t first, count; /* range of differences so far; count 0: none */
	uint8_t *buffer;       /* two pieces */
	int (*visit)(void *user, const struct f2fs_version_difference *difference);
	void *user;
};

/* ---- ranges */

/*
 * Find the extent at a file block of one of them. Past its end there is an endless hole. If a node is lost, count is
 * the number of its blocks.
 */
static int find_extent(struct f2fs_inode *inode, uint64_t block, struct f2fs_file_extent *out)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = map_extent(inode, block, UINT64_MAX, out);
	if (err == F2FS_ERR_NOT_FOUND) {
		memset(out, 0, sizeof(*out));
		out->kind = F2FS_EXTENT_HOLE;
		out->file_block = block;
		out->count = UINT64_MAX - block;
		err = 0;
	}
	if (err)
		out->kind = F2FS_EXTENT_HOLE;
	if (err || out->count == 0 || out->file_block > block || block - out->file_block >= out->count) {
		out->count = out->count ? out->count : 1;
		out->file_block = block;
	}
	return err;
}

static bool is_same(const struct f2fs_file_extent *a, const struct f2fs_file_extent *b, uint64_t block)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == F2FS_EXTENT_DATA)
		return a->addr + (block - a->file_block) == b->addr + (block - b->file_block);
	if (a->kind == F2FS_EXTENT_COMPRESSED)
		return a->addr == b->addr && a->stored == b->stored;
	return a->kind != F2FS_EXTENT_INLINE;
}

/* Contents of files in clear; blocks of directories and links as they are. */
static int read_piece(struct f2fs_inode *inode, uint64_t at, uint8_t *to, size_t length, size_t *done)
{
	if (inode_type(inode) == MODE_REG)
		return inode_read(inode, at, to, length, done);
	*done = length;
	return data_read(inode, at, to, length);
}

/* Compare a piece; NOT_FOUND where one of them cannot be read. */
static int compare_piece(struct pair *p, uint64_t at, size_t length, bool *differs)
{
	uint8_t *piece[2] = { p->buffer, p->buffer + COMPARED_AT_ONCE };
	size_t done[2] = { 0, 0 };

	for (unsigned i = 0; i < 2; i++) {
		int err = read_piece(p->inode[i], at, piece[i], length, &done[i]);

		if (err)
			return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED ? err : F2FS_ERR_NOT_FOUND;
	}
	*differs = done[0] != done[1] || memcmp(piece[0], piece[1], done[0]) != 0;
	return 0;
}

/* How do the contents of the range compare? A negative error ends the run. */
static int compare_contents(struct pair *p)
{
	const uint64_t bs = p->inode[0]->vol->geo.block_size, end = (p->first + p->count) * bs;

	if (p->count > MOST_COMPARED)
		return F2FS_CONTENTS_UNKNOWN;
	for (uint64_t at = p->first * bs; at < end; at += COMPARED_AT_ONCE) {
		bool differs = false;
		int err = compare_piece(p, at, end - at < COMPARED_AT_ONCE ? (size_t)(end - at) : COMPARED_AT_ONCE,
					&differs);

		if (err)
			return err == F2FS_ERR_NOT_FOUND ? F2FS_CONTENTS_UNKNOWN : err;
		if (differs)
			return F2FS_CONTENTS_DIFFER;
	}
	return F2FS_CONTENTS_SAME;
}

static int end_range(struct pair *p)
{
	struct f2fs_version_difference range = { .kind = F2FS_VERSION_RANGE,
						 .file_block = p->first, .count = p->count };

	if (!p->count)
		return 0;
	range.contents = compare_contents(p);
	if (range.contents < 0)
		return range.contents;
	p->count = 0;
	return p->visit(p->user, &range);
}

static int compare_ranges(struct pair *p)
{
	int err = 0;

	for (uint64_t at = 0, n; at < p->blocks && !err; at += n) {
		struct f2fs_file_extent e[2];
		bool lost = false;

		n = p->blocks - at;
		for (unsigned i = 0; i < 2 && !err; i++) {
			err = find_extent(p->inode[i], at, &e[i]);
			lost |= err != 0;
			if (err != F2FS_ERR_NOMEM && err != F2FS_ERR_CANCELED)
				err = 0;
			if (e[i].count - (at - e[i].file_block) < n)
				n = e[i].count - (at - e[i].file_block);
		}
		if (!err && !lost && is_same(&e[0], &e[1], at)) {
			err = end_range(p);
			continue;
		}
		if (!p->count)
			p->first = at;
		p->count += n;
		if (!err)
			err = progress_tick(p->inode[0]->vol->ctx, "compare", p->inode[0]->vol->geo.block_size);
	}
	return err ? err : end_range(p);
}

/* ---- fields */

static int compare_fields(struct pair *p)
{
	const uint8_t *raw[2] = { p->inode[0]->block, p->inode[1]->block };
	const struct f2fs_struct *type = f2fs_struct_find("inode");

	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct f2fs_field *f = &type->fields[i];
		const uint32_t end = i + 1 < type->field_count ? type->fields[i + 1].offset : type->size;
		struct f2fs_version_difference found = { .kind = F2FS_VERSION_FIELD, .name = f->name };
		int err;

		if (memcmp(raw[0] + f->offset, raw[1] + f->offset, end - f->offset) == 0)
			continue;
		found.is_number = f->type != F2FS_FIELD_BYTES;
		if (found.is_number) {
			found.first = f2fs_field_get(f, raw[0], 0);
			found.second = f2fs_field_get(f, raw[1], 0);
		}
		err = p->visit(p->user, &found);
		if (err)
			return err;
	}
	return 0;
}

/* ---- attributes */

/* Attributes of one that the other lacks and, of the first, has otherwise. */
static int compare_xattrs_of(struct pair *p, unsigned i)
{
	const int count = xattr_count(p->inode[i]);

	for (int k = 0; k < count; k++) {
		struct f2fs_version_difference found = { .kind = F2FS_VERSION_XATTR };
		struct f2fs_xattr x, y;
		int err = xattr_at(p->inode[i], (unsigned)k, &x);

		if (err == F2FS_ERR_NOMEM)
			return err;
		if (err)
			continue;
		err = xattr_get(p->inode[!i], x.name, &y);
		if (err == F2FS_ERR_NOMEM)
			return err;
		if (!err && (i == 1 || (x.value_size == y.value_size && memcmp(x.value, y.value, x.value_size) == 0)))
			continue;
		found.name = x.name;
		err = p->visit(p->user, &found);
		if (err)
			return err;
	}
	return count == F2FS_ERR_NOMEM ? count : 0;
}

static int compare(struct pair *p)
{
	const uint32_t bits = p->inode[0]->vol->geo.block_bits;
	int err = compare_fields(p);

	for (unsigned i = 0; i < 2; i++) {
		const uint64_t size = inode_i_size(p->inode[i]->block);
		const uint64_t blocks = (size >> bits) + ((size & ((1u << bits) - 1)) != 0);

		p->blocks = blocks > p->blocks ? blocks : p->blocks;
		if (!err)
			err = compare_xattrs_of(p, i);
	}
	return err ? err : compare_ranges(p);
}

int f2fs_inode_compare(struct f2fs_inode *first, struct f2fs_inode *second,
		       int (*visit)(void *user, const struct f2fs_version_difference *difference), void *user)
{
	struct f2fs_context *ctx = first->vol->ctx;
	struct pair p = { .inode = { first, second }, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	if (first->vol != second->vol)
		return error_set(ctx, F2FS_ERR_INVALID, "the inodes belong to different volumes");
	err = inode_sync(first);
	if (!err)
		err = inode_sync(second);
	if (err)
		return err;
	p.buffer = mem_alloc(ctx, 2 * (size_t)COMPARED_AT_ONCE);
	if (!p.buffer)
		return F2FS_ERR_NOMEM;
	err = compare(&p);
	mem_free(ctx, p.buffer);
	if (!err)
		error_clear(ctx);
	return err;
}
