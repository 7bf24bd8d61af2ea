/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 1, the roots: are both superblocks and both checkpoint packs valid, and what do their flags mean? Needs nothing.
 * Opens the volume. Without a valid superblock or checkpoint the check ends here.
 */
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "check/passes.h"
#include "check/root_zones.h"
#include "device/device.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "format/plan_home.h"
#include "format/superblock.h"
#include "recover/recover_open.h"
#include "recover/run.h"
#include "volume/block_read.h"
#include "volume/foreign_check.h"
#include "volume/heads_read.h"
#include "volume/newest_pack.h"
#include "volume/volume.h"
#include "witness/witness.h"

#define SB_OFFSET_IN_BLOCK 1024u

static int raise_rule(struct checker *c, enum problem problem, int state, uint32_t slot)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .rule = (uint16_t)(state > 0 ? state : 0),
						   .has_slot = 1,
						   .slot = slot });
}

static int raise_number(struct checker *c, enum problem problem, uint64_t found, uint64_t expected)
{
	return problem_raise(
		c, &(struct finding){
			   .problem = (uint16_t)problem, .has_values = 1, .found = found, .expected = expected });
}

/* Compare the copies of the superblock when both are valid. */
static int compare_superblocks(struct checker *c)
{
	uint8_t other[sb_SIZE];
	uint64_t at = (uint64_t)(c->vol->sb_copy ? 0 : c->geo->block_size) + SB_OFFSET_IN_BLOCK;
	uint32_t i = 0;
	int err = 0;

	for (unsigned copy = 0; copy < 2 && !err; copy++)
		if (c->vol->sb_state[copy] != 0)
			err = raise_rule(c, P_SB_COPY, c->vol->sb_state[copy], copy);
	if (err || c->vol->sb_state[0] != 0 || c->vol->sb_state[1] != 0)
		return err;
	if (volume_device_read(c->vol, c->vol->dev, at, other, sizeof(other)) != 0) {
		error_clear(c->ctx);
		return 0;
	}
	if (c->vol->is_doubted)
		return raise_number(c, P_SB_DOUBTED, sb_feature(other), sb_feature(c->vol->sb));
	while (i < sb_SIZE && other[i] == c->vol->sb[i])
		i++;
	return i < sb_SIZE ? raise_number(c, P_SB_DIFFER, i, 0) : 0;
}

static int check_stop_reasons(struct checker *c)
{
	unsigned count = 0;
	const struct f2fs_flag *names = f2fs_flags_find("s_stop_reason", &count);
	int err = 0;

	for (unsigned i = 1; i < sb_COUNT_s_stop_reason && !err; i++) /* 0: a shutdown that was asked for */
		if (sb_s_stop_reason(c->vol->sb, i))
			err = problem_raise(c, &(struct finding){ .problem = P_SB_STOPPED,
								  .has_values = 1,
								  .has_slot = 1,
								  .slot = i,
								  .found = sb_s_stop_reason(c->vol->sb, i),
								  .text = i < count ? names[i].doc : "unknown" });
	if (!err && get_le64(sb_s_errors(c->vol->sb)) != 0)
		err = raise_number(c, P_SB_ERRORS, get_le64(sb_s_errors(c->vol->sb)), 0);
	return err;
}

static int check_packs(struct checker *c)
{
	enum pack_loss loss;
	f2fs_blk_t left;
	enum rule rule;
	int err = volume_judge_pack(c->vol, &loss, &left);

	for (unsigned pack = 1; pack <= 2 && !err; pack++) {
		const int state = c->vol->pack_state[pack - 1];
		/* a power cut leaves a pack without its end, or with a torn first block. The one in use was complete */
		const bool may_be = state != 0 && state != F2FS_ERR_IO && loss == PACK_NEWEST &&
				    pack != c->vol->view->pack;
		const bool is_unfinished = may_be && (state == RULE_CP_FOOTER || volume_pack_is_torn(c->vol, pack));

		if (state != 0)
			err = raise_rule(c, is_unfinished ? P_CP_UNFINISHED : P_CP_PACK, state, pack);
	}
	/* a damaged pack may have been the newer one: then the other leads to less than there was */
	if (!err && c->mode != F2FS_MODE_RESCUE && loss != PACK_NEWEST) {
		c->has_older_tables = true;
		err = raise_rule(c, P_CP_LOST, 0, 3 - c->vol->view->pack);
	}
	/* both packs are whole, but the contents of the newer one break a rule, so the older one was taken */
	if (!err && c->vol->pack_state[0] == 0 && c->vol->pack_state[1] == 0 &&
	    (int64_t)(c->vol->pack_version[2 - c->vol->view->pack] - c->vol->pack_version[c->vol->view->pack - 1]) >
		    0) {
		c->has_older_tables = true;
		err = raise_rule(c, P_CP_CONTENT, 0, 3 - c->vol->view->pack);
	}
	rule = checkpoint_check(c->vol->view->cp, c->geo);
	if (!err && rule == RULE_CP_ERROR_FLAG)
		err = raise_rule(c, P_CP_ERROR_FLAG, (int)rule, c->vol->view->pack);
	return err;
}

static int check_flags(struct checker *c)
{
	static const struct {
		uint32_t flag;
		enum problem problem;
	} asked[] = {
		{ FLAG_ckpt_flags_fsck, P_CP_FSCK_FLAG },
		{ FLAG_ckpt_flags_quota_need_fsck, P_CP_QUOTA_FLAG },
		{ FLAG_ckpt_flags_disabled, P_CP_DISABLED },
	};
	const uint32_t flags = cp_ckpt_flags(c->vol->view->cp) & ~(c->is_flagged ? FLAG_ckpt_flags_fsck : 0);
	int err = 0;

	c->result->is_unmounted = (flags & FLAG_ckpt_flags_unmount) != 0;
	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]) && !err; i++)
		if (flags & asked[i].flag)
			err = problem_raise(c, &(struct finding){ .problem = (uint16_t)asked[i].problem });
	return err;
}

/* A resize that did not come to its end. */
static int check_resize(struct checker *c)
{
	const uint32_t flags = cp_ckpt_flags(c->vol->view->cp);
	f2fs_blk_t home;
	const uint32_t dead =
		plan_dead_segments(c->geo, (flags & FLAG_ckpt_flags_large_nat_bitmap) != 0, &home);
	int err = 0;

	if (flags & FLAG_ckpt_flags_resizefs)
		err = raise_number(c, P_RESIZE_NUMBERS, cp_user_block_count(c->vol->view->cp), c->geo->segment_count);
	if (!err && dead > 0)
		err = raise_number(c, P_RESIZE_HOP, dead, home);
	return err;
}

static int check_pending(struct checker *c)
{
	int err = volume_pending(c->vol, &c->result->pending);

	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return problem_raise(c, &(struct finding){ .problem = P_CP_CHAIN_LOOP,
							   .text = err == F2FS_ERR_IO ? "it cannot be read"
										      : "it runs in a circle" });
	}
	if (err || c->result->pending == 0)
		return err;
	return raise_number(c, P_CP_PENDING, c->result->pending, 0);
}

/* Some features need EXTRA_ATTR. When the superblock lacks it, raise a problem and judge inodes as if it were there. */
static int check_features(struct checker *c)
{
	const uint32_t unknown = c->geo->feature & ~FEATURES_KNOWN;
	int err = unknown ? raise_number(c, P_SB_FEATURE_UNKNOWN, unknown, 0) : 0;

	c->is_frozen = unknown != 0;
	c->plain = *c->geo;
	c->plain.feature &= ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM;
	if (err || geometry_has(c->geo, F2FS_FEAT_EXTRA_ATTR) || !geometry_has(c->geo, FEATURES_NEED_EXTRA))
		return err;
	c->plain.feature |= F2FS_FEAT_EXTRA_ATTR;
	return problem_raise(c, &(struct finding){ .problem = P_SB_FEATURES, .rule = RULE_INODE_FEATURES });
}

/* Another system may have been made over the volume: a repair would destroy it. */
static int check_foreign(struct checker *c)
{
	int err;

	if (c->vol->accepts_foreign)
		return 0;
	c->foreign.struct_size = sizeof(c->foreign);
	err = volume_find_foreign(c->vol, &c->foreign);
	if (err)
		return err == F2FS_ERR_NOT_FOUND ? 0 : err;
	c->is_foreign = c->is_frozen = true;
	return problem_raise(c, &(struct finding){ .problem = P_FOREIGN,
						   .has_values = 1,
						   .found = c->foreign.offset,
						   .text = c->foreign.what });
}

/* Return the size of the volume that the superblocks state, 0 when none can be read or there are several devices: an
 * image shorter than that was cut. */
static uint64_t bytes_needed(struct checker *c)
{
	const uint64_t offset = c->options.open ? c->options.open->offset : 0;
	uint64_t need = 0;

	for (unsigned copy = 0; copy < 2; copy++) {
		uint8_t sb[sb_SIZE];
		struct f2fs_geometry geo;

		if (device_read_quiet(c->dev, offset + copy * 4096u + SB_OFFSET_IN_BLOCK, sb, sizeof(sb)) != 0 ||
		    superblock_check(sb) != RULE_NONE || superblock_device_count(sb) > 1)
			continue;
		geometry_decode(&geo, sb);
		need = offset + geo.end_blkaddr * geo.block_size;
	}
	return need;
}

/* Where the second superblock ends, at the most. */
#define SUPERBLOCKS_END 32768u

/* Report, as a finding, why the volume cannot be opened. */
static int refuse(struct checker *c, int err)
{
	const struct f2fs_error_detail detail = c->ctx->error;
	const struct f2fs_rule *rule = f2fs_rule_find(detail.rule);
	const uint64_t have = f2fs_device_info(c->dev)->size;

	if (err == F2FS_ERR_IO && have < bytes_needed(c)) {
		error_clear(c->ctx);
		c->is_impossible = c->is_frozen = true;
		return raise_number(c, P_DEVICE_SHORT, have, bytes_needed(c));
	}
	if (err == F2FS_ERR_IO && detail.offset != F2FS_NO_OFFSET && detail.offset >= SUPERBLOCKS_END) {
		error_clear(c->ctx);
		c->is_impossible = true;
		return raise_number(c, P_PACK_UNREADABLE, detail.offset, 0);
	}
	if (err != F2FS_ERR_CORRUPT)
		return err;
	error_clear(c->ctx);
	c->is_impossible = true;
	return raise_rule(c, strcmp(detail.structure, "superblock") == 0 ? P_SB_NONE : P_CP_NONE, rule ? rule->id : 0,
			  0);
}

/* Open the volume, with the amendments of an earlier check. */
static int open_volume(struct checker *c, const struct f2fs_open_options *open)
{
	int err;

	if (open->recover == F2FS_RECOVER_NONE)
		return volume_open_amended(c->ctx, c->dev, open, &c->book->amends, &c->vol);
	err = volume_open_recovered(c->ctx, c->dev, open, &c->vol);
	return err ? err : volume_show_amends(c->vol, &c->book->amends);
}

int pass_roots(struct checker *c)
{
	struct f2fs_open_options open = { 0 };
	int err;

	if (c->options.open)
		open = *c->options.open;
	open.mode = (int)c->mode;
	open.pack = 0;
	err = open_volume(c, &open);
	if (err)
		return refuse(c, err);
	c->geo = &c->vol->geo;
	err = facts_init(&c->facts, c->ctx, c->geo);
	if (!err)
		err = check_features(c);
	if (!err)
		err = check_foreign(c);
	if (!err)
		err = root_zones_check(c);
	if (!err)
		err = compare_superblocks(c);
	if (!err)
		err = check_stop_reasons(c);
	if (!err)
		err = cut_begin(c);
	if (!err)
		err = check_packs(c);
	if (!err)
		err = check_flags(c);
	if (!err)
		err = check_resize(c);
	return err ? err : check_pending(c);
}
