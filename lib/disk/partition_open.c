/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a device of the pieces of a partition. Pieces that are nowhere on the disk read as zeros, and make the partition
 * read-only.
 */
#include "disk/partition_open.h"

#include "base/checked.h"
#include "base/context.h"
#include "base/error.h"
#include "device/iov.h"
#include "device/multi.h"
#include "device/slice.h"

static int read_zeros(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct iov_cursor cursor;

	(void)self;
	(void)offset;
	iov_cursor_init(&cursor, iov, count);
	iov_zero(&cursor, iov_length_capped(iov, count));
	return 0;
}

static const struct f2fs_device_ops zeros_ops = { .read = read_zeros };

/* Open zeros for the longest piece that is nowhere on the disk; *out is NULL when there is none. */
static int open_zeros(const struct partition_table *table, const struct partition_row *row, struct f2fs_device **out)
{
	struct f2fs_device_info info = { .sector_size = 512, .caps = F2FS_DEVICE_PARALLEL };

	*out = NULL;
	for (uint32_t i = 0; i < row->about.pieces; i++) {
		const struct partition_piece *piece = vec_at(&table->pieces, row->first_piece + i);

		if (piece->offset == PARTITION_ZEROS && piece->length > info.size)
			info.size = piece->length;
	}
	return info.size ? device_make(table->disk->ctx, "zeros", &zeros_ops, NULL, &info, out) : 0;
}

/* List the pieces as parts, up to the one that the end of the disk cuts. Returns their number. */
static unsigned list_parts(const struct partition_table *table, const struct partition_row *row,
			   struct f2fs_device *zeros, struct f2fs_device_part *parts)
{
	const uint64_t size = table->disk->info.size;
	unsigned count = 0;

	for (uint32_t i = 0; i < row->about.pieces; i++) {
		const struct partition_piece *piece = vec_at(&table->pieces, row->first_piece + i);
		const bool is_zeros = piece->offset == PARTITION_ZEROS;
		const uint64_t room = is_zeros ? piece->length : sub_or_zero(size, piece->offset);

		if (room == 0)
			break;
		parts[count].device = is_zeros ? zeros : table->disk;
		parts[count].offset = is_zeros ? 0 : piece->offset;
		parts[count++].length = piece->length < room ? piece->length : room;
		if (room < piece->length)
			break;
	}
	return count;
}

static int refuse(const struct partition_table *table, const struct partition_row *row)
{
	return error_set(table->disk->ctx, F2FS_ERR_RANGE, "%s ends at byte %llu, and partition %s begins at byte %llu",
			 table->disk->name, (unsigned long long)table->disk->info.size, row->about.name,
			 (unsigned long long)row->about.offset);
}

int partition_open(const struct partition_table *table, const struct partition_row *row, struct f2fs_device **out)
{
	struct f2fs_context *ctx = table->disk->ctx;
	struct f2fs_device_part *parts = mem_calloc(ctx, row->about.pieces, sizeof(*parts));
	struct f2fs_device *zeros = NULL;
	unsigned count = 0;
	int err = parts ? open_zeros(table, row, &zeros) : F2FS_ERR_NOMEM;

	if (!err)
		count = list_parts(table, row, zeros, parts);
	if (!err && count == 0)
		err = refuse(table, row);
	else if (!err && row->about.pieces == 1 && !zeros)
		err = device_new_slice(table->disk, parts->offset, parts->length, out);
	else if (!err)
		err = device_new_multi(ctx, parts, count, out);
	f2fs_device_close(zeros);
	mem_free(ctx, parts);
	return err;
}
