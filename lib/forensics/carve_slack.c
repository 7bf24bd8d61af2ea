/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find files in the slack of other files. All slack of one inode is a row of bytes, as a file that was longer had them;
 * something may begin where the slack does and at each border of a sector in it.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "forensics/carve_ends.h"
#include "forensics/carve_slack.h"
#include "forensics/carve_stream.h"
#include "forensics/carver.h"
#include "forensics/slack.h"

#define SECTOR 512u
#define HEAD 16u /* bytes that are not zeros where something begins */

/* Take a range as the next one of its inode; slack that nobody can follow is left out. */
static int add_range(void *user, const struct f2fs_leftover *range)
{
	struct slack_row *row = user;
	struct slack_range *last = row->ranges.count ? vec_at(&row->ranges, row->ranges.count - 1) : NULL;

	if (range->is_enciphered)
		return 0;
	if (row->length >= row->limit) {
		row->is_cut = true;
		return 0;
	}
	row->ino = range->ino;
	row->length += range->length;
	if (last && last->offset + last->length == range->offset) {
		last->length += range->length;
		return 0;
	}
	last = vec_push(&row->ranges, 1);
	if (!last)
		return F2FS_ERR_NOMEM;
	*last = (struct slack_range){ .offset = range->offset, .length = range->length };
	return 0;
}

static void begin_row(struct f2fs_carver *c, struct slack_row *row)
{
	row->ino = F2FS_NO_NID;
	row->ranges.count = 0;
	row->length = 0;
	row->limit = c->options.max_size;
	row->is_cut = false;
}

void slack_row_init(struct f2fs_carver *c, struct slack_row *row)
{
	vec_init(&row->ranges, c->vol->ctx, sizeof(struct slack_range));
	begin_row(c, row);
}

void slack_row_fini(struct slack_row *row)
{
	vec_fini(&row->ranges);
}

/* Begin the stream at a byte of a range. */
static void begin_stream(struct f2fs_carver *c, const struct slack_row *row, size_t index, uint64_t skip)
{
	stream_begin(c, NO_ADDR);
	c->stream.slack = row;
	c->stream.next_range = index;
	c->stream.skip = skip;
}

/* ---- looking */

struct run {
	struct f2fs_carver *c;
	struct slack_row row; /* of the inode at hand */
	uint8_t *block, *head;
	int (*visit)(void *user, const struct f2fs_carved_slack *file);
	void *user;
};

static bool is_full(const struct f2fs_carver *c)
{
	return c->options.max_files && c->stat.files >= c->options.max_files;
}

/* The bytes of a row from a place on: those at hand, @rest of them up to the end of their block, or read. */
static int find_head(struct run *r, size_t index, uint64_t skip, uint64_t rest, const uint8_t **head, size_t *have)
{
	struct f2fs_carver *c = r->c;
	const struct slack_range *range = vec_at(&r->row.ranges, index);

	begin_stream(c, &r->row, index, skip);
	if (index + 1 == r->row.ranges.count && skip + rest == range->length && rest <= r->row.limit) {
		*have = (size_t)rest; /* the row ends in this block */
		return 0;
	}
	*head = r->head;
	return stream_read(c, 0, r->head, c->vol->geo.block_size, have);
}

/* Look whether a file begins at a byte of the row; *size is its whole size, else 0. */
static int try_place(struct run *r, size_t index, uint64_t skip, const uint8_t *bytes, uint64_t rest, uint64_t *size)
{
	struct f2fs_carver *c = r->c;
	const struct slack_range *range = vec_at(&r->row.ranges, index);
	struct f2fs_carved_slack file = { .ino = r->row.ino, .offset = range->offset + skip };
	carve_end_fn find_end = NULL;
	size_t have;
	int err;

	*size = 0;
	c->work = c->work < UINT64_MAX / 2 ? c->work + WORK_EACH / 8 : c->work;
	err = find_head(r, index, skip, rest, &bytes, &have);
	if (err)
		return err;
	carve_recognise(c, bytes, have, index == 0 && skip == 0, &file.kind, &file.suffix, &find_end);
	if (!file.kind)
		return 0;
	file.end = find_end(c, &file.size);
	if (file.end < 0 || file.size == 0)
		return file.end < 0 ? file.end : 0;
	file.pieces = (uint32_t)c->stream.pieces.count;
	c->stat.files++;
	if (file.end == F2FS_CARVED_WHOLE)
		*size = file.size;
	err = r->visit(r->user, &file);
	if (is_full(c))
		c->stat.is_cut = 1;
	return err;
}

/* Go over the part of one block, from a byte of the range on; *size is the part still to be skipped. */
static int look_at_block(struct run *r, size_t index, uint64_t from, uint64_t length, uint64_t *size)
{
	struct f2fs_carver *c = r->c;
	const struct slack_range *range = vec_at(&r->row.ranges, index);
	const uint64_t start = range->offset + from;
	int err = 0;

	c->stat.blocks++;
	work_note(c->vol->ctx);
	if (device_read_quiet(c->vol->dev, start, r->block, (size_t)length) != 0) {
		c->stat.unreadable++;
		return 0;
	}
	if (is_zero(r->block, (size_t)length))
		return 0;
	for (uint64_t at = 0, n; at < length && !err && !is_full(c); at += n) {
		const uint64_t rest = length - at;

		n = SECTOR - (start + at) % SECTOR;
		if (*size == 0 && !is_zero(r->block + at, rest < HEAD ? (size_t)rest : HEAD))
			err = try_place(r, index, from + at, r->block + at, rest, size);
		*size -= *size < n ? *size : n;
	}
	return err;
}

static int look_at_row(struct run *r)
{
	struct f2fs_carver *c = r->c;
	const uint32_t bs = c->vol->geo.block_size;
	uint64_t size = 0;
	int err = 0;

	for (size_t i = 0; i < r->row.ranges.count && !err; i++) {
		const struct slack_range *range = vec_at(&r->row.ranges, i);
		const uint64_t length = range->length;

		for (uint64_t at = 0, n; at < length && !err && !is_full(c); at += n) {
			n = bs - (range->offset + at) % bs;
			n = n < length - at ? n : length - at;
			err = look_at_block(r, i, at, n, &size);
			if (!err)
				err = progress_tick(c->vol->ctx, "carve", n);
		}
	}
	c->stat.is_cut |= r->row.is_cut;
	return err;
}

/* The row of an inode ends where the next one's begins. */
static int take_range(void *user, const struct f2fs_leftover *range)
{
	struct run *r = user;
	int err = 0;

	if (r->row.ranges.count && r->row.ino != range->ino) {
		err = look_at_row(r);
		begin_row(r->c, &r->row);
	}
	if (err || is_full(r->c))
		return err ? err : F2FS_ERR_RANGE; /* that is enough */
	return add_range(&r->row, range);
}

int f2fs_carver_run_slack(struct f2fs_carver *c, int (*visit)(void *user, const struct f2fs_carved_slack *file),
			  void *user)
{
	struct f2fs_context *ctx = c->vol->ctx;
	const uint32_t bs = c->vol->geo.block_size;
	struct run r = { .c = c, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	err = past_need_now(c->past);
	if (err)
		return err;
	if (c->work < WORK_FIRST)
		c->work = WORK_FIRST;
	slack_row_init(c, &r.row);
	r.block = mem_alloc(ctx, 2 * (size_t)bs);
	r.head = r.block + bs;
	err = r.block ? 0 : F2FS_ERR_NOMEM;
	if (!err && !is_full(c))
		err = leftovers_slack(c->past, true, take_range, &r);
	if (err == F2FS_ERR_RANGE && is_full(c))
		err = 0;
	else if (!err && !is_full(c))
		err = look_at_row(&r);
	stream_begin(c, NO_ADDR);
	mem_free(ctx, r.block);
	slack_row_fini(&r.row);
	if (!err)
		error_clear(ctx);
	return err;
}

/* ---- reading */

/* Find the range that has a byte; the number of ranges: none. */
static size_t find_range(const struct slack_row *row, uint64_t offset)
{
	size_t i = 0;

	while (i < row->ranges.count) {
		const struct slack_range *range = vec_at(&row->ranges, i);

		if (offset >= range->offset && offset - range->offset < range->length)
			break;
		i++;
	}
	return i;
}

int f2fs_carver_read_slack(struct f2fs_carver *c, const struct f2fs_carved_slack *file, uint64_t offset, void *buffer,
			   size_t length, size_t *done)
{
	const struct slack_range *range;
	const uint64_t work = c->work;
	size_t index;
	int err;

	error_clear(c->vol->ctx);
	*done = 0;
	err = past_need_fresh(c->past);
	if (err || offset >= file->size)
		return err;
	if (c->slack.ino != file->ino) {
		begin_row(c, &c->slack);
		err = leftovers_slack_of(c->past, file->ino, add_range, &c->slack);
		if (err)
			return err;
	}
	index = find_range(&c->slack, file->offset);
	if (index == c->slack.ranges.count)
		return error_set(c->vol->ctx, F2FS_ERR_INVALID, "byte %llu is no slack of inode %u",
				 (unsigned long long)file->offset, (unsigned)file->ino);
	range = vec_at(&c->slack.ranges, index);
	begin_stream(c, &c->slack, index, file->offset - range->offset);
	c->stream.limit = UINT64_MAX;
	c->work = UINT64_MAX / 2;
	if (length > file->size - offset)
		length = (size_t)(file->size - offset);
	err = stream_read(c, offset, buffer, length, done);
	c->work = work;
	return err;
}
