/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeping the facts: node ids found through pages of 512 ids with a bit each and a rank, segments through an index.
 * What is not in use takes an index entry at most.
 */
#include "check/facts.h"

#include <string.h>

#include "base/checked.h"

#define PAGE_NIDS 512u

struct nid_page {
	uint64_t bits[PAGE_NIDS / 64];
	uint32_t start;		       /* index in nids of the page's first id in use */
	uint16_t rank[PAGE_NIDS / 64]; /* ids in use before each word */
};

int facts_init(struct facts *f, struct f2fs_context *ctx, const struct f2fs_geometry *geo)
{
	memset(f, 0, sizeof(*f));
	f->ctx = ctx;
	f->geo = geo;
	vec_init(&f->nids, ctx, sizeof(struct nid_fact));
	vec_init(&f->pages, ctx, sizeof(struct nid_page));
	vec_init(&f->inodes, ctx, sizeof(struct inode_fact));
	vec_init(&f->segs, ctx, sizeof(struct seg_fact));
	vec_init(&f->conflicts, ctx, sizeof(f2fs_blk_t));
	f->nid_page = mem_calloc(ctx, geo->max_nid / PAGE_NIDS + 1, sizeof(*f->nid_page));
	f->seg_index = mem_calloc(ctx, geo->segment_count_main, sizeof(*f->seg_index));
	return f->nid_page && f->seg_index ? 0 : F2FS_ERR_NOMEM;
}

void facts_fini(struct facts *f)
{
	if (!f->ctx)
		return;
	vec_fini(&f->nids);
	vec_fini(&f->pages);
	vec_fini(&f->inodes);
	vec_fini(&f->segs);
	vec_fini(&f->conflicts);
	mem_free(f->ctx, f->nid_page);
	mem_free(f->ctx, f->seg_index);
	memset(f, 0, sizeof(*f));
}

static uint16_t count_bits(uint64_t word)
{
	word -= (word >> 1) & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
	return (uint16_t)(word * 0x0101010101010101u >> 56);
}

int facts_index_nids(struct facts *f)
{
	struct nid_page *page;

	for (size_t i = 0; i < f->nids.count; i++) {
		const struct nid_fact *fact = vec_at(&f->nids, i);
		uint32_t *slot = &f->nid_page[fact->nid / PAGE_NIDS];

		if (*slot == 0) {
			page = vec_push(&f->pages, 1);
			if (!page)
				return F2FS_ERR_NOMEM;
			page->start = (uint32_t)i;
			*slot = (uint32_t)f->pages.count;
		}
		page = vec_at(&f->pages, *slot - 1);
		page->bits[fact->nid % PAGE_NIDS / 64] |= (uint64_t)1 << fact->nid % 64;
	}
	for (size_t i = 0; i < f->pages.count; i++) {
		page = vec_at(&f->pages, i);
		for (unsigned w = 1; w < PAGE_NIDS / 64; w++)
			page->rank[w] = (uint16_t)(page->rank[w - 1] + count_bits(page->bits[w - 1]));
	}
	return 0;
}

struct nid_fact *facts_nid(const struct facts *f, f2fs_nid_t nid)
{
	const struct nid_page *page;
	unsigned word = nid % PAGE_NIDS / 64;
	uint64_t bit = (uint64_t)1 << nid % 64;

	if (nid >= f->geo->max_nid || f->nid_page[nid / PAGE_NIDS] == 0)
		return NULL;
	page = vec_at(&f->pages, f->nid_page[nid / PAGE_NIDS] - 1);
	if (!(page->bits[word] & bit))
		return NULL;
	return vec_at(&f->nids, (size_t)page->start + page->rank[word] + count_bits(page->bits[word] & (bit - 1)));
}

struct inode_fact *facts_inode(const struct facts *f, f2fs_nid_t ino)
{
	const struct nid_fact *fact = facts_nid(f, ino);

	return fact && fact->kind == FACT_INODE && fact->inode != NO_INODE ? facts_inode_at(f, fact->inode) : NULL;
}

struct seg_fact *facts_seg(const struct facts *f, f2fs_seg_t segno)
{
	uint32_t index = segno < f->geo->segment_count_main ? f->seg_index[segno] : 0;

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
	f->seg_index[segno] = (uint32_t)f->segs.count;
	return seg;
}

int facts_claim(struct facts *f, f2fs_blk_t addr, enum claim_kind kind, const struct nid_fact *fact, uint32_t slot)
{
	uint32_t offset = (addr - f->geo->main_blkaddr) % F2FS_SEGMENT_BLOCKS;
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
		seg->flags &= ~(uint32_t)SEG_CONFLICT;
	}
	f->conflicts.count = 0;
}

uint64_t facts_memory(const struct facts *f)
{
	const struct vec *all[] = { &f->nids, &f->pages, &f->inodes, &f->segs, &f->conflicts };
	uint64_t bytes = ((uint64_t)f->geo->max_nid / PAGE_NIDS + 1 + f->geo->segment_count_main) * sizeof(uint32_t);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bytes += (uint64_t)all[i]->room * all[i]->item_size;
	return bytes;
}
