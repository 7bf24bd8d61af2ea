/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the parts of the pack in force besides the checkpoint block: journals, orphans, logs, and the chain after them.
 */
#ifndef F2FSKIT_VOLUME_HEADS_READ_H
#define F2FSKIT_VOLUME_HEADS_READ_H

#include "volume/volume.h"

/* Journals and orphans of the pack. */
int heads_load(struct f2fs_volume *vol);
/* Forget the summaries of the current segments, which are loaded on demand. */
void volume_drop_summaries(struct f2fs_volume *vol);
/* Discard the loaded data of a checkpoint pack. */
void volume_unload_pack(struct f2fs_volume *vol);
/*
 * Two forms of a volume with the feature ro. mkfs makes it without summaries and with two logs, and it can be filled.
 * A volume that got the feature later keeps its summaries and six logs: it is locked until the feature is off again.
 */
bool volume_lacks_ssa(const struct f2fs_volume *vol);
bool volume_is_locked(const struct f2fs_volume *vol);
/* Is one of the logs of the last checkpoint in that segment? */
bool volume_has_log_in(const struct f2fs_volume *vol, f2fs_seg_t segno);
/*
 * The chain of the warm node log, from its next block on while nodes carry the version of this checkpoint (FORMAT files
 * 12.3). Fails with CORRUPT when it is a loop.
 */
struct chain_count {
	uint64_t nodes, fsynced;
	f2fs_blk_t end; /* the first block that is no part of it; may be anything */
};
int volume_walk_chain(struct f2fs_volume *vol, struct chain_count *count);
/* How many nodes of it a mount would replay. */
int volume_pending(struct f2fs_volume *vol, uint64_t *nodes);

#endif
