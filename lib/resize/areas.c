/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a whole set of areas in another place. Their contents are those of the volume's own areas. Block addresses are
 * absolute, so neither nodes nor data change. Segment numbers count from the start of the main area, so SIT, SSA and
 * logs are renumbered. Journals are emptied into the tables, and the first copy of each table block is the valid one.
 * Tables are written sparsely: blocks without an entry are holes, or zeros.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/checked.h"
#include "device/device.h"
#include "device/zeros.h"
#include "log/holes.h"
#include "log/pack.h"
#include "resize/areas.h"
#include "resize/run.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

#define RUN_BYTES (1u << 20)

struct areas {
	struct f2fs_volume *vol;
	const struct areas_target *to;
	const struct f2fs_geometry *geo; /* of to */
	int64_t shift;			 /* new segment number less old one */
	uint8_t *used;			 /* old segments that hold something, MSB-first */
	uint8_t *block;			 /* one */
	uint8_t *nat_maps;		 /* full, empty; NULL: none are made */
	uint64_t *written;
	/* blocks that follow each other */
	uint8_t *run;
	f2fs_blk_t run_addr;
	uint32_t run_count;
};

static int flush_run(struct areas *a)
{
	const uint32_t bits = a->geo->block_bits;
	const size_t length = (size_t)a->run_count << bits;
	int err = length ? device_write(a->vol->dev, (uint64_t)a->run_addr << bits, a->run, length) : 0;

	*a->written += length;
	a->run_count = 0;
	return err;
}

static int put(struct areas *a, f2fs_blk_t addr, const uint8_t *block)
{
	const uint32_t bits = a->geo->block_bits;

	if (a->run_count > 0 && (addr != a->run_addr + a->run_count || a->run_count == RUN_BYTES >> bits)) {
		int err = flush_run(a);

		if (err)
			return err;
	}
	if (a->run_count == 0)
		a->run_addr = addr;
	memcpy(a->run + ((size_t)a->run_count++ << bits), block, a->geo->block_size);
	return 0;
}

static int zero_blocks(struct areas *a, f2fs_blk_t addr, uint32_t count)
{
	const uint32_t bits = a->geo->block_bits;

	return zero_range(a->vol->dev, (uint64_t)addr << bits, (uint64_t)count << bits);
}

/*
 * Find the old segments that become the n new ones from first on. The first *skip new ones have no old one, because
 * they are before the old main area.
 */
static uint32_t old_segments(const struct areas *a, f2fs_seg_t first, uint32_t n, f2fs_seg_t *old, uint32_t *skip)
{
	const int64_t from = (int64_t)first - a->shift, end = from + n, main_end = a->vol->geo.segment_count_main;
	const int64_t begin = from < 0 ? 0 : from, stop = end < main_end ? end : main_end;

	*skip = (uint32_t)(begin - from);
	*old = (f2fs_seg_t)begin;
	return stop > begin ? (uint32_t)(stop - begin) : 0;
}

static void note_used(struct areas *a, f2fs_seg_t old, uint32_t n, const uint8_t *entries)
{
	for (uint32_t i = 0; i < n; i++)
		if (sit_vblocks(entries + (size_t)i * sit_SIZE) & 0x3ff)
			msb_set(a->used, old + i);
}

static int write_sit(struct areas *a)
{
	const uint32_t per = a->geo->sit_per_block;
	int err = zero_blocks(a, a->geo->sit_blkaddr, a->geo->sit_blocks);

	for (uint32_t k = 0; k < a->geo->sit_blocks_used && !err; k++) {
		uint32_t left = a->geo->segment_count_main - k * per, n, skip;
		f2fs_seg_t old;

		n = old_segments(a, k * per, left < per ? left : per, &old, &skip);
		if (n == 0 && k * per >= a->shift + (int64_t)a->vol->geo.segment_count_main)
			break;
		if (n == 0)
			continue;
		memset(a->block, 0, a->geo->block_size);
		err = f2fs_sit_read(a->vol, old, n, a->block + (size_t)skip * sit_SIZE);
		if (err || is_zero(a->block, a->geo->block_size))
			continue;
		note_used(a, old, n, a->block + (size_t)skip * sit_SIZE);
		err = put(a, geometry_sit_block(a->geo, k, 0), a->block);
	}
	return err ? err : flush_run(a);
}

static bool journal_has_block(const struct f2fs_volume *vol, uint32_t k)
{
	for (unsigned i = 0; i < f2fs_nat_journal_count(vol); i++)
		if (natj_nid(f2fs_nat_journal_at(vol, i)) / vol->geo.nat_per_block == k)
			return true;
	return false;
}

/* The maps list the NAT blocks without a free entry and those without a used one. Node id 0 counts as used (FORMAT
 * volume 4.8). */
static void map_nat_block(struct areas *a, uint32_t k)
{
	uint8_t *full = a->nat_maps, *empty = full ? full + a->geo->nat_blocks / 8 : NULL;
	uint32_t used = k == 0;

	if (!full)
		return;
	for (uint32_t i = k == 0; i < a->geo->nat_per_block; i++)
		used += nat_block_addr(a->block + (size_t)i * nat_SIZE) != 0;
	if (used)
		lsb_clear(empty, k);
	if (used == a->geo->nat_per_block)
		lsb_set(full, k);
}

static int write_nat(struct areas *a)
{
	const uint32_t per = a->geo->nat_per_block, segments = a->geo->segment_count_nat / 2;
	uint32_t holes_end = 0, looked_at = UINT32_MAX;
	int err = 0;

	for (uint32_t i = 0; i < segments && !err; i++)
		err = zero_blocks(a, a->geo->nat_blkaddr + i * 2 * F2FS_SEGMENT_BLOCKS, F2FS_SEGMENT_BLOCKS);
	/* where the NAT becomes smaller, the dropped part has no node id in use (resize_look()) */
	for (uint32_t k = 0; k < a->vol->geo.nat_blocks && k < a->geo->nat_blocks && !err; k++) {
		if (k >= holes_end && k / F2FS_SEGMENT_BLOCKS != looked_at) {
			const uint32_t n = nat_hole_blocks(a->vol, k);

			looked_at = n ? UINT32_MAX : k / F2FS_SEGMENT_BLOCKS;
			holes_end = k + n;
		}
		if (k < holes_end && !journal_has_block(a->vol, k))
			continue;
		err = f2fs_nat_read(a->vol, k * per, per, a->block);
		memset(a->block + (size_t)per * nat_SIZE, 0, a->geo->block_size - (size_t)per * nat_SIZE);
		if (err || is_zero(a->block, a->geo->block_size))
			continue;
		map_nat_block(a, k);
		err = put(a, geometry_nat_block(a->geo, k, 0), a->block);
	}
	return err ? err : flush_run(a);
}

/* Copy entries and footer. Summaries of another size have these at other places. The journal is not used here. */
static void copy_summary(const struct areas *a, uint8_t *to, const uint8_t *from)
{
	memcpy(to, from, SUMMARY_BYTES);
	memcpy(summary_footer_w(a->geo, to), summary_footer_of(&a->vol->geo, from), sumfoot_SIZE);
}

/* Summaries of segments that hold something; those of logs are in the pack. */
static int write_ssa_block(struct areas *a, uint32_t b)
{
	const uint32_t per = a->geo->sums_per_block;
	bool any = false;

	memset(a->block, 0, a->geo->block_size);
	for (uint32_t i = 0; i < per; i++) {
		const uint8_t *from;
		uint32_t offset, skip;
		f2fs_seg_t old;
		int err;

		if (!old_segments(a, b * per + i, 1, &old, &skip) || !msb_test(a->used, old))
			continue;
		err = volume_peek(a->vol, geometry_ssa_block(&a->vol->geo, old, &offset), &from);
		if (err)
			return err;
		copy_summary(a, a->block + (size_t)i * a->geo->sum_size, from + offset);
		any = true;
	}
	return any ? put(a, a->geo->ssa_blkaddr + b, a->block) : 0;
}

static int write_ssa(struct areas *a)
{
	/* of the segments that there are already */
	const int64_t first = a->shift > 0 ? a->shift : 0, end = a->shift + a->vol->geo.segment_count_main;
	const uint32_t from = (uint32_t)first / a->geo->sums_per_block;
	const uint32_t blocks = div_ceil32((uint32_t)end, a->geo->sums_per_block);
	int err = 0;

	for (uint32_t b = from; b < blocks && !err; b++)
		err = write_ssa_block(a, b);
	return err ? err : flush_run(a);
}

/* Count the main segments of the new layout that are empty and hold no log. */
static uint32_t count_free(const struct areas *a)
{
	uint32_t taken = bitmap_popcount(a->used, (a->vol->geo.segment_count_main + 7u) / 8);

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		taken += !msb_test(a->used, checkpoint_log_segno(a->vol->view->cp, i));
	return a->to->usable_segments - taken;
}

static void fill_checkpoint(const struct areas *a, uint8_t *cp)
{
	memcpy(cp, a->vol->view->cp, cp_SIZE);
	cp_set_user_block_count(cp, a->to->room.user_blocks);
	cp_set_rsvd_segment_count(cp, a->to->room.reserved);
	cp_set_overprov_segment_count(cp, a->to->room.overprovision);
	cp_set_free_segment_count(cp, count_free(a));
	cp_set_sit_ver_bitmap_bytesize(cp, a->to->sit_bitmap_bytes);
	cp_set_nat_ver_bitmap_bytesize(cp, a->to->nat_bitmap_bytes);
	cp_set_checksum_offset(cp, a->to->checksum_offset);
	if (cp_next_free_nid(cp) >= a->geo->max_nid)
		cp_set_next_free_nid(cp, 0); /* the search starts over, as at the end of the NAT */
}

/* Let the logs continue in place, by their new numbers. */
static int fill_logs(const struct areas *a, struct pack *pack, uint8_t *sums)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const f2fs_seg_t segno = checkpoint_log_segno(a->vol->view->cp, i);
		const uint8_t alloc_type = cp_alloc_type(a->vol->view->cp, i);
		uint8_t *mine = sums + (size_t)i * a->geo->sum_size, entry_type;
		int source, err = f2fs_ssa_read(a->vol, segno, mine, &entry_type, &source);

		if (err)
			return err;
		pack->logs[i] = (struct pack_log){ .segno = (f2fs_seg_t)((int64_t)segno + a->shift),
						   .blkoff = checkpoint_log_blkoff(a->vol->view->cp, i),
						   .alloc_type = alloc_type,
						   .sums = mine,
						   .sum_count = F2FS_SEGMENT_BLOCKS };
		pack->logs[i].entries = alloc_type == ALLOC_HOLES ? F2FS_SEGMENT_BLOCKS : pack->logs[i].blkoff;
	}
	return 0;
}

static int write_pack(struct areas *a, struct pack *pack, unsigned number, uint64_t version)
{
	const f2fs_blk_t start = a->geo->cp_blkaddr + (number - 1) * F2FS_SEGMENT_BLOCKS;
	int err;

	pack->version = version;
	err = pack_build(pack);
	if (!err)
		err = pack_write(pack, a->vol->dev, start);
	if (!err)
		err = pack_seal(pack, a->vol->dev, start);
	*a->written += (uint64_t)(pack->block_count + 2 + a->geo->cp_payload) << a->geo->block_bits;
	pack_free(pack);
	return err;
}

/* Write the same checkpoint to both packs, so that one of them can be lost. */
static int write_packs(struct areas *a)
{
	const uint32_t keep = FLAG_ckpt_flags_quota_need_fsck | FLAG_ckpt_flags_fsck;
	const uint64_t version = cp_checkpoint_ver(a->vol->view->cp);
	struct f2fs_context *ctx = a->vol->ctx;
	uint8_t *cp = mem_calloc(ctx, 1 + a->geo->cp_payload, a->geo->block_size);
	uint8_t *journal = mem_zalloc(ctx, a->geo->journal_size);
	uint8_t *sums = mem_calloc(ctx, F2FS_LOG_COUNT, a->geo->sum_size);
	struct pack pack = { .ctx = ctx, .geo = a->geo, .cp = cp, .nat_journal = journal, .sit_journal = journal };
	int err = cp && journal && sums ? 0 : F2FS_ERR_NOMEM;

	if (!err) {
		fill_checkpoint(a, cp);
		err = fill_logs(a, &pack, sums);
	}
	pack.flags = (cp_ckpt_flags(a->vol->view->cp) & keep) | FLAG_ckpt_flags_unmount | FLAG_ckpt_flags_crc |
		     (a->to->large_nat ? FLAG_ckpt_flags_large_nat_bitmap : 0);
	pack.nat_maps = a->nat_maps;
	if (!err)
		err = write_pack(a, &pack, 2, version);
	if (!err)
		err = write_pack(a, &pack, 1, version + 1);
	mem_free(ctx, cp);
	mem_free(ctx, journal);
	mem_free(ctx, sums);
	return err;
}

/* Maps of NAT blocks are made when the volume had them and there is room, counted as the kernel does, too. */
static bool wants_maps(const struct areas *a)
{
	const uint32_t by_kernel =
		div_ceil32(2 * (a->geo->segment_count_nat * (F2FS_SEGMENT_BLOCKS / 8)) + 8, a->geo->block_size);

	return (cp_ckpt_flags(a->vol->view->cp) & FLAG_ckpt_flags_nat_bits) && pack_holds_maps(a->geo, 0) &&
	       a->geo->cp_payload + 8 + by_kernel < F2FS_SEGMENT_BLOCKS;
}

static int prepare(struct areas *a)
{
	struct f2fs_context *ctx = a->vol->ctx;
	const uint32_t map_bytes = a->geo->nat_blocks / 8;

	a->used = mem_zalloc(ctx, (a->vol->geo.segment_count_main + 7u) / 8);
	a->block = mem_zalloc(ctx, a->geo->block_size);
	a->run = mem_alloc(ctx, RUN_BYTES);
	if (wants_maps(a)) {
		a->nat_maps = mem_zalloc(ctx, (size_t)map_bytes * 2);
		if (!a->nat_maps)
			return F2FS_ERR_NOMEM;
		memset(a->nat_maps + map_bytes, 0xFF, map_bytes);
		lsb_clear(a->nat_maps + map_bytes, 0);
	}
	return a->used && a->block && a->run ? 0 : F2FS_ERR_NOMEM;
}

int areas_write(struct f2fs_volume *vol, const struct areas_target *to, uint64_t *written)
{
	struct areas a = { .vol = vol, .to = to, .geo = &to->geo, .written = written };
	int err;

	a.shift = ((int64_t)vol->geo.main_blkaddr - (int64_t)to->geo.main_blkaddr) / F2FS_SEGMENT_BLOCKS;
	err = prepare(&a);
	if (!err)
		err = write_sit(&a);
	if (!err)
		err = write_nat(&a);
	if (!err)
		err = write_ssa(&a);
	if (!err)
		err = write_packs(&a);
	if (!err)
		err = device_flush(vol->dev);
	mem_free(vol->ctx, a.used);
	mem_free(vol->ctx, a.block);
	mem_free(vol->ctx, a.run);
	mem_free(vol->ctx, a.nat_maps);
	return err;
}
