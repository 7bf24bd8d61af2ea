/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store the facts of segments, and the claims on their blocks. An unused segment takes one index entry at most.
 */
#include "facts/facts.h"

#include <string.h>

#include "base/checked.h"

/* The bound of a check's memory, as ARCHITECTURE.md states it. */
_Static_assert(sizeof(struct nid_slot) <= 28, "state of a node id");
_Static_assert(sizeof(struct nid_fact) <= 40, "state of a whole node");
_Static_assert(sizeof(struct inode_fact) <= 128, "state of a whole inode");
_Static_assert(sizeof(struct seg_fact) <= 216, "state of a segment");

int facts_init(struct facts *f, struct f2fs_context *ctx, const struct f2fs_geometry *geo)
{
	memset(f, 0, sizeof(*f));
	f->ctx = ctx;
	f->geo = geo;
	vec_init(&f->slots, ctx, sizeof(struct nid_slot));
	vec_init(&f->pages, ctx, sizeof(struct nid_page));
	chunks_init(&f->nodes, ctx, sizeof(struct nid_fact));
	chunks_init(&f->inodes, ctx, sizeof(struct inode_fact));
	vec_init(&f->found, ctx, sizeof(f2fs_nid_t));
	inode_classes_init(&f->classes, ctx);
	vec_init(&f->segs, ctx, sizeof(struct seg_fact));
	vec_init(&f->conflicts, ctx, sizeof(f2fs_blk_t));
	if (sparse_init(&f->nid_page, ctx, geo->max_nid / NID_PAGE) != 0)
		return F2FS_ERR_NOMEM;
	return sparse_init(&f->seg_index, ctx, geo->segment_count_main);
}

void facts_fini(struct facts *f)
{
	if (!f->ctx)
		return;
	vec_fini(&f->slots);
	vec_fini(&f->pages);
	chunks_fini(&f->nodes);
	chunks_fini(&f->inodes);
	vec_fini(&f->found);
	inode_classes_fini(&f->classes);
	vec_fini(&f->segs);
	vec_fini(&f->conflicts);
	sparse_fini(&f->nid_page, f->ctx);
	sparse_fini(&f->seg_index, f->ctx);
	memset(f, 0, sizeof(*f));
}

struct seg_fact *facts_seg(const struct facts *f, f2fs_seg_t segno)
{
	uint32_t index = segno < f->geo->segment_count_main ? sparse_get(&f->seg_index, segno) : 0;

	return index ? vec_at(&f->segs, index - 1) : NULL;
}

struct seg_fact *facts_seg_add(struct facts *f, f2fs_seg_t segno)
{
	struct seg_fact *seg = facts_seg(f, segno);

	if (seg)
		return seg;
	seg = vec_push(&f->segs, 1);
	if (!seg)
		return NULL;
	seg->segno = segno;
	return sparse_set(&f->seg_index, f->ctx, segno, (uint32_t)f->segs.count) == 0 ? seg : NULL;
}

int facts_claim(struct facts *f, f2fs_blk_t addr, enum claim_kind kind, const struct nid_fact *fact, uint32_t slot)
{
	uint32_t offset = geometry_offset_of(f->geo, addr);
	struct seg_fact *seg = facts_seg_add(f, geometry_segment_of(f->geo, addr));

	if (!seg)
		return F2FS_ERR_NOMEM;
	if (msb_test(seg->data_map, offset) || msb_test(seg->node_map, offset)) {
		f2fs_blk_t *conflict = vec_push(&f->conflicts, 1);

		if (!conflict)
			return F2FS_ERR_NOMEM;
		*conflict = addr;
		seg->flags |= SEG_CONFLICT;
	}
	msb_set(kind == CLAIM_NODE ? seg->node_map : seg->data_map, offset);
	seg->sum += kind == CLAIM_NODE ? summary_mix(offset, fact->nid, 0, 0)
				       : summary_mix(offset, fact->nid, fact->version, slot);
	return 0;
}

void facts_forget_claims(struct facts *f)
{
	for (size_t i = 0; i < f->segs.count; i++) {
		struct seg_fact *seg = vec_at(&f->segs, i);

		memset(seg->data_map, 0, sizeof(seg->data_map));
		memset(seg->node_map, 0, sizeof(seg->node_map));
		seg->sum = 0;
		seg->flags &= ~(uint32_t)(SEG_CONFLICT | SEG_WITNESS);
	}
	f->conflicts.count = 0;
}

uint64_t facts_memory(const struct facts *f)
{
	const struct vec *all[] = { &f->slots, &f->pages, &f->found, &f->classes.list, &f->segs, &f->conflicts };
	uint64_t bytes = sparse_memory(&f->nid_page) + sparse_memory(&f->seg_index) + chunks_memory(&f->nodes) +
			 chunks_memory(&f->inodes);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bytes += (uint64_t)all[i]->room * all[i]->item_size;
	return bytes;
}
