/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plays an undo file back: gives a device the bytes that it had before the first change. Everything is looked at before
 * anything is written: the file's own checksums, and whether this is the device (the beginning of the device with the
 * old bytes in place must be what it was). An unsealed file, that is, one whose recording was cut short, ends at the
 * first record that is not whole: what that record was for had not been written (undo.c). Playing back again does the
 * same again, so a cut while playing back is cured by playing back.
 */
#include "device/undo.h"

#include <string.h>

struct player {
	struct f2fs_context *ctx;
	struct f2fs_device *log, *target;
	uint64_t identity;
	uint64_t sealed_records, sealed_end; /* 0: not sealed */
	uint8_t *buffer;		     /* a record */
	uint8_t *start;			     /* the beginning of the device as it will be */
	size_t start_length;
	struct f2fs_undo_info info;
};

struct undo_record {
	uint64_t offset;
	uint32_t length, kind;
};

static int refuse(struct player *p, const char *why)
{
	struct error_where where = { .structure = "undo file" };

	return error_at(p->ctx, F2FS_ERR_CORRUPT, &where, "%s: %s", p->log->name, why);
}

static int read_header(struct player *p)
{
	const uint8_t *head = p->buffer;
	int err;

	if (p->log->info.size < UNDO_FIRST_RECORD)
		return error_set(p->ctx, F2FS_ERR_INVALID, "%s is not an undo file", p->log->name);
	err = device_read(p->log, 0, p->buffer, (size_t)UNDO_SECTOR * 2);
	if (err)
		return err;
	if (memcmp(head + UNDO_MAGIC, UNDO_MAGIC_HEAD, 8) != 0)
		return error_set(p->ctx, F2FS_ERR_INVALID, "%s is not an undo file", p->log->name);
	if (get_le32(head + UNDO_HEAD_CHECK) != undo_check(head, 0, 0))
		return refuse(p, "the header's checksum is wrong");
	if (get_le32(head + UNDO_HEAD_VERSION) != UNDO_VERSION || get_le32(head + UNDO_BLOCK_SIZE) != UNDO_BLOCK)
		return error_set(p->ctx, F2FS_ERR_UNSUPPORTED, "%s is an undo file of version %u", p->log->name,
				 (unsigned)get_le32(head + UNDO_HEAD_VERSION));
	if (get_le64(head + UNDO_DEVICE_SIZE) != p->target->info.size)
		return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for a device of %llu bytes, not %llu",
				 p->log->name, (unsigned long long)get_le64(head + UNDO_DEVICE_SIZE),
				 (unsigned long long)p->target->info.size);
	p->identity = get_le64(head + UNDO_IDENTITY);
	p->info.device_size = p->target->info.size;
	head += UNDO_SECTOR;
	if (memcmp(head + UNDO_SEAL_MAGIC, UNDO_MAGIC_SEAL, 8) == 0 &&
	    get_le64(head + UNDO_SEAL_IDENTITY) == p->identity &&
	    get_le32(head + UNDO_SEAL_CHECK) == undo_check(head, p->identity, 0)) {
		p->sealed_records = get_le64(head + UNDO_SEAL_RECORDS);
		p->sealed_end = get_le64(head + UNDO_SEAL_END);
		p->info.is_sealed = 1;
	}
	return 0;
}

/* Read record number n at an offset of the file. *found is false at the end and at a torn record. */
static int read_record(struct player *p, uint64_t at, uint64_t number, struct undo_record *out, bool *found)
{
	const uint64_t size = p->log->info.size;
	uint8_t *head = p->buffer;
	uint64_t whole;
	int err;

	*found = false;
	if (at > size || size - at < UNDO_SECTOR)
		return 0;
	err = device_read(p->log, at, head, UNDO_SECTOR);
	if (err)
		return err;
	out->offset = get_le64(head + UNDO_RECORD_OFFSET);
	out->length = get_le32(head + UNDO_RECORD_LENGTH);
	out->kind = get_le32(head + UNDO_RECORD_KIND);
	if (memcmp(head + UNDO_RECORD_MAGIC, UNDO_MAGIC_RECORD, 8) != 0 ||
	    get_le64(head + UNDO_RECORD_NUMBER) != number ||
	    get_le32(head + UNDO_RECORD_CHECK) != undo_check(head, p->identity, number) || out->length == 0 ||
	    out->length > UNDO_RECORD_MAX || (out->kind != UNDO_BYTES && out->kind != UNDO_ZEROS) ||
	    out->offset > p->target->info.size || out->length > p->target->info.size - out->offset)
		return 0;
	whole = undo_record_size(out->length, out->kind);
	if (whole > size - at)
		return 0;
	if (out->kind == UNDO_BYTES) {
		err = device_read(p->log, at + UNDO_SECTOR, p->buffer + UNDO_SECTOR, out->length);
		if (err)
			return err;
		if (crc_f2fs(CRC_F2FS_SEED, p->buffer + UNDO_SECTOR, out->length) != get_le32(head + UNDO_RECORD_DATA))
			return 0;
	}
	*found = true;
	return 0;
}

/* What a record puts into the beginning of the device. */
static void patch_start(struct player *p, const struct undo_record *r)
{
	size_t n = r->length;

	if (r->offset >= p->start_length)
		return;
	if (n > p->start_length - (size_t)r->offset)
		n = p->start_length - (size_t)r->offset;
	if (r->kind == UNDO_BYTES)
		memcpy(p->start + r->offset, p->buffer + UNDO_SECTOR, n);
	else
		memset(p->start + r->offset, 0, n);
}

static int put_back(struct player *p, const struct undo_record *r)
{
	if (r->kind == UNDO_ZEROS)
		return device_zero(p->target, r->offset, r->length);
	return device_write(p->target, r->offset, p->buffer + UNDO_SECTOR, r->length);
}

/* Go through all records; each gets visit. */
static int walk(struct player *p, uint64_t *count, uint64_t *end,
		int (*visit)(struct player *p, const struct undo_record *r))
{
	struct undo_record record;
	bool found = true;
	int err;

	*end = UNDO_FIRST_RECORD;
	for (*count = 0;; ++*count) {
		err = read_record(p, *end, *count, &record, &found);
		if (err || !found)
			return err;
		err = visit(p, &record);
		if (err)
			return err;
		*end += undo_record_size(record.length, record.kind);
	}
}

static int look(struct player *p, const struct undo_record *r)
{
	patch_start(p, r);
	p->info.bytes += r->length;
	return 0;
}

/* Verify the file and the device. */
static int verify(struct player *p)
{
	uint64_t end;
	uint32_t print;
	int err = undo_fingerprint(p->target, p->start, &p->start_length);

	if (!err)
		err = walk(p, &p->info.records, &end, look);
	if (err)
		return err;
	if (p->info.is_sealed && (p->info.records != p->sealed_records || end != p->sealed_end))
		return refuse(p, "a record is damaged; nothing was played back");
	err = device_read(p->log, UNDO_PRINT, p->buffer, 4);
	if (err)
		return err;
	print = get_le32(p->buffer);
	if (crc_f2fs(CRC_F2FS_SEED, p->start, p->start_length) != print)
		return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for another device than %s", p->log->name,
				 p->target->name);
	return 0;
}

int f2fs_undo_play(struct f2fs_device *log, struct f2fs_device *target, struct f2fs_undo_info *info)
{
	struct player p = { .ctx = target->ctx, .log = log, .target = target };
	uint64_t count, end;
	int err = 0;

	error_clear(p.ctx);
	p.buffer = mem_alloc(p.ctx, UNDO_SECTOR + UNDO_RECORD_MAX);
	p.start = mem_alloc(p.ctx, UNDO_PRINT_BYTES);
	if (!p.buffer || !p.start)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = read_header(&p);
	if (!err)
		err = verify(&p);
	if (!err)
		err = walk(&p, &count, &end, put_back);
	if (!err)
		err = device_flush(target);
	if (!err && info)
		*info = p.info;
	mem_free(p.ctx, p.buffer);
	mem_free(p.ctx, p.start);
	return err;
}
