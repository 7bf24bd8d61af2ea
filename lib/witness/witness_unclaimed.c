/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect the blocks of data that the SIT has in use and no pointer leads to, by the slots that their summaries name.
 */
#include "witness/witness_unclaimed.h"

#include "base/bitmap.h"
#include "witness/witness.h"

static int compare(const void *a, const void *b)
{
	const struct unclaimed *x = a, *y = b;

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	if (x->slot != y->slot)
		return x->slot > y->slot ? 1 : -1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int take(struct checker *c, f2fs_blk_t addr, bool is_counted, unclaimed_wants wants, void *user,
		struct vec *out)
{
	struct block_view view;
	struct unclaimed one, *kept;
	bool is_wanted = false;
	int err = witness_view_tables(c, addr, &view);

	if (err || !view.has_sum || view.is_node_sum)
		return err;
	one = (struct unclaimed){ view.sum_nid, view.sum_slot, addr, view.sum_version, view.is_of_pack, is_counted };
	err = wants(c, user, &one, &is_wanted);
	if (err || !is_wanted)
		return err;
	kept = vec_push(out, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = one;
	return 0;
}

int witness_unclaimed(struct checker *c, unclaimed_wants wants, void *user, struct vec *out)
{
	int err = 0;

	for (size_t s = 0; s < c->facts.segs.count && !err; s++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, s);
		const f2fs_blk_t start = geometry_segment_start(c->geo, seg->segno);
		const bool is_counted = bitmap_popcount(seg->sit_map, sizeof(seg->sit_map)) == seg->sit_count;

		if (seg->flags & SEG_ALIAS)
			continue;
		for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++)
			if (msb_test(seg->sit_map, i) && !msb_test(seg->node_map, i) && !msb_test(seg->data_map, i))
				err = take(c, start + i, is_counted, wants, user, out);
	}
	vec_sort(out, compare);
	return err;
}

size_t unclaimed_end(const struct vec *blocks, size_t first)
{
	const struct unclaimed *one = vec_at(blocks, first);
	size_t end = first + 1;

	while (end < blocks->count) {
		const struct unclaimed *next = vec_at(blocks, end);

		if (next->nid != one->nid || next->slot != one->slot)
			break;
		end++;
	}
	return end;
}

static int compare_nids(const void *a, const void *b)
{
	const struct unclaimed *x = a, *y = b;

	return (x->nid > y->nid) - (x->nid < y->nid);
}

size_t unclaimed_first(const struct vec *blocks, f2fs_nid_t nid)
{
	const struct unclaimed key = { .nid = nid };
	const size_t at = vec_first(blocks, compare_nids, &key);

	return at < blocks->count && ((const struct unclaimed *)vec_at(blocks, at))->nid == nid ? at : blocks->count;
}
