/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Slots of nodes for the vote on data: find one in the node's block, and give it another address.
 */
#include "base/error.h"
#include "volume/block_read.h"
#include "witness/witness.h"
#include "witness/witness_slots.h"

int witness_find_slot(struct checker *c, f2fs_nid_t nid, uint32_t slot, struct slot_view *out)
{
	const struct nid_fact *fact = facts_nid(&c->facts, nid);
	uint32_t first = 0, slots = facts_owner(&c->facts, fact)->node_slots;
	const uint8_t *block;
	int err = volume_peek(c->vol, fact->addr, &block);

	out->is_there = false;
	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return 0;
	}
	if (err)
		return err;
	if (fact->kind == FACT_INODE) {
		struct inode_layout layout;

		inode_layout(c->geo, block, &layout);
		first = layout.slot_offset;
		slots = layout.slots;
	}
	if (slot >= slots)
		return 0;
	*out = (struct slot_view){ .fact = *fact, .slot = slot, .byte = first + slot * 4, .is_there = true };
	out->value = get_le32(block + out->byte);
	return 0;
}

int witness_amend_slot(struct checker *c, const struct slot_view *slot, f2fs_blk_t value, unsigned witnesses)
{
	const struct nid_fact *fact = &slot->fact;

	return witness_amend_bytes(c, fact->addr, slot->byte, 4, value,
				   &(struct finding){ .problem = P_DATA_POINTER,
						      .nid = fact->nid,
						      .ino = fact->ino,
						      .has_block = 1,
						      .block = fact->addr,
						      .has_slot = 1,
						      .slot = slot->slot,
						      .has_values = 1,
						      .found = slot->value,
						      .expected = value,
						      .witnesses = (uint16_t)witnesses });
}
