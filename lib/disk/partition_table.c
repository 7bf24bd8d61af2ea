/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rows and pieces of a table of partitions.
 */
#include "disk/partition_table.h"

void partition_table_init(struct partition_table *table, struct f2fs_device *disk)
{
	table->disk = disk;
	vec_init(&table->rows, disk->ctx, sizeof(struct partition_row));
	vec_init(&table->pieces, disk->ctx, sizeof(struct partition_piece));
}

void partition_table_fini(struct partition_table *table)
{
	vec_fini(&table->rows);
	vec_fini(&table->pieces);
}

struct partition_row *partition_table_add(struct partition_table *table)
{
	struct partition_row *row = vec_push(&table->rows, 1);

	if (row) {
		row->about.struct_size = sizeof(row->about);
		row->first_piece = table->pieces.count;
	}
	return row;
}

int partition_table_add_piece(struct partition_table *table, uint64_t offset, uint64_t length)
{
	struct partition_row *row = partition_row_at(table, table->rows.count - 1);
	struct partition_piece *piece = vec_push(&table->pieces, 1);

	if (!piece)
		return F2FS_ERR_NOMEM;
	piece->offset = offset;
	piece->length = length;
	row->about.pieces++;
	if (row->about.offset == 0 && offset != PARTITION_ZEROS) /* no partition begins at 0 */
		row->about.offset = offset;
	row->about.length += length;
	return 0;
}
