/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the fields of an inode that have impossible values.
 */
#include "facts/inode_head.h"

#define MOST_WRONG 3u	  /* fields that may be wrong by themselves */
#define MOST_DEPTH 0xffffu /* i_current_depth has 16 bits in a file, and a directory needs fewer */

bool inode_head_is_lost(const struct checker *c, const uint8_t *block)
{
	const uint64_t blocks = inode_i_blocks(block);
	const f2fs_nid_t attributes = inode_i_xattr_nid(block);
	const bool wrong[] = {
		f2fs_type_of_mode(inode_i_mode(block)) == F2FS_TYPE_UNKNOWN,
		inode_i_links(block) == 0,
		blocks == 0 || blocks > sb_block_count(c->vol->sb),
		inode_i_size(block) > node_max_file_blocks(c->geo, c->geo->addrs_per_block) << c->geo->block_bits,
		inode_i_atime_nsec(block) >= INODE_NSECS,
		inode_i_ctime_nsec(block) >= INODE_NSECS,
		inode_i_mtime_nsec(block) >= INODE_NSECS,
		inode_i_current_depth(block) > MOST_DEPTH,
		attributes != 0 && !geometry_is_nid(c->geo, attributes),
		!geometry_is_nid(c->geo, inode_i_pino(block)),
		inode_i_namelen(block) == 0 || inode_i_namelen(block) > NAME_MAX_BYTES,
	};
	unsigned count = 0;

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		count += wrong[i];
	return count > MOST_WRONG;
}
