/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Play an undo file back: restore the bytes that a device had before the first change. Everything is checked before
 * anything is written: the file's own checksums, whether this is the device (the first bytes of the device, with the
 * old bytes put back, must be the recorded ones), and whether each block is as the recording left it, or has its old
 * bytes already. An unsealed file, that is, one whose recording was cut short, ends at the first record that is not
 * whole: the write of that record had not begun (undo.c). The final state of the device is then unknown, so playing
 * back needs force. Playing back again does the same again, so a cut while playing back is cured by playing back.
 * Several devices are one in a row here, but each is known by its own beginning.
 */
#include "device/undo.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/retry.h"
#include "device/undo_play.h"

struct player {
	struct f2fs_context *ctx;
	struct f2fs_device *log, *target;
	uint64_t identity;
	uint64_t sealed_records, sealed_end, sealed_blocks; /* 0: not sealed */
	uint32_t sealed_table, sealed_watch;
	int force;
	uint8_t *now;		     /* of the device, where a record is; then its part of the table */
	uint64_t blocks;	     /* of the table that were looked at */
	uint32_t table;		     /* checksum of these */
	uint8_t saved[UNDO_WATCH_BLOCKS / 8]; /* blocks at the beginning that have a record */
	uint64_t changed, first_changed; /* blocks that are neither as they were left nor as they were */
	uint8_t *buffer;		     /* a record */
	struct f2fs_device *const *parts;    /* the target, or its parts */
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

/* A recording that was cut short has nothing where the seal would be; anything but a seal there is damage. */
static int read_seal(struct player *p, const uint8_t *seal)
{
	static const uint8_t none[UNDO_SECTOR];

	if (memcmp(seal, none, sizeof(none)) == 0)
		return 0;
	if (memcmp(seal + UNDO_SEAL_MAGIC, UNDO_MAGIC_SEAL, 8) != 0 ||
	    get_le64(seal + UNDO_SEAL_IDENTITY) != p->identity ||
	    get_le32(seal + UNDO_SEAL_CHECK) != undo_check(seal, p->identity, 0))
		return refuse(p, "the seal is damaged; nothing was played back");
	p->sealed_records = get_le64(seal + UNDO_SEAL_RECORDS);
	p->sealed_end = get_le64(seal + UNDO_SEAL_END);
	p->sealed_blocks = get_le64(seal + UNDO_SEAL_BLOCKS);
	p->sealed_table = get_le32(seal + UNDO_SEAL_TABLE);
	p->sealed_watch = get_le32(seal + UNDO_SEAL_WATCH);
	p->info.is_sealed = 1;
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
	p->info.device_size = get_le64(head + UNDO_DEVICE_SIZE);
	if (p->info.device_size != p->target->info.size)
		return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for a device of %llu bytes, not %llu",
				 p->log->name, (unsigned long long)p->info.device_size,
				 (unsigned long long)p->target->info.size);
	p->identity = get_le64(head + UNDO_IDENTITY);
	return read_seal(p, head + UNDO_SECTOR);
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

/* Apply a record to the first bytes of a part, which is at an offset of the target. */
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

/* Checksum of a block of the record whose bytes are in buffer. */
static uint32_t old_sum(const struct player *p, const struct undo_record *r, uint32_t block)
{
	static const uint8_t zeros[UNDO_BLOCK];
	const uint8_t *bytes = r->kind == UNDO_BYTES ? p->buffer + UNDO_SECTOR + (size_t)block * UNDO_BLOCK : zeros;

	return crc_f2fs(CRC_F2FS_SEED, bytes, undo_block_length(r->length, block));
}

/* Compare the device with the table, for the range of the record. */
static int compare(struct player *p, const struct undo_record *r)
{
	const uint32_t blocks = undo_record_blocks(r->length);
	const uint64_t at = p->sealed_end + p->blocks * 4;
	uint8_t *table = p->now + UNDO_RECORD_MAX;
	int err;

	if (p->blocks + blocks > p->sealed_blocks || at > p->log->info.size || p->log->info.size - at < blocks * 4u)
		return refuse(p, "the table of written blocks is too short; nothing was played back");
	err = device_read(p->log, at, table, (size_t)blocks * 4);
	if (!err)
		err = device_read(p->target, r->offset, p->now, r->length);
	if (err)
		return err;
	p->table = crc_f2fs(p->table, table, (size_t)blocks * 4);
	p->blocks += blocks;
	for (uint32_t i = 0; i < blocks; i++) {
		const uint32_t sum = crc_f2fs(CRC_F2FS_SEED, p->now + (size_t)i * UNDO_BLOCK,
					      undo_block_length(r->length, i));

		if (sum == get_le32(table + (size_t)i * 4) || sum == old_sum(p, r, i))
			continue;
		if (p->changed++ == 0)
			p->first_changed = r->offset + (uint64_t)i * UNDO_BLOCK;
	}
	return 0;
}

/*
 * In a recording that was cut short, count the records after the unreadable one. Either the cut tore that one, and no
 * write after it reached the device. Or it was damaged since, and then these records are missing.
 */
static int count_left(struct player *p, uint64_t end)
{
	const uint64_t longest = undo_record_size(UNDO_RECORD_MAX, UNDO_BYTES);
	uint64_t number = p->info.records + 1;
	struct undo_record record;

	for (uint64_t from = end, at = end + UNDO_SECTOR; at <= from + longest;) {
		bool found;
		int err = read_record(p, at, number, &record, &found);

		if (err)
			return err;
		at += found ? undo_record_size(record.length, record.kind) : UNDO_SECTOR;
		if (!found)
			continue;
		p->info.left++;
		number++;
		from = at;
	}
	return 0;
}

static int look(struct player *p, const struct undo_record *r)
{
	uint64_t at = 0;

	for (unsigned i = 0; i < p->count; at += p->parts[i++]->info.size)
		patch_start(p, i, at, r);
	p->info.bytes += r->length;
	for (uint64_t block = r->offset / UNDO_BLOCK;
	     block < UNDO_WATCH_BLOCKS && block * UNDO_BLOCK < r->offset + r->length; block++)
		lsb_set(p->saved, (size_t)block);
	return p->info.is_sealed ? compare(p, r) : 0;
}

static int refuse_changed(struct player *p, uint32_t watch)
{
	const char *name = p->count == 1 ? p->parts[0]->name : p->target->name;

	if (p->changed)
		return error_set(p->ctx, F2FS_ERR_STATE,
				 "%s is not as the recording left it: %llu of %llu blocks differ, the first at byte "
				 "%llu",
				 name, (unsigned long long)p->changed, (unsigned long long)p->blocks,
				 (unsigned long long)p->first_changed);
	if (watch != p->sealed_watch)
		return error_set(p->ctx, F2FS_ERR_STATE,
				 "%s is not as the recording left it: something was written beside its blocks, or it "
				 "is another device",
				 name);
	return 0;
}

/* Is it the device, and is it as the recording left it? */
static int verify_device(struct player *p)
{
	uint32_t watch;
	int err;

	for (unsigned i = 0; i < p->count; i++)
		if (crc_f2fs(CRC_F2FS_SEED, p->starts + (size_t)i * UNDO_PRINT_BYTES, p->start_length[i]) !=
		    p->prints[i])
			return error_set(p->ctx, F2FS_ERR_STATE, "%s was made for another device than %s", p->log->name,
					 p->parts[i]->name);
	if (p->force)
		return 0;
	if (!p->info.is_sealed)
		return error_set(p->ctx, F2FS_ERR_STATE,
				 "%s: the recording was cut short, so whether %s was changed since is not known; play "
				 "it back by force if it was not",
				 p->log->name, p->target->name);
	err = undo_watch(p->target, p->saved, p->now, &watch);
	if (err)
		return error_set(p->ctx, err, "%s cannot be read", p->target->name);
	return refuse_changed(p, watch);
}

/* Verify the file, all of it, and the devices. */
static int verify(struct player *p)
{
	uint64_t end;
	int err = 0;

	for (unsigned i = 0; i < p->count && !err; i++)
		err = undo_fingerprint(p->parts[i], p->starts + (size_t)i * UNDO_PRINT_BYTES, &p->start_length[i]);
	p->table = CRC_F2FS_SEED;
	if (!err)
		err = walk(p, &p->info.records, &end, look);
	if (!err && !p->info.is_sealed)
		err = count_left(p, end);
	if (err)
		return err;
	if (p->info.is_sealed && (p->info.records != p->sealed_records || end != p->sealed_end))
		return refuse(p, "a record is damaged; nothing was played back");
	if (p->info.is_sealed && (p->blocks != p->sealed_blocks || p->table != p->sealed_table))
		return refuse(p, "the table of written blocks is damaged; nothing was played back");
	return verify_device(p);
}

static int play(struct player *p)
{
	uint64_t records, end;
	int err = read_header(p);

	if (!err)
		err = verify(p);
	if (!err)
		err = walk(p, &records, &end, put_back);
	return err ? err : device_flush(p->target);
}

/* Repeat failed reads, as volumes do. */
static int play_patiently(struct player *p, struct f2fs_device *const *parts)
{
	struct f2fs_device *layers[2 + UNDO_MAX_PARTS] = { NULL };
	struct f2fs_device *const inner[2] = { p->log, p->target };
	int err = 0;

	for (unsigned i = 0; i < 2 + p->count && !err; i++)
		err = device_new_retry(i < 2 ? inner[i] : parts[i - 2], &layers[i]);
	if (!err) {
		p->log = layers[0];
		p->target = layers[1];
		p->parts = layers + 2;
		err = play(p);
	}
	for (unsigned i = 0; i < 2 + p->count; i++)
		f2fs_device_close(layers[i]);
	return err;
}

int undo_play(struct f2fs_device *log, struct f2fs_device *target, struct f2fs_device *const *parts, unsigned count,
	      int force, struct f2fs_undo_info *info)
{
	struct player p = { .ctx = target->ctx, .log = log, .target = target, .count = count, .force = force };
	int err;

	error_clear(p.ctx);
	err = sized_check(p.ctx, info, sizeof(p.info));
	if (err)
		return err;
	p.buffer = mem_alloc(p.ctx, UNDO_SECTOR + UNDO_RECORD_MAX);
	p.starts = mem_alloc(p.ctx, (size_t)count * UNDO_PRINT_BYTES);
	p.now = mem_alloc(p.ctx, UNDO_RECORD_MAX + UNDO_RECORD_MAX / UNDO_BLOCK * 4);
	if (!p.buffer || !p.starts || !p.now)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = play_patiently(&p, parts);
	if (err)
		p.info = (struct f2fs_undo_info){ .device_size = p.info.device_size };
	sized_give(info, &p.info, sizeof(p.info));
	mem_free(p.ctx, p.buffer);
	mem_free(p.ctx, p.starts);
	mem_free(p.ctx, p.now);
	return err;
}

int f2fs_undo_play(struct f2fs_device *log, struct f2fs_device *target, int force, struct f2fs_undo_info *info)
{
	return undo_play(log, target, &target, 1, force, info);
}
