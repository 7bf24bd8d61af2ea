/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store the facts. Node ids are found through pages of 512 ids, with a bit each and a rank, segments through an index.
 * An unused id or segment takes one index entry at most.
 */
#include "check/facts.h"

#include <string.h>

#include "base/checked.h"

/* The bound of a check's memory, as ARCHITECTURE.md states it. */
_Static_assert(sizeof(struct nid_fact) <= 40, "state of a node id");
_Static_assert(sizeof(struct inode_fact) <= 128, "state of an inode");
_Static_assert(sizeof(struct seg_fact) <= 216, "state of a segment");

#define PAGE_NIDS 512u

struct nid_page {
	uint64_t bits[PAGE_NIDS / 64];
	uint32_t start;		       /* index in nids of the page's first id in use */
	uint16_t rank[PAGE_NIDS / 64]; /* ids in use before each word */
};

#define CHUNK_NUMBERS 16384u

static int sparse_init(struct sparse *s, struct f2fs_context *ctx, uint32_t size)
{
	s->chunk_count = size / CHUNK_NUMBERS + 1;
	s->chunks = mem_calloc(ctx, s->chunk_count, sizeof(*s->chunks));
	return s->chunks ? 0 : F2FS_ERR_NOMEM;
}

static void sparse_fini(struct sparse *s, struct f2fs_context *ctx)
{
	for (uint32_t i = 0; s->chunks && i < s->chunk_count; i++)
		mem_free(ctx, s->chunks[i]);
	mem_free(ctx, s->chunks);
}

static uint32_t sparse_get(const struct sparse *s, uint32_t i)
{
	const uint32_t *chunk = s->chunks[i / CHUNK_NUMBERS];

	return chunk ? chunk[i % CHUNK_NUMBERS] : 0;
}

static int sparse_set(struct sparse *s, struct f2fs_context *ctx, uint32_t i, uint32_t value)
{
	uint32_t **chunk = &s->chunks[i / CHUNK_NUMBERS];

	if (!*chunk)
		*chunk = mem_calloc(ctx, CHUNK_NUMBERS, sizeof(**chunk));
	if (!*chunk)
		return F2FS_ERR_NOMEM;
	(*chunk)[i % CHUNK_NUMBERS] = value;
	return 0;
}

static uint64_t sparse_memory(const struct sparse *s)
{
	uint64_t bytes = s->chunk_count * sizeof(*s->chunks);

	for (uint32_t i = 0; i < s->chunk_count; i++)
		bytes += s->chunks[i] ? CHUNK_NUMBERS * sizeof(uint32_t) : 0;
	return bytes;
}

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
	if (sparse_init(&f->nid_page, ctx, geo->max_nid / PAGE_NIDS) != 0)
		return F2FS_ERR_NOMEM;
	return sparse_init(&f->seg_index, ctx, geo->segment_count_main);
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
	sparse_fini(&f->nid_page, f->ctx);
	sparse_fini(&f->seg_index, f->ctx);
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
		uint32_t index = sparse_get(&f->nid_page, fact->nid / PAGE_NIDS);

		if (index == 0) {
			page = vec_push(&f->pages, 1);
			if (!page)
				return F2FS_ERR_NOMEM;
			page->start = (uint32_t)i;
			index = (uint32_t)f->pages.count;
			if (sparse_set(&f->nid_page, f->ctx, fact->nid / PAGE_NIDS, index) != 0)
				return F2FS_ERR_NOMEM;
		}
		page = vec_at(&f->pages, index - 1);
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
	uint32_t index = nid < f->geo->max_nid ? sparse_get(&f->nid_page, nid / PAGE_NIDS) : 0;

	if (index == 0)
		return NULL;
	page = vec_at(&f->pages, index - 1);
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
	const struct vec *all[] = { &f->nids, &f->pages, &f->inodes, &f->segs, &f->conflicts };
	uint64_t bytes = sparse_memory(&f->nid_page) + sparse_memory(&f->seg_index);

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		bytes += (uint64_t)all[i]->room * all[i]->item_size;
	return bytes;
}
