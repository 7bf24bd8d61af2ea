/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Partition tables by libblkid. It reads from a descriptor alone, so it gets a sparse file with copies of the start and
 * the end of the disk, and of the sectors that hold the logical partitions of an MBR.
 */
#include "disk/partition_blkid.h"

#include "base/error.h"

#include "f2fskit_config.h"

#if HAVE_BLKID
#include <blkid/blkid.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "device/signature_blkid.h"

#define SECTOR 512u
/* Most links of a chain of extended partitions that are followed. */
#define MOST_LINKS 256u

static bool is_extended(const uint8_t *entry)
{
	return entry[4] == 0x05 || entry[4] == 0x0F || entry[4] == 0x85;
}

/* Copy the sectors of the chain that begins with the sector `first`. */
static void copy_chain(struct f2fs_device *disk, int fd, uint64_t first, uint32_t sector_size)
{
	const uint64_t size = disk->info.size;
	uint64_t at = first;
	uint8_t s[SECTOR];

	for (unsigned i = 0; i < MOST_LINKS; i++) {
		const uint8_t *next = NULL;
		const uint64_t offset = at * sector_size;

		if (at == 0 || offset > size || size - offset < SECTOR ||
		    device_read_quiet(disk, offset, s, sizeof(s)) != 0 ||
		    pwrite(fd, s, sizeof(s), (off_t)offset) != (ssize_t)sizeof(s) || s[510] != 0x55 || s[511] != 0xAA)
			return;
		for (unsigned k = 0; k < 4 && !next; k++)
			if (is_extended(s + 446 + k * 16))
				next = s + 446 + k * 16;
		if (!next)
			return;
		at = first + get_le32(next + 8);
	}
}

static void copy_chains(struct f2fs_device *disk, int fd, uint32_t sector_size)
{
	uint8_t s[SECTOR];

	if (disk->info.size < SECTOR || device_read_quiet(disk, 0, s, sizeof(s)) != 0)
		return;
	for (unsigned k = 0; k < 4; k++)
		if (is_extended(s + 446 + k * 16))
			copy_chain(disk, fd, get_le32(s + 446 + k * 16 + 8), sector_size);
}

static void copy_text(char *out, size_t size, const char *text)
{
	out[0] = 0;
	if (text)
		f2fs_text_printable(text, strlen(text), out, size);
}

static void take_type(struct f2fs_partition *about, blkid_partition part)
{
	const char *text = blkid_partition_get_type_string(part);

	if (text)
		copy_text(about->type, sizeof(about->type), text);
	else
		snprintf(about->type, sizeof(about->type), "0x%02x", (unsigned)blkid_partition_get_type(part));
}

static int take_partition(struct partition_table *table, blkid_partition part)
{
	const uint64_t start = (uint64_t)blkid_partition_get_start(part);
	const uint64_t count = (uint64_t)blkid_partition_get_size(part);
	struct partition_row *row;

	if (blkid_partition_is_extended(part) || count == 0 || start > UINT64_MAX / SECTOR ||
	    count > UINT64_MAX / SECTOR)
		return 0;
	row = partition_table_add(table);
	if (!row)
		return F2FS_ERR_NOMEM;
	row->about.number = (uint32_t)blkid_partition_get_partno(part);
	copy_text(row->about.scheme, sizeof(row->about.scheme),
		  blkid_parttable_get_type(blkid_partition_get_table(part)));
	snprintf(row->about.name, sizeof(row->about.name), "%u", row->about.number);
	copy_text(row->about.label, sizeof(row->about.label), blkid_partition_get_name(part));
	copy_text(row->about.uuid, sizeof(row->about.uuid), blkid_partition_get_uuid(part));
	take_type(&row->about, part);
	return partition_table_add_piece(table, start * SECTOR, count * SECTOR);
}

/* The size of the whole disk. Its GPT knows it when the end of the image is missing: libblkid refuses such a table. */
static uint64_t whole_size(struct f2fs_device *disk, int fd, uint32_t sector_size)
{
	const uint64_t size = disk->info.size, most = INT64_MAX / 2;
	uint8_t head[40];
	uint64_t last;

	if (size < sector_size + sizeof(head) || device_read_quiet(disk, sector_size, head, sizeof(head)) != 0 ||
	    memcmp(head, "EFI PART", 8) != 0)
		return size;
	last = get_le64(head + 32); /* sector of the backup */
	if (last >= most / sector_size || (last + 1) * sector_size <= size ||
	    ftruncate(fd, (off_t)((last + 1) * sector_size)) != 0)
		return size;
	return (last + 1) * sector_size;
}

/* Ask about a disk with sectors of one size. */
static int ask(struct partition_table *table, int fd, uint32_t sector_size)
{
	const uint64_t size = whole_size(table->disk, fd, sector_size);
	blkid_probe probe = blkid_new_probe();
	blkid_partlist list = NULL;
	int err = 0;

	if (probe && blkid_probe_set_device(probe, fd, 0, (blkid_loff_t)size) == 0 &&
	    blkid_probe_set_sectorsize(probe, sector_size) == 0) {
		blkid_probe_enable_partitions(probe, 1);
		list = blkid_probe_get_partitions(probe);
	}
	for (int i = 0; list && !err && i < blkid_partlist_numof_partitions(list); i++)
		err = take_partition(table, blkid_partlist_get_partition(list, i));
	blkid_free_probe(probe);
	return err;
}

int partition_blkid_add(struct partition_table *table)
{
	const uint32_t own = table->disk->info.sector_size, sizes[] = { own, 512, 4096 };
	const struct foreign_scope scope = { .with_tail = true };
	const int fd = foreign_copy_ends(table->disk, &scope);
	int err = 0;

	if (fd < 0) {
		/* the host has no such files, or no room for one */
		return error_set(table->disk->ctx, F2FS_ERR_IO, "%s: its partition table cannot be examined",
				 table->disk->name);
	}
	/* images of disks with sectors of 4 KiB do not say so */
	for (unsigned i = 0; i < 3 && !err && table->rows.count == 0; i++) {
		copy_chains(table->disk, fd, sizes[i]);
		err = ask(table, fd, sizes[i]);
	}
	close(fd);
	return err;
}
#else
int partition_blkid_add(struct partition_table *table)
{
	return error_set(table->disk->ctx, F2FS_ERR_UNSUPPORTED, "built without libblkid: partitions cannot be listed");
}
#endif
