/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plays an undo file back: gives a device the bytes that it had before the first change. Everything is looked at before
 * anything is written: the file's own checksums, and whether this is the device (the beginning of the device with the
 * old bytes in place must be what it was). An unsealed file, that is, one whose recording was cut short, ends at the
 * first record that is not whole: what that record was for had not been written (undo.c). Playing back again does the
 * same again, so a cut while playing back is cured by playing back. Several devices are one in a row here, but each is
 * known by its own beginning.
 */
#include "device/undo.h"

#include <string.h>

struct player {
	struct f2fs_context *ctx;
	struct f2fs_device *log, *target;
	uint64_t identity;
	uint64_t sealed_records, sealed_end; /* 0: not sealed */
	uint8_t *buffer;		     /* a record */
	struct f2fs_device *const *parts;    /* the target, or what it consists of */
	unsigned count;
	uint8_t *starts; /* the beginnings of the parts as they will be */
	size_t start_length[UNDO_MAX_PARTS];
	uint32_t prints[UNDO_MAX_PARTS]; /* of the beginnings as they were */
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

/* Were these the devices, by number and sizes? */
static int read_parts(struct player *p, const uint8_t *head, uint32_t version)
{
	const uint32_t count = version == UNDO_VERSION_SET ? get_le32(head + UNDO_PARTS) : 1;

	if (count != p->count)
		return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for %u devices, not %u", p->log->name,
				 (unsigned)count, p->count);
	p->prints[0] = get_le32(head + UNDO_PRINT);
	for (unsigned i = 0; i < count && version == UNDO_VERSION_SET; i++) {
		const uint8_t *part = head + UNDO_PART + (size_t)i * UNDO_PART_SIZE;

		if (get_le64(part) != p->parts[i]->info.size)
			return error_set(p->ctx, F2FS_ERR_STATE, "device number %u of %s has %llu bytes, not %llu",
					 i + 1, p->log->name, (unsigned long long)get_le64(part),
					 (unsigned long long)p->parts[i]->info.size);
		p->prints[i] = get_le32(part + 8);
	}
	return 0;
}

static int read_header(struct player *p)
{
	const uint8_t *head = p->buffer;
	uint32_t version;
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
	version = get_le32(head + UNDO_HEAD_VERSION);
	if ((version != UNDO_VERSION && version != UNDO_VERSION_SET) || get_le32(head + UNDO_BLOCK_SIZE) != UNDO_BLOCK)
		return error_set(p->ctx, F2FS_ERR_UNSUPPORTED, "%s is an undo file of version %u", p->log->name,
				 (unsigned)version);
	err = read_parts(p, head, version);
	if (err)
		return err;
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

/* What a record puts into the beginning of a part, which is at an offset of the target. */
static void patch_start(struct player *p, unsigned i, uint64_t at, const struct undo_record *r)
{
	const uint64_t end = at + p->start_length[i], from = r->offset > at ? r->offset : at,
		       to = r->offset + r->length < end ? r->offset + r->length : end;
	uint8_t *start = p->starts + (size_t)i * UNDO_PRINT_BYTES;

	if (from >= to)
		return;
	if (r->kind == UNDO_BYTES)
		memcpy(start + (from - at), p->buffer + UNDO_SECTOR + (from - r->offset), (size_t)(to - from));
	else
		memset(start + (from - at), 0, (size_t)(to - from));
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
	uint64_t at = 0;

	for (unsigned i = 0; i < p->count; at += p->parts[i++]->info.size)
		patch_start(p, i, at, r);
	p->info.bytes += r->length;
	return 0;
}

/* Verify the file and the devices. */
static int verify(struct player *p)
{
	uint64_t end;
	int err = 0;

	for (unsigned i = 0; i < p->count && !err; i++)
		err = undo_fingerprint(p->parts[i], p->starts + (size_t)i * UNDO_PRINT_BYTES, &p->start_length[i]);
	if (!err)
		err = walk(p, &p->info.records, &end, look);
	if (err)
		return err;
	if (p->info.is_sealed && (p->info.records != p->sealed_records || end != p->sealed_end))
		return refuse(p, "a record is damaged; nothing was played back");
	for (unsigned i = 0; i < p->count; i++)
		if (crc_f2fs(CRC_F2FS_SEED, p->starts + (size_t)i * UNDO_PRINT_BYTES, p->start_length[i]) !=
		    p->prints[i])
			return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for another device than %s", p->log->name,
					 p->parts[i]->name);
	return 0;
}

int undo_play(struct f2fs_device *log, struct f2fs_device *target, struct f2fs_device *const *parts, unsigned count,
	      struct f2fs_undo_info *info)
{
	struct player p = { .ctx = target->ctx, .log = log, .target = target, .parts = parts, .count = count };
	uint64_t records, end;
	int err = 0;

	error_clear(p.ctx);
	p.buffer = mem_alloc(p.ctx, UNDO_SECTOR + UNDO_RECORD_MAX);
	p.starts = mem_alloc(p.ctx, (size_t)count * UNDO_PRINT_BYTES);
	if (!p.buffer || !p.starts)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = read_header(&p);
	if (!err)
		err = verify(&p);
	if (!err)
		err = walk(&p, &records, &end, put_back);
	if (!err)
		err = device_flush(target);
	if (!err && info)
		*info = p.info;
	mem_free(p.ctx, p.buffer);
	mem_free(p.ctx, p.starts);
	return err;
}

int f2fs_undo_play(struct f2fs_device *log, struct f2fs_device *target, struct f2fs_undo_info *info)
{
	return undo_play(log, target, &target, 1, info);
}
