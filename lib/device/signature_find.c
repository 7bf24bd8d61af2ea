/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find signatures of other systems by our own table. libblkid is asked first, where the build has it: it knows more
 * types, labels and UUIDs. The table has the types that libblkid lacks, and those that a build without it needs.
 */
#include "device/signature_find.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/signature_blkid.h"
#include "device/signature_scope.h"

enum from { FROM_START, FROM_END, FROM_AFTER };

#define SECTOR 512u
#define LONGEST_MAGIC 16u
#define FIRST_SUPERBLOCK 1024u

/* A place where a magic was found. */
struct place {
	struct f2fs_device *dev;
	const struct foreign_scope *scope;
	uint64_t at; /* byte offset of the magic */
};

static uint64_t size_of(struct f2fs_device *dev)
{
	return f2fs_device_info(dev)->size;
}

static void get_near(const struct place *p, uint64_t offset, uint8_t *buffer, size_t length)
{
	foreign_read(p->dev, p->scope, offset, buffer, length);
}

/* A magic of two bytes says little: block size, group size and revision of ext2, ext3 and ext4 have few values. */
static bool is_ext(const struct place *p)
{
	uint8_t sb[96];

	get_near(p, 1024, sb, sizeof(sb));
	return get_le32(sb) != 0 && get_le32(sb + 4) != 0 && get_le32(sb + 24) <= 6 && get_le32(sb + 32) != 0 &&
	       get_le32(sb + 76) <= 1;
}

static bool is_nilfs(const struct place *p)
{
	uint8_t sb[32];

	get_near(p, 1024, sb, sizeof(sb));
	return get_le32(sb) <= 2 && get_le16(sb + 8) >= 64 && get_le16(sb + 8) <= 1024 && get_le32(sb + 20) <= 6;
}

/* A boot record whose first bytes describe a FAT file system. */
static bool is_fat(const struct place *p)
{
	uint8_t s[SECTOR];
	uint32_t sector, cluster;

	get_near(p, 0, s, sizeof(s));
	sector = get_le16(s + 11);
	cluster = s[13];
	return (s[0] == 0xEB || s[0] == 0xE9) && (memcmp(s + 54, "FAT", 3) == 0 || memcmp(s + 82, "FAT32", 5) == 0) &&
	       sector >= 512 && sector <= 4096 && (sector & (sector - 1)) == 0 && cluster != 0 &&
	       (cluster & (cluster - 1)) == 0 && get_le16(s + 14) != 0 && (s[16] == 1 || s[16] == 2);
}

/* Superblocks of version 1 say where they are and have a sum, which libblkid computes. */
static bool is_md(const struct place *p)
{
	uint8_t sb[16];

	get_near(p, p->at, sb, sizeof(sb));
	return get_le32(sb + 4) == 1;
}

static bool is_old_md(const struct place *p)
{
	uint8_t sb[16];

	get_near(p, p->at, sb, sizeof(sb));
	return get_le32(sb + 4) == 0 && get_le32(sb + 8) >= 90 && get_le32(sb + 8) <= 91;
}

static bool is_mbr(const struct place *p)
{
	return foreign_has_partitions(p->dev, p->scope);
}

static const struct row {
	const char *type, *magic;
	uint64_t offset;
	bool (*test)(const struct place *p);
	uint8_t kind, from, length;
} rows[] = {
#define FOREIGN(type, kind, from, offset, magic, test)                                                                 \
	{ type, magic, offset, test, F2FS_SIGNATURE_##kind, FROM_##from, sizeof(magic) - 1 },
#include "device/foreign_systems.def"
#undef FOREIGN
};

/* Compare a row's magic at one offset. */
static bool try_at(const struct row *row, struct f2fs_device *dev, const struct foreign_scope *scope, uint64_t at,
		   struct f2fs_signature *out)
{
	const struct place place = { dev, scope, at };
	uint8_t bytes[LONGEST_MAGIC];

	foreign_read(dev, scope, at, bytes, row->length);
	if (memcmp(bytes, row->magic, row->length) != 0 || (row->test && !row->test(&place)))
		return false;
	snprintf(out->type, sizeof(out->type), "%s", row->type);
	out->kind = row->kind;
	out->offset = at;
	return foreign_counts(scope, out);
}

/* Versions 0.90 and 1.0 of RAID superblocks are aligned to their distance from the end. */
static uint64_t from_end(const struct row *row, uint64_t size)
{
	if (row->offset < 4096)
		return size - row->offset;
	return row->offset == 65536 ? size / 65536 * 65536 - 65536 : (size - row->offset) / 4096 * 4096;
}

static bool try_row(const struct row *row, struct f2fs_device *dev, const struct foreign_scope *scope,
		    struct f2fs_signature *out)
{
	const uint64_t size = size_of(dev);

	switch (row->from) {
	case FROM_START:
		return try_at(row, dev, scope, row->offset, out);
	case FROM_END:
		return scope->with_tail && size > row->offset && try_at(row, dev, scope, from_end(row, size), out);
	default:
		for (unsigned i = 0; i < FOREIGN_MOST_ENDS; i++)
			if (scope->with_tail && scope->ends[i] != 0 && scope->ends[i] < size &&
			    try_at(row, dev, scope, scope->ends[i], out))
				return true;
		return false;
	}
}

static const char *kind_text(uint32_t kind)
{
	static const char *const texts[] = { [F2FS_SIGNATURE_OTHER] = "data",
					     [F2FS_SIGNATURE_FILE_SYSTEM] = "a file system",
					     [F2FS_SIGNATURE_SWAP] = "swap space",
					     [F2FS_SIGNATURE_CRYPTO] = "an encrypted volume",
					     [F2FS_SIGNATURE_LVM] = "a physical volume of LVM",
					     [F2FS_SIGNATURE_RAID] = "a member of an array",
					     [F2FS_SIGNATURE_PARTITIONS] = "a partition table",
					     [F2FS_SIGNATURE_VERIFIED] = "metadata of verified boot" };

	return texts[kind];
}

static void describe(struct f2fs_signature *out)
{
	size_t n = 0;

#define ADD(...)                                                                                                       \
	do {                                                                                                           \
		if (n < sizeof(out->what))                                                                             \
			n += (size_t)snprintf(out->what + n, sizeof(out->what) - n, __VA_ARGS__);                      \
	} while (0)
	ADD("%s (%s", kind_text(out->kind), out->type);
	if (out->label[0])
		ADD(", label '%s'", out->label);
	if (out->uuid[0])
		ADD(", UUID %s", out->uuid);
	ADD(")");
#undef ADD
}

static bool find_f2fs(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out)
{
	static const uint8_t magic[4] = { 0x10, 0x20, 0xF5, 0xF2 };
	uint8_t bytes[4];

	foreign_read(dev, scope, FIRST_SUPERBLOCK, bytes, sizeof(bytes)); /* the one that wipefs wipes */
	if (memcmp(bytes, magic, sizeof(magic)) != 0)
		return false;
	memcpy(out->type, "f2fs", sizeof("f2fs"));
	out->kind = F2FS_SIGNATURE_FILE_SYSTEM;
	out->offset = FIRST_SUPERBLOCK;
	return true;
}

int foreign_find(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out)
{
	struct f2fs_signature found = { 0 };
	int err = foreign_ask_blkid(dev, scope, &found);
	bool is_found = err == 0;

	if (err != 0 && err != F2FS_ERR_NOT_FOUND)
		return err;
	for (size_t i = 0; !is_found && i < sizeof(rows) / sizeof(rows[0]); i++)
		is_found = try_row(&rows[i], dev, scope, &found);
	if (!is_found && scope->with_f2fs)
		is_found = find_f2fs(dev, scope, &found);
	if (!is_found)
		return F2FS_ERR_NOT_FOUND;
	describe(&found);
	sized_give(out, &found, sizeof(found));
	return 0;
}

int f2fs_device_signature(struct f2fs_device *dev, struct f2fs_signature *out)
{
	struct foreign_scope scope = {
		.kinds = FOREIGN_ALL_KINDS, .with_boot_sectors = true, .with_tail = true, .with_f2fs = true
	};
	int err;

	error_clear(dev->ctx);
	err = sized_check(dev->ctx, out, sizeof(*out));
	if (!err)
		err = foreign_load_head(dev, &scope);
	if (!err)
		err = foreign_find(dev, &scope, out);
	foreign_drop_head(dev, &scope);
	return err == F2FS_ERR_NOT_FOUND ? error_set(dev->ctx, err, "no signature was found") : err;
}
