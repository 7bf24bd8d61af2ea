/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Identify a block: its area, and its owner according to the volume's tables. Also prints its bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/session.h"
#include "dump/view_block.h"
#include "dump/view_inode.h"
#include "dump/views.h"

/* Print the contents of a block of a metadata area: copies, and the range of entries (FORMAT volume 3, 5.2, 6.3). */
static void put_meta(struct dump *d, const struct f2fs_block_identity *id)
{
	const struct f2fs_geometry *geo = d->geo;
	uint64_t k, first = 0, per_block = 0, limit = 0;
	const char *what = NULL;

	switch (id->area) {
	case F2FS_AREA_CHECKPOINT:
		cli_print_u64(d->out, "pack", id->index / F2FS_SEGMENT_BLOCKS + 1);
		cli_print_u64(d->out, "pack_block", id->index % F2FS_SEGMENT_BLOCKS);
		return;
	case F2FS_AREA_SIT:
		k = (uint64_t)geo->segment_count_sit / 2 * F2FS_SEGMENT_BLOCKS;
		cli_print_u64(d->out, "copy", id->index / k);
		k = id->index % k;
		what = "segno";
		per_block = geo->sit_per_block;
		limit = geo->segment_count_main;
		break;
	case F2FS_AREA_NAT:
		cli_print_u64(d->out, "copy", id->index / F2FS_SEGMENT_BLOCKS % 2);
		k = (uint64_t)id->index / (2 * F2FS_SEGMENT_BLOCKS) * F2FS_SEGMENT_BLOCKS +
		    id->index % F2FS_SEGMENT_BLOCKS;
		what = "nid";
		per_block = geo->nat_per_block;
		limit = geo->max_nid;
		break;
	case F2FS_AREA_SSA:
		k = id->index;
		what = "segno";
		per_block = geo->sums_per_block;
		limit = geo->segment_count_main;
		break;
	default:
		return;
	}
	first = k * per_block;
	if (first < limit) {
		char name[16];

		snprintf(name, sizeof(name), "first_%s", what);
		cli_print_u64(d->out, name, first);
		snprintf(name, sizeof(name), "last_%s", what);
		cli_print_u64(d->out, name, first + per_block - 1 < limit ? first + per_block - 1 : limit - 1);
	}
}

void dump_path_of(struct dump *d, f2fs_nid_t ino)
{
	struct f2fs_inode *inode = NULL;

	if (f2fs_inode_open(d->vol, ino, &inode) == 0)
		dump_path(d, inode);
	else
		cli_print_null(d->out, "path");
	f2fs_inode_close(inode);
}

static void put_owner(struct dump *d, const struct f2fs_block_identity *id)
{
	cli_print_u64(d->out, "segno", id->segno);
	cli_print_u64(d->out, "offset", id->offset);
	cli_print_string(d->out, "segment_type", f2fs_log_type_name(id->type));
	cli_print_bool(d->out, "is_valid", id->is_valid);
	cli_print_string(d->out, "kind", id->is_node ? "node" : "data");
	cli_print_bool(d->out, "is_owned", id->is_owned);
	cli_print_u64(d->out, "nid", id->nid);
	cli_print_u64(d->out, "ino", id->ino);
	cli_print_u64(d->out, "ofs_in_node", id->ofs_in_node);
	cli_print_u64(d->out, "node_offset", id->node_offset);
	if (id->file_block != F2FS_NO_BLOCK) {
		cli_print_u64(d->out, "file_block", id->file_block);
		cli_print_u64(d->out, "file_offset", id->file_block * d->geo->block_size);
	}
	if (id->ino)
		dump_path_of(d, id->ino);
}

int view_block(struct dump *d, const char *argument)
{
	struct f2fs_block_identity id;
	uint32_t addr;
	int rc;

	if (strchr(argument, '~'))
		return view_hexdump(d, argument);
	rc = dump_parse_number(d, "--block", argument, d->geo->end_blkaddr, &addr);
	if (rc)
		return rc;
	rc = f2fs_block_identify(d->vol, addr, &id);
	if (rc)
		return dump_fail(d, rc, argument);
	cli_print_u64(d->out, "block_addr", addr);
	cli_print_string(d->out, "area", f2fs_area_name(id.area));
	cli_print_u64(d->out, "index", id.index);
	if (id.area == F2FS_AREA_MAIN)
		put_owner(d, &id);
	else
		put_meta(d, &id);
	return 0;
}

/* ---- bytes ---- */

static void put_line(uint64_t at, const uint8_t *bytes)
{
	printf("%010llx", (unsigned long long)at);
	for (int i = 0; i < 16; i++)
		printf(i % 8 ? " %02x" : "  %02x", bytes[i]);
	fputs("  |", stdout);
	for (int i = 0; i < 16; i++)
		putchar(bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '.');
	puts("|");
}

/* Lines that repeat the one before are shown as one "*". */
static void put_lines(uint64_t base, const uint8_t *block, uint32_t size)
{
	int is_repeated = 0;

	for (uint32_t at = 0; at < size; at += 16) {
		if (at > 0 && at + 16 < size && !memcmp(block + at, block + at - 16, 16)) {
			if (!is_repeated)
				puts("*");
			is_repeated = 1;
			continue;
		}
		is_repeated = 0;
		put_line(base + at, block + at);
	}
}

static void put_block(struct dump *d, uint64_t addr, const uint8_t *block)
{
	if (cli_print_is_text(d->out)) {
		put_lines(addr * d->geo->block_size, block, d->geo->block_size);
		return;
	}
	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "block_addr", addr);
	cli_print_digits(d->out, "bytes", block, d->geo->block_size);
	cli_print_end(d->out);
}

int view_hexdump(struct dump *d, const char *argument)
{
	struct dump_range range;
	uint8_t *block;
	int rc = dump_view_range(d, "--block", argument, d->geo->end_blkaddr, &range);

	if (rc)
		return rc;
	block = malloc(d->geo->block_size);
	if (!block)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	cli_print_begin_array(d->out, "blocks");
	for (uint64_t addr = range.first; addr < range.end && !cli_stopped(); addr++) {
		int bad = f2fs_block_read(d->vol, (f2fs_blk_t)addr, 1, block);

		if (bad)
			rc = dump_fail(d, bad, NULL);
		else
			put_block(d, addr, block);
	}
	cli_print_end_array(d->out);
	free(block);
	return rc;
}
