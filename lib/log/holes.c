/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the segment whose holes a log fills next (FORMAT files 10.4): one of its own type, else of its class (data or
 * nodes), and of these the one with the most holes. All segments are sorted once. Within a transaction segments only
 * get fuller, since freed blocks stay in use until the commit, so a segment that has changed since the sort is skipped,
 * and found again when the list is used up and built again.
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/holes.h"
#include "log/run.h"
#include "log/segments.h"

struct hole {
	f2fs_seg_t segno;
	uint16_t used; /* blocks that cannot be taken */
	uint8_t type;
};

struct holes {
	bool (*may_fill)(const struct txn *txn, f2fs_seg_t segno);
	struct hole *list;		   /* by type, then by used, then by segno */
	uint32_t next[F2FS_LOG_COUNT];	   /* of each type: the first that was not skipped */
	uint32_t end[F2FS_LOG_COUNT];
	/* where each type and use begins, while the list is made */
	uint32_t starts[F2FS_LOG_COUNT * F2FS_SEGMENT_BLOCKS + 1];
};

/* May a log fill holes of a segment of that type? Data and nodes must not mix. */
static bool same_class(unsigned a, unsigned b)
{
	return (a >= F2FS_HOT_NODE) == (b >= F2FS_HOT_NODE);
}

/* Blocks of a segment that are in use now, or were at the last checkpoint. */
static uint32_t count_used(const struct segment *s)
{
	uint32_t n = 0;

	if (!s->is_dirty)
		return s->valid > s->ckpt_valid ? s->valid : s->ckpt_valid;
	for (unsigned b = 0; b < sizeof(s->cur); b++) {
		const uint8_t both = s->cur[b] | s->ckpt[b];

		n += bitmap_popcount(&both, 1);
	}
	return n;
}

/* How full a segment is; F2FS_SEGMENT_BLOCKS if a log cannot take anything there. */
static uint32_t look(const struct txn *txn, f2fs_seg_t segno)
{
	return txn->holes->may_fill(txn, segno) ? count_used(segment_loaded(txn, segno)) : F2FS_SEGMENT_BLOCKS;
}

static uint32_t *start_of(struct holes *h, unsigned type, uint32_t used)
{
	return &h->starts[type * F2FS_SEGMENT_BLOCKS + used];
}

/* Count, and turn the counts into places; then put the segments there. */
static void list_segments(const struct txn *txn, struct holes *h, bool is_counting)
{
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main; i++) {
		const uint32_t used = look(txn, i);
		const uint8_t type = segment_loaded(txn, i)->type;

		if (used == F2FS_SEGMENT_BLOCKS)
			continue;
		if (is_counting)
			start_of(h, type, used)[1]++;
		else
			h->list[(*start_of(h, type, used))++] = (struct hole){ i, (uint16_t)used, type };
	}
	for (unsigned i = 0; is_counting && i < F2FS_LOG_COUNT * F2FS_SEGMENT_BLOCKS; i++)
		h->starts[i + 1] += h->starts[i];
}

static int make_list(const struct txn *txn, struct holes *h)
{
	mem_free(txn->vol->ctx, h->list);
	h->list = NULL;
	memset(h->next, 0, sizeof(h->next));
	memset(h->end, 0, sizeof(h->end));
	memset(h->starts, 0, sizeof(h->starts));
	list_segments(txn, h, true);
	h->list = mem_alloc(txn->vol->ctx, (*start_of(h, F2FS_LOG_COUNT, 0) + 1) * sizeof(*h->list));
	if (!h->list)
		return F2FS_ERR_NOMEM;
	for (unsigned type = 0; type < F2FS_LOG_COUNT; type++) {
		h->next[type] = *start_of(h, type, 0);
		h->end[type] = *start_of(h, type + 1, 0);
	}
	list_segments(txn, h, false);
	return 0;
}

/* The best of a type; NULL: the list has none left. */
static const struct hole *first_of(const struct txn *txn, unsigned type)
{
	struct holes *h = txn->holes;

	for (; h->next[type] < h->end[type]; h->next[type]++) {
		const struct hole *hole = &h->list[h->next[type]];

		if (look(txn, hole->segno) == hole->used && segment_loaded(txn, hole->segno)->type == type)
			return hole;
	}
	return NULL;
}

static const struct hole *first_of_class(const struct txn *txn, unsigned type)
{
	const struct hole *best = first_of(txn, type);

	for (unsigned t = 0; t < F2FS_LOG_COUNT && (!best || best->type != type); t++) {
		const struct hole *other = same_class(t, type) ? first_of(txn, t) : NULL;

		if (other && (!best || other->used < best->used ||
			      (other->used == best->used && other->segno < best->segno)))
			best = other;
	}
	return best;
}

int holes_choose(struct txn *txn, unsigned type, bool (*may_fill)(const struct txn *txn, f2fs_seg_t segno),
		 f2fs_seg_t *segno, bool *found)
{
	const struct hole *best;

	*found = false;
	if (!txn->holes)
		txn->holes = mem_zalloc(txn->vol->ctx, sizeof(*txn->holes));
	if (!txn->holes)
		return F2FS_ERR_NOMEM;
	txn->holes->may_fill = may_fill;
	best = first_of_class(txn, type);
	if (!best) {
		int err = make_list(txn, txn->holes);

		if (err)
			return err;
		best = first_of_class(txn, type);
	}
	if (!best)
		return 0;
	*segno = best->segno;
	*found = true;
	return 0;
}

void holes_end(struct txn *txn)
{
	if (txn->holes)
		mem_free(txn->vol->ctx, txn->holes->list);
	mem_free(txn->vol->ctx, txn->holes);
	txn->holes = NULL;
}
