/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Use other traces of the time between, when the newest pack is lost and the one before it is in force. Nodes that were
 * written then carry the version of the checkpoint in force, and its checksum where the volume uses that; those that
 * came after the lost one carry the next version. The lost checkpoint wrote changed NAT blocks to the copies that are
 * idle now. Other idle copies are older than the checkpoint in force; the node that an entry names shows this, or its
 * version, which goes up when an id becomes free.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "device/device.h"
#include "format/node.h"
#include "volume/nat_read.h"
#include "volume/rescue.h"
#include "volume/rescue_idle.h"
#include "volume/rescue_nat.h"

bool rescue_is_recent(const struct f2fs_volume *vol, const uint8_t *footer)
{
	const uint64_t version = footer_cp_ver(footer);

	if (vol->rescue->root != RESCUE_ROOT_OLDER)
		return false;
	return checkpoint_is_recoverable(vol->view->cp, version) ||
	       (uint32_t)version == (uint32_t)cp_checkpoint_ver(vol->view->cp) + 1;
}

static int take_entry(struct f2fs_volume *vol, f2fs_nid_t nid, const uint8_t *raw)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const f2fs_blk_t addr = nat_block_addr(raw);
	struct rescue_node *node;
	struct f2fs_nat_info now;
	int err = nat_get(vol, nid, &now);

	if (err && err != F2FS_ERR_NOMEM) { /* nothing to compare with */
		error_clear(vol->ctx);
		return 0;
	}
	if (err)
		return err;
	if (addr == now.block_addr ||
	    (addr != 0 && (!geometry_is_main(geo, addr) || !geometry_is_nid(geo, nat_ino(raw)))))
		return 0;
	if (addr == 0 && (int8_t)(nat_version(raw) - now.version) <= 0)
		return 0;
	err = rescue_entry(vol->rescue, nid, &node);
	if (err)
		return err;
	node->idle_addr = addr;
	if (addr == 0)
		node->flags |= RESCUE_FREED;
	else if ((int8_t)(nat_version(raw) - node->nat_version) > 0)
		node->nat_version = nat_version(raw);
	return 0;
}

static int take_block(struct f2fs_volume *vol, uint32_t k, const uint8_t *block)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const f2fs_nid_t first = k * geo->nat_per_block;
	uint32_t count = geo->nat_per_block;
	int err = 0;

	if (count > geo->max_nid - first)
		count = geo->max_nid - first;
	if (!rescue_trusts_nat(geo, first, block, count))
		return 0;
	for (uint32_t i = k == 0 ? geo->root_ino : 0; i < count && !err; i++)
		err = take_entry(vol, first + i, block + (size_t)i * nat_SIZE);
	return err;
}

int rescue_take_idle(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = &vol->geo;
	uint8_t *block;
	int err = 0;

	if (vol->rescue->root != RESCUE_ROOT_OLDER)
		return 0;
	block = mem_alloc(vol->ctx, geo->block_size);
	if (!block)
		return F2FS_ERR_NOMEM;
	for (uint32_t k = 0; k < geo->nat_blocks && (uint64_t)k * geo->nat_per_block < geo->max_nid && !err; k++) {
		const f2fs_blk_t addr = geometry_nat_block(geo, k, !msb_test(vol->view->nat_bitmap, k));

		if (device_read_quiet(vol->dev, (uint64_t)addr * geo->block_size, block, geo->block_size) == 0 &&
		    (block[0] != 0 || memcmp(block, block + 1, geo->block_size - 1) != 0))
			err = take_block(vol, k, block);
	}
	mem_free(vol->ctx, block);
	return err;
}
