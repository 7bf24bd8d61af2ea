/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Is the checkpoint pack in force the newest one that was ever complete? Packs are written in turn, so when the newer
 * one is damaged the older one looks like the last: it is whole, and leads to a volume that lacks what came after it. A
 * pack that a power cut left unfinished looks much the same, and then the older one is right. The differences:
 *
 * - A block of the other pack that is a checkpoint block by its checksum shows its version. The last block of a pack is
 * written when everything else is durable, so if that one is newer, the pack was complete.
 * - Nodes carry the version of the checkpoint before them. Where a log of a checkpoint continues with a node of its
 * version, that checkpoint was complete, and something was written after it.
 * - An fsync writes marked nodes after it, in the log of warm nodes. A checkpoint writes nodes without the mark, and
 * those that come after it have its version. Where the logs continue with marked nodes only, none came after.
 * - The first block of a pack is durable before the last one is written: where it is torn, the pack was not complete.
 * - The last block is the same as the first. A power cut leaves whole sectors of something else there, never the same
 * bytes but for a bit or two, not even when little has changed: that is damage of a complete pack.
 * - Versions go up by one. One that was left out belonged to the pack between: a repair after its loss was cut short.
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "format/node.h"
#include "volume/heads_read.h"
#include "volume/newest_pack.h"
#include "volume/rescue.h"

static bool read_block(const struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t *block)
{
	const uint32_t bs = vol->geo.block_size;

	return device_read_quiet(vol->dev, (uint64_t)addr * bs, block, bs) == 0;
}

static f2fs_blk_t next_of_log(const struct f2fs_volume *vol, const uint8_t *cp, unsigned type)
{
	return geometry_segment_start(&vol->geo, checkpoint_log_segno(cp, type)) + checkpoint_log_blkoff(cp, type);
}

/* Does one of the logs of nodes continue after this checkpoint? */
static bool logs_go_on(const struct f2fs_volume *vol, const uint8_t *cp, uint8_t *block)
{
	const struct f2fs_geometry *geo = &vol->geo;

	for (unsigned type = F2FS_HOT_NODE; type < F2FS_LOG_COUNT; type++) {
		const f2fs_blk_t addr = next_of_log(vol, cp, type);

		if (checkpoint_log_segno(cp, type) >= geo->segment_count_main || !geometry_is_main(geo, addr) ||
		    !read_block(vol, addr, block))
			continue;
		if (checkpoint_is_recoverable(cp, footer_cp_ver(node_footer(geo, block))))
			return true;
	}
	return false;
}

/*
 * May something from here to the end of the segment be of the checkpoint after the one in force, or later? A recovery
 * leaves the chain as it is, and continues after it.
 */
static bool may_have_later(const struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t *block)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const uint32_t next = (uint32_t)cp_checkpoint_ver(vol->view->cp) + 1;
	uint32_t left;

	if (!geometry_is_main(geo, addr))
		return true;
	left = F2FS_SEGMENT_BLOCKS - geometry_offset_of(geo, addr);
	if (left < 2) /* it continues elsewhere */
		return true;
	for (; left > 0; left--, addr++) {
		const uint8_t *footer = node_footer(geo, block);

		if (!read_block(vol, addr, block) || (uint32_t)footer_cp_ver(footer) == next)
			return true;
		if (checkpoint_is_recoverable(vol->view->cp, footer_cp_ver(footer)) && !node_is_fsynced(footer))
			return true;
	}
	return false;
}

/* Is all that follows the checkpoint in force what fsync wrote? Doubt means no. */
static bool is_only_fsynced(struct f2fs_volume *vol, uint8_t *block)
{
	struct chain_count count;

	if (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_disabled)
		return false;
	if (volume_walk_chain(vol, &count) != 0) {
		error_clear(vol->ctx);
		return false;
	}
	return count.nodes > 0 && count.fsynced == count.nodes && !may_have_later(vol, count.end, block) &&
	       !may_have_later(vol, next_of_log(vol, vol->view->cp, F2FS_HOT_NODE), block) &&
	       !may_have_later(vol, next_of_log(vol, vol->view->cp, F2FS_COLD_NODE), block);
}

/* Is this a checkpoint block by its checksum, and by its numbers? */
static bool is_checkpoint(const struct f2fs_volume *vol, const uint8_t *block)
{
	enum rule rule = checkpoint_check_block(block, vol->geo.block_size);

	if (!rule)
		rule = checkpoint_check(block, &vol->geo);
	return !rule || rule == RULE_CP_ERROR_FLAG;
}

#define MOST_NEWER 2u /* versions: one may have been left out */

/*
 * Find the checkpoint block of a pack that says of which version it is; it stays in best. That is the first one. But
 * one that can follow the checkpoint in force and ends the pack, as its place says, knows better than a first one that
 * cannot follow it, or that ends elsewhere. A pack that came before the checkpoint in force has nothing newer in it.
 */
static bool find_newest(const struct f2fs_volume *vol, unsigned pack, uint8_t *block, uint8_t *best, f2fs_blk_t *at)
{
	const f2fs_blk_t start = volume_pack_start(vol, pack);
	const uint64_t now = cp_checkpoint_ver(vol->view->cp);
	bool any = read_block(vol, start, best) && is_checkpoint(vol, best);
	const bool is_older = any && cp_checkpoint_ver(best) == now - 1;

	*at = start;
	for (uint32_t i = 1; i < F2FS_SEGMENT_BLOCKS && !is_older; i++) {
		const bool is_end = read_block(vol, start + i, block) && is_checkpoint(vol, block) &&
				    cp_cp_pack_total_block_count(block) == i + 1;
		const uint64_t newer = is_end ? cp_checkpoint_ver(block) - now : 0;

		if (newer < 1 || newer > MOST_NEWER || (any && newer > 1))
			continue;
		any = true;
		memcpy(best, block, vol->geo.block_size);
		*at = start + i;
	}
	return any;
}

/*
 * Is the first block of a pack one that a power cut tore? Its sectors are then those of two packs, and the first one
 * has what all checkpoints of a volume have in common. The last block of that pack was not written.
 */
static bool is_torn(const struct f2fs_volume *vol, unsigned pack, uint8_t *block)
{
	const f2fs_blk_t start = volume_pack_start(vol, pack);
	uint64_t version;
	uint32_t count;

	if (!read_block(vol, start, block) || cp_user_block_count(block) != cp_user_block_count(vol->view->cp))
		return false;
	version = cp_checkpoint_ver(block);
	count = cp_cp_pack_total_block_count(block);
	if (version != cp_checkpoint_ver(vol->view->cp) + 1 || count == 0 || count > F2FS_SEGMENT_BLOCKS)
		return true;
	return !read_block(vol, start + count - 1, block) || cp_checkpoint_ver(block) != version;
}

#define FEW_BITS 4u

/*
 * Was the last block of the pack that starts with this block written, and damaged since? An old sector may differ in a
 * few bits, too: the one with the version differs in that and in something else, or is the block of the pack before.
 * Where the checksum is right for a block that differs, it is another one with each bit, and says nothing. Where it is
 * wrong, a torn write has left an old one, of which many bits differ.
 */
static bool is_end_damaged(const struct f2fs_volume *vol, unsigned pack, const uint8_t *head, uint8_t *block)
{
	const f2fs_blk_t end = volume_pack_start(vol, pack) + cp_cp_pack_total_block_count(head) - 1;
	uint32_t sum_at = cp_checksum_offset(head);
	uint32_t bits = 0, of_version = 0;
	enum rule rule;

	if (!read_block(vol, end, block) ||
	    (is_checkpoint(vol, block) && cp_checkpoint_ver(block) == cp_checkpoint_ver(head) - 2))
		return false;
	rule = checkpoint_check_block(block, vol->geo.block_size);
	if (rule == RULE_CP_CRC || rule == RULE_CP_CHECKSUM_OFFSET)
		sum_at = vol->geo.block_size; /* counts as all other bytes do */
	for (uint32_t i = 0; i < vol->geo.block_size && bits <= FEW_BITS; i++)
		for (uint8_t differ = i - sum_at < 4 ? 0 : block[i] ^ head[i]; differ;
		     differ &= (uint8_t)(differ - 1)) {
			bits++;
			of_version += i < cp_OFS_checkpoint_ver + 8u; /* the first field */
		}
	return bits <= FEW_BITS && (of_version == 0 || of_version == bits);
}

/* Does a pack end with the checkpoint before the one in force? Then an impossible version at its start is wrong. */
static bool ends_as_older(const struct f2fs_volume *vol, unsigned pack, const uint8_t *head, uint8_t *block)
{
	const f2fs_blk_t end = volume_pack_start(vol, pack) + cp_cp_pack_total_block_count(head) - 1;

	return read_block(vol, end, block) && is_checkpoint(vol, block) &&
	       cp_checkpoint_ver(block) == cp_checkpoint_ver(vol->view->cp) - 1;
}

/* Is the first block of a pack the same as its last one but for a few bits? That is damage of a whole pack. */
static bool has_wrong_bits(const struct f2fs_volume *vol, unsigned pack, const uint8_t *head, uint8_t *block)
{
	const uint32_t count = cp_cp_pack_total_block_count(head);
	uint32_t bits = 0;

	if (count == 0 || count > F2FS_SEGMENT_BLOCKS ||
	    !read_block(vol, volume_pack_start(vol, pack) + count - 1, block))
		return false;
	for (uint32_t i = 0; i < vol->geo.block_size && bits <= FEW_BITS; i++)
		for (uint8_t differ = block[i] ^ head[i]; differ; differ &= (uint8_t)(differ - 1))
			bits++;
	return bits <= FEW_BITS;
}

/* Has a pack a last block of this version, by its checksum and its place? */
static bool has_end(const struct f2fs_volume *vol, unsigned pack, uint64_t version, uint8_t *block)
{
	for (uint32_t i = 1; i < F2FS_SEGMENT_BLOCKS; i++)
		if (read_block(vol, volume_pack_start(vol, pack) + i, block) && is_checkpoint(vol, block) &&
		    cp_cp_pack_total_block_count(block) == i + 1 && cp_checkpoint_ver(block) == version)
			return true;
	return false;
}

/*
 * f2fs-tools fill a volume with the feature ro in pack 1, with the version that pack 2 has from mkfs. Is this such a
 * pack 1, damaged since? Its first or last block has the version, or both are the same but for a few bits.
 */
static bool is_filled(const struct f2fs_volume *vol, unsigned pack, uint8_t *block, uint8_t *head)
{
	return geometry_has(&vol->geo, F2FS_FEAT_RO) && pack == 1 &&
	       read_block(vol, volume_pack_start(vol, pack), head) &&
	       (cp_checkpoint_ver(head) == cp_checkpoint_ver(vol->view->cp) || has_wrong_bits(vol, pack, head, block) ||
		has_end(vol, pack, cp_checkpoint_ver(vol->view->cp), block));
}

static enum pack_loss judge(struct f2fs_volume *vol, uint8_t *block, uint8_t *best, f2fs_blk_t *left)
{
	const unsigned other = 3 - vol->view->pack;
	const bool has_any = find_newest(vol, other, block, best, left);
	const bool has_head = has_any && *left == volume_pack_start(vol, other);
	const int64_t newer = has_any ? (int64_t)(cp_checkpoint_ver(best) - cp_checkpoint_ver(vol->view->cp)) : 0;

	if (newer <= 0) {
		const bool is_lost = !has_head && !is_torn(vol, other, block) &&
				     logs_go_on(vol, vol->view->cp, block) && !is_only_fsynced(vol, block);

		return is_lost || (newer == 0 && is_filled(vol, other, block, best)) ? PACK_LOST : PACK_NEWEST;
	}
	/* the rest is the first block of the pack, or only its last block */
	if (newer > (int64_t)MOST_NEWER && has_head && ends_as_older(vol, other, best, block))
		return PACK_NEWEST;
	if (newer > 1 && has_head)
		return PACK_LOST;
	if (has_head && !logs_go_on(vol, best, block) && !is_end_damaged(vol, other, best, block))
		return PACK_NEWEST;
	return PACK_HALF_LOST;
}

bool volume_pack_is_torn(struct f2fs_volume *vol, unsigned pack)
{
	const uint32_t bs = vol->geo.block_size;
	uint8_t *blocks = mem_alloc(vol->ctx, (size_t)bs * 2);
	bool torn = false;

	if (!blocks)
		return false;
	if (is_torn(vol, pack, blocks) && read_block(vol, volume_pack_start(vol, pack), blocks + bs))
		torn = !has_wrong_bits(vol, pack, blocks + bs, blocks);
	mem_free(vol->ctx, blocks);
	return torn;
}

int volume_judge_pack(struct f2fs_volume *vol, enum pack_loss *loss, f2fs_blk_t *left)
{
	const uint32_t bs = vol->geo.block_size;
	uint8_t *blocks;

	*loss = PACK_NEWEST;
	if (vol->pack_state[2 - vol->view->pack] == 0)
		return 0;
	blocks = mem_alloc(vol->ctx, (size_t)bs * 2);
	if (!blocks)
		return F2FS_ERR_NOMEM;
	*loss = judge(vol, blocks, blocks + bs, left);
	mem_free(vol->ctx, blocks);
	return 0;
}

int volume_compare_ends(const struct f2fs_volume *vol, const uint8_t *first, const uint8_t *second, uint8_t *block)
{
	return (int)logs_go_on(vol, first, block) - (int)logs_go_on(vol, second, block);
}

int volume_check_newest(struct f2fs_volume *vol)
{
	const unsigned other = 3 - vol->view->pack;
	const struct error_where where = { .structure = "checkpoint",
					   .block_plus1 = (uint64_t)volume_pack_start(vol, other) + 1 };
	enum pack_loss loss;
	f2fs_blk_t left;
	int64_t newer;
	int err;

	if (vol->is_newest || vol->accepts_unread || vol->is_overlaid)
		return 0;
	err = volume_judge_pack(vol, &loss, &left);
	if (err)
		return err;
	newer = (int64_t)(vol->pack_version[other - 1] - vol->pack_version[vol->view->pack - 1]);
	/* of equal versions, as f2fs-tools leave them on read-only volumes, pack 1 is in force */
	if (vol->pack_state[other - 1] == 0 && (newer > 0 || (newer == 0 && other == 1))) {
		if (vol->has_chosen_pack)
			return error_at(vol->ctx, F2FS_ERR_STATE, &where,
					"the chosen checkpoint pack %u is older than pack %u: writing would destroy "
					"the later changes (--accept-unread accepts that)",
					vol->view->pack, other);
		loss = PACK_LOST; /* both are whole, but the newer one is impossible */
	}
	if (vol->pack_state[vol->view->pack - 1] != 0)
		return error_at(vol->ctx, F2FS_ERR_STATE, &where,
				"checkpoint pack %u is damaged and readable only in part: repair the volume first "
				"(fsck.f2fs), or write all the same with --accept-unread",
				vol->view->pack);
	if (loss != PACK_NEWEST)
		return error_at(vol->ctx, F2FS_ERR_STATE, &where,
				"the newer checkpoint pack %u is damaged: writing would destroy its changes; check the "
				"volume first (fsck.f2fs searches for them), or drop them with --accept-unread",
				other);
	vol->is_newest = true;
	return 0;
}
