/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build a new quota file (FORMAT files 9.3): header, the way through the tree to one leaf, and in it the one id that
 * owns the files of a new volume.
 */
#include "format/structs.h"
#include "mkfs/quota.h"

#define QUOTA_BLOCK 1024u
#define GRACE_SECONDS 604800u
#define TREE_DEPTH 4u
#define LEAF (1 + TREE_DEPTH) /* quota block number of the leaf */

void mkfs_fill_quota(uint8_t *file, unsigned kind, uint32_t id, uint64_t inodes, uint64_t bytes)
{
	static const uint32_t magics[] = { 0xD9C01F11u, 0xD9C01927u, 0xD9C03F14u };
	uint8_t *leaf = file + LEAF * QUOTA_BLOCK, *entry = leaf + qleaf_SIZE;

	qhead_set_dqh_magic(file, magics[kind]);
	qhead_set_dqh_version(file, 1);
	qhead_set_dqi_bgrace(file, GRACE_SECONDS);
	qhead_set_dqi_igrace(file, GRACE_SECONDS);
	qhead_set_dqi_blocks(file, LEAF + 1);
	qhead_set_dqi_free_entry(file, LEAF);
	for (unsigned depth = 0; depth < TREE_DEPTH; depth++) {
		unsigned index = id >> 8 * (TREE_DEPTH - 1 - depth) & 0xFF;

		put_le32(file + (1 + depth) * QUOTA_BLOCK + 4 * index, 2 + depth);
	}
	qleaf_set_dqdh_entries(leaf, 1);
	quota_set_dqb_id(entry, id);
	quota_set_dqb_curinodes(entry, inodes);
	quota_set_dqb_curspace(entry, bytes);
}
