/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on heads of compressed clusters. The first slot of a compressed cluster holds a mark. It is followed by the
 * stored blocks, then by empty slots. If the first slot holds something else, the other slots and i_compr_blocks show
 * that it was a mark.
 */
#include "facts/node_digest.h"
#include "facts/sweep.h"
#include "format/cluster.h"
#include "witness/witness.h"
#include "witness/witness_clusters.h"

/* Can the heads of an inode's clusters be wrong? */
static bool is_suspect(const struct inode_fact *inode)
{
	return inode->cluster_blocks != 0 && inode->compr_blocks > inode->compr_found &&
	       !(inode->inlines & FLAG_i_inline_compress_released);
}

/*
 * Return the number of stored blocks after the head of an apparent compressed cluster, 0 if it does not look like one.
 */
static uint32_t stored_behind(const struct checker *c, const uint8_t *slots, uint32_t blocks)
{
	uint32_t stored = 0;

	while (stored + 1 < blocks && geometry_is_main(c->geo, get_le32(slots + (size_t)(stored + 1) * 4)))
		stored++;
	for (uint32_t i = stored + 1; i < blocks; i++) {
		const uint32_t value = get_le32(slots + (size_t)i * 4);

		if (value != F2FS_NULL_ADDR && value != F2FS_NEW_ADDR)
			return 0;
	}
	return stored + 1 < blocks ? stored : 0;
}

static int vote_on_head(struct checker *c, const struct nid_fact *fact, const struct inode_fact *inode, uint32_t slot,
			const uint8_t *slots, uint32_t byte)
{
	const uint32_t value = get_le32(slots), blocks = inode->cluster_blocks;
	const uint32_t stored = stored_behind(c, slots, blocks);
	const bool is_counted = inode->compr_blocks - inode->compr_found == blocks - stored;
	const bool can_be = value == F2FS_NULL_ADDR || value == F2FS_NEW_ADDR || geometry_is_main(c->geo, value);

	if (value == F2FS_COMPRESS_ADDR || stored == 0 || (can_be && !is_counted))
		return 0;
	return witness_amend_bytes(c, fact->addr, byte, 4, F2FS_COMPRESS_ADDR,
				   &(struct finding){ .problem = P_CLUSTER_HEAD,
						      .nid = fact->nid,
						      .ino = fact->ino,
						      .has_block = 1,
						      .block = fact->addr,
						      .has_slot = 1,
						      .slot = slot,
						      .has_values = 1,
						      .found = value,
						      .witnesses = WITNESS_CONTENTS |
								   (is_counted ? WITNESS_COMPRESSED : 0) });
}

static int look_at(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	const struct nid_fact *fact = facts_nid(&c->facts, item->tag);
	const struct inode_fact *inode = facts_owner(&c->facts, fact);
	uint32_t first = 0, count = inode->node_slots;
	int err = 0;

	(void)judged;
	if (!is_suspect(inode) || (fact->kind != FACT_INODE && fact->kind != FACT_DIRECT) ||
	    (inode->state & INODE_MENDED) || inode_fact_is_inline(inode))
		return 0;
	if (fact->kind == FACT_INODE) {
		struct inode_layout layout;

		inode_layout(c->geo, block, &layout);
		first = layout.slot_offset;
		count = layout.slots;
	}
	for (uint32_t i = 0; i + inode->cluster_blocks <= count && !err; i += inode->cluster_blocks)
		err = vote_on_head(c, fact, inode, i, block + first + (size_t)i * 4, first + i * 4);
	return err;
}

static int is_gone(struct checker *c, const struct sweep_item *item)
{
	(void)c;
	(void)item;
	return 0;
}

int witness_clusters(struct checker *c)
{
	static const struct sweep sweep = { "clusters", NULL, look_at, is_gone, node_is_same };

	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++) /* no plain inode has clusters */
		if (is_suspect(facts_inode_at(&c->facts, i)))
			return sweep_kept(c, &sweep);
	return 0;
}
