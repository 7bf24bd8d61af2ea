/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections for pinned files: whole free ones that are filled beside the logs, so that the blocks of such a file follow
 * each other from the start of a section on (FORMAT files 10.2). A section is never shared between two calls. Blocks
 * are zeroed as they are taken, as nobody wrote them yet, unless GC moves them.
 */
#include "base/error.h"
#include "log/filler.h"
#include "log/free_sections.h"
#include "log/pinned.h"
#include "log/run.h"
#include "log/space.h"
#include "log/zoned_logs.h"

static uint32_t section_blocks(const struct txn *txn)
{
	return txn->vol->geo.segs_per_sec * F2FS_SEGMENT_BLOCKS;
}

/* Choose where to begin: the first run of free sections that is long enough, else the longest run. *count is the number
 * of free sections seen, which is all of them unless the search ended early. */
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
	if (count < enough) {
		error_set(txn->vol->ctx, F2FS_ERR_NOSPC,
			  "a pinned file needs %llu free sections, and the commit %llu: there are %u; sections freed "
			  "since the last commit can be used after the next one",
			  (unsigned long long)needed, (unsigned long long)(enough - needed), (unsigned)count);
		out->wanted = enough;
		return space_explain(txn);
	}
	out->section = start;
	out->used = section_blocks(txn); /* of none yet */
	return filler_begin(&out->filler, txn);
}

int pinned_begin_counted(struct txn *txn, struct pinned *out)
{
	out->section = txn->free_cursor / txn->vol->geo.segs_per_sec;
	out->used = section_blocks(txn);
	return filler_begin(&out->filler, txn);
}

static f2fs_seg_t segment_of(const struct pinned *p)
{
	return p->section * p->filler.txn->vol->geo.segs_per_sec + p->used / F2FS_SEGMENT_BLOCKS;
}

/* Return the next free section after the last one. */
static int next_section(struct pinned *p)
{
	const uint32_t sections = p->filler.txn->vol->geo.section_count;
	bool is_free = false;

	for (uint32_t i = 0; i < sections; i++, p->section = (p->section + 1) % sections) {
		int err = segment_section_is_free(p->filler.txn, p->section, &is_free);

		if (err)
			return err;
		if (is_free)
			break;
	}
	if (!is_free)
		return error_set(p->filler.txn->vol->ctx, F2FS_ERR_NOSPC, "no section is free for a pinned file");
	p->used = 0;
	return 0;
}

int pinned_take(struct pinned *p, struct owner owner, uint32_t want, f2fs_blk_t *addr, uint32_t *got)
{
	struct txn *txn = p->filler.txn;
	int err = p->used == section_blocks(txn) ? next_section(p) : 0;

	if (!err && p->used % F2FS_SEGMENT_BLOCKS == 0)
		err = filler_open(&p->filler, segment_of(p), F2FS_COLD_DATA, 0);
	if (!err)
		err = filler_put(&p->filler, owner, want, p->data, addr, got);
	if (err)
		return err;
	p->used += *got;
	return p->used % F2FS_SEGMENT_BLOCKS == 0 ? filler_close(&p->filler) : 0;
}

int pinned_end(struct pinned *p)
{
	return filler_end(&p->filler);
}
