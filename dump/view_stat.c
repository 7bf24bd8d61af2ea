/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Statistics of the volume: use of segments, kinds of inodes, fragmentation of files. Segments are counted from the SIT
 * alone; inodes are visited in the order of the NAT, each once. Of an earlier time neither is known: the inodes are
 * those that have a name then.
 */
#include <stdlib.h>
#include <string.h>

#include "dump/node_footers.h"
#include "dump/session.h"
#include "dump/view_block.h"
#include "dump/view_fragmentation.h"
#include "dump/views.h"

enum { WORST = 10, BINS = 10 };

/* ---- segments ---- */

struct segment_counts {
	uint64_t segments, valid_blocks, full;
};

struct sit_counts {
	struct segment_counts by_type[F2FS_LOG_COUNT + 1]; /* in use; the last one: damaged type */
	uint64_t free_segments, logs;
	uint64_t bins[BINS]; /* dirty segments by utilisation */
	uint64_t free_sections, dirty_sections, full_sections;
};

static int is_log(const struct dump *d, f2fs_seg_t segno)
{
	for (unsigned type = 0; type < F2FS_LOG_COUNT; type++) {
		struct f2fs_log_head head;

		if (!f2fs_volume_log(d->vol, type, &head) && head.segno == segno)
			return 1;
	}
	return 0;
}

static void count_segment(struct dump *d, const struct f2fs_segment_info *sit, struct sit_counts *c)
{
	unsigned type = sit->type < F2FS_LOG_COUNT ? sit->type : F2FS_LOG_COUNT;
	int is_head = is_log(d, sit->segno);

	c->logs += is_head != 0;
	if (sit->valid_blocks == 0 && !is_head) {
		c->free_segments++;
		return;
	}
	c->by_type[type].segments++;
	c->by_type[type].valid_blocks += sit->valid_blocks;
	if (sit->valid_blocks >= F2FS_SEGMENT_BLOCKS)
		c->by_type[type].full++;
	else if (!is_head)
		c->bins[sit->valid_blocks * BINS / F2FS_SEGMENT_BLOCKS]++;
}

static int count_segments(struct dump *d, struct sit_counts *c)
{
	uint32_t per_section = d->geo->segs_per_sec;
	uint64_t in_section = 0;
	int is_used = 0;

	for (f2fs_seg_t segno = 0; segno < d->geo->segment_count_main && !cli_stopped(); segno++) {
		struct f2fs_segment_info sit;
		int rc = f2fs_sit_lookup(d->vol, segno, &sit);

		if (rc) {
			dump_fail(d, rc, "sit");
			continue;
		}
		count_segment(d, &sit, c);
		in_section += sit.valid_blocks;
		is_used |= sit.valid_blocks > 0 || is_log(d, segno);
		if ((segno + 1) % per_section)
			continue;
		if (!is_used)
			c->free_sections++;
		else if (in_section >= (uint64_t)per_section * F2FS_SEGMENT_BLOCKS)
			c->full_sections++;
		else
			c->dirty_sections++;
		in_section = 0;
		is_used = 0;
	}
	return 0;
}

static void put_types(struct dump *d, const struct sit_counts *c)
{
	static const struct cli_column columns[] = {
		{ "type", -9 }, { "segments", 10 }, { "full", 10 }, { "valid_blocks", 12 }, { "used%", 6 }
	};

	cli_print_begin_table(d->out, "segments_by_type", columns, 5);
	for (unsigned type = 0; type <= F2FS_LOG_COUNT; type++) {
		const struct segment_counts *s = &c->by_type[type];

		if (type == F2FS_LOG_COUNT && s->segments == 0)
			break;
		cli_print_begin(d->out, NULL);
		cli_print_string(d->out, "type", type < F2FS_LOG_COUNT ? f2fs_log_type_name(type) : "damaged");
		cli_print_u64(d->out, "segments", s->segments);
		cli_print_u64(d->out, "full", s->full);
		cli_print_u64(d->out, "valid_blocks", s->valid_blocks);
		cli_print_fixed(d->out, "used_percent",
				s->segments
					? 100.0 * (double)s->valid_blocks / ((double)s->segments * F2FS_SEGMENT_BLOCKS)
					: 0.0,
				1);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_bins(struct dump *d, const struct sit_counts *c)
{
	static const struct cli_column columns[] = { { "from_blocks", 11 }, { "to_blocks", 9 }, { "segments", 10 } };

	cli_print_begin_table(d->out, "dirty_segments_by_use", columns, 3);
	for (unsigned i = 0; i < BINS; i++) {
		unsigned from = (i * F2FS_SEGMENT_BLOCKS + BINS - 1) / BINS;
		unsigned to = ((i + 1) * F2FS_SEGMENT_BLOCKS + BINS - 1) / BINS - 1;

		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "from_blocks", from ? from : 1);
		cli_print_u64(d->out, "to_blocks", to);
		cli_print_u64(d->out, "segments", c->bins[i]);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

/* ---- all inodes ---- */

struct inode_counts {
	uint64_t by_type[8]; /* enum f2fs_file_type */
	uint64_t bytes, stored_blocks;
	uint64_t inline_files, compressed, encrypted, verity, casefold;
	uint64_t files_with_blocks, extents, fragmented;
	struct {
		f2fs_nid_t ino;
		struct scatter scatter;
	} worst[WORST]; /* most extents first; ino 0: none */
};

static void keep_worst(struct inode_counts *c, f2fs_nid_t ino, const struct scatter *s)
{
	unsigned i = WORST;

	while (i > 0 && (c->worst[i - 1].ino == 0 || c->worst[i - 1].scatter.extents < s->extents))
		i--;
	if (i == WORST)
		return;
	memmove(&c->worst[i + 1], &c->worst[i], (WORST - 1 - i) * sizeof(c->worst[0]));
	c->worst[i].ino = ino;
	c->worst[i].scatter = *s;
}

static int count_inode(struct f2fs_inode *inode, struct inode_counts *c)
{
	struct scatter s;
	struct f2fs_stat st;
	int rc = f2fs_inode_stat(inode, &st);
	unsigned type;

	if (rc)
		return rc;
	type = f2fs_type_of_mode(st.mode);
	c->by_type[type]++;
	c->inline_files += st.is_inline != 0;
	c->compressed += st.is_compressed != 0;
	c->encrypted += st.is_encrypted != 0;
	c->verity += st.is_verity != 0;
	c->casefold += st.is_casefold != 0;
	if (type == F2FS_TYPE_REGULAR)
		c->bytes += st.size;
	if (st.is_inline || type == F2FS_TYPE_CHARACTER || type == F2FS_TYPE_BLOCK)
		return 0;
	rc = dump_measure(inode, &s);
	c->stored_blocks += s.blocks;
	if (type != F2FS_TYPE_REGULAR || s.blocks == 0)
		return rc;
	c->files_with_blocks++;
	c->extents += s.extents;
	if (s.extents > 1) {
		c->fragmented++;
		keep_worst(c, f2fs_inode_number(inode), &s);
	}
	return rc;
}

static void count_inodes(struct dump *d, struct inode_counts *c)
{
	struct f2fs_nat_info nat;

	for (f2fs_nid_t nid = d->geo->root_ino; !cli_stopped() && !dump_next_node(d, nid, &nat); nid = nat.nid + 1) {
		struct f2fs_inode *inode;
		int rc;

		if (nat.nid != nat.ino || nat.nid < d->geo->root_ino)
			continue;
		rc = f2fs_inode_open(d->vol, nat.nid, &inode);
		if (!rc) {
			rc = count_inode(inode, c);
			f2fs_inode_close(inode);
		}
		if (rc)
			dump_fail(d, rc, NULL);
	}
}

/* What names lead to, with --as-of: each inode once. */
struct named {
	struct dump *d;
	struct inode_counts *c;
	uint8_t *seen; /* a bit for each inode that may have further names */
};

static int count_named(void *user, const struct f2fs_walk_entry *entry)
{
	struct named *n = user;
	struct f2fs_stat st;
	int rc = entry->error;

	if (!rc && entry->inode && (entry->dirent || entry->depth == 0))
		rc = f2fs_inode_stat(entry->inode, &st);
	else if (!rc)
		return F2FS_WALK_GO;
	if (!rc && st.nlink > 1 && (st.mode & F2FS_MODE_TYPE) != F2FS_MODE_DIR) {
		if (n->seen[st.ino / 8] & 1u << st.ino % 8)
			return F2FS_WALK_GO;
		n->seen[st.ino / 8] |= (uint8_t)(1u << st.ino % 8);
	}
	if (!rc)
		rc = count_inode(entry->inode, n->c);
	if (rc)
		dump_fail(n->d, rc, NULL);
	return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

static int count_names(struct dump *d, struct inode_counts *c)
{
	struct named n = { .d = d, .c = c, .seen = calloc(d->geo->max_nid / 8 + 1, 1) };
	struct f2fs_inode *root;
	int rc = n.seen ? f2fs_inode_open(d->vol, d->geo->root_ino, &root)
			: f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");

	if (!rc) {
		rc = f2fs_walk(root, count_named, &n);
		f2fs_inode_close(root);
	}
	free(n.seen);
	return rc < 0 ? dump_fail(d, rc, NULL) : 0;
}

static void put_worst(struct dump *d, const struct inode_counts *c)
{
	static const struct cli_column columns[] = {
		{ "ino", 10 }, { "blocks", 12 }, { "extents", 10 }, { "frag%", 6 }, { "path", -1 }
	};

	cli_print_begin_table(d->out, "most_fragmented", columns, 5);
	for (unsigned i = 0; i < WORST && c->worst[i].ino; i++) {
		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "ino", c->worst[i].ino);
		dump_put_scatter(d, &c->worst[i].scatter);
		dump_path_of(d, c->worst[i].ino);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_inodes(struct dump *d, const struct inode_counts *c)
{
	cli_print_begin(d->out, "inodes");
	for (unsigned type = 0; type < 8; type++)
		if (type != F2FS_TYPE_UNKNOWN || c->by_type[type])
			cli_print_u64(d->out, cli_type_name(type), c->by_type[type]);
	cli_print_u64(d->out, "inline", c->inline_files);
	cli_print_u64(d->out, "compressed", c->compressed);
	cli_print_u64(d->out, "encrypted", c->encrypted);
	cli_print_u64(d->out, "verity", c->verity);
	cli_print_u64(d->out, "casefold", c->casefold);
	cli_print_u64(d->out, "file_bytes", c->bytes);
	cli_print_u64(d->out, "stored_blocks", c->stored_blocks);
	cli_print_end(d->out);
	cli_print_begin(d->out, "fragmentation");
	cli_print_u64(d->out, "files_with_blocks", c->files_with_blocks);
	cli_print_u64(d->out, "fragmented_files", c->fragmented);
	cli_print_u64(d->out, "extents", c->extents);
	cli_print_fixed(d->out, "extents_per_file",
			c->files_with_blocks ? (double)c->extents / (double)c->files_with_blocks : 0.0, 2);
	cli_print_end(d->out);
}

/* Print the counts from the SIT. */
static void put_segments(struct dump *d, const struct sit_counts *segments)
{
	cli_print_begin(d->out, "segments");
	cli_print_u64(d->out, "all", d->geo->segment_count_main);
	cli_print_u64(d->out, "free", segments->free_segments);
	cli_print_u64(d->out, "logs", segments->logs);
	cli_print_end(d->out);
	cli_print_begin(d->out, "sections");
	cli_print_u64(d->out, "free", segments->free_sections);
	cli_print_u64(d->out, "dirty", segments->dirty_sections);
	cli_print_u64(d->out, "full", segments->full_sections);
	cli_print_end(d->out);
}

static void put_tables(struct dump *d, const struct sit_counts *segments)
{
	cli_print_heading(d->out, "\nSegments in use:");
	put_types(d, segments);
	cli_print_heading(d->out, "\nSegments neither free, full nor a log, by valid blocks:");
	put_bins(d, segments);
}

int view_stat(struct dump *d, const char *argument)
{
	struct inode_counts *inodes = calloc(1, sizeof(*inodes));
	struct sit_counts segments;
	int rc = 0;

	(void)argument;
	if (!inodes)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	memset(&segments, 0, sizeof(segments));
	if (d->now) {
		rc = count_names(d, inodes);
	} else {
		count_segments(d, &segments);
		count_inodes(d, inodes);
		put_segments(d, &segments);
	}
	put_inodes(d, inodes);
	if (!d->now)
		put_tables(d, &segments);
	if (inodes->worst[0].ino)
		cli_print_heading(d->out, "\nMost fragmented files:");
	put_worst(d, inodes);
	free(inodes);
	return rc;
}
