/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragment zoned volumes. They are only appended to, and a device keeps few zones open, so logs replace the fillers:
 * the log of warm data takes the placed blocks, that of cold data the blocks in the way. The rest of the placing log's
 * section is the current run. The next run is another free section. However the work ends, logs are where the
 * checkpoint says, as after any other change.
 */
#include "gc/live.h"
#include "defrag/run.h"
#include "defrag/zoned.h"
#include "log/heads.h"
#include "log/heads_renew.h"
#include "volume/zone_map.h"

enum { PLACING = F2FS_WARM_DATA, CLEARING = F2FS_COLD_DATA };

/* Blocks that a log can still write in its section. */
static uint32_t rest_of(const struct defrag_run *r, unsigned kind)
{
	const struct head *head = &r->vol->txn->heads[head_of(r->vol->txn, kind)];
	const uint32_t sps = r->vol->geo.segs_per_sec;
	uint32_t room = zones_usable(r->vol, head->segno);

	room = room > head->blkoff ? room - head->blkoff : 0;
	for (f2fs_seg_t i = head->segno + 1; i % sps != 0; i++)
		room += zones_usable(r->vol, i);
	return room;
}

uint32_t zoned_section_blocks(const struct f2fs_volume *vol)
{
	const uint32_t sps = vol->geo.segs_per_sec;
	uint32_t n = 0;

	/* at the end of the volume there are no zones that can be written anywhere, which may hold more */
	for (f2fs_seg_t i = vol->geo.segment_count_main - sps; i < vol->geo.segment_count_main; i++)
		n += zones_usable(vol, i);
	return n;
}

/* If one log serves both, separate the placed blocks and the blocks in the way by sections. */
static int part_logs(struct defrag_run *r)
{
	struct txn *txn = r->vol->txn;
	const unsigned type = head_of(txn, PLACING);

	if (type != head_of(txn, CLEARING) || rest_of(r, PLACING) == r->section_room)
		return 0;
	return section_leave(txn, type);
}

int zoned_begin_clearing(struct defrag_run *r)
{
	return part_logs(r);
}

int zoned_begin_placing(struct defrag_run *r, uint32_t sections)
{
	int err = sections > 0 ? part_logs(r) : 0;

	r->sections_left = sections;
	return err;
}

uint32_t zoned_room(const struct defrag_run *r)
{
	return rest_of(r, PLACING);
}

uint32_t zoned_clearing_room(const struct defrag_run *r)
{
	return rest_of(r, CLEARING);
}

int zoned_next_run(struct defrag_run *r)
{
	struct txn *txn = r->vol->txn;

	r->sections_left--;
	return section_leave(txn, head_of(txn, PLACING));
}

int zoned_place(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got)
{
	int err = head_append(r->vol->txn, PLACING, live_owner(b), want, data, to, got);

	if (!err)
		r->states[defrag_section_of(r, *to)] = SECTION_DONE;
	return err;
}

int zoned_clear(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got)
{
	return head_append(r->vol->txn, CLEARING, live_owner(b), want, data, to, got);
}

bool zoned_is_break(const struct defrag_run *r, f2fs_blk_t last, f2fs_blk_t next)
{
	const uint32_t blocks = defrag_section_blocks(r);
	const f2fs_blk_t main = r->vol->geo.main_blkaddr;

	return (next - main) % blocks == 0 && (last - main) % blocks == r->section_room - 1;
}
