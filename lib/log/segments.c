/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The segment table of a transaction: loaded per SIT block when touched, so that cost follows what is used; and the
 * choice of the next segment of a log (FORMAT files 10.4, 11.2).
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/log.h"

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

		err = f2fs_sit_lookup(txn->vol, first + i, &entry);
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

int segment_mark(struct txn *txn, f2fs_blk_t addr, bool valid)
{
	f2fs_seg_t segno = geometry_segment_of(&txn->vol->geo, addr);
	uint32_t offset = (addr - txn->vol->geo.main_blkaddr) % F2FS_SEGMENT_BLOCKS;
	uint64_t now = cp_elapsed_time(txn->vol->cp);
	struct segment *s;
	int err = segment_get(txn, segno, &s);

	if (err)
		return err;
	if (msb_test(s->cur, offset) == valid)
		return volume_corrupt(txn->vol, RULE_SIT_COUNT, addr, 0, "the block is %s already",
				      valid ? "valid" : "free");
	s->mtime = s->valid ? (s->mtime * s->valid + now) / (s->valid + 1u) : now;
	if (valid) {
		msb_set(s->cur, offset);
		s->valid++;
	} else {
		msb_clear(s->cur, offset);
		s->valid--;
	}
	s->is_dirty = true;
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
		*usable = segment_is_free(s) && !segment_is_current(txn, segno);
	return err;
}

/* Is every segment of a section free? */
static int is_section_free(struct txn *txn, uint32_t section, bool *is_free)
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

/* Append: the next free segment of the section, else the first segment of the next free section. */
static int choose_free(struct txn *txn, f2fs_seg_t current, f2fs_seg_t *segno, bool *found)
{
	const struct f2fs_geometry *geo = &txn->vol->geo;
	uint32_t section = current / geo->segs_per_sec;
	int err;

	*found = false;
	for (f2fs_seg_t s = current + 1; s / geo->segs_per_sec == section && s < geo->segment_count_main; s++) {
		err = is_usable(txn, s, found);
		if (err || *found) {
			*segno = s;
			return err;
		}
	}
	section = txn->free_cursor / geo->segs_per_sec;
	for (uint32_t i = 0; i < geo->section_count; i++, section++) {
		if (section >= geo->section_count)
			section = 0;
		err = is_section_free(txn, section, found);
		if (err)
			return err;
		if (*found) {
			*segno = section * geo->segs_per_sec;
			txn->free_cursor = *segno;
			return 0;
		}
	}
	return 0;
}

/* Does a block of this kind of log lie in a segment of that type? Data and nodes do not mix. */
static bool same_class(unsigned a, unsigned b)
{
	return (a >= F2FS_HOT_NODE) == (b >= F2FS_HOT_NODE);
}

/* Fill holes: the segment of the same type with the fewest blocks valid in the last checkpoint, else of the same class.
 */
static int choose_holes(struct txn *txn, unsigned type, f2fs_seg_t *segno, bool *found)
{
	uint32_t best = F2FS_SEGMENT_BLOCKS;
	bool best_same = false;
	int err = segment_load_all(txn);

	*found = false;
	for (f2fs_seg_t i = 0; i < txn->vol->geo.segment_count_main && !err; i++) {
		struct segment *s;
		bool same;
		uint32_t cost = 0;

		err = segment_get(txn, i, &s);
		if (err)
			break;
		if ((s->valid == 0 && s->ckpt_valid == 0) || !same_class(s->type, type) || segment_is_current(txn, i))
			continue;
		for (unsigned b = 0; b < 64; b++) {
			uint8_t both = s->cur[b] | s->ckpt[b];

			cost += bitmap_popcount(&both, 1);
		}
		same = s->type == type;
		if (cost == F2FS_SEGMENT_BLOCKS || (best_same && !same))
			continue;
		if ((same && !best_same) || cost < best) {
			best = cost;
			best_same = same;
			*segno = i;
			*found = true;
		}
	}
	return err;
}

/* Do free sections run low, so that holes are filled instead? Twice the reserve, as the kernel without pending writes.
 */
static bool needs_holes(const struct txn *txn)
{
	return txn->free_segments <= 2 * cp_rsvd_segment_count(txn->vol->cp) && txn->vol->geo.segment_count_ssa > 0;
}

int segment_choose(struct txn *txn, unsigned type, f2fs_seg_t current, f2fs_seg_t *segno, uint8_t *alloc_type)
{
	bool found = false;
	int err = 0;

	*alloc_type = 1;
	if (needs_holes(txn))
		err = choose_holes(txn, type, segno, &found);
	if (err || found)
		return err;
	*alloc_type = 0;
	err = choose_free(txn, current, segno, &found);
	if (err)
		return err;
	if (found) {
		if (txn->free_segments > 0)
			txn->free_segments--;
		return 0;
	}
	*alloc_type = 1;
	if (txn->vol->geo.segment_count_ssa > 0)
		err = choose_holes(txn, type, segno, &found);
	if (err || found)
		return err;
	return error_set(txn->vol->ctx, F2FS_ERR_NOSPC, "no free segment and no segment with holes for %s",
			 f2fs_log_type_name(type));
}
