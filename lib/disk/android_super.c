/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dynamic partitions as rows of a table of partitions. Each slot of the metadata has a list of its own. A partition
 * whose name ends in _b is taken from slot 1, as Android does when it runs from that slot, any other one from slot 0. A
 * name that its own slot lacks is taken from the first slot that has it.
 */
#include "disk/android_super.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "disk/super_metadata.h"

struct adding {
	struct partition_table *table;
	struct f2fs_device *dev;
	uint64_t base;
	const char *parent;
	size_t first_row; /* of the rows that are added */
};

bool android_super_has_magic(struct f2fs_device *dev)
{
	return super_has_magic(dev);
}

static void name_of(const struct super_partition *partition, uint32_t slot, char *out, size_t size)
{
	char name[sizeof(partition->name) + 2];

	snprintf(name, sizeof(name), "%s%s", partition->name,
		 !partition->is_suffixed ? "" : slot == 0 ? "_a" : "_b");
	f2fs_text_printable(name, strlen(name), out, size);
}

/* The slot that a partition is taken from if it has it. */
static uint32_t own_slot(const char *name)
{
	const size_t n = strlen(name);

	return n > 2 && strcmp(name + n - 2, "_b") == 0;
}

static bool has_name(const struct adding *a, const char *name)
{
	for (size_t i = a->first_row; i < a->table->rows.count; i++)
		if (strcmp(partition_row_at(a->table, i)->about.label, name) == 0)
			return true;
	return false;
}

/* Add the pieces of the last row. */
static int add_pieces(const struct adding *a, const struct super_metadata *metadata,
		      const struct super_partition *partition)
{
	int err = 0;

	for (uint32_t i = 0; i < partition->extent_count && !err; i++) {
		struct super_extent extent;

		super_get_extent(metadata, partition->first_extent + i, &extent);
		err = partition_table_add_piece(a->table,
						extent.kind == SUPER_ZERO ? PARTITION_ZEROS : a->base + extent.offset,
						extent.length);
	}
	return err;
}

/* Are all extents on the super partition itself? */
static bool is_on_device(const struct super_metadata *metadata, const struct super_partition *partition)
{
	for (uint32_t i = 0; i < partition->extent_count; i++) {
		struct super_extent extent;

		super_get_extent(metadata, partition->first_extent + i, &extent);
		if (extent.device != 0)
			return false;
	}
	return true;
}

static int add_partition(const struct adding *a, const struct super_metadata *metadata, uint32_t i, uint32_t slot,
			 bool is_own)
{
	struct super_partition partition;
	struct partition_row *row;
	char name[128];

	super_get_partition(metadata, i, &partition);
	name_of(&partition, slot, name, sizeof(name));
	if (partition.is_disabled || partition.extent_count == 0 || (is_own && own_slot(name) != slot) ||
	    has_name(a, name))
		return 0;
	if (!is_on_device(metadata, &partition)) {
		log_message(a->dev->ctx, F2FS_LOG_WARNING,
			    "%s: the dynamic partition '%s' is left out: it is on a further device", a->dev->name,
			    name);
		return 0;
	}
	row = partition_table_add(a->table);
	if (!row)
		return F2FS_ERR_NOMEM;
	snprintf(row->about.scheme, sizeof(row->about.scheme), "super");
	snprintf(row->about.name, sizeof(row->about.name), "%.60s:%.60s", a->parent, name);
	snprintf(row->about.label, sizeof(row->about.label), "%s", name);
	return add_pieces(a, metadata, &partition);
}

static int add_slot(const struct adding *a, const struct super_geometry *geometry, uint32_t slot, bool is_own)
{
	struct super_metadata metadata;
	int err = super_load_metadata(a->dev, geometry, slot, &metadata);

	for (uint32_t i = 0; !err && i < metadata.partitions.count; i++)
		err = add_partition(a, &metadata, i, slot, is_own);
	super_free_metadata(a->dev, &metadata);
	return err;
}

int android_super_add(struct partition_table *table, struct f2fs_device *dev, uint64_t base, const char *parent)
{
	const struct adding a = { table, dev, base, parent, table->rows.count };
	struct super_geometry geometry;
	int err = super_load_geometry(dev, &geometry), first = 0;
	unsigned good = 0;

	for (unsigned pass = 0; pass < 2 && !err; pass++)
		for (uint32_t slot = 0; slot < geometry.slots && !err; slot++) {
			err = add_slot(&a, &geometry, slot, pass == 0);
			good += err == 0;
			if (err != F2FS_ERR_CORRUPT)
				continue;
			first = err; /* another slot may be good */
			err = 0;
		}
	if (err || !good)
		return err ? err : first;
	error_clear(dev->ctx);
	return 0;
}
