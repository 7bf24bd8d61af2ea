/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Say why a device does not begin with F2FS: it is a container, its volumes are in partitions, or shifted.
 */
#include <stdio.h>

#include "disk/container_names.h"
#include "disk/partition_list.h"
#include "disk/place_explain.h"
#include "disk/volume_place.h"

static size_t name_partition(const struct f2fs_partition *about, const char *before, char *text, size_t size)
{
	if (about->number == 0)
		return (size_t)snprintf(text, size, "%sin partition %.60s", before, about->name);
	return (size_t)snprintf(text, size, "%sat offset %llu (partition %.20s%s%.20s%s)", before,
				(unsigned long long)about->offset, about->name, about->label[0] ? " '" : "",
				about->label, about->label[0] ? "'" : "");
}

/* Name the partitions with F2FS, the first two of them. */
static int explain_partitions(struct f2fs_device *dev, char *text, size_t size)
{
	struct partition_table table;
	unsigned count = 0;
	size_t n = 0;
	int err = partition_list_load(&table, dev);

	for (size_t i = 0; i < table.rows.count && !err; i++) {
		const struct f2fs_partition *about = &partition_row_at(&table, i)->about;

		if (!about->is_f2fs)
			continue;
		if (count < 2 && n < size)
			n += name_partition(about, count ? " and " : "F2FS is ", text + n, size - n);
		count++;
	}
	if (count > 2 && n < size)
		n += (size_t)snprintf(text + n, size - n, " and %u more", count - 2);
	if (count && n < size)
		snprintf(text + n, size - n, ": use --offset or --partition");
	partition_table_fini(&table);
	if (err == F2FS_ERR_CORRUPT) { /* there are dynamic partitions, and nobody knows where */
		snprintf(text, size, "%s", dev->ctx->error.message);
		return 0;
	}
	return err == F2FS_ERR_NOMEM || count ? err : F2FS_ERR_NOT_FOUND;
}

static int explain_shift(struct f2fs_device *dev, char *text, size_t size)
{
	uint64_t start = 0;
	int err = volume_place_search(dev, &start);

	if (!err)
		snprintf(text, size, "F2FS is at offset %llu: use --offset=%llu", (unsigned long long)start,
			 (unsigned long long)start);
	return err;
}

int place_explain(struct f2fs_device *dev, char *text, size_t size)
{
	int err;

	if (container_describe(dev, text, size))
		return 0;
	err = explain_partitions(dev, text, size);
	return err == F2FS_ERR_NOT_FOUND ? explain_shift(dev, text, size) : err;
}
