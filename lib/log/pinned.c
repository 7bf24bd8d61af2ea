/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections for pinned files: whole free ones that are filled beside the logs, so that the blocks of such a file follow
 * each other from the start of a section on (FORMAT files 10.2). A section is never shared between two calls. Blocks
 * are zeroed as they are taken: nobody wrote them yet.
 */
#include <string.h>

#include "device/device.h"
#include "log/log.h"

static uint32_t section_blocks(const struct txn *txn)
{
	return txn->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

/* Where to begin: the first run of free sections that is long enough, else the longest; *count: free ones that were
 * seen, all unless there are more than enough. */
static int find_start(struct txn *txn, uint32_t needed, uint32_t enough, uint32_t *start, uint32_t *count)
{
	const uint32_t sections = txn->vol->geo.section_count;
	uint32_t section = txn->free_cursor / txn->vol->geo.segs_per_sec, run = 0, best = 0;

	*count = 0;
	for (uint32_t i = 0; i < sections && (*count < enough || best < needed); i++, section++) {
		bool is_free;
		int err;

		if (section >= sections)
			section = run = 0;
		err = segment_section_is_free(txn, section, &is_free);
		if (err)
			return err;
		run = is_free ? run + 1 : 0;
		*count += is_free;
		if (run > best && best < needed) {
			best = run;
			*start = section + 1 - run;
		}
	}
	return 0;
}

int pinned_begin(struct txn *txn, uint64_t blocks, struct pinned *out)
{
	const uint64_t per = section_blocks(txn), needed = (blocks + per - 1) / per;
	const uint64_t nodes = blocks / txn->vol->geo.nids_per_block / F2FS_SEGMENT_BLOCKS;
	const uint64_t enough = needed + nodes + segment_commit_sections(txn) + 1;
	uint32_t count = 0, start = 0;
	int err = 0;

	if (needed == 0)
		return 0;
	if (txn_is_zoned(txn))
		return error_set(txn->vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "blocks of a zoned volume are not written in place, so none can be pinned");
	if (enough <= txn->vol->geo.section_count)
		err = find_start(txn, (uint32_t)needed, (uint32_t)enough, &start, &count);
	if (err)
		return err;
	if (count < enough)
		return error_set(
			txn->vol->ctx, F2FS_ERR_NOSPC,
			"a pinned file needs %llu free sections, and the commit %llu: there are %u; sections freed "
			"since the last commit can be used after the next one",
			(unsigned long long)needed, (unsigned long long)(enough - needed), (unsigned)count);
	out->txn = txn;
	out->section = start;
	out->used = section_blocks(txn); /* of none yet */
	out->sums = mem_zalloc(txn->vol->ctx, SUMMARY_BYTES);
	return out->sums ? 0 : F2FS_ERR_NOMEM;
}

static f2fs_seg_t segment_of(const struct pinned *p)
{
	return p->section * p->txn->vol->geo.segs_per_sec + p->used / F2FS_SEGMENT_BLOCKS;
}

/* The next free section behind the last one. */
static int next_section(struct pinned *p)
{
	const uint32_t sections = p->txn->vol->geo.section_count;
	bool is_free = false;

	for (uint32_t i = 0; i < sections; i++, p->section = (p->section + 1) % sections) {
		int err = segment_section_is_free(p->txn, p->section, &is_free);

		if (err)
			return err;
		if (is_free)
			break;
	}
	if (!is_free)
		return error_set(p->txn->vol->ctx, F2FS_ERR_NOSPC, "no section is free for a pinned file");
	p->used = 0;
	return 0;
}

/* A segment of the section is begun. */
static int open_segment(struct pinned *p)
{
	struct txn *txn = p->txn;
	struct segment *s;
	int err = segment_get(txn, segment_of(p), &s);

	if (err)
		return err;
	s->type = F2FS_COLD_DATA;
	s->is_dirty = true;
	if (txn->free_segments > 0)
		txn->free_segments--;
	memset(p->sums, 0, SUMMARY_BYTES);
	return 0;
}

int pinned_take(struct pinned *p, f2fs_nid_t nid, uint8_t version, uint32_t ofs, uint32_t want, f2fs_blk_t *addr,
		uint32_t *got)
{
	struct txn *txn = p->txn;
	const uint32_t bits = txn->vol->geo.block_bits;
	uint32_t at, n;
	int err = p->used == section_blocks(txn) ? next_section(p) : 0;

	at = p->used % F2FS_SEGMENT_BLOCKS;
	n = F2FS_SEGMENT_BLOCKS - at < want ? F2FS_SEGMENT_BLOCKS - at : want;
	if (!err && at == 0)
		err = open_segment(p);
	if (err)
		return err;
	*addr = geometry_segment_start(&txn->vol->geo, segment_of(p)) + at;
	for (uint32_t i = 0; i < n && !err; i++) {
		uint8_t *sum = p->sums + (size_t)(at + i) * sum_SIZE;

		sum_set_nid(sum, nid);
		sum_set_version(sum, version);
		sum_set_ofs_in_node(sum, (uint16_t)(ofs + i));
		err = segment_mark(txn, *addr + i, true);
	}
	/* what was freed may still be on its way there */
	if (!err)
		err = behind_settle(txn, *addr, n);
	if (!err)
		err = device_zero(txn->vol->cache, (uint64_t)*addr << bits, (uint64_t)n << bits);
	if (!err && at + n == F2FS_SEGMENT_BLOCKS)
		err = summary_write(txn, segment_of(p), p->sums, false);
	p->used += n;
	*got = n;
	return err;
}

int pinned_end(struct pinned *p)
{
	int err = 0;

	if (p->sums && p->used % F2FS_SEGMENT_BLOCKS != 0)
		err = summary_write(p->txn, segment_of(p), p->sums, false);
	if (p->txn)
		mem_free(p->txn->vol->ctx, p->sums);
	p->sums = NULL;
	return err;
}
