/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The partitions of a disk, with the pieces that each is made of.
 */
#ifndef F2FSKIT_DISK_PARTITION_TABLE_H
#define F2FSKIT_DISK_PARTITION_TABLE_H

#include <f2fskit/partition.h>

#include "base/vec.h"
#include "device/device.h"

/* Offset of a piece that reads as zeros and is nowhere on the disk. */
#define PARTITION_ZEROS UINT64_MAX

/* Bytes of the disk. */
struct partition_piece {
	uint64_t offset, length;
};

struct partition_row {
	struct f2fs_partition about;
	size_t first_piece; /* about.pieces of them follow each other */
};

struct partition_table {
	struct f2fs_device *disk;
	struct vec rows;   /* struct partition_row */
	struct vec pieces; /* struct partition_piece */
};

void partition_table_init(struct partition_table *table, struct f2fs_device *disk);
void partition_table_fini(struct partition_table *table);
static inline struct partition_row *partition_row_at(const struct partition_table *table, size_t i)
{
	return vec_at(&table->rows, i);
}

/* Append an empty row; NULL when memory is short. */
struct partition_row *partition_table_add(struct partition_table *table);
/* Append a piece to the last row. */
int partition_table_add_piece(struct partition_table *table, uint64_t offset, uint64_t length);

#endif
