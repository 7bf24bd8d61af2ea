/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A pack that was complete, and of which one of its two checkpoint blocks is damaged since (newest_pack.c says which).
 * The kernel takes the older pack then. The other block says the same, so readers and repairs take it, if what else is
 * needed of the pack is there, too: what its journals hold is counted in the checkpoint block.
 */
#include <string.h>

#include "base/error.h"
#include "format/checkpoint.h"
#include "volume/block_read.h"
#include "volume/half_pack.h"
#include "volume/heads_read.h"
#include "volume/nat_read.h"
#include "volume/newest_pack.h"
#include "volume/rescue.h"
#include "volume/roots.h"
#include "volume/scan_nodes.h"

/* Do the sums of SIT and NAT, journals applied, agree with the checkpoint block? */
static int judge_tables(struct f2fs_volume *vol, bool *is_sound)
{
	struct f2fs_nat_info entry = { .nid = vol->geo.root_ino - 1 };
	uint32_t nodes = 0;
	int err = 0;

	*is_sound = rescue_sit_agrees(vol);
	while (*is_sound && !err) {
		err = nat_next(vol, entry.nid + 1, &entry);
		nodes += !err;
	}
	if (err == F2FS_ERR_NOMEM)
		return err;
	error_clear(vol->ctx);
	*is_sound = *is_sound && err == F2FS_ERR_NOT_FOUND && nodes == cp_valid_node_count(vol->view->cp);
	return 0;
}

/* Take the checkpoint block at an address, and the pack that it is of. */
static int load(struct f2fs_volume *vol, f2fs_blk_t addr)
{
	int err;

	volume_unload_pack(vol);
	err = volume_take_checkpoint(vol, addr);
	if (err)
		return err;
	vol->pack_version[vol->view->pack - 1] = cp_checkpoint_ver(vol->view->cp);
	return heads_load(vol);
}

static bool is_final(int err)
{
	return err && err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO;
}

/* Take it, if the tables agree with it. Otherwise all stays as it is. */
static int try_block(struct f2fs_volume *vol, unsigned pack, f2fs_blk_t left)
{
	bool is_sound = false;
	int err = load(vol, left);

	if (!err)
		err = judge_tables(vol, &is_sound);
	if (is_final(err))
		return err;
	if (!err && is_sound)
		return volume_note(vol, "checkpoint pack %u is damaged; its block at %u (version %llu) is used", pack,
				   (unsigned)left, (unsigned long long)cp_checkpoint_ver(vol->view->cp));
	error_clear(vol->ctx);
	volume_unload_pack(vol);
	err = roots_load_checkpoint(vol, 0);
	return err ? err : heads_load(vol);
}

/*
 * Both blocks of the newer pack are valid and differ. The last one counts if only it keeps the rules, or if only its
 * version and checksum are those of nodes that were written after it.
 */
static int choose_end(struct f2fs_volume *vol, unsigned pack, uint8_t *blocks)
{
	const uint32_t bs = vol->geo.block_size;
	const f2fs_blk_t start = volume_pack_start(vol, pack);
	uint8_t *head = blocks, *end = blocks + bs, *scratch = blocks + 2 * (size_t)bs;
	f2fs_blk_t at;
	int err = volume_device_read(vol, vol->dev, (uint64_t)start * bs, head, bs);

	if (err)
		return err;
	at = start + cp_cp_pack_total_block_count(head) - 1;
	err = volume_device_read(vol, vol->dev, (uint64_t)at * bs, end, bs);
	if (err || memcmp(head, end, bs) == 0 || checkpoint_check(end, &vol->geo) != RULE_NONE)
		return err;
	if (vol->view->pack == pack && volume_compare_ends(vol, head, end, scratch) >= 0)
		return 0;
	vol->pack_state[pack - 1] = RULE_CP_FOOTER;
	return try_block(vol, pack, at);
}

/* The newer pack is valid: do both of its blocks say the same? */
static int compare_ends(struct f2fs_volume *vol)
{
	const unsigned newer = (int64_t)(vol->pack_version[1] - vol->pack_version[0]) > 0 ? 2 : 1;
	uint8_t *blocks;
	int err;

	if (vol->pack_state[newer - 1] != 0)
		return 0;
	blocks = mem_alloc(vol->ctx, (size_t)vol->geo.block_size * 3);
	if (!blocks)
		return F2FS_ERR_NOMEM;
	err = choose_end(vol, newer, blocks);
	mem_free(vol->ctx, blocks);
	if (is_final(err))
		return err;
	error_clear(vol->ctx);
	return 0;
}

int half_pack_take(struct f2fs_volume *vol)
{
	enum pack_loss loss;
	f2fs_blk_t left;
	int err = volume_judge_pack(vol, &loss, &left);

	if (!err && loss == PACK_HALF_LOST)
		return try_block(vol, 3 - vol->view->pack, left);
	return err ? err : compare_ends(vol);
}
