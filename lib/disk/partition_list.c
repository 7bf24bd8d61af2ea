/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the partitions of a disk, and open one by its number, label or UUID.
 */
#include "disk/partition_list.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/utf16.h"
#include "device/slice.h"
#include "disk/android_super.h"
#include "disk/partition_blkid.h"
#include "disk/partition_open.h"
#include "disk/volume_place.h"

/* Describe the volume that the bytes of a row begin with. */
static int look_for_volume(const struct partition_table *table, struct partition_row *row)
{
	struct f2fs_partition *about = &row->about;
	struct f2fs_device *dev;
	uint8_t sb[sb_SIZE];
	char text[UTF16_UTF8_SIZE(sb_SIZE_volume_name / 2)];
	bool is_valid;
	size_t length;
	int err = partition_open(table, row, &dev);

	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	about->is_f2fs = volume_place_has_magic(dev, 0, sb, &is_valid);
	f2fs_device_close(dev);
	if (!is_valid)
		return 0;
	length = utf16_decode_lossy(sb_volume_name(sb), sb_SIZE_volume_name / 2, text, sizeof(text), NULL);
	f2fs_text_printable(text, length, about->volume_label, sizeof(about->volume_label));
	for (unsigned i = 0, n = 0; i < 16; i++)
		n += (unsigned)snprintf(about->volume_uuid + n, sizeof(about->volume_uuid) - n, "%s%02x",
					i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", sb_uuid(sb)[i]);
	return 0;
}

/* Add the dynamic partitions within a partition. Damaged ones are left out, with a warning. */
static int add_dynamic(struct partition_table *table, const struct partition_row *row)
{
	struct f2fs_context *ctx = table->disk->ctx;
	const struct f2fs_partition about = row->about; /* rows move */
	struct f2fs_device *dev;
	int err = partition_open(table, row, &dev);

	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	if (android_super_has_magic(dev))
		err = android_super_add(table, dev, about.offset, about.label[0] ? about.label : about.name);
	f2fs_device_close(dev);
	if (err != F2FS_ERR_CORRUPT)
		return err;
	log_message(ctx, F2FS_LOG_WARNING, "partition %s: %s", about.name, ctx->error.message);
	return 0;
}

int partition_list_load(struct partition_table *table, struct f2fs_device *disk)
{
	size_t count;
	int err;

	partition_table_init(table, disk);
	if (android_super_has_magic(disk))
		err = android_super_add(table, disk, 0, "super");
	else
		err = partition_blkid_add(table);
	count = table->rows.count;
	for (size_t i = 0; i < count && !err; i++)
		if (partition_row_at(table, i)->about.number)
			err = add_dynamic(table, partition_row_at(table, i));
	for (size_t i = 0; i < table->rows.count && !err; i++)
		err = look_for_volume(table, partition_row_at(table, i));
	return err;
}

int f2fs_partition_list(struct f2fs_device *disk, int (*visit)(void *user, const struct f2fs_partition *partition),
			void *user)
{
	struct partition_table table;
	int rc;

	error_clear(disk->ctx);
	rc = partition_list_load(&table, disk);
	if (rc == 0 && table.rows.count == 0)
		rc = error_set(disk->ctx, F2FS_ERR_NOT_FOUND, "%s has no partition table", disk->name);
	for (size_t i = 0; i < table.rows.count && rc == 0; i++)
		rc = visit(user, &partition_row_at(&table, i)->about);
	partition_table_fini(&table);
	return rc;
}

/* ---- choosing one ---- */

/* The ways in which a name is understood, in this order. */
enum { BY_NAME, BY_LABEL, BY_VOLUME, WAYS };

static bool fits(const struct f2fs_partition *about, const char *name, unsigned way)
{
	if (!name)
		return about->is_f2fs != 0;
	switch (way) {
	case BY_NAME:
		return strcmp(about->name, name) == 0;
	case BY_LABEL:
		return strcmp(about->label, name) == 0 || strcasecmp(about->uuid, name) == 0;
	default:
		return strcmp(about->volume_label, name) == 0 || strcasecmp(about->volume_uuid, name) == 0;
	}
}

/* Put the rows that fit into a text: "1 'boot', 2 'root' (F2FS)". All of them with name "". */
static void list_rows(const struct partition_table *table, const char *name, unsigned way, char *text, size_t size)
{
	size_t n = 0;

	text[0] = 0;
	for (size_t i = 0; i < table->rows.count && n < size; i++) {
		const struct f2fs_partition *about = &partition_row_at(table, i)->about;
		const char *label = about->label[0] ? about->label : about->volume_label;

		if (way != WAYS && !fits(about, name, way))
			continue;
		n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", about->name);
		if (label[0] && n < size)
			n += (size_t)snprintf(text + n, size - n, " '%s'", label);
		if (about->is_f2fs && n < size)
			n += (size_t)snprintf(text + n, size - n, " (F2FS)");
	}
	if (n >= size && size > 4)
		memcpy(text + size - 4, "...", 4);
}

static int refuse(const struct partition_table *table, const char *name, unsigned way, size_t count)
{
	struct f2fs_device *disk = table->disk;
	char rows[240], shown[60];

	list_rows(table, name, count ? way : WAYS, rows, sizeof(rows));
	if (name)
		f2fs_text_printable(name, strlen(name), shown, sizeof(shown));
	if (!table->rows.count)
		return error_set(disk->ctx, F2FS_ERR_NOT_FOUND, "%s has no partition table", disk->name);
	if (!name && count)
		return error_set(disk->ctx, F2FS_ERR_INVALID,
				 "%s: %zu partitions hold F2FS, choose one with --partition: %s", disk->name, count,
				 rows);
	if (!name)
		return error_set(disk->ctx, F2FS_ERR_NOT_FOUND, "%s: no partition holds F2FS: %s", disk->name,
				 rows);
	if (count)
		return error_set(disk->ctx, F2FS_ERR_INVALID,
				 "%s: %zu partitions are called '%s', choose one by its number: %s", disk->name, count,
				 shown, rows);
	return error_set(disk->ctx, F2FS_ERR_NOT_FOUND, "%s has no partition '%s': it has %s", disk->name, shown, rows);
}

static int choose(const struct partition_table *table, const char *name, const struct partition_row **out)
{
	size_t count = 0;
	unsigned way;

	for (way = BY_NAME; way < WAYS && count == 0; way++)
		for (size_t i = 0; i < table->rows.count; i++) {
			const struct partition_row *row = partition_row_at(table, i);

			if (!fits(&row->about, name, way))
				continue;
			*out = row;
			count++;
		}
	return count == 1 ? 0 : refuse(table, name, way - 1, count);
}

int f2fs_device_open_partition(struct f2fs_device *disk, const char *name, struct f2fs_partition *found,
			       struct f2fs_device **out)
{
	const struct partition_row *row = NULL;
	struct partition_table table;
	uint8_t sb[sb_SIZE];
	bool is_valid;
	int err;

	error_clear(disk->ctx);
	err = found ? sized_check(disk->ctx, found, sizeof(*found)) : 0;
	if (err)
		return err;
	if (name && !name[0])
		return error_set(disk->ctx, F2FS_ERR_INVALID, "the name of a partition is empty");
	if (!name && volume_place_has_magic(disk, 0, sb, &is_valid))
		return error_set(disk->ctx, F2FS_ERR_NOT_FOUND, "%s begins with F2FS itself", disk->name);
	err = partition_list_load(&table, disk);
	if (!err)
		err = choose(&table, name, &row);
	if (!err)
		err = partition_open(&table, row, out);
	if (!err)
		sized_give(found, &row->about, sizeof(row->about));
	partition_table_fini(&table);
	return err;
}
