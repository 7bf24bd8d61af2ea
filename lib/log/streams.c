/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams: blocks that a placement keeps apart fill segments of their own, one filler for each stream. A stream
 * continues in its segment after the commit, which closes the fillers; nothing else takes it meanwhile. Streams are
 * optional: when a new segment would take a section that the logs need, the stream gets none, and its blocks go to the
 * log.
 */
#include <f2fskit/placement.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "log/filler.h"
#include "log/run.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "log/txn_state.h"
#include "log/zoned_logs.h"
#include "log/zoned_streams.h"
#include "volume/heads_read.h"
#include "volume/zone_map.h"

#define SECTIONS_LEFT 2u /* to the logs, besides what data leaves in any case: no change needs more of them */

/* Begin a filler for this transaction; it takes over the buffer of the filler before it. */
static int need_filler(struct txn *txn, struct stream *s)
{
	uint8_t *buffer = s->filler.buffer;
	int err;

	if (s->filler.txn)
		return 0;
	s->filler.buffer = NULL;
	s->is_checked = false;
	filler_drop(&s->filler);
	err = filler_begin(&s->filler, txn);
	s->filler.buffer = buffer;
	s->filler.stat = &txn->vol->streams->stat;
	s->filler.stream_bit = 1u << (s - txn->vol->streams->list);
	if (err && buffer) {
		mem_free(txn->vol->ctx, buffer);
		s->filler.buffer = NULL;
	}
	return err;
}

/* Can the stream continue in its last segment? The volume may have changed in any way since then. */
static int go_on(struct txn *txn, struct stream *s)
{
	struct segment *segment;
	bool is_free;
	int err;

	s->has_segment = false; /* it is no obstacle to itself */
	if (s->segno >= txn->vol->geo.segment_count_main)
		return 0;
	err = segment_get(txn, s->segno, &segment);
	if (err)
		return err;
	is_free = segment_is_free(segment);
	if (segment->is_barred || segment_is_current(txn, s->segno) || map32_find(&txn->adopted, s->segno) ||
	    (!is_free && segment->type != F2FS_WARM_DATA) || segment_next_hole(segment, s->at) == F2FS_SEGMENT_BLOCKS)
		return 0;
	err = filler_open(&s->filler, s->segno, F2FS_WARM_DATA, is_free ? 0 : s->at);
	s->has_segment = !err;
	return err;
}

/* The same on a zoned volume. If it cannot, it leaves the section. */
static int go_on_zoned(struct txn *txn, struct stream *s)
{
	bool can;
	int err = zoned_stream_go_on(txn, s, &can);

	if (!err && !can)
		zoned_stream_leave(txn->vol, s);
	return err || !can ? err : filler_open(&s->filler, s->segno, F2FS_WARM_DATA, s->at);
}

static int choose(struct txn *txn, const struct stream *s, f2fs_seg_t *segno, bool *found)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const struct f2fs_error_detail before = txn->vol->ctx->error;
	uint8_t alloc_type;
	int err;

	*found = false;
	if (txn_is_zoned(txn))
		return zoned_stream_choose(txn, SECTIONS_LEFT, segno, found);
	if (txn->free_segments / sps <= segment_kept_sections(txn) + SECTIONS_LEFT)
		return 0;
	/* after the last segment of a section there is none to continue in */
	err = segment_choose(txn, F2FS_WARM_DATA, s->at > 0 ? s->segno : sps - 1, segno, &alloc_type);
	*found = !err;
	if (!error_is_full(txn->vol->ctx, err))
		return err;
	txn->vol->ctx->error = before;
	return 0;
}

/* Begin another segment, if there is one that the logs do not need. */
static int begin_segment(struct txn *txn, struct stream *s)
{
	f2fs_seg_t segno;
	bool found;
	int err = choose(txn, s, &segno, &found);

	if (err || !found)
		return err;
	err = filler_open(&s->filler, segno, F2FS_WARM_DATA, 0);
	if (err)
		return err;
	s->has_segment = true;
	s->segno = segno;
	s->is_checked = true;
	txn->vol->streams->stat.segments++;
	return 0;
}

/* Leave a segment that is full. */
static int leave_segment(struct txn *txn, struct stream *s)
{
	if (txn_is_zoned(txn))
		zoned_stream_next(txn->vol, s);
	else
		s->has_segment = false;
	return filler_close(&s->filler);
}

static int need_segment(struct txn *txn, struct stream *s)
{
	int err = need_filler(txn, s);

	if (!err && !s->filler.is_open && s->has_segment)
		err = txn_is_zoned(txn) ? go_on_zoned(txn, s) : go_on(txn, s);
	return err || s->filler.is_open ? err : begin_segment(txn, s);
}

/* Remember that blocks of a file wait in a stream. */
static int note_user(struct txn *txn, f2fs_nid_t ino, unsigned stream)
{
	uint64_t *users = map32_find(&txn->stream_users, ino);

	if (!users)
		return map32_set(&txn->stream_users, ino, (uint64_t)1 << stream);
	*users |= (uint64_t)1 << stream;
	return 0;
}

int stream_append(struct txn *txn, unsigned stream, const struct stream_run *run, f2fs_blk_t *addr, uint32_t *got)
{
	struct streams *all = txn->vol->streams;
	struct stream *s;
	int err;

	*got = 0;
	if (stream >= all->placement.streams)
		return 0;
	s = &all->list[stream];
	err = txn_need_sound(txn);
	if (!err)
		err = note_user(txn, run->ino, stream);
	for (unsigned tries = 0; tries < 2 && !err && *got == 0; tries++) {
		err = need_segment(txn, s);
		if (err || !s->filler.is_open)
			break;
		err = filler_put(&s->filler, run->owner, run->want, run->data, addr, got);
		s->at = s->filler.at;
		if (!err && s->at >= zones_usable(txn->vol, s->segno))
			err = leave_segment(txn, s);
	}
	all->stat.blocks[stream] += *got;
	all->stat.refused += *got == 0 ? run->want : 0;
	return err;
}

static void end_streams(struct f2fs_volume *vol)
{
	struct streams *all = vol->streams;

	for (unsigned i = 0; all && i < F2FS_STREAMS; i++) {
		filler_drop(&all->list[i].filler);
		if (all->owns_sections)
			zoned_stream_leave(vol, &all->list[i]);
	}
	mem_free(vol->ctx, all);
	vol->streams = NULL;
}

static int check(struct f2fs_volume *vol, const struct f2fs_placement *p, bool is_limited)
{
	const uint32_t sections = cp_free_segment_count(vol->view->cp) / vol->geo.segs_per_sec;

	if (!p->classify)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a placement needs a function classify()");
	if (p->streams == 0 || p->streams > F2FS_STREAMS)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a placement has 1 to %d streams, not %u", F2FS_STREAMS,
				 (unsigned)p->streams);
	if (volume_lacks_ssa(vol))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "a read-only volume has no summaries, so it has no streams");
	if (!is_limited && p->streams > zoned_streams_most(vol))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "the device keeps %u zones open: with %d logs that is too few for %u streams",
				 (unsigned)f2fs_device_open_zones(vol->dev), F2FS_LOG_COUNT,
				 (unsigned)p->streams);
	if (!is_limited && sections < 4 * (p->streams + F2FS_LOG_COUNT))
		return error_set(vol->ctx, F2FS_ERR_NOSPC, "%u streams need %u free sections, the volume has %u",
				 (unsigned)p->streams, (unsigned)(4 * (p->streams + F2FS_LOG_COUNT)),
				 (unsigned)sections);
	return 0;
}

int streams_set(struct f2fs_volume *vol, const struct f2fs_placement *placement, bool is_limited)
{
	struct streams *all = NULL;
	int err;

	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	if (placement) {
		err = check(vol, placement, is_limited);
		if (err)
			return err;
		all = mem_zalloc(vol->ctx, sizeof(*all));
		if (!all)
			return F2FS_ERR_NOMEM;
		all->placement = *placement;
		all->most = placement->streams;
		if (all->most > zoned_streams_most(vol))
			all->most = zoned_streams_most(vol);
		all->owns_sections = geometry_has(&vol->geo, F2FS_FEAT_BLKZONED);
		all->placement.streams = is_limited ? 0 : placement->streams;
	}
	end_streams(vol);
	vol->streams = all;
	vol->ops.end_streams = end_streams;
	return 0;
}

void streams_limit(struct f2fs_volume *vol, unsigned streams)
{
	struct streams *all = vol->streams;
	const unsigned now = streams < all->most ? streams : all->most, before = all->placement.streams;

	all->placement.streams = now;
	if (all->owns_sections) {
		streams_settle(vol);
		return;
	}
	for (unsigned i = now < before ? now : before; i < (now < before ? before : now); i++)
		all->list[i].has_segment = all->list[i].has_segment && all->list[i].filler.is_open;
}

void streams_settle(struct f2fs_volume *vol)
{
	struct streams *all = vol->streams;

	for (unsigned i = all && all->owns_sections ? all->placement.streams : F2FS_STREAMS; i < F2FS_STREAMS; i++)
		if (!all->list[i].filler.is_open)
			zoned_stream_leave(vol, &all->list[i]);
}

int f2fs_volume_set_placement(struct f2fs_volume *vol, const struct f2fs_placement *placement)
{
	struct f2fs_placement own;
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), placement);
	return err ? err : streams_set(vol, placement ? &own : NULL, false);
}

void f2fs_volume_streams(const struct f2fs_volume *vol, struct f2fs_stream_stat *out)
{
	static const struct f2fs_stream_stat none;

	sized_give(out, vol->streams ? &vol->streams->stat : &none, sizeof(none));
}
