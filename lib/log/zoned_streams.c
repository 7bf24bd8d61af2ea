/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams of zoned volumes (FORMAT volume 9.1). A stream fills whole free sections from start to end, as a log does. It
 * owns its section until it leaves it, also between transactions: nothing else takes a segment of it.
 *
 * No checkpoint names a stream's section. To a mount it is one that a log has left, so its zone should be full. Linux
 * and fsck.f2fs finish such zones. Hence a stream finishes its zone when it leaves it early: when the placement ends,
 * the volume is closed, or there are to be fewer streams. It continues only where the zone's write pointer is. After a
 * rollback the pointer is elsewhere, and the stream begins a new section.
 */
#include "base/error.h"
#include "log/free_sections.h"
#include "log/run.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/zoned_logs.h"
#include "log/zoned_streams.h"
#include "volume/counters.h"
#include "volume/zone_map.h"

static uint32_t section_at(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	return segno / vol->geo.segs_per_sec;
}

/* May data follow in the rest of the section, as the tables say? */
static int is_rest_unused(struct txn *txn, const struct stream *s, bool *is_unused)
{
	const uint32_t section = section_of(txn, s->segno);

	*is_unused = true;
	for (f2fs_seg_t i = s->segno; section_of(txn, i) == section && *is_unused; i++) {
		struct segment *segment;
		int err = segment_get(txn, i, &segment);

		if (err)
			return err;
		*is_unused = !segment->is_barred && !segment_is_current(txn, i) && !map32_find(&txn->adopted, i) &&
			     segment_is_unused_from(segment, i == s->segno ? s->at : 0) &&
			     (segment_is_free(segment) || segment->type == F2FS_WARM_DATA);
	}
	return 0;
}

/* Is the write pointer where the stream wants to continue? */
static int is_aligned(struct txn *txn, const struct stream *s, bool *aligned)
{
	const uint32_t section = section_of(txn, s->segno);
	const uint64_t next = (uint64_t)geometry_segment_start(&txn->vol->geo, s->segno) + s->at;
	struct f2fs_zone zone;
	int err;

	*aligned = true;
	if (!zones_is_sequential(txn->vol, section))
		return 0;
	err = zones_look(txn->vol, section, &zone);
	*aligned = !err && !zone.full && zone.write_pointer == next << txn->vol->geo.block_bits;
	return err;
}

int zoned_stream_go_on(struct txn *txn, struct stream *s, bool *can)
{
	const uint32_t section = section_of(txn, s->segno);
	int err;

	*can = false;
	if (section >= txn->vol->geo.section_count) /* the volume became smaller */
		return 0;
	if (s->is_checked) /* a host's cache may hold writes, so the write pointer says nothing */
		return is_rest_unused(txn, s, can);
	s->has_segment = false; /* it is no obstacle to itself */
	err = segment_section_is_free(txn, section, can);
	s->has_segment = true;
	if (err)
		return err;
	s->is_checked = true;
	if (*can) {
		s->segno = section * txn->vol->geo.segs_per_sec;
		s->at = 0;
		return section_enter(txn, s->segno);
	}
	err = is_rest_unused(txn, s, can);
	return err || !*can ? err : is_aligned(txn, s, can);
}

int zoned_stream_choose(struct txn *txn, uint32_t spare, f2fs_seg_t *segno, bool *found)
{
	const uint32_t section_blocks = txn->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
	/* while blocks that waited are written, any of them may go to the log */
	const uint32_t waiting = txn->is_flushing ? (uint32_t)(txn->waiting_blocks / section_blocks) + 1 : 0;
	int err = section_is_spare(txn, spare + waiting, found);

	if (!err && *found)
		err = section_choose(txn, F2FS_WARM_DATA, segno, found);
	return err || !*found ? err : section_enter(txn, *segno);
}

void zoned_stream_next(const struct f2fs_volume *vol, struct stream *s)
{
	s->segno++;
	s->at = 0;
	s->has_segment = s->segno % vol->geo.segs_per_sec != 0 && zones_usable(vol, s->segno) > 0;
}

unsigned zoned_streams_most(const struct f2fs_volume *vol)
{
	const uint32_t open = f2fs_device_open_zones(vol->dev);

	if (open == 0 || open >= F2FS_LOG_COUNT + F2FS_STREAMS)
		return F2FS_STREAMS;
	return open > F2FS_LOG_COUNT ? open - F2FS_LOG_COUNT : 0;
}

static int finish(struct f2fs_volume *vol, uint32_t section)
{
	struct f2fs_zone zone;
	/* a host's cache may still hold writes, and a full zone takes none */
	int err = volume_flush(vol);

	if (!err)
		err = zones_look(vol, section, &zone);
	if (err || zone.full || zone.write_pointer == zone.start)
		return err;
	return zones_finish(vol, section);
}

void zoned_stream_leave(struct f2fs_volume *vol, struct stream *s)
{
	const struct f2fs_error_detail before = vol->ctx->error;
	const uint32_t section = section_at(vol, s->segno);

	if (!s->has_segment)
		return;
	s->has_segment = false;
	if (section >= vol->geo.section_count || !zones_is_sequential(vol, section))
		return;
	if (finish(vol, section) != 0)
		log_message(vol->ctx, F2FS_LOG_WARNING, "a zone that a stream filled in part could not be finished");
	vol->ctx->error = before;
}
