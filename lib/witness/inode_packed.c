/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognize compressed files by their slots.
 */
#include "witness/inode_packed.h"

#include "base/bytes.h"
#include "format/cluster.h"
#include "witness/witness.h"

#define CLUSTER_BLOCKS 4u /* of the smallest compressed cluster */
#define MOST_CLUSTER_BLOCKS 256u

/*
 * A compressed cluster has a head, or no block in the first slot, which would be the head, and in the second one a
 * block that begins as compressed data does. One that cannot be read counts, too.
 */
int inode_looks_compressed(struct checker *c, const uint8_t *slots, uint32_t count, bool is_cipher, bool *out)
{
	const size_t most = (size_t)MOST_CLUSTER_BLOCKS << c->geo->block_bits;
	struct cluster_header header;
	const uint8_t *block;
	int err = 0;

	*out = false;
	if (!geometry_has(c->geo, F2FS_FEAT_COMPRESSION))
		return 0;
	for (uint32_t i = 0; i + CLUSTER_BLOCKS <= count && !*out && !err; i += CLUSTER_BLOCKS) {
		const f2fs_blk_t first = get_le32(slots + (size_t)i * 4);
		const f2fs_blk_t second = get_le32(slots + (size_t)(i + 1) * 4);

		*out = first == F2FS_COMPRESS_ADDR;
		if (first != F2FS_NULL_ADDR || second == F2FS_NULL_ADDR)
			continue;
		*out = is_cipher;
		if (is_cipher)
			break;
		err = witness_peek(c, second, &block);
		*out = !err && (!block || (cluster_header_decode(block, most, &header) == RULE_NONE &&
					   is_zero(chead_reserved(block), chead_SIZE_reserved)));
	}
	return err;
}

int inode_looks_packed(const struct builder *b, bool is_cipher, bool *out)
{
	struct inode_layout layout;
	int err;

	inode_layout(b->c->geo, b->block, &layout);
	err = inode_looks_compressed(b->c, b->block + layout.slot_offset, layout.slots, is_cipher, out);
	if (!err && !*out)
		err = inode_looks_compressed(b->c, b->last_slots, layout.node_slots, is_cipher, out);
	return err;
}
