/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a zstd file in the seekable format in place. The table at its end has the place of each frame, and the last
 * frames stay unpacked in memory. Every number of the table is checked against the file when it is opened.
 */
#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/sorted.h"
#include "device/iov.h"
#include "device/layer.h"
#include "device/zstd_frames.h"
#include "device/zstd_read.h"
#include "f2fskit_config.h"

/* Is a device a zstd file with a table? It may be truncated or empty: then not. */
static bool has_end(struct f2fs_device *dev)
{
	uint8_t end[ZSTD_FRAMES_END_SIZE];

	return dev->info.size >= ZSTD_FRAMES_SKIP_HEADER + sizeof(end) &&
	       device_read_quiet(dev, dev->info.size - sizeof(end), end, sizeof(end)) == 0 &&
	       get_le32(end + 5) == ZSTD_FRAMES_END_MAGIC;
}

bool zstd_is_seekable(struct f2fs_device *dev)
{
	uint8_t raw[4];

	if (dev->info.size < sizeof(raw) || (dev->info.caps & F2FS_DEVICE_BLOCK) ||
	    device_read_quiet(dev, 0, raw, sizeof(raw)) != 0)
		return false;
	return (get_le32(raw) == 0xFD2FB528u || get_le32(raw) == ZSTD_FRAMES_NOTE_MAGIC) && has_end(dev);
}

#if HAVE_ZSTD

#include <zstd.h>

#define KEPT 16u /* frames that are kept unpacked */

struct frame {
	uint64_t from;	/* in the file */
	uint64_t start; /* in the contents */
};

struct kept_frame {
	size_t number;
	uint64_t used; /* when, by a counter */
	uint8_t *bytes;
};

struct zstd_file {
	struct layer layer;
	struct frame *frames; /* count, and one more for the end; those that are to be skipped are left out */
	size_t count;
	uint32_t largest, largest_packed;
	uint64_t clock;
	uint8_t *packed;
	ZSTD_DCtx *decoder;
	struct kept_frame kept[KEPT];
};

static int compare_starts(const void *a, const void *b)
{
	const struct frame *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static size_t find_frame(const struct zstd_file *file, uint64_t offset)
{
	const struct frame key = { .start = offset };

	return sorted_last(file->frames, file->count, sizeof(key), compare_starts, &key);
}

/* The place for a frame: where it is already, or where the one that was not used for the longest time is. */
static struct kept_frame *choose_place(struct zstd_file *file, size_t number)
{
	struct kept_frame *oldest = &file->kept[0];

	for (unsigned i = 0; i < KEPT; i++) {
		struct kept_frame *kept = &file->kept[i];

		if (kept->bytes && kept->number == number)
			return kept;
		if (kept->used < oldest->used)
			oldest = kept;
	}
	return oldest;
}

static int unpack(struct zstd_file *file, size_t number, uint8_t *bytes)
{
	const struct frame *frame = &file->frames[number];
	const size_t packed = (size_t)(frame[1].from - frame->from), plain = (size_t)(frame[1].start - frame->start);
	int rc = device_read_quiet(file->layer.inner, frame->from, file->packed, packed);
	size_t n, length;

	if (rc != 0)
		return rc;
	/* frames to be skipped may follow it: only the first counts */
	length = ZSTD_findFrameCompressedSize(file->packed, packed);
	if (ZSTD_isError(length))
		return F2FS_ERR_IO;
	n = ZSTD_decompressDCtx(file->decoder, bytes, plain, file->packed, length);
	return !ZSTD_isError(n) && n == plain ? 0 : F2FS_ERR_IO;
}

static int load_frame(struct zstd_file *file, size_t number, const uint8_t **bytes)
{
	struct kept_frame *kept = choose_place(file, number);
	int rc;

	kept->used = ++file->clock;
	if (!kept->bytes) {
		kept->bytes = mem_alloc(file->layer.ctx, file->largest);
		if (!kept->bytes)
			return F2FS_ERR_NOMEM;
		kept->number = SIZE_MAX;
	}
	if (kept->number != number) {
		kept->number = SIZE_MAX;
		rc = unpack(file, number, kept->bytes);
		if (rc != 0)
			return rc;
		kept->number = number;
	}
	*bytes = kept->bytes;
	return 0;
}

static int read_zstd(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct zstd_file *file = self;
	struct iov_cursor cursor;
	uint64_t left = iov_length_capped(iov, count);

	iov_cursor_init(&cursor, iov, count);
	while (left > 0) {
		const size_t number = find_frame(file, offset);
		const struct frame *frame = &file->frames[number];
		const uint64_t rest = frame[1].start - offset, n = left < rest ? left : rest;
		const uint8_t *bytes;
		const int rc = load_frame(file, number, &bytes);

		if (rc != 0)
			return rc;
		iov_copy_in(&cursor, bytes + (offset - frame->start), (size_t)n);
		offset += n;
		left -= n;
	}
	return 0;
}

static void close_zstd(void *self)
{
	struct zstd_file *file = self;

	for (unsigned i = 0; i < KEPT; i++)
		mem_free(file->layer.ctx, file->kept[i].bytes);
	ZSTD_freeDCtx(file->decoder);
	mem_free(file->layer.ctx, file->packed);
	mem_free(file->layer.ctx, file->frames);
	layer_close(file);
}

static int refuse(struct zstd_file *file, const char *why)
{
	const struct error_where where = { .structure = "zstd", .rule = DEVICE_RULE_ZSTD_TABLE };

	return error_at(file->layer.ctx, F2FS_ERR_CORRUPT, &where, "%s is no zstd file that can be read in place: %s",
			file->layer.inner->name, why);
}

/* Take the rows of the table, the sizes of which are only claims. */
static int take_rows(struct zstd_file *file, const uint8_t *rows, uint32_t count, size_t row_size, uint64_t end)
{
	uint64_t from = 0, start = 0;

	for (uint32_t i = 0; i < count; i++, rows += row_size) {
		const uint32_t packed = get_le32(rows), plain = get_le32(rows + 4);

		if (plain > ZSTD_FRAMES_MOST || packed > 2 * ZSTD_FRAMES_MOST)
			return refuse(file, "a frame is too large");
		if (packed > end - from)
			return refuse(file, "its table lists more than the file holds");
		if (plain > 0) {
			file->frames[file->count].from = from;
			file->frames[file->count++].start = start;
			file->largest = plain > file->largest ? plain : file->largest;
			file->largest_packed = packed > file->largest_packed ? packed : file->largest_packed;
		}
		from += packed;
		start += plain;
		file->frames[file->count].from = from;
		file->frames[file->count].start = start;
	}
	return from == end ? 0 : refuse(file, "its table lists less than the file holds");
}

static int load_table(struct zstd_file *file)
{
	struct f2fs_device *inner = file->layer.inner;
	const uint64_t size = inner->info.size;
	uint8_t end[ZSTD_FRAMES_END_SIZE], head[ZSTD_FRAMES_SKIP_HEADER], *rows;
	uint64_t bytes, start;
	uint32_t count;
	size_t row_size;
	int err;

	if (!has_end(inner))
		return refuse(file, "there is no table of frames at its end");
	err = device_read(inner, size - sizeof(end), end, sizeof(end));
	if (err)
		return err;
	count = get_le32(end);
	row_size = end[4] & ZSTD_FRAMES_FLAG_SUMS ? 12 : 8;
	bytes = (uint64_t)count * row_size;
	if ((end[4] & ZSTD_FRAMES_FLAG_MASK) || bytes > size - sizeof(end) - sizeof(head))
		return refuse(file, "the end of its table is damaged");
	start = size - sizeof(end) - sizeof(head) - bytes;
	err = device_read(inner, start, head, sizeof(head));
	if (err)
		return err;
	if (get_le32(head) != ZSTD_FRAMES_TABLE_MAGIC || get_le32(head + 4) != bytes + sizeof(end))
		return refuse(file, "the head of its table is damaged");
	rows = mem_alloc(file->layer.ctx, bytes ? (size_t)bytes : 1);
	file->frames = rows ? mem_calloc(file->layer.ctx, (size_t)count + 1, sizeof(*file->frames)) : NULL;
	err = file->frames ? device_read(inner, start + sizeof(head), rows, (size_t)bytes) : F2FS_ERR_NOMEM;
	if (!err)
		err = take_rows(file, rows, count, row_size, start);
	mem_free(file->layer.ctx, rows);
	return err;
}

static int init_zstd(struct f2fs_device *dev, struct zstd_file *file)
{
	int err = load_table(file);

	if (err)
		return err;
	file->packed = mem_alloc(file->layer.ctx, file->largest_packed ? file->largest_packed : 1);
	file->decoder = file->packed ? ZSTD_createDCtx() : NULL;
	if (!file->decoder)
		return error_nomem(file->layer.ctx);
	dev->info.size = file->frames[file->count].start;
	dev->info.start_sector = 0;
	dev->info.sector_size = 512;
	dev->below = NULL;
	return 0;
}

static const struct f2fs_device_ops zstd_ops = { .read = read_zstd, .close = close_zstd };

int zstd_make(struct f2fs_device *inner, struct f2fs_device **out)
{
	struct f2fs_device *dev;
	int rc = layer_make(inner, sizeof(struct zstd_file), &zstd_ops, 0, &dev);
	if (rc != 0)
		return rc;
	rc = init_zstd(dev, dev->self);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	*out = dev;
	return 0;
}

#else

int zstd_make(struct f2fs_device *inner, struct f2fs_device **out)
{
	(void)out;
	return error_set(inner->ctx, F2FS_ERR_UNSUPPORTED, "built without zstd: %s cannot be read", inner->name);
}

#endif

int f2fs_device_open_zstd(struct f2fs_device *inner, struct f2fs_device **out)
{
	error_clear(inner->ctx);
	return zstd_make(inner, out);
}
