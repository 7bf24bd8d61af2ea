/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT, SIT and SSA as a live view: entries in use, or just those of a range. Everything is streamed.
 */
#include <stdlib.h>
#include <string.h>

#include "dump/fields.h"
#include "dump/node_footers.h"
#include "dump/session.h"
#include "dump/views.h"

/* ---- NAT ---- */

static int put_node(void *user, const struct dump_node *node)
{
	struct cli_print *out = user;

	cli_print_begin(out, NULL);
	cli_print_u64(out, "nid", node->nat.nid);
	cli_print_u64(out, "ino", node->nat.ino);
	cli_print_u64(out, "version", node->nat.version);
	cli_print_u64(out, "block_addr", node->nat.block_addr);
	if (node->has_footer) {
		cli_print_u64(out, "node_offset", node->flag >> 3);
		cli_print_hex(out, "cp_ver", node->cp_ver);
	} else {
		cli_print_null(out, "node_offset");
		cli_print_null(out, "cp_ver");
	}
	cli_print_string(out, "source", dump_source_name(node->nat.source));
	cli_print_u64(out, "table_block", node->nat.table_block);
	cli_print_end(out);
	return cli_stopped() ? F2FS_ERR_CANCELED : 0;
}

int view_nat(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "nid", 10 },    { "ino", 10 },	    { "version", 7 },
						     { "block", 10 },  { "node_ofs", 9 },   { "cp_ver", 18 },
						     { "source", -7 }, { "table_block", 1 } };
	struct dump_range range;
	int rc = dump_view_range(d, "--nat", argument, d->geo->max_nid, &range);

	if (rc)
		return rc;
	cli_print_begin_table(d->out, "nat", columns, 8);
	rc = dump_each_node(d, &range, put_node, d->out);
	cli_print_end_array(d->out);
	return rc;
}

/* ---- SIT ---- */

static int is_log(const struct dump *d, f2fs_seg_t segno, unsigned *type)
{
	for (unsigned t = 0; t < F2FS_LOG_COUNT; t++) {
		struct f2fs_log_head head;

		if (!f2fs_volume_log(d->vol, t, &head) && head.segno == segno) {
			*type = t;
			return 1;
		}
	}
	return 0;
}

static void put_segment(struct dump *d, const struct f2fs_segment_info *sit, int is_head)
{
	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "segno", sit->segno);
	cli_print_u64(d->out, "valid_blocks", sit->valid_blocks);
	cli_print_string(d->out, "type", f2fs_log_type_name(sit->type));
	cli_print_bool(d->out, "is_log", is_head);
	cli_print_u64(d->out, "mtime", sit->mtime);
	cli_print_string(d->out, "source", dump_source_name(sit->source));
	cli_print_u64(d->out, "table_block", sit->table_block);
	cli_print_digits(d->out, "valid_map", sit->valid_map, sizeof(sit->valid_map));
	cli_print_end(d->out);
}

int view_sit(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "segno", 8 },  { "valid", 5 },	  { "type", -9 },
						     { "log", 3 },    { "mtime", 12 },	  { "source", -7 },
						     { "block", 10 }, { "valid_map", -1 } };
	struct dump_range range;
	int rc = dump_view_range(d, "--sit", argument, d->geo->segment_count_main, &range);

	if (rc)
		return rc;
	cli_print_begin_table(d->out, "sit", columns, 8);
	for (uint64_t segno = range.first; segno < range.end && !cli_stopped(); segno++) {
		struct f2fs_segment_info sit;
		unsigned type;
		int bad = f2fs_sit_lookup(d->vol, (f2fs_seg_t)segno, &sit), is_head;

		if (bad) {
			rc = dump_fail(d, bad, "sit");
			continue;
		}
		is_head = is_log(d, sit.segno, &type);
		if (argument || sit.valid_blocks > 0 || is_head)
			put_segment(d, &sit, is_head);
	}
	cli_print_end_array(d->out);
	return rc;
}

/* ---- SSA ---- */

static const char *summary_source(int source)
{
	static const char *const names[] = { "ssa", "pack", "footers", "none" };

	return source >= 0 && source < 4 ? names[source] : "?";
}

struct ssa_view {
	struct dump *d;
	const struct f2fs_struct *type;
	int show_all; /* slots of blocks that are not valid, too */
	uint8_t entries[512 * 7];
};

static void put_slot(struct ssa_view *v, f2fs_seg_t segno, unsigned slot, int is_node, int source, int is_valid)
{
	const uint8_t *raw = v->entries + (size_t)slot * v->type->size;
	struct cli_print *out = v->d->out;

	cli_print_begin(out, NULL);
	cli_print_u64(out, "block_addr", v->d->geo->main_blkaddr + (uint64_t)segno * F2FS_SEGMENT_BLOCKS + slot);
	cli_print_u64(out, "segno", segno);
	cli_print_u64(out, "offset", slot);
	cli_print_bool(out, "is_valid", is_valid);
	cli_print_string(out, "kind", is_node ? "node" : "data");
	dump_fields(out, v->type, raw, v->type->size);
	cli_print_string(out, "source", summary_source(source));
	cli_print_end(out);
}

static int put_summary(struct ssa_view *v, f2fs_seg_t segno)
{
	struct f2fs_segment_info sit;
	uint8_t entry_type;
	int source, rc = f2fs_sit_lookup(v->d->vol, segno, &sit);

	if (rc)
		return dump_fail(v->d, rc, "sit");
	if (!v->show_all && sit.valid_blocks == 0)
		return 0;
	rc = f2fs_ssa_read(v->d->vol, segno, v->entries, &entry_type, &source);
	if (rc)
		return dump_fail(v->d, rc, "ssa");
	for (unsigned i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		int is_valid = sit.valid_map[i / 8] >> (7 - i % 8) & 1;

		if (is_valid || v->show_all)
			put_slot(v, segno, i, entry_type == 1, source, is_valid);
	}
	return 0;
}

int view_ssa(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "block", 10 },  { "segno", 8 },	      { "ofs", 3 },
						     { "valid", 5 },   { "kind", -4 },	      { "nid", 10 },
						     { "version", 7 }, { "ofs_in_node", 11 }, { "source", -1 } };
	struct dump_range range;
	struct ssa_view *v;
	int rc = dump_view_range(d, "--ssa", argument, d->geo->segment_count_main, &range);

	if (rc)
		return rc;
	v = calloc(1, sizeof(*v));
	if (!v)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	v->d = d;
	v->type = dump_struct("summary_entry");
	v->show_all = argument != NULL;
	cli_print_begin_table(d->out, "ssa", columns, 9);
	for (uint64_t segno = range.first; segno < range.end && !cli_stopped(); segno++)
		if (put_summary(v, (f2fs_seg_t)segno))
			rc = F2FS_ERR_INCOMPLETE;
	cli_print_end_array(d->out);
	free(v);
	return rc;
}
