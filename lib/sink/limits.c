/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limit the contents that are written: as many bytes as the caller allows, and each block of the volume once.
 */
#include "sink/limits.h"

#include "base/error.h"
#include "file/inode_sync.h"

int sink_check_limit(struct sink *sink)
{
	if (!sink->opt.max_bytes || sink->bytes_planned <= sink->opt.max_bytes)
		return 0;
	return error_set(sink->ctx, F2FS_ERR_TOO_BIG, "more than %llu bytes of contents",
			 (unsigned long long)sink->opt.max_bytes);
}

int sink_take_blocks(struct sink *sink, struct f2fs_inode *inode, uint64_t count)
{
	const uint64_t all = sink->vol->geo.end_blkaddr - sink->vol->geo.main_blkaddr;

	if (!sink_keeps(sink, F2FS_KEEP_LINKS)) /* contents are written again for each name, as was asked for */
		return 0;
	work_note(sink->ctx);
	if (count > all - sink->blocks_taken)
		return inode_corrupt(inode, RULE_NODE_ADDR,
				     "the files so far have more blocks than the volume: some are in several places");
	sink->blocks_taken += count;
	return 0;
}
