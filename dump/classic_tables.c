/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files dump_nat, dump_sit and dump_ssa in the current directory, column by column as the program of f2fs-tools
 * writes them. They are streamed: memory does not grow with the volume.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump/fields.h"
#include "dump/node_footers.h"
#include "dump/session.h"
#include "dump/views.h"

struct table_file {
	const struct dump *d;
	const char *name;
	FILE *to;
};

static int open_table(struct dump *d, struct table_file *file, const char *name)
{
	int is_new, fd;

	file->d = d;
	file->name = name;
	fd = cli_create(&d->cli, d->ctx, name, 0666, &is_new);
	file->to = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (file->to)
		return 0;
	if (fd >= 0) {
		cli_error(&d->cli, "%s: %s", name, strerror(errno));
		close(fd);
	}
	d->status |= DUMP_FAILED;
	return F2FS_ERR_IO;
}

static void close_table(struct dump *d, struct table_file *file)
{
	int failed = ferror(file->to);

	if (fclose(file->to) != 0 || failed) {
		cli_error(&d->cli, "%s: %s", file->name, strerror(errno));
		d->status |= DUMP_FAILED;
	}
}

static int parse_range(struct dump *d, const char *letter, const char *text, uint64_t limit, struct dump_range *out)
{
	const char *why = dump_parse_range(text, limit, out);

	if (!why)
		return 0;
	cli_usage_error(&d->cli, letter, text, why);
	d->status |= DUMP_USAGE;
	return F2FS_ERR_INVALID;
}

/* ---- NAT ---- */

/* 1 or 2: which copy holds the block of the NAT that an entry is in, or would be in. */
static int nat_pack(const struct dump *d, const struct f2fs_nat_info *nat)
{
	return (int)((nat->table_block - d->geo->nat_blkaddr) / F2FS_SEGMENT_BLOCKS % 2) + 1;
}

static int put_nat_line(void *user, const struct dump_node *node)
{
	const struct table_file *file = user;

	if (node->nat.nid <= 2)
		return 0;
	fprintf(file->to, "nid:%5u\tino:%5u\tver:%3d\toffset:%5u\tblkaddr:%10u\tpack:%d\tcp_ver:0x%" PRIx64 "\n",
		node->nat.nid, node->nat.ino, node->nat.version, node->flag >> 3, node->nat.block_addr,
		nat_pack(file->d, &node->nat), node->cp_ver);
	return 0;
}

int classic_nat(struct dump *d, const char *argument)
{
	struct table_file file;
	struct dump_range range;
	int rc = parse_range(d, "-n", argument, d->geo->max_nid, &range);

	if (rc || (rc = open_table(d, &file, "dump_nat")) != 0)
		return rc;
	rc = dump_each_node(d, &range, put_nat_line, &file);
	close_table(d, &file);
	return rc;
}

/* ---- SIT ---- */

struct sit_writer {
	FILE *to;
	const struct f2fs_struct *type;
	const struct f2fs_field *vblocks, *valid_map, *mtime;
	uint8_t *entries; /* of one SIT block */
	uint64_t valid_blocks, segments, free_segments;
};

static void put_sit_entry(struct sit_writer *w, f2fs_seg_t segno, const uint8_t *raw, int pack)
{
	uint32_t vblocks = (uint32_t)f2fs_field_get(w->vblocks, raw, 0);
	uint32_t count = vblocks & 0x3ff;

	fprintf(w->to, "\nsegno:%8u\tvblocks:%3u\tseg_type:%u\tmtime:%" PRIu64 "\tsit_pack:%d\n\n", segno, count,
		vblocks >> 10, f2fs_field_get(w->mtime, raw, 0), pack);
	w->segments++;
	if (count == 0) {
		w->free_segments++;
		return;
	}
	w->valid_blocks += count;
	for (uint32_t i = 0; i < w->valid_map->count; i++)
		fprintf(w->to, (i + 1) % 16 ? "  %02x" : "  %02x\n", raw[w->valid_map->offset + i]);
}

/* Some entries of one SIT block. */
static int put_sit_block(struct dump *d, struct sit_writer *w, f2fs_seg_t first, uint32_t count)
{
	const uint32_t copy_blocks = d->geo->segment_count_sit / 2 * F2FS_SEGMENT_BLOCKS;
	struct f2fs_segment_info entry;
	int rc = f2fs_sit_lookup(d->vol, first, &entry);

	if (!rc)
		rc = f2fs_sit_read(d->vol, first, count, w->entries);
	if (rc)
		return dump_fail(d, rc, "sit");
	for (uint32_t i = 0; i < count; i++)
		put_sit_entry(w, first + i, w->entries + (size_t)i * w->type->size,
			      entry.table_block - d->geo->sit_blkaddr >= copy_blocks ? 2 : 1);
	return 0;
}

static int sit_writer_init(struct dump *d, struct sit_writer *w, FILE *to)
{
	memset(w, 0, sizeof(*w));
	w->to = to;
	w->type = dump_struct("sit_entry");
	w->vblocks = f2fs_field_find(w->type, "vblocks");
	w->valid_map = f2fs_field_find(w->type, "valid_map");
	w->mtime = f2fs_field_find(w->type, "mtime");
	w->entries = malloc((size_t)d->geo->sit_per_block * w->type->size);
	return w->entries ? 0 : dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
}

int classic_sit(struct dump *d, const char *argument)
{
	uint32_t per_block = d->geo->sit_per_block;
	struct table_file file;
	struct sit_writer w;
	struct dump_range range;
	int rc = parse_range(d, "-s", argument, d->geo->segment_count_main, &range);

	if (rc || (rc = open_table(d, &file, "dump_sit")) != 0)
		return rc;
	rc = sit_writer_init(d, &w, file.to);
	fputs("segment_type(0:HD, 1:WD, 2:CD, 3:HN, 4:WN, 5:CN)\n", file.to);
	for (uint64_t segno = range.first; !rc && segno < range.end;) {
		uint64_t n = per_block - segno % per_block;

		if (n > range.end - segno)
			n = range.end - segno;
		put_sit_block(d, &w, (f2fs_seg_t)segno, (uint32_t)n);
		segno += n;
	}
	fprintf(file.to, "valid_blocks:[0x%" PRIx64 "]\tvalid_segs:%" PRIu64 "\t free_segs:%" PRIu64 "\n",
		w.valid_blocks, w.segments - w.free_segments, w.free_segments);
	free(w.entries);
	close_table(d, &file);
	return rc;
}

/* ---- SSA ---- */

static void put_slots(FILE *to, const uint8_t *entries)
{
	const struct f2fs_struct *type = dump_struct("summary_entry");
	const struct f2fs_field *nid = f2fs_field_find(type, "nid");

	for (int i = 0; i < (int)F2FS_SEGMENT_BLOCKS; i++)
		fprintf(to, i % 10 ? "[%3d: %6x]" : "\n[%3d: %6x]", i,
			(uint32_t)f2fs_field_get(nid, entries + (size_t)i * type->size, 0));
}

static int is_log_segment(const struct dump *d, f2fs_seg_t segno)
{
	for (unsigned type = 0; type < F2FS_LOG_COUNT; type++) {
		struct f2fs_log_head head;

		if (!f2fs_volume_log(d->vol, type, &head) && head.segno == segno)
			return 1;
	}
	return 0;
}

static void put_ssa_segment(struct dump *d, FILE *to, f2fs_seg_t segno)
{
	uint8_t entries[512 * 7], type = 0;
	int source, rc = f2fs_ssa_read(d->vol, segno, entries, &type, &source);

	if (rc) {
		dump_fail(d, rc, "ssa");
		return;
	}
	fprintf(to, "\n\nsegno: %x, %s%s\n", segno, is_log_segment(d, segno) ? "Current " : "",
		type == 0   ? "Data"
		: type == 1 ? "Node"
			    : "Unknown");
	put_slots(to, entries);
}

int classic_ssa(struct dump *d, const char *argument)
{
	struct table_file file;
	struct dump_range range;
	int rc = parse_range(d, "-a", argument, d->geo->segment_count_main, &range);

	if (rc || (rc = open_table(d, &file, "dump_ssa")) != 0)
		return rc;
	fprintf(file.to, "Note: dump.f2fs -b blkaddr = 0x%x + segno *  0x200 + offset\n", d->geo->main_blkaddr);
	for (uint64_t segno = range.first; segno < range.end; segno++)
		put_ssa_segment(d, file.to, (f2fs_seg_t)segno);
	close_table(d, &file);
	return 0;
}
