/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading the device for old nodes. Which segments: those that hold or held nodes by the SIT's type, free ones whose
 * summary says so, those that a log is in; all when asked to be thorough. A search for one inode reads a segment's
 * summary first and then only the blocks of node ids it wants; the ids below an inode are learned on the way, so it
 * goes over the summaries up to four times, once for each level of a file's tree.
 */
#include <string.h>

#include "base/bitmap.h"
#include "forensics/past.h"
#include "forensics/past_node.h"
#include "forensics/past_scan.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"
#include "volume/main_reader.h"
#include "volume/sit_read.h"

struct scan {
	struct f2fs_past *past;
	struct f2fs_volume *vol;
	struct main_reader reader;
	uint8_t *entries;    /* summaries of a segment */
	uint8_t *done;	     /* a bit for each segment that was read whole; of searches for one inode */
	struct map32 wanted; /* node ids: 1 to be looked for, 2 looked for already */
	struct map32 found;  /* blocks taken */
	bool learned;	     /* wanted has grown */
};

/* A child's id that was not known yet. */
static int want(struct scan *s, f2fs_nid_t nid)
{
	if (!geometry_is_nid(&s->vol->geo, nid) || map32_find(&s->wanted, nid))
		return 0;
	s->learned = true;
	return map32_set(&s->wanted, nid, 1);
}

/* Learn the ids that hang below a node. */
static int want_children(struct scan *s, const uint8_t *block, const struct past_node *node)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	const bool is_inode = node->nid == node->ino;
	const uint32_t count = is_inode ? 5 : geo->nids_per_block;
	const uint8_t *at = is_inode ? node_footer(geo, block) - 20 : block;
	int err = 0;

	if (!is_inode && (node->place == XATTR_NODE_OFFSET || node_offset_is_direct(geo, node->place)))
		return 0;
	if (is_inode)
		err = want(s, inode_i_xattr_nid(block));
	for (uint32_t i = 0; i < count && !err; i++)
		err = want(s, get_le32(at + (size_t)i * 4));
	return err;
}

static int take(void *user, const uint8_t *block, f2fs_blk_t addr)
{
	struct scan *s = user;
	const f2fs_nid_t only = s->past->options.ino;
	struct past_node node, *kept;

	if (footer_nid(node_footer(&s->vol->geo, block)) == 0 ||
	    (only && footer_ino(node_footer(&s->vol->geo, block)) != only))
		return 0;
	work_note(s->vol->ctx);
	if (!past_is_node(s->past, block, addr, &node))
		return 0;
	if (only) {
		int err = 0;

		if (map32_find(&s->found, addr))
			return 0;
		err = map32_set(&s->found, addr, 1);
		if (!err)
			err = want_children(s, block, &node);
		if (err)
			return err;
	}
	kept = vec_push(&s->past->nodes, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = node;
	s->past->stat.nodes++;
	s->past->stat.inodes += node.nid == node.ino;
	return 0;
}

static void count_unread(void *user, f2fs_blk_t addr)
{
	struct scan *s = user;

	(void)addr;
	s->past->stat.unreadable++;
}

/* What to do with a segment. */
enum plan { PLAN_SKIP, PLAN_SUMMARY, PLAN_WHOLE };

/* Is a log in the segment? */
static bool is_current(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (checkpoint_log_segno(vol->view->cp, i) == segno)
			return true;
	return false;
}

static enum plan plan_segment(struct scan *s, f2fs_seg_t segno)
{
	struct f2fs_volume *vol = s->vol;
	struct f2fs_segment_info sit;
	const uint8_t *block;
	uint32_t offset;

	if ((s->past->options.flags & F2FS_PAST_THOROUGH) || is_current(vol, segno) ||
	    sit_lookup(vol, segno, &sit) != 0)
		return PLAN_WHOLE;
	if (sit.type < F2FS_HOT_NODE && sit.valid_blocks > 0)
		return PLAN_SKIP;
	if (volume_lacks_ssa(vol))
		return sit.type < F2FS_HOT_NODE ? PLAN_SKIP : PLAN_WHOLE;
	if (volume_peek(vol, geometry_ssa_block(&vol->geo, segno, &offset), &block) != 0)
		return PLAN_WHOLE;
	if (sumfoot_entry_type(summary_footer_of(&vol->geo, block + offset)) != 1)
		return sit.type < F2FS_HOT_NODE ? PLAN_SKIP : PLAN_WHOLE;
	memcpy(s->entries, block + offset, SUMMARY_BYTES);
	return PLAN_SUMMARY;
}

/* Read the blocks of a segment whose summaries name a wanted id. */
static int read_by_summary(struct scan *s, f2fs_seg_t segno)
{
	int err = 0;

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++) {
		const f2fs_nid_t nid = sum_nid(s->entries + (size_t)i * sum_SIZE);

		if (nid != UINT32_MAX && map32_find(&s->wanted, nid) &&
		    !map32_find(&s->found, geometry_segment_start(&s->vol->geo, segno) + i))
			err = main_reader_range(&s->reader, segno, i, i + 1);
	}
	return err;
}

static int read_segment(void *user, f2fs_seg_t segno)
{
	struct scan *s = user;
	struct f2fs_past *past = s->past;
	enum plan plan;

	if (s->done && msb_test(s->done, segno))
		return 0;
	if (main_reader_is_hole(&s->reader, segno))
		return 0;
	plan = plan_segment(s, segno);
	if (plan == PLAN_SKIP)
		return 0;
	if (past->options.max_segments && past->stat.segments >= past->options.max_segments) {
		past->stat.is_cut = 1;
		return 0;
	}
	if (plan == PLAN_SUMMARY && past->options.ino) {
		past->stat.summaries++;
		return read_by_summary(s, segno);
	}
	past->stat.segments++;
	if (s->done)
		msb_set(s->done, segno);
	return main_reader_range(&s->reader, segno, 0, F2FS_SEGMENT_BLOCKS);
}

static int read_all(struct scan *s)
{
	s->past->stat.summaries = 0;
	return main_reader_walk(&s->reader, "search", "nodes", read_segment);
}

/* The search for one inode: the inode's own versions, then what hangs below, level by level. */
static int read_inode(struct scan *s)
{
	int err;

	s->done = mem_zalloc(s->vol->ctx, s->vol->geo.segment_count_main / 8 + 1);
	if (!s->done)
		return F2FS_ERR_NOMEM;
	err = map32_set(&s->wanted, s->past->options.ino, 1);
	for (unsigned level = 0; level < NODE_LEVELS && !err; level++) {
		s->learned = false;
		err = read_all(s);
		if (!s->learned)
			break;
	}
	return err;
}

int past_scan(struct f2fs_past *past)
{
	struct scan s = { .past = past, .vol = past->vol };
	struct f2fs_context *ctx = past->vol->ctx;
	int err;

	map32_init(&s.wanted, ctx);
	map32_init(&s.found, ctx);
	s.reader = (struct main_reader){ .vol = past->vol, .user = &s, .take = take, .unread = count_unread };
	err = main_reader_init(&s.reader);
	s.entries = mem_alloc(ctx, SUMMARY_BYTES);
	if (!err && !s.entries)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = past->options.ino ? read_inode(&s) : read_all(&s);
	past->stat.blocks_read += s.reader.blocks_read;
	map32_fini(&s.wanted);
	map32_fini(&s.found);
	mem_free(ctx, s.done);
	mem_free(ctx, s.entries);
	main_reader_fini(&s.reader);
	return err;
}
