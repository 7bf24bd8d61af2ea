/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count free segments as a repair leaves them, and as the commit is going to write them.
 */
#ifndef F2FSKIT_LOG_FREE_COUNT_H
#define F2FSKIT_LOG_FREE_COUNT_H

#include "log/run.h"

uint32_t free_count_derived(const struct txn *txn);
uint32_t free_count_committed(const struct txn *txn);
/* Use according to the SIT of the last checkpoint. */
struct sit_usage {
	uint64_t data_blocks, node_blocks;
	uint32_t free_segments; /* logs do not count */
};
int sit_usage_count(struct f2fs_volume *vol, struct sit_usage *out);
/* Does its sum equal the checkpoint's count? Checked before the first change: missing blocks would be overwritten. The
 * kernel mounts no such volume. */
int sit_usage_check(struct f2fs_volume *vol);

#endif
