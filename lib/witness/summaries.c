/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check summaries: for each block in use the summary of its segment names the owner. The owners of a segment are known
 * as a sum only. If that differs, they are listed and compared one by one.
 */
#include <string.h>

#include "base/error.h"
#include "facts/claims.h"
#include "facts/finding.h"
#include "volume/heads_read.h"
#include "volume/ssa_read.h"
#include "witness/summaries.h"
#include "witness/witness.h"
#include "witness/witness_layout.h"

static int raise_summary(struct checker *c, enum problem problem, f2fs_seg_t segno, f2fs_blk_t block, uint64_t found)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .has_segno = 1,
						   .segno = segno,
						   .has_block = block != 0,
						   .block = block,
						   .has_values = 1,
						   .found = found });
}

static uint64_t sum_of(const struct seg_fact *seg, const uint8_t *entries)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		const uint8_t *raw = entries + (size_t)i * sum_SIZE;

		if (msb_test(seg->node_map, i))
			sum += summary_mix(i, sum_nid(raw), 0, 0);
		if (msb_test(seg->data_map, i))
			sum += summary_mix(i, sum_nid(raw), sum_version(raw), sum_ofs_in_node(raw));
	}
	return sum;
}

/* Is the class of the summary that of the blocks? Pack summaries are of the log's class. */
static int check_type(struct checker *c, const struct seg_fact *seg, uint8_t entry_type)
{
	const bool holds_data = !is_zero(seg->data_map, sizeof(seg->data_map));
	const bool holds_nodes = !is_zero(seg->node_map, sizeof(seg->node_map));

	if (entry_type > SUMMARY_OF_NODES || (entry_type == SUMMARY_OF_DATA && holds_nodes && !holds_data) ||
	    (entry_type == SUMMARY_OF_NODES && holds_data && !holds_nodes))
		return raise_summary(c, P_SSA_TYPE, seg->segno, 0, entry_type);
	return 0;
}

int summaries_check(struct checker *c, struct seg_fact *seg)
{
	uint8_t entries[SUMMARY_BYTES];
	uint8_t entry_type;
	int source, err;

	if (volume_lacks_ssa(c->vol))
		return 0;
	err = ssa_read(c->vol, seg->segno, entries, &entry_type, &source);
	if (err == F2FS_ERR_IO || err == F2FS_ERR_CORRUPT) {
		error_clear(c->ctx);
		return raise_summary(c, P_SSA_UNREADABLE, seg->segno, 0, 0);
	}
	if (err)
		return err;
	if (sum_of(seg, entries) != seg->sum) {
		seg->flags |= SEG_SUMMARY;
		c->has_bad_summary = true;
	}
	return source == F2FS_SUMMARY_SSA ? check_type(c, seg, entry_type) : 0;
}

static bool agrees(const struct claim *claim, const uint8_t *raw)
{
	if (sum_nid(raw) != claim->nid)
		return false;
	return claim->is_node || (sum_version(raw) == claim->version && sum_ofs_in_node(raw) == claim->slot);
}

/* Compare the claims [*at, ...) on one segment. Moves *at past them. */
static int tell_segment(struct checker *c, const struct vec *claims, size_t *at)
{
	const f2fs_seg_t segno = geometry_segment_of(c->geo, ((struct claim *)vec_at(claims, *at))->addr);
	const f2fs_blk_t start = geometry_segment_start(c->geo, segno);
	uint8_t entries[SUMMARY_BYTES];
	uint8_t entry_type;
	uint64_t wrong = 0;
	f2fs_blk_t first = 0;
	int source, err = ssa_read(c->vol, segno, entries, &entry_type, &source);

	if (err)
		return err;
	for (; *at < claims->count && !err; ++*at) {
		const struct claim *claim = vec_at(claims, *at);

		if (claim->addr - start >= F2FS_SEGMENT_BLOCKS)
			break;
		if (agrees(claim, entries + (size_t)(claim->addr - start) * sum_SIZE))
			continue;
		if (wrong++ == 0)
			first = claim->addr;
		if (!claim->is_node && facts_inode(&c->facts, claim->nid)) /* its slots may be somewhere else */
			err = witness_layout(c, claim->nid);
	}
	return wrong && !err ? raise_summary(c, P_SSA_ENTRY, segno, first, wrong) : err;
}

int summaries_tell(struct checker *c)
{
	f2fs_seg_t from = 0;
	int err = 0;

	while (c->has_bad_summary && from < c->geo->segment_count_main && !err) {
		struct vec claims;
		size_t at = 0;

		err = claims_collect(c, SEG_SUMMARY, &from, &claims);
		while (at < claims.count && !err)
			err = tell_segment(c, &claims, &at);
		vec_fini(&claims);
	}
	c->book->votes += c->must_restart;
	return err;
}
