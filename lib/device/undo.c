/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Save the old bytes of a device before they are overwritten: a layer that copies the old contents of each block into
 * an undo file, once, before the block's first change.
 *
 * The order of writes: the records of a write are written to the undo file, the file is flushed, and only then the
 * write goes down. So whenever the power fails, every block that was changed has its record whole in the file; a record
 * that was cut short belongs to a write that had not begun. undo_play.c relies on that when it ignores a torn end.
 */
#include "device/undo.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "device/file.h"
#include "device/iov.h"
#include "device/layer.h"
#include "device/open.h"
#include "device/retry.h"

#define CHUNK_BLOCKS 32768u /* blocks in one piece of the map: 4 KiB for 128 MiB */

struct undo {
	struct layer layer;
	struct f2fs_device *log;
	uint64_t identity;
	uint64_t records;
	uint64_t end;	 /* of the undo file */
	bool is_own;	 /* the file was made for this recording */
	uint8_t **saved; /* per CHUNK_BLOCKS: a bit for each block that has its record; NULL: none has */
	uint64_t chunk_count;
	uint8_t *buffer; /* a record: its sector and its bytes */
};

static uint64_t device_size(const struct undo *undo)
{
	return undo->layer.inner->info.size;
}

static bool is_saved(const struct undo *undo, uint64_t block)
{
	const uint8_t *map = undo->saved[block / CHUNK_BLOCKS];

	return map && lsb_test(map, block % CHUNK_BLOCKS);
}

/* Before anything is written: room in the map, so that marking cannot fail. */
static int prepare_map(struct undo *undo, uint64_t first, uint64_t last)
{
	for (uint64_t chunk = first / CHUNK_BLOCKS; chunk <= last / CHUNK_BLOCKS; chunk++) {
		if (undo->saved[chunk])
			continue;
		undo->saved[chunk] = mem_zalloc(undo->layer.ctx, CHUNK_BLOCKS / 8);
		if (!undo->saved[chunk])
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

/* Append a record for [offset, offset + length); it counts only when the caller has flushed and moved the end. */
static int append(struct undo *undo, uint64_t *end, uint64_t number, uint64_t offset, uint32_t length)
{
	uint8_t *head = undo->buffer, *bytes = undo->buffer + UNDO_SECTOR;
	uint32_t kind = UNDO_BYTES;
	uint64_t run, size;
	int is_hole, rc;

	rc = device_extent_quiet(undo->layer.inner, offset, &run, &is_hole);
	if (rc != 0)
		return rc;
	if (is_hole && run >= length)
		kind = UNDO_ZEROS;
	size = undo_record_size(length, kind);
	memset(head, 0, UNDO_SECTOR);
	if (kind == UNDO_BYTES) {
		rc = device_read_again(undo->layer.inner, offset, bytes, length);
		if (rc != 0)
			return rc;
		memset(bytes + length, 0, (size_t)(size - UNDO_SECTOR - length));
		put_le32(head + UNDO_RECORD_DATA, crc_f2fs(CRC_F2FS_SEED, bytes, length));
	}
	memcpy(head + UNDO_RECORD_MAGIC, UNDO_MAGIC_RECORD, 8);
	put_le64(head + UNDO_RECORD_NUMBER, number);
	put_le64(head + UNDO_RECORD_OFFSET, offset);
	put_le32(head + UNDO_RECORD_LENGTH, length);
	put_le32(head + UNDO_RECORD_KIND, kind);
	put_le32(head + UNDO_RECORD_CHECK, undo_check(head, undo->identity, number));
	if (size > undo->log->info.size - *end)
		return F2FS_ERR_NOSPC;
	rc = device_write_quiet(undo->log, *end, head, (size_t)size);
	*end += size;
	return rc;
}

/* Save every block of a range that has no record yet; durable when this returns 0. */
static int save(struct undo *undo, uint64_t offset, uint64_t length)
{
	const uint64_t first = offset / UNDO_BLOCK, last = (offset + length - 1) / UNDO_BLOCK;
	uint64_t end = undo->end, records = undo->records;
	int rc = prepare_map(undo, first, last);

	for (uint64_t block = first; block <= last && rc == 0;) {
		uint64_t run = 0, at = block * UNDO_BLOCK, bytes;

		if (is_saved(undo, block)) {
			block++;
			continue;
		}
		while (block + run <= last && run < UNDO_RECORD_MAX / UNDO_BLOCK && !is_saved(undo, block + run))
			run++;
		bytes = run * UNDO_BLOCK;
		if (bytes > device_size(undo) - at)
			bytes = device_size(undo) - at;
		rc = append(undo, &end, records, at, (uint32_t)bytes);
		records++;
		block += run;
	}
	if (rc != 0 || records == undo->records)
		return rc;
	rc = device_flush_quiet(undo->log);
	if (rc != 0)
		return rc;
	undo->end = end;
	undo->records = records;
	for (uint64_t block = first; block <= last; block++)
		lsb_set(undo->saved[block / CHUNK_BLOCKS], block % CHUNK_BLOCKS);
	return 0;
}

static int read_undo(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return layer_read(self, offset, iov, count);
}

static int write_undo(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int rc = save(self, offset, iov_length_capped(iov, count));

	return rc ? rc : layer_write(self, offset, iov, count);
}

static int zero_undo(void *self, uint64_t offset, uint64_t length)
{
	int rc = save(self, offset, length);

	return rc ? rc : layer_zero(self, offset, length);
}

static int discard_undo(void *self, uint64_t offset, uint64_t length)
{
	int rc = save(self, offset, length);

	return rc ? rc : layer_discard(self, offset, length);
}

#define TABLE_PIECE 1024u /* entries that are written at once */

/* The table while it is written, after the records. */
struct table {
	uint64_t blocks;
	uint32_t check, used;
	uint8_t bytes[TABLE_PIECE * 4];
};

static int put_piece(struct undo *undo, struct table *t)
{
	const uint64_t at = undo->end + (t->blocks - t->used) * 4;
	const size_t size = (size_t)t->used * 4;

	if (size > undo->log->info.size - at)
		return F2FS_ERR_NOSPC;
	t->check = crc_f2fs(t->check, t->bytes, size);
	t->used = 0;
	return device_write_quiet(undo->log, at, t->bytes, size);
}

/* Add the blocks of one record as they are now. */
static int put_blocks(struct undo *undo, struct table *t, uint64_t offset, uint32_t length)
{
	int rc = device_read_again(undo->layer.inner, offset, undo->buffer, length);

	for (uint32_t i = 0; i < undo_record_blocks(length) && rc == 0; i++) {
		put_le32(t->bytes + (size_t)t->used * 4,
			 crc_f2fs(CRC_F2FS_SEED, undo->buffer + (size_t)i * UNDO_BLOCK, undo_block_length(length, i)));
		t->used++;
		t->blocks++;
		if (t->used == TABLE_PIECE)
			rc = put_piece(undo, t);
	}
	return rc;
}

int undo_watch(struct f2fs_device *dev, const uint8_t *saved, uint8_t *buffer, uint32_t *out)
{
	const uint32_t piece = UNDO_RECORD_MAX / UNDO_BLOCK;
	int rc = 0;

	*out = CRC_F2FS_SEED;
	for (uint32_t block = 0; block < UNDO_WATCH_BLOCKS && rc == 0; block += piece) {
		const uint64_t at = (uint64_t)block * UNDO_BLOCK, left = at < dev->info.size ? dev->info.size - at : 0;
		const uint32_t length = left < UNDO_RECORD_MAX ? (uint32_t)left : UNDO_RECORD_MAX;

		if (length == 0)
			break;
		rc = device_read_again(dev, at, buffer, length);
		for (uint32_t i = 0; i < undo_record_blocks(length) && rc == 0; i++)
			if (!saved || !lsb_test(saved, block + i))
				*out = crc_f2fs(*out, buffer + (size_t)i * UNDO_BLOCK, undo_block_length(length, i));
	}
	return rc;
}

/* Write the state in which the recording leaves each block that it saved. */
static int put_table(struct undo *undo, struct table *t)
{
	uint64_t at = UNDO_FIRST_RECORD;
	int rc = 0;

	t->check = CRC_F2FS_SEED;
	for (uint64_t i = 0; i < undo->records && rc == 0; i++) {
		uint8_t head[UNDO_SECTOR];
		uint32_t length;

		rc = device_read_again(undo->log, at, head, sizeof(head));
		if (rc != 0)
			break;
		length = get_le32(head + UNDO_RECORD_LENGTH);
		if (length > UNDO_RECORD_MAX)
			return F2FS_ERR_CORRUPT;
		at += undo_record_size(length, get_le32(head + UNDO_RECORD_KIND));
		rc = put_blocks(undo, t, get_le64(head + UNDO_RECORD_OFFSET), length);
	}
	return rc == 0 && t->used ? put_piece(undo, t) : rc;
}

/* Write the length of the file after the table, so that playing back can recognise a damaged file. */
static int put_seal(struct undo *undo, const struct table *table, uint32_t watch)
{
	uint8_t *sector = undo->buffer;
	int rc;

	memset(sector, 0, UNDO_SECTOR);
	memcpy(sector + UNDO_SEAL_MAGIC, UNDO_MAGIC_SEAL, 8);
	put_le64(sector + UNDO_SEAL_IDENTITY, undo->identity);
	put_le64(sector + UNDO_SEAL_RECORDS, undo->records);
	put_le64(sector + UNDO_SEAL_END, undo->end);
	put_le64(sector + UNDO_SEAL_BLOCKS, table->blocks);
	put_le32(sector + UNDO_SEAL_TABLE, table->check);
	put_le32(sector + UNDO_SEAL_WATCH, watch);
	put_le32(sector + UNDO_SEAL_CHECK, undo_check(sector, undo->identity, 0));
	undo->end += table->blocks * 4;
	rc = device_write_quiet(undo->log, UNDO_SECTOR, sector, UNDO_SECTOR);
	return rc ? rc : device_flush_quiet(undo->log);
}

/* When it fails, the file is as if the recording had been cut. */
static int seal(struct undo *undo)
{
	struct table *table = mem_zalloc(undo->layer.ctx, sizeof(*table));
	uint32_t watch = 0;
	int rc = table ? put_table(undo, table) : F2FS_ERR_NOMEM;

	if (rc == 0)
		rc = undo_watch(undo->layer.inner, undo->saved[0], undo->buffer, &watch);
	if (rc == 0)
		rc = device_flush_quiet(undo->log);
	if (rc == 0)
		rc = put_seal(undo, table, watch);
	mem_free(undo->layer.ctx, table);
	return rc;
}

static void close_undo(void *self)
{
	struct undo *undo = self;
	struct hostfile *file;

	if (undo->log) {
		if (seal(undo) != 0 && undo->records > 0)
			log_message(undo->layer.ctx, F2FS_LOG_ERROR,
				    "%s: all changes are recorded, but the end of the recording could not be "
				    "written: playing it back needs force",
				    undo->log->name);
		file = device_self(undo->log, hostfile_read);
		/* Nothing was changed: the next try can make a new file. */
		if (undo->is_own && file && undo->records == 0)
			unlink(undo->log->name);
		/* An undo file is made as long as it might become; a file that stays so is good, too. */
		if (file && ftruncate(file->fd, (off_t)undo->end) == 0)
			file->size = undo->log->info.size = undo->end;
	}
	f2fs_device_close(undo->log);
	for (uint64_t i = 0; undo->saved && i < undo->chunk_count; i++)
		mem_free(undo->layer.ctx, undo->saved[i]);
	mem_free(undo->layer.ctx, undo->saved);
	mem_free(undo->layer.ctx, undo->buffer);
	layer_close(self);
}

static const struct f2fs_device_ops undo_ops = {
	.read = read_undo,
	.write = write_undo,
	.zero = zero_undo,
	.discard = discard_undo,
	.flush = layer_flush,
	.extent = layer_extent,
	.close = close_undo,
};

int undo_fingerprint(struct f2fs_device *dev, uint8_t *buffer, size_t *length)
{
	*length = dev->info.size < UNDO_PRINT_BYTES ? (size_t)dev->info.size : UNDO_PRINT_BYTES;
	/* the last try has the error */
	return device_read_again(dev, 0, buffer, *length) ? device_read(dev, 0, buffer, *length) : 0;
}

/* Write the header's entries of several devices. */
static int put_parts(struct undo *undo, uint8_t *head, struct f2fs_device *const *parts, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		uint8_t *part = head + UNDO_PART + (size_t)i * UNDO_PART_SIZE;
		size_t length;

		err = undo_fingerprint(parts[i], undo->buffer, &length);
		if (err)
			break;
		put_le64(part, parts[i]->info.size);
		put_le32(part + 8, crc_f2fs(CRC_F2FS_SEED, undo->buffer, length));
		if (i == 0)
			put_le32(head + UNDO_PRINT, get_le32(part + 8));
	}
	if (count > 1)
		put_le32(head + UNDO_PARTS, count);
	else
		memset(head + UNDO_PART, 0, UNDO_PART_SIZE);
	return err;
}

/* The header, durable before the first record. */
static int write_header(struct undo *undo, struct f2fs_device *const *parts, unsigned count)
{
	uint8_t *head = undo->buffer + UNDO_PRINT_BYTES;
	int err = random_fill(undo->layer.ctx, &undo->identity, sizeof(undo->identity));

	memset(head, 0, UNDO_FIRST_RECORD);
	if (!err)
		err = put_parts(undo, head, parts, count);
	if (err)
		return err;
	memcpy(head + UNDO_MAGIC, UNDO_MAGIC_HEAD, 8);
	put_le32(head + UNDO_HEAD_VERSION, count > 1 ? UNDO_VERSION_SET : UNDO_VERSION);
	put_le32(head + UNDO_BLOCK_SIZE, UNDO_BLOCK);
	put_le64(head + UNDO_DEVICE_SIZE, device_size(undo));
	put_le64(head + UNDO_IDENTITY, undo->identity);
	put_le32(head + UNDO_HEAD_CHECK, undo_check(head, 0, 0));
	undo->end = UNDO_FIRST_RECORD;
	err = device_write(undo->log, 0, head, UNDO_FIRST_RECORD);
	return err ? err : device_flush(undo->log);
}

static int set_up(struct undo *undo, struct f2fs_device *log, struct f2fs_device *const *parts, unsigned count)
{
	struct f2fs_context *ctx = undo->layer.ctx;

	undo->chunk_count = device_size(undo) / UNDO_BLOCK / CHUNK_BLOCKS + 1;
	if (undo->chunk_count > SIZE_MAX)
		return error_nomem(ctx);
	undo->saved = mem_calloc(ctx, (size_t)undo->chunk_count, sizeof(*undo->saved));
	undo->buffer = mem_alloc(ctx, UNDO_SECTOR + UNDO_RECORD_MAX);
	if (!undo->saved || !undo->buffer)
		return F2FS_ERR_NOMEM;
	undo->log = f2fs_device_ref(log);
	/* Leftovers of an earlier recording must not look like a part of this one. */
	if (!(log->info.caps & F2FS_DEVICE_ZEROED)) {
		int err = device_zero(log, 0, log->info.size);

		if (err)
			return err;
	}
	return write_header(undo, parts, count);
}

int undo_make(struct f2fs_device *inner, struct f2fs_device *log, struct f2fs_device *const *parts, unsigned count,
	      struct f2fs_device **out)
{
	const uint32_t caps =
		inner->info.caps & ~(uint32_t)(F2FS_DEVICE_ZONED | F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE);
	struct f2fs_device *dev;
	struct undo *undo;
	int err;

	error_clear(inner->ctx);
	if (inner->info.caps & F2FS_DEVICE_ZONED)
		return error_set(inner->ctx, F2FS_ERR_UNSUPPORTED, "%s: a zoned device cannot be undone", inner->name);
	if (log->info.size < UNDO_FIRST_RECORD)
		return error_set(inner->ctx, F2FS_ERR_NOSPC, "%s is too small for an undo file", log->name);
	err = layer_make(inner, sizeof(*undo), &undo_ops, caps, &dev);
	if (err)
		return err;
	undo = dev->self;
	err = set_up(undo, log, parts, count);
	if (err) {
		f2fs_device_close(undo->log);
		undo->log = NULL; /* nothing to seal */
		f2fs_device_close(dev);
		return err;
	}
	*out = dev;
	return 0;
}

void undo_own(struct f2fs_device *dev)
{
	struct undo *undo = dev->self;

	undo->is_own = true;
}

int f2fs_device_open_undo(struct f2fs_device *inner, struct f2fs_device *log, struct f2fs_device **out)
{
	return undo_make(inner, log, &inner, 1, out);
}

/* Make a new name durable: its directory is synchronised; where that is not possible the file is still good. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[4096] = ".";
	int fd;

	if (slash && (size_t)(slash - path) + 1 < sizeof(folder))
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int f2fs_undo_create(struct f2fs_device *target, const char *path, struct f2fs_device **log)
{
	/* Every block in a record of its own. */
	const uint64_t blocks = target->info.size / UNDO_BLOCK + 1;
	uint64_t size = UNDO_FIRST_RECORD + blocks * (UNDO_BLOCK + UNDO_SECTOR + 4);
	int err = device_create(target->ctx, path, size, DEVICE_PRIVATE, log);

	/* Not every file system lets a file be that long; an undo file of a repair is short. */
	for (; err && size > (UINT64_C(1) << 32) && target->ctx->error.code != F2FS_ERR_EXISTS; size /= 2)
		err = device_create(target->ctx, path, size, DEVICE_PRIVATE, log);
	if (!err)
		sync_folder(path);
	return err;
}
