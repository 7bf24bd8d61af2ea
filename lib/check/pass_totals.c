/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 9, totals: compute and compare everything that follows from the rest: SIT, summaries, the counts of the
 * checkpoint. Needs the claims. Segments are taken in ascending order.
 */
#include <string.h>

#include "check/passes.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/zones.h"
#include "volume/zone_map.h"
#include "witness/lost_branches.h"
#include "witness/summaries.h"

static int raise_segment(struct checker *c, enum problem problem, const struct seg_fact *seg, uint32_t first,
			 uint64_t found, uint64_t expected)
{
	const bool has_block = first < F2FS_SEGMENT_BLOCKS;

	return problem_raise(
		c, &(struct finding){ .problem = (uint16_t)problem,
				      .has_segno = 1,
				      .segno = seg->segno,
				      .has_block = has_block,
				      .block = geometry_segment_start(c->geo, seg->segno) + (has_block ? first : 0),
				      .has_values = 1,
				      .found = found,
				      .expected = expected });
}

/* Return how many bits are in a and not in b, and find the first. */
static uint32_t difference(const uint8_t *a, const uint8_t *b, uint32_t *first)
{
	uint8_t map[64];

	for (unsigned i = 0; i < sizeof(map); i++)
		map[i] = a[i] & (uint8_t)~b[i];
	for (*first = 0; *first < F2FS_SEGMENT_BLOCKS && !msb_test(map, *first);)
		++*first;
	return bitmap_popcount(map, sizeof(map));
}

static int check_maps(struct checker *c, const struct seg_fact *seg, const uint8_t *used)
{
	uint32_t first, n = difference(used, seg->sit_map, &first);
	int err = n ? raise_segment(c, P_SIT_MISSING, seg, first, n, 0) : 0;

	n = difference(seg->sit_map, used, &first);
	if (n && cut_is_lost(c, geometry_segment_start(c->geo, seg->segno) + first))
		n = 0;
	if (!err && n)
		err = raise_segment(c, P_SIT_EXTRA, seg, first, n, 0);
	n = bitmap_popcount(seg->sit_map, sizeof(seg->sit_map));
	if (!err && n != seg->sit_count)
		err = raise_segment(c, P_SIT_COUNT, seg, F2FS_SEGMENT_BLOCKS, seg->sit_count, n);
	return err;
}

/* Return the offset after the last set bit, 0 for none. */
static uint32_t end_of(const uint8_t *map)
{
	uint32_t end = F2FS_SEGMENT_BLOCKS;

	while (end > 0 && !msb_test(map, end - 1))
		end--;
	return end;
}

/* Check the type of a segment, and that it holds nodes or data, not both. */
static int check_class(struct checker *c, const struct seg_fact *seg)
{
	static const uint8_t nothing[64];
	uint32_t first;

	if (seg->sit_type >= F2FS_LOG_COUNT)
		return raise_segment(c, P_SIT_TYPE, seg, F2FS_SEGMENT_BLOCKS, seg->sit_type, 0);
	if (difference(seg->sit_type >= F2FS_HOT_NODE ? seg->data_map : seg->node_map, nothing, &first) == 0)
		return 0;
	return raise_segment(c, P_SIT_CLASS, seg, first, seg->sit_type, 0);
}

static int check_segment(struct checker *c, struct seg_fact *seg)
{
	uint8_t used[64];
	uint32_t count;
	int err;

	for (unsigned i = 0; i < sizeof(used); i++)
		used[i] = seg->data_map[i] | seg->node_map[i];
	count = bitmap_popcount(used, sizeof(used));
	err = check_maps(c, seg, used);
	if (!err)
		err = check_class(c, seg);
	if (!err && count && !(seg->flags & SEG_ALIAS))
		err = summaries_check(c, seg);
	if (count == 0 && seg->log == 0 && zones_usable(c->vol, seg->segno) > 0)
		c->result->free_segments++;
	if (count)
		c->result->end_block = (uint64_t)geometry_segment_start(c->geo, seg->segno) + end_of(used);
	return err;
}

static int raise_count(struct checker *c, enum problem problem, uint64_t found, uint64_t expected)
{
	return found == expected ? 0
				 : problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
								       .has_values = 1,
								       .found = found,
								       .expected = expected });
}

static int check_counts(struct checker *c)
{
	const struct f2fs_check_result *r = c->result;
	const uint8_t *cp = c->vol->view->cp;
	int err = raise_count(c, P_CP_VALID_BLOCKS, cp_valid_block_count(cp), r->blocks);

	if (!err)
		err = raise_count(c, P_CP_VALID_NODES, cp_valid_node_count(cp), r->nodes);
	if (!err)
		err = raise_count(c, P_CP_VALID_INODES, cp_valid_inode_count(cp), facts_inode_count(&c->facts));
	if (!err)
		err = raise_count(c, P_CP_FREE_SEGMENTS, cp_free_segment_count(cp), r->free_segments);
	return err;
}

int pass_totals(struct checker *c)
{
	int err = lost_branches(c);

	c->result->inodes = facts_inode_count(&c->facts);
	c->result->free_segments = 0;
	c->result->end_block = c->geo->main_blkaddr;
	for (f2fs_seg_t segno = 0; segno < c->geo->segment_count_main && !err; segno++) {
		struct seg_fact *seg = facts_seg(&c->facts, segno);

		if (seg)
			err = check_segment(c, seg);
		else
			c->result->free_segments += zones_usable(c->vol, segno) > 0;
	}
	if (!err)
		err = summaries_tell(c);
	if (!err)
		err = zones_check(c);
	return err ? err : check_counts(c);
}
