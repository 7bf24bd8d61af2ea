/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tell a device which log or stream a block that reaches it belongs to, so that it can keep blocks of like lifetimes
 * together.
 */
#include <f2fskit/placement.h>

#include "log/filler.h"
#include "log/segments.h"

/* Return the stream that fills a segment; F2FS_STREAM_NONE if none does. */
static unsigned stream_filling(const struct txn *txn, f2fs_seg_t segno)
{
	for (const struct filler *f = txn->fillers; f; f = f->next)
		for (unsigned i = 0; i < F2FS_STREAMS && f->is_open && f->segno == segno; i++)
			if (f->stream_bit == 1u << i)
				return i;
	return F2FS_STREAM_NONE;
}

unsigned f2fs_volume_write_hint(const struct f2fs_volume *vol, f2fs_blk_t addr)
{
	const struct txn *txn = vol->txn;
	f2fs_seg_t segno;
	unsigned stream;

	if (!txn || !geometry_is_main(&vol->geo, addr))
		return 0;
	segno = geometry_segment_of(&vol->geo, addr);
	if (!txn->chunks[segno / vol->geo.sit_per_block])
		return 0;
	stream = stream_filling(txn, segno);
	return 1 + (stream == F2FS_STREAM_NONE ? segment_loaded(txn, segno)->type : F2FS_LOG_COUNT + stream);
}
