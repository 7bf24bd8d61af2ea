/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The segment table of a transaction: loaded per SIT block when touched, so that cost follows what is used; and the
 * choice of the next segment of a log (FORMAT files 10.4, 11.2).
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/log.h"

#define DEFAULT_LOW_SECTIONS 5u /* percent, as the paper has it */

/* Load the segments of one SIT block, journal applied. */
static int load_chunk(struct txn *txn, uint32_t k)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t first = k * geo->sit_per_block, n = geo->sit_per_block;
	struct segment *chunk;
	int err = 0;

	if (n > geo->segment_count_main - first)
		n = geo->segment_count_main - first;
	chunk = mem_calloc(txn->vol->ctx, n, sizeof(*chunk));
	if (!chunk)
		return F2FS_ERR_NOMEM;
	for (uint32_t i = 0; i < n && !err; i++) {
		struct f2fs_sit_entry entry;

		err = sit_lookup(txn->vol, first + i, &entry);
		if (err)
			break;
		if (entry.type >= F2FS_LOG_COUNT)
			err = volume_corrupt(txn->vol, RULE_SIT_TYPE, entry.table_block, 0, "segment %u has type %u",
					     (unsigned)(first + i), entry.type);
		else if (bitmap_popcount(entry.valid_map, 64) != entry.valid_blocks)
			err = volume_corrupt(txn->vol, RULE_SIT_COUNT, entry.table_block, 0, "segment %u",
					     (unsigned)(first + i));
		chunk[i].mtime = entry.mtime;
		chunk[i].type = entry.type;
		chunk[i].valid = chunk[i].ckpt_valid = entry.valid_blocks;
		chunk[i].was_free = entry.valid_blocks == 0;
		chunk[i].is_barred = first + i >= txn->vol->barred.first && first + i < txn->vol->barred.end;
		memcpy(chunk[i].cur, entry.valid_map, 64);
		memcpy(chunk[i].ckpt, entry.valid_map, 64);
	}
	if (err) {
		mem_free(txn->vol->ctx, chunk);
		return err;
	}
	txn->chunks[k] = chunk;
	return 0;
}

int segment_get(struct txn *txn, f2fs_seg_t segno, struct segment **out)
{
	uint32_t k = segno / txn->vol->geo.sit_per_block;

	if (!txn->chunks[k]) {
		int err = load_chunk(txn, k);

		if (err)
			return err;
	}
	*out = &txn->chunks[k][segno % txn->vol->geo.sit_per_block];
	return 0;
}

int segment_load_all(struct txn *txn)
{
	for (uint32_t k = 0; k < txn->vol->geo.sit_blocks_used && !txn->all_loaded; k++) {
		int err = txn->chunks[k] ? 0 : load_chunk(txn, k);

		if (err)
			return err;
	}
	txn->all_loaded = true;
	return 0;
}

void segment_hold_all(struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;

	if (txn->chain.holds)
		return;
	txn->chain.holds = true;
	for (f2fs_seg_t i = 0; i < geo->segment_count_main; i++) {
		struct segment *s;

		if (!txn->chunks[i / geo->sit_per_block]) {
			i += geo->sit_per_block - 1;
			continue;
		}
		s = &txn->chunks[i / geo->sit_per_block][i % geo->sit_per_block];
		for (unsigned b = 0; s->is_dirty && b < sizeof(s->ckpt); b++)
			s->ckpt[b] |= s->cur[b];
		s->ckpt_valid = s->is_dirty ? (uint16_t)bitmap_popcount(s->ckpt, sizeof(s->ckpt)) : s->ckpt_valid;
	}
}

/* The mean of the times at which blocks changed, as the kernel rounds it; never in the future. */
static void age_segment(const struct txn *txn, struct segment *s, uint64_t mtime)
{
	const uint64_t old = s->mtime < txn->now ? s->mtime : txn->now;

	s->mtime = old ? (old * s->valid + mtime) / (s->valid + 1u) : mtime;
}

void txn_tick(struct txn *txn)
{
	txn->now = volume_clock(txn->vol);
}

void segment_give_back(struct txn *txn, f2fs_seg_t segno, struct segment *s)
{
	if (!s->is_taken || !segment_is_free(s) || s->is_barred || segment_is_current(txn, segno))
		return;
	s->is_taken = false;
	txn->free_segments++;
}

int segment_mark(struct txn *txn, f2fs_blk_t addr, bool valid)
{
	f2fs_seg_t segno = geometry_segment_of(&txn->vol->geo, addr);
	uint32_t offset = (addr - txn->vol->geo.main_blkaddr) % F2FS_SEGMENT_BLOCKS;
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (err)
		return err;
	if (msb_test(s->cur, offset) == valid)
		return volume_corrupt(txn->vol, RULE_SIT_COUNT, addr, 0, "the block is %s already",
				      valid ? "valid" : "free");
	if (valid && txn->chain.holds && !msb_test(s->ckpt, offset)) {
		msb_set(s->ckpt, offset);
		s->ckpt_valid++;
	}
	age_segment(txn, s, valid && txn->moved_mtime ? txn->moved_mtime : txn->now);
	if (valid) {
		msb_set(s->cur, offset);
		s->valid++;
	} else {
		msb_clear(s->cur, offset);
		s->valid--;
		txn->freed += msb_test(s->ckpt, offset);
		txn->vol->freed_ever++;
		segment_give_back(txn, segno, s);
	}
	s->is_dirty = true;
	txn->vol->generation++; /* a call that fails behind this one has failed half-way */
	return 0;
}

bool segment_is_current(const struct txn *txn, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (txn->heads[i].sums && txn->heads[i].segno == segno)
			return true;
	return false;
}

static int is_usable(struct txn *txn, f2fs_seg_t segno, bool *usable)
{
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (!err)
		*usable = segment_is_free(s) && !s->is_barred && !segment_is_current(txn, segno) &&
			  !stream_is_in(txn->vol, segno);
	return err;
}

static int set_bars(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end, bool is_barred)
{
	for (f2fs_seg_t i = first; i < end; i++) {
		struct segment *s;
		int err = segment_get(txn, i, &s);

		if (err)
			return err;
		if (s->is_barred == is_barred)
			continue;
		s->is_barred = is_barred;
		if (!segment_is_free(s) || segment_is_current(txn, i))
			continue;
		s->is_taken = s->is_taken && is_barred;
		if (!is_barred)
			txn->free_segments++;
		else if (txn->free_segments > 0)
			txn->free_segments--;
	}
	return 0;
}

int segments_bar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end)
{
	return set_bars(txn, first, end, true);
}

int segments_unbar(struct txn *txn, f2fs_seg_t first, f2fs_seg_t end)
{
	return set_bars(txn, first, end, false);
}

int segment_section_is_free(struct txn *txn, uint32_t section, bool *is_free)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;

	*is_free = true;
	for (uint32_t i = 0; i < sps && *is_free; i++) {
		int err = is_usable(txn, section * sps + i, is_free);

		if (err)
			return err;
	}
	return 0;
}

/* The next free segment of the section that a log is in. */
static int choose_in_section(struct txn *txn, f2fs_seg_t current, f2fs_seg_t *segno, bool *found)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t section = current / geo->segs_per_sec;
	int err = 0;

	*found = false;
	for (f2fs_seg_t s = current + 1; s / geo->segs_per_sec == section && s < geo->segment_count_main && !err; s++) {
		err = is_usable(txn, s, found);
		if (!err && *found) {
			*segno = s;
			return 0;
		}
	}
	return err;
}

/* Is another log in a zone? */
static bool is_zone_in_use(const struct txn *txn, unsigned type, uint32_t zone)
{
	const uint32_t segments = txn->vol->geo.segs_per_sec * txn->vol->geo.secs_per_zone;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (i != type && head_of(txn, i) == i && txn->heads[i].sums && txn->heads[i].segno / segments == zone)
			return true;
	return false;
}

/*
 * The first segment of the next free section. Where zones have several sections, one in a zone without another log, so
 * that logs do not share zones; any when there is none.
 */
int section_choose(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t section = txn->free_cursor / geo->segs_per_sec;
	bool is_free = false;

	*found = false;
	for (uint32_t i = 0; i < geo->section_count; i++, section++) {
		int err;

		if (section >= geo->section_count)
			section = 0;
		err = segment_section_is_free(txn, section, &is_free);
		if (err)
			return err;
		if (!is_free || (*found && is_zone_in_use(txn, type, section / geo->secs_per_zone)))
			continue;
		*segno = section * geo->segs_per_sec;
		*found = true;
		if (geo->secs_per_zone == 1 || !is_zone_in_use(txn, type, section / geo->secs_per_zone))
			break;
	}
	if (*found)
		txn->free_cursor = *segno;
	return 0;
}

/* Append: in the section, else in a new one. */
static int choose_free(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, bool *found)
{
	int err = choose_in_section(txn, current, segno, found);

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

/* Below how many free sections holes are filled instead: a share of all, or what the kernel without pending writes
 * says.
 */
static uint32_t low_sections(const struct txn *txn)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const unsigned percent = txn->vol->write.low_sections ? txn->vol->write.low_sections : DEFAULT_LOW_SECTIONS;
	const uint32_t exact = (uint32_t)((uint64_t)geo->section_count * txn->vol->write.low_sections / 100);
	const uint32_t reserved = 2 * cp_rsvd_segment_count(txn->vol->cp) / geo->segs_per_sec,
		       share = (uint32_t)((uint64_t)geo->section_count * percent / 100);

	return txn->vol->write.low_is_exact ? exact : share > reserved ? share : reserved;
}

int segment_needs_holes(struct txn *txn, bool *needed)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	const uint32_t low = low_sections(txn);
	uint32_t free_sections = 0;
	int err = 0;

	*needed = false;
	if (geo->segment_count_ssa == 0 || txn_is_zoned(txn) || txn->vol->write.logging == F2FS_LOGGING_NORMAL)
		return 0; /* without summaries there is no way to go on in a segment */
	*needed = txn->vol->write.logging == F2FS_LOGGING_THREADED;
	if (*needed)
		return 0;
	if (geo->segs_per_sec == 1 || txn->free_segments / geo->segs_per_sec <= low) {
		*needed = txn->free_segments / geo->segs_per_sec <= low;
		return 0;
	}
	if (txn->free_segments / geo->segs_per_sec > 2 * low)
		return 0;
	/* free segments may lie in sections that are in use */
	for (uint32_t s = 0; s < geo->section_count && free_sections <= low && !err; s++) {
		bool is_free;

		err = segment_section_is_free(txn, s, &is_free);
		free_sections += !err && is_free;
	}
	*needed = free_sections <= low;
	return err;
}

/* Segments that blocks need behind the one that their log is in; behind the next one when that is full. */
static uint32_t segments_beyond(const struct txn *txn, unsigned type, size_t blocks)
{
	uint32_t room = F2FS_SEGMENT_BLOCKS - txn->heads[type].blkoff;

	if (room == 0)
		room = F2FS_SEGMENT_BLOCKS;
	return blocks < room ? 0 : (uint32_t)((blocks - room) / F2FS_SEGMENT_BLOCKS) + 1;
}

uint32_t segment_commit_sections(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	const size_t blocks = txn->page_count + txn->dirty_count;

	if (geometry_has(&txn->vol->geo, F2FS_FEATURE_RO))
		return (segments_beyond(txn, F2FS_HOT_NODE, txn->dirty_count) +
			segments_beyond(txn, F2FS_HOT_DATA, txn->page_count) + sps - 1) /
		       sps;
	/* each log may need a section to end in */
	return (uint32_t)((blocks / F2FS_SEGMENT_BLOCKS + sps) / sps) + F2FS_LOG_COUNT;
}

uint32_t segment_kept_sections(const struct txn *txn)
{
	const uint32_t sps = txn->vol->geo.segs_per_sec, kept = segment_commit_sections(txn);

	/* cleaning has no holes to fill either: it needs what is reserved for it */
	if (txn->vol->write.logging == F2FS_LOGGING_NORMAL && kept < cp_rsvd_segment_count(txn->vol->cp) / sps)
		return cp_rsvd_segment_count(txn->vol->cp) / sps;
	return kept;
}

/*
 * Must the free sections that are left be kept from data? The commit needs room for the nodes that changed and for the
 * blocks that wait, or nothing of what was written can become true.
 */
static bool is_for_commit(const struct txn *txn, unsigned type)
{
	if (type >= F2FS_HOT_NODE || txn->is_committing || txn->is_cleaning)
		return false;
	return txn->free_segments / txn->vol->geo.segs_per_sec <= segment_kept_sections(txn);
}

/* With normal logging holes are for what has to be written lest all be lost. */
static bool may_fill_holes(const struct txn *txn)
{
	return txn->vol->write.logging != F2FS_LOGGING_NORMAL || txn->is_committing || txn->is_cleaning;
}

int segment_choose(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, uint8_t *alloc_type)
{
	const bool appends = txn->heads[type].alloc_type == 0;
	bool found = false, holes;
	int err;

	*alloc_type = 0;
	if (txn_is_zoned(txn))
		return section_choose_next(txn, type, current, segno);
	err = segment_needs_holes(txn, &holes);
	if (err)
		return err;
	/* in the log of the fsync chain not when a checksum does not tell old nodes from new ones (FORMAT files 10.4)
	 */
	holes = holes && (type != F2FS_WARM_NODE || (cp_ckpt_flags(txn->vol->cp) & FLAG_ckpt_flags_crc));
	*alloc_type = 1;
	/* a log that appends goes on to the end of its section */
	if (holes && appends) {
		err = choose_in_section(txn, current, segno, &found);
		*alloc_type = !found;
	}
	if (!err && holes && !found)
		err = segment_choose_holes(txn, type, segno, &found);
	if (err || (found && *alloc_type == 1))
		return err;
	*alloc_type = 0;
	if (!found && !is_for_commit(txn, type))
		err = choose_free(txn, type, current, segno, &found);
	if (err)
		return err;
	if (found) {
		if (txn->free_segments > 0)
			txn->free_segments--;
		return 0;
	}
	*alloc_type = 1;
	if (txn->vol->geo.segment_count_ssa > 0 && may_fill_holes(txn))
		err = segment_choose_holes(txn, type, segno, &found);
	if (err || found)
		return err;
	error_set(txn->vol->ctx, F2FS_ERR_NOSPC,
		  "no free segment and no segment with holes for %s; blocks freed since the last commit can be used "
		  "after the next one",
		  f2fs_log_type_name(type));
	return space_explain(txn);
}
