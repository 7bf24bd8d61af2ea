/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The choice of the next segment of a log (FORMAT files 10.4, 11.2): a free one of its section, one with holes when
 * free sections run low, or a new section.
 */
#include "base/error.h"
#include "log/free_sections.h"
#include "log/holes.h"
#include "log/run.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "log/zoned_logs.h"

#define DEFAULT_LOW_SECTIONS 5u /* percent, as the paper has it */

/* Append: in the section, else in a new one. */
static int choose_free(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, bool *found)
{
	int err = section_go_on(txn, current, segno, found);

	return err || *found ? err : section_choose(txn, type, segno, found);
}

static bool may_fill(const struct txn *txn, f2fs_seg_t segno)
{
	const struct segment *s = segment_loaded(txn, segno);

	return !segment_is_free(s) && !s->is_barred && !segment_is_current(txn, segno) &&
	       !stream_is_in(txn->vol, segno);
}

int segment_choose_holes(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found)
{
	int err = segment_load_all(txn);

	*found = false;
	return err ? err : holes_choose(txn, type, may_fill, segno, found);
}

/* Return the number of free sections below which holes are filled: a share of all, or the kernel's threshold without
 * pending writes. */
static uint32_t low_sections(const struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const unsigned percent = txn->vol->write.low_sections ? txn->vol->write.low_sections : DEFAULT_LOW_SECTIONS;
	const uint32_t exact = (uint32_t)((uint64_t)geo->section_count * txn->vol->write.low_sections / 100);
	const uint32_t reserved = 2 * cp_rsvd_segment_count(txn->vol->view->cp) / geo->segs_per_sec,
		       share = (uint32_t)((uint64_t)geo->section_count * percent / 100);

	return txn->vol->write.low_is_exact ? exact : share > reserved ? share : reserved;
}

int segment_needs_holes(struct txn *txn, bool *needed)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t low = low_sections(txn);
	uint32_t free_sections;
	int err;

	*needed = false;
	if (txn->lacks_ssa || txn_is_zoned(txn) || txn->vol->write.logging == F2FS_LOGGING_NORMAL)
		return 0; /* without summaries no log can continue in a segment */
	*needed = txn->vol->write.logging == F2FS_LOGGING_THREADED;
	if (*needed)
		return 0;
	if (geo->segs_per_sec == 1 || txn->free_segments / geo->segs_per_sec <= low) {
		*needed = txn->free_segments / geo->segs_per_sec <= low;
		return 0;
	}
	if (txn->free_segments / geo->segs_per_sec > 2 * low)
		return 0;
	/* free segments may be in sections that are in use */
	err = sections_count_free(txn, low, &free_sections);
	*needed = free_sections <= low;
	return err;
}

/*
 * Must the remaining free sections be kept from data? The commit needs room for changed nodes and for waiting blocks,
 * or it cannot make any change permanent.
 */
static bool is_for_commit(const struct txn *txn, unsigned type)
{
	if (type >= F2FS_HOT_NODE || txn->is_committing || txn->is_cleaning)
		return false;
	return txn->free_segments / txn->vol->geo.segs_per_sec <= segment_kept_sections(txn);
}

/* With normal logging holes are only for blocks without which all changes would be lost. */
static bool may_fill_holes(const struct txn *txn)
{
	return txn->vol->write.logging != F2FS_LOGGING_NORMAL || txn->is_committing || txn->is_cleaning;
}

int segment_choose(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, uint8_t *alloc_type)
{
	const bool appends = txn->heads[type].alloc_type == ALLOC_APPEND;
	bool found = false, holes;
	int err;

	*alloc_type = ALLOC_APPEND;
	if (txn_is_zoned(txn))
		return section_choose_next(txn, type, current, segno);
	err = segment_needs_holes(txn, &holes);
	if (err)
		return err;
	/* in the log of the fsync chain not when a checksum cannot distinguish old nodes from new ones (FORMAT files
	 * 10.4) */
	holes = holes && (type != F2FS_WARM_NODE || (cp_ckpt_flags(txn->vol->view->cp) & FLAG_ckpt_flags_crc));
	*alloc_type = ALLOC_HOLES;
	/* a log that appends continues to the end of its section */
	if (holes && appends) {
		err = section_go_on(txn, current, segno, &found);
		*alloc_type = found ? ALLOC_APPEND : ALLOC_HOLES;
	}
	if (!err && holes && !found)
		err = segment_choose_holes(txn, type, segno, &found);
	if (err || (found && *alloc_type == ALLOC_HOLES))
		return err;
	*alloc_type = ALLOC_APPEND;
	if (!found && !is_for_commit(txn, type))
		err = choose_free(txn, type, current, segno, &found);
	if (err)
		return err;
	if (found)
		return 0;
	*alloc_type = ALLOC_HOLES;
	if (!txn->lacks_ssa && may_fill_holes(txn))
		err = segment_choose_holes(txn, type, segno, &found);
	if (err || found)
		return err;
	error_set(txn->vol->ctx, F2FS_ERR_NOSPC,
		  "no free segment and no segment with holes for %s; blocks freed since the last commit can be used "
		  "after the next one",
		  f2fs_log_type_name(type));
	return space_explain(txn);
}
