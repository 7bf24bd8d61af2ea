/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The roots of a volume: both superblocks and both checkpoint packs, which of them are valid, which is in force, and
 * why (FORMAT volume 2.1, 4.4).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "disk/place_explain.h"
#include "format/superblock.h"
#include "volume/block_read.h"
#include "volume/foreign_check.h"
#include "volume/roots.h"
#include "volume/weigh.h"

/* Read one superblock candidate; returns its state: 0, a rule, or F2FS_ERR_IO. */
static int judge_superblock(struct f2fs_volume *vol, uint64_t offset, uint32_t block_size, uint8_t *sb)
{
	enum rule rule;

	memset(sb, 0, sb_SIZE);
	if (volume_device_read(vol, vol->dev, offset + SB_OFFSET, sb, sb_SIZE) != 0)
		return F2FS_ERR_IO;
	rule = superblock_check(sb);
	/* copy 1 is in block 1, so its place must agree with its own block size */
	if (!rule && block_size && 1u << sb_log_blocksize(sb) != block_size)
		return RULE_SB_BLOCKSIZE;
	return (int)rule;
}

static void note_unread(struct f2fs_volume *vol, unsigned root, int state)
{
	if (state == F2FS_ERR_IO)
		vol->unread |= root;
	else
		vol->unread &= ~root;
}

static int check_read(struct f2fs_volume *vol)
{
	static const struct {
		unsigned root;
		const char *structure, *name;
	} roots[] = {
		{ UNREAD_SB0, "superblock", "superblock copy 0" },
		{ UNREAD_SB1, "superblock", "superblock copy 1" },
		{ UNREAD_PACK1, "checkpoint", "checkpoint pack 1" },
		{ UNREAD_PACK2, "checkpoint", "checkpoint pack 2" },
	};

	if (vol->accepts_unread || vol->is_overlaid)
		return 0;
	for (unsigned i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		const struct error_where where = { .structure = roots[i].structure };

		if (vol->unread & roots[i].root)
			return error_at(vol->ctx, F2FS_ERR_IO, &where,
					"%s cannot be read and may be newer than the readable one: nothing is written "
					"(--accept-unread writes all the same)",
					roots[i].name);
	}
	return 0;
}

/* Copy 1 is in block 1: at 4 KiB or 16 KiB, as copy 0 says when it can be believed. */
static int judge_second(struct f2fs_volume *vol, const uint8_t *first, uint8_t *sb)
{
	uint32_t bits = sb_log_blocksize(first);
	int state;

	if (vol->sb_state[0] == 0)
		return judge_superblock(vol, (uint64_t)1 << bits, 1u << bits, sb);
	state = judge_superblock(vol, 4096, 4096, sb);
	if (state != 0) {
		uint8_t other[sb_SIZE];
		int other_state = judge_superblock(vol, 16384, 16384, other);

		if (other_state == 0 || (state == RULE_SB_MAGIC && other_state > 0)) {
			memcpy(sb, other, sb_SIZE);
			return other_state;
		}
	}
	return state;
}

static const char *state_text(int state)
{
	return state > 0 ? rule_row((enum rule)state)->text : "it cannot be read";
}

static const char *state_rule(int state)
{
	return state > 0 ? rule_row((enum rule)state)->name : "IO";
}

/* No volume is found. Name the other system that the device has a signature of. */
static int refuse_other_system(struct f2fs_volume *vol, const struct error_where *where, const char *why)
{
	static const struct error_where other = { .structure = "foreign" };
	struct f2fs_signature found = { F2FS_SIZED(f2fs_signature) };
	const int err = foreign_check(vol->dev, vol->is_at_start, &found);

	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err)
		return error_at(vol->ctx, F2FS_ERR_NOT_F2FS, where, "not an F2FS volume: %s", why);
	return error_at(vol->ctx, F2FS_ERR_NOT_F2FS, &other, "not an F2FS volume: %s; the device has %s", why,
			found.what);
}

/* The device does not begin with a volume. Name the place where one is, if there is one. */
static int refuse_without_magic(struct f2fs_volume *vol, const struct error_where *where, const char *why)
{
	static const struct error_where elsewhere = { .structure = "superblock" };
	char place[240];
	const int err = vol->is_at_start ? place_explain(vol->dev, place, sizeof(place)) : F2FS_ERR_NOT_FOUND;

	if (err == F2FS_ERR_NOMEM)
		return err;
	vol->is_elsewhere = err == 0;
	if (vol->is_elsewhere)
		return error_at(vol->ctx, F2FS_ERR_NOT_F2FS, &elsewhere, "not an F2FS volume: %s; %s", why, place);
	return refuse_other_system(vol, where, why);
}

static int refuse_superblocks(struct f2fs_volume *vol)
{
	int first = vol->sb_state[0], second = vol->sb_state[1];
	struct error_where where = { .structure = "superblock", .block_plus1 = 1 };
	char why[60];

	if (f2fs_device_info(vol->dev)->size < SB_OFFSET + sb_SIZE) {
		snprintf(why, sizeof(why), "%llu bytes are too short",
			 (unsigned long long)f2fs_device_info(vol->dev)->size);
		return refuse_without_magic(vol, &where, why);
	}
	if (first == F2FS_ERR_IO && second == F2FS_ERR_IO)
		return vol->ctx->error.code ? vol->ctx->error.code : /* as the device recorded it */
			       error_at(vol->ctx, F2FS_ERR_IO, &where, "neither superblock can be read");
	if ((first == RULE_SB_MAGIC || first == F2FS_ERR_IO) && (second == RULE_SB_MAGIC || second == F2FS_ERR_IO)) {
		where.rule = rule_row(RULE_SB_MAGIC)->name;
		return refuse_without_magic(vol, &where, "neither superblock has the magic number");
	}
	if (first > 0 && first != RULE_SB_MAGIC)
		where.rule = rule_row((enum rule)first)->name;
	else
		where.rule = rule_row((enum rule)second)->name;
	return error_at(vol->ctx, F2FS_ERR_CORRUPT, &where,
			"no valid superblock: copy 0 breaks \"%s\", copy 1 breaks \"%s\"", state_text(first),
			state_text(second));
}

/* One of two is used, since the other is damaged or cannot be read. */
static int note_replaced(struct f2fs_volume *vol, const char *what, unsigned number, int state, unsigned used)
{
	if (state == F2FS_ERR_IO)
		return volume_note(vol, "%s %u cannot be read; %u is used", what, number, used);
	return volume_note(vol, "%s %u is not valid (%s: %s); %u is used", what, number, state_rule(state),
			   state_text(state), used);
}

int roots_load_superblock(struct f2fs_volume *vol, unsigned preferred)
{
	uint8_t copies[2][sb_SIZE];
	int err = 0;

	vol->sb_state[0] = judge_superblock(vol, 0, 0, copies[0]);
	vol->sb_state[1] = judge_second(vol, copies[0], copies[1]);
	note_unread(vol, UNREAD_SB0, vol->sb_state[0]);
	note_unread(vol, UNREAD_SB1, vol->sb_state[1]);
	if (vol->sb_state[0] != 0 && vol->sb_state[1] != 0)
		return refuse_superblocks(vol);
	vol->has_rival = vol->sb_state[0] == 0 && vol->sb_state[1] == 0 && superblocks_disagree(copies[0], copies[1]);
	vol->sb_copy = vol->sb_state[0] != 0 || (vol->has_rival && preferred != 0);
	memcpy(vol->sb, copies[vol->sb_copy], sb_SIZE);
	memcpy(vol->sb_other, copies[1 - vol->sb_copy], sb_SIZE);
	geometry_decode(&vol->geo, vol->sb);
	for (unsigned i = 0; i < 2 && !err; i++)
		if (vol->sb_state[i] != 0)
			err = note_replaced(vol, "superblock copy", i, vol->sb_state[i], 1 - i);
	return err;
}

static int read_block(struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t *buffer)
{
	return volume_device_read(vol, vol->dev, (uint64_t)addr * vol->geo.block_size, buffer, vol->geo.block_size);
}

/* Not the CRC: that of a block which ends with its own CRC is the same for all. */
static uint64_t add_to_stamp(uint64_t stamp, const uint8_t *block, uint32_t size)
{
	for (uint32_t i = 0; i < size; i += 4)
		stamp = (stamp ^ get_le32(block + i)) * 0x100000001B3u;
	return stamp;
}

/* The judgement of a pack. */
struct judged_pack {
	int state;	  /* 0, a rule, or F2FS_ERR_IO */
	uint64_t version; /* when its first block is one of a checkpoint */
	uint64_t stamp;	  /* of the blocks that say so */
};

/* Judge one pack by its first and last block; blocks: room for two. */
static struct judged_pack judge_pack(struct f2fs_volume *vol, unsigned pack, uint8_t *blocks)
{
	const uint32_t bs = vol->geo.block_size;
	f2fs_blk_t start = volume_pack_start(vol, pack);
	uint8_t *cp = blocks, *last = blocks + bs;
	struct judged_pack out = { .state = F2FS_ERR_IO };
	enum rule rule;

	if (read_block(vol, start, cp) != 0)
		return out;
	out.stamp = add_to_stamp(0xCBF29CE484222325u, cp, bs);
	out.state = (int)checkpoint_check_block(cp, bs);
	if (out.state)
		return out;
	out.version = cp_checkpoint_ver(cp);
	out.state = F2FS_ERR_IO;
	if (read_block(vol, start + cp_cp_pack_total_block_count(cp) - 1, last) != 0)
		return out;
	out.stamp = add_to_stamp(out.stamp, last, bs);
	rule = checkpoint_check_block(last, bs);
	if (rule)
		out.state = (int)(rule == RULE_CP_CRC ? RULE_CP_FOOTER : rule);
	else
		out.state = out.version == cp_checkpoint_ver(last) ? 0 : RULE_CP_FOOTER;
	return out;
}

static int check_unchanged(struct f2fs_volume *vol)
{
	uint8_t *blocks = mem_alloc(vol->ctx, (size_t)vol->geo.block_size * 2);
	const struct error_where where = { .structure = "checkpoint" };
	int err = blocks ? 0 : F2FS_ERR_NOMEM;

	for (unsigned pack = 1; pack <= 2 && !err; pack++) {
		const struct judged_pack now = judge_pack(vol, pack, blocks);

		if (now.state == F2FS_ERR_IO && vol->pack_state[pack - 1] != F2FS_ERR_IO)
			err = error_at(vol->ctx, F2FS_ERR_IO, &where, "checkpoint pack %u cannot be read any more",
				       pack);
		else if (now.state != F2FS_ERR_IO && now.stamp != vol->pack_stamp[pack - 1])
			err = error_at(vol->ctx, F2FS_ERR_STATE, &where,
				       "checkpoint pack %u is not as it was when the volume was opened: somebody else "
				       "has written to it; open it again",
				       pack);
	}
	mem_free(vol->ctx, blocks);
	return err;
}

int volume_check_roots(struct f2fs_volume *vol)
{
	int err = check_read(vol);

	if (!err)
		err = device_check_owner(vol->dev);
	if (!err)
		err = check_unchanged(vol);
	return err ? err : volume_check_foreign(vol);
}

int volume_check_current(struct f2fs_volume *vol)
{
	int err;

	if (vol->rescue || vol->is_overlaid)
		return 0;
	err = check_unchanged(vol);
	if (err == F2FS_ERR_STATE)
		return error_set(vol->ctx, err,
				 "another program wrote a checkpoint since the volume was opened: results may mix old "
				 "and new state");
	error_clear(vol->ctx); /* an unreadable pack proves nothing */
	return err == F2FS_ERR_NOMEM ? err : 0;
}

int f2fs_volume_check_current(struct f2fs_volume *vol)
{
	error_clear(vol->ctx);
	return volume_check_current(vol);
}

bool volume_is_unfinished(struct f2fs_volume *vol)
{
	const struct f2fs_error_detail detail = vol->ctx->error;
	uint8_t *blocks = mem_alloc(vol->ctx, (size_t)vol->geo.block_size * 2);
	const int state = blocks ? judge_pack(vol, 3 - vol->view->pack, blocks).state : 0;

	mem_free(vol->ctx, blocks);
	vol->ctx->error = detail;
	return state != 0 && state != F2FS_ERR_IO;
}

void volume_note_unfinished(struct f2fs_volume *vol)
{
	const struct f2fs_error_detail detail = vol->ctx->error;
	uint8_t *blocks = mem_alloc(vol->ctx, (size_t)vol->geo.block_size * 2);
	const unsigned pack = 3 - vol->view->pack;

	if (blocks) {
		const struct judged_pack now = judge_pack(vol, pack, blocks);

		if (now.state != 0)
			vol->pack_stamp[pack - 1] = now.stamp;
	}
	mem_free(vol->ctx, blocks);
	vol->ctx->error = detail;
}

/* Read a checkpoint block, and the payload of its pack; the caller's to free. */
static int read_checkpoint(struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t **out)
{
	const uint32_t bs = vol->geo.block_size;
	const f2fs_blk_t start = volume_pack_start(vol, addr < volume_pack_start(vol, 2) ? 1 : 2);
	uint8_t *cp = mem_alloc(vol->ctx, (size_t)bs * (1 + vol->geo.cp_payload));
	int err;

	if (!cp)
		return F2FS_ERR_NOMEM;
	err = volume_device_read(vol, vol->dev, (uint64_t)addr * bs, cp, bs);
	if (!err && vol->geo.cp_payload)
		err = volume_device_read(vol, vol->dev, (uint64_t)(start + 1) * bs, cp + bs,
					 (size_t)vol->geo.cp_payload * bs);
	if (err)
		mem_free(vol->ctx, cp);
	else
		*out = cp;
	return err;
}

int volume_take_checkpoint(struct f2fs_volume *vol, f2fs_blk_t addr)
{
	uint8_t *cp;
	int err = read_checkpoint(vol, addr, &cp);

	if (!err)
		checkpoint_view_adopt(&vol->loaded, cp, addr < volume_pack_start(vol, 2) ? 1 : 2, &vol->geo, vol->ctx);
	return err;
}

/* Make a pack's block and payload the ones in force. */
static int adopt_pack(struct f2fs_volume *vol, unsigned pack)
{
	const f2fs_blk_t start = volume_pack_start(vol, pack);
	enum rule rule;
	uint8_t *cp;
	int err = read_checkpoint(vol, start, &cp);

	if (err)
		return err;
	rule = checkpoint_check(cp, &vol->geo);
	if (rule == RULE_CP_ERROR_FLAG && vol->mode != F2FS_MODE_STRICT) {
		err = volume_note(vol, "the checkpoint carries the error flag; the kernel would not mount it");
		rule = RULE_NONE;
	}
	if (!err && rule)
		err = volume_corrupt(vol, rule, start, 0, "checkpoint pack %u", pack);
	if (err)
		mem_free(vol->ctx, cp);
	else
		checkpoint_view_adopt(&vol->loaded, cp, pack, &vol->geo, vol->ctx);
	return err;
}

/* Which pack is newer; equal versions give pack 1. */
static unsigned newer_pack(const struct f2fs_volume *vol)
{
	return (int64_t)(vol->pack_version[1] - vol->pack_version[0]) > 0 ? 2 : 1;
}

static int refuse_packs(struct f2fs_volume *vol, unsigned forced)
{
	struct error_where where = { .structure = "checkpoint",
				     .block_plus1 = (uint64_t)volume_pack_start(vol, forced ? forced : 1) + 1 };
	int state = vol->pack_state[forced ? forced - 1 : 0];

	if (!forced && state < 0)
		state = vol->pack_state[1];
	if (state < 0)
		return error_at(vol->ctx, F2FS_ERR_IO, &where, "no checkpoint can be read");
	if (state > 0)
		where.rule = rule_row((enum rule)state)->name;
	if (forced)
		return error_at(vol->ctx, F2FS_ERR_CORRUPT, &where, "checkpoint pack %u is not valid: %s", forced,
				state_text(state));
	return error_at(vol->ctx, F2FS_ERR_CORRUPT, &where,
			"no valid checkpoint: pack 1 breaks \"%s\", pack 2 breaks \"%s\"",
			state_text(vol->pack_state[0]), state_text(vol->pack_state[1]));
}

static int choose_pack(struct f2fs_volume *vol, unsigned forced)
{
	unsigned pack = forced, other;
	int err;

	if (!pack) {
		if (vol->pack_state[0] == 0 && vol->pack_state[1] == 0)
			pack = newer_pack(vol);
		else
			pack = vol->pack_state[0] == 0 ? 1 : 2;
	}
	if (vol->pack_state[pack - 1] != 0)
		return refuse_packs(vol, forced);
	other = 3 - pack;
	if (!forced && vol->pack_state[other - 1] != 0) {
		err = note_replaced(vol, "checkpoint pack", other, vol->pack_state[other - 1], pack);
		if (err)
			return err;
	}
	err = adopt_pack(vol, pack);
	if (err == F2FS_ERR_IO)
		note_unread(vol, (unsigned)UNREAD_PACK1 << (pack - 1), err);
	if ((err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO) || forced || vol->mode == F2FS_MODE_STRICT ||
	    vol->pack_state[other - 1] != 0)
		return err;
	/* the kernel stops here; a reader that wants the data tries the older pack */
	err = volume_note(vol, "%s; pack %u is used", vol->ctx->error.message, other);
	return err ? err : adopt_pack(vol, other);
}

int roots_load_checkpoint(struct f2fs_volume *vol, unsigned forced_pack)
{
	uint8_t *scratch = mem_alloc(vol->ctx, (size_t)vol->geo.block_size * 2);
	int err;

	if (!scratch)
		return F2FS_ERR_NOMEM;
	for (unsigned pack = 1; pack <= 2; pack++) {
		const struct judged_pack judged = judge_pack(vol, pack, scratch);

		vol->pack_state[pack - 1] = judged.state;
		vol->pack_stamp[pack - 1] = judged.stamp;
		if (judged.version) /* a pack without a readable version keeps the one that was known before */
			vol->pack_version[pack - 1] = judged.version;
		note_unread(vol, (unsigned)UNREAD_PACK1 << (pack - 1), vol->pack_state[pack - 1]);
	}
	err = choose_pack(vol, forced_pack);
	mem_free(vol->ctx, scratch);
	return err;
}
