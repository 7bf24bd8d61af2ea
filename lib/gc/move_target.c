/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose where GC puts data: into the log of cold data or the streams of a placement, into holes of segments of its age
 * or of the fullest ones, and blocks of pinned files into whole free sections, in the order of the file. Blocks without
 * another place go to the log.
 */
#include <string.h>

#include "base/bitmap.h"
#include "gc/live.h"
#include "gc/move_target.h"
#include "gc/plug.h"
#include "gc/run.h"
#include "log/filler.h"
#include "log/heads.h"
#include "log/pinned.h"
#include "log/segments.h"
#include "log/streams.h"
#include "log/zoned_logs.h"

static int put_stream(struct txn *txn, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		      uint32_t *got)
{
	const struct f2fs_placement *p = placement_of(txn->vol);
	const unsigned stream = p->moving(p->user, b->ino, b->addr);
	struct stream_run run = { b->ino, live_owner(b), 1, data };

	while (run.want < want && p->moving(p->user, b->ino, b->addr + run.want) == stream)
		run.want++;
	return stream_append(txn, stream, &run, to, got);
}

/* ---- into holes ---- */

/* Sections age as wholes. */
static uint64_t mtime_of_section(const struct txn *txn, f2fs_seg_t segno)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const f2fs_seg_t first = segno - segno % sps;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < sps; i++)
		sum += segment_loaded(txn, first + i)->mtime;
	return sum / sps;
}

/* List the segments of a type that have holes. */
static int list_segments(struct gc_target *t, unsigned type)
{
	struct age_targets *out = &t->by_type[type];
	size_t n = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (f2fs_seg_t i = 0; i < t->txn->vol->geo.segment_count_main; i++) {
			const struct segment *s = segment_loaded(t->txn, i);

			if (s->type != type || !plug_may_fill(t->txn, i))
				continue;
			if (pass == 1)
				out->list[out->count++] =
					(struct age_segment){ i, s->ckpt_valid, mtime_of_section(t->txn, i) };
			n += pass == 0;
		}
		if (pass == 0) {
			out->list = mem_calloc(t->txn->vol->ctx, n + 1, sizeof(*out->list));
			if (!out->list)
				return F2FS_ERR_NOMEM;
		}
	}
	if (t->by_age)
		age_targets_sort(out, t->txn->now);
	else
		plug_sort(out);
	return 0;
}

/* The best segment of a type for blocks of that age, which is taken off the list. The fullest ones come last in it. */
static int take_segment(struct gc_target *t, unsigned type, uint64_t source, f2fs_seg_t *segno, bool *found)
{
	struct age_targets *from = &t->by_type[type];
	int err = from->list ? 0 : list_segments(t, type);
	size_t at;

	while (!err && !*found) {
		at = t->by_age ? age_target_choose(from, source) : from->count > 0 ? from->count - 1 : AGE_TARGET_NONE;
		if (at == AGE_TARGET_NONE)
			break;
		*segno = from->list[at].segno;
		*found = plug_may_fill(t->txn, *segno);
		from->count--;
		memmove(from->list + at, from->list + at + 1, (from->count - at) * sizeof(*from->list));
	}
	return err;
}

/* Begin with another segment: of the source's type, else of another type of data. */
static int open_next(struct gc_target *t, const struct segment *source, bool *found)
{
	const unsigned own = source->type;
	f2fs_seg_t segno = 0;
	int err = segment_load_all(t->txn);

	*found = false;
	if (!err)
		err = take_segment(t, own, source->mtime, &segno, found);
	for (unsigned i = 0; i < F2FS_HOT_NODE && !err && !*found; i++) {
		const unsigned type = own == F2FS_HOT_DATA ? i : F2FS_COLD_DATA - i;

		if (type != own)
			err = take_segment(t, type, source->mtime, &segno, found);
	}
	return err || !*found ? err : filler_open(&t->filler, segno, segment_loaded(t->txn, segno)->type, 0);
}

static int put_in_hole(struct gc_target *t, const struct live_block *b, uint32_t want, const uint8_t *data,
		      f2fs_blk_t *to, uint32_t *got)
{
	bool found = true;
	int err = 0;

	while (!err && *got == 0 && found) {
		struct segment *source;

		err = filler_put(&t->filler, live_owner(b), want, data, to, got);
		if (err || *got > 0)
			break;
		err = filler_close(&t->filler);
		if (!err)
			err = segment_get(t->txn, b->segno, &source);
		if (!err)
			err = open_next(t, source, &found);
	}
	return err;
}

/* ---- all ---- */

static int put(void *user, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
	       uint32_t *got)
{
	struct gc_target *t = user;
	struct txn *txn = t->txn;
	int err = 0;

	*got = 0;
	if (b->is_pinned) {
		t->pinned.data = data;
		err = pinned_take(&t->pinned, live_owner(b), want, to, got);
		if (!err)
			msb_set(t->left, t->pinned.section);
		return err;
	}
	if (t->fills)
		err = put_in_hole(t, b, want, data, to, got);
	else if (txn->fills_streams)
		err = put_stream(txn, b, want, data, to, got);
	if (err || *got > 0)
		return err;
	return head_append(txn, F2FS_COLD_DATA, live_owner(b), want, data, to, got);
}

int gc_target_begin(struct gc_target *t, struct txn *txn, const struct f2fs_gc_options *options, unsigned where)
{
	int err = 0;

	*t = (struct gc_target){ .move = { .put = put, .user = t }, .txn = txn, .ctx = txn->vol->ctx };
	/* as in the kernel: where logs fill no holes, GC by age does not either */
	t->by_age = where == F2FS_GC_TO_AGE && !txn_is_zoned(txn) && txn->vol->write.logging != F2FS_LOGGING_NORMAL;
	t->fills = t->by_age || where == F2FS_GC_TO_HOLES;
	if (t->fills)
		err = filler_begin(&t->filler, txn);
	if (!err && options->move_pinned && !txn_is_zoned(txn))
		err = pinned_begin_counted(txn, &t->pinned);
	return err;
}

int gc_target_end(struct gc_target *t)
{
	int err = filler_end(&t->filler);

	return err ? err : pinned_end(&t->pinned);
}

void gc_target_drop(struct gc_target *t)
{
	for (unsigned i = 0; i < F2FS_HOT_NODE && t->ctx; i++)
		mem_free(t->ctx, t->by_type[i].list);
	filler_drop(&t->filler);
	filler_drop(&t->pinned.filler);
	memset(t, 0, sizeof(*t));
}
