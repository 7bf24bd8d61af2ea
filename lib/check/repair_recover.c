/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Before a repair: recovery. A repair ends with a checkpoint, and with that what was fsynced after the last one would
 * be gone. Recovery writes to blocks that the SIT has as free; when the SIT cannot be trusted it might overwrite what
 * is to be repaired, so the volume as the last checkpoint has it is looked at first.
 */
#include <f2fskit/recover.h>

#include "check/repair.h"

/* Could a block in use look free? */
static bool hides_blocks(enum problem problem)
{
	switch (problem) {
	case P_CP_CONTENT:
	case P_CP_LOST:
	case P_NAT_JOURNAL:
	case P_NAT_ADDRESS:
	case P_NAT_UNREADABLE:
	case P_SIT_JOURNAL:
	case P_SIT_UNREADABLE:
	case P_SIT_MISSING:
	case P_SIT_COUNT:
	case P_SIT_TYPE:
	case P_LOG_NOT_FREE:
	case P_LOG_TAIL:
	case P_BLOCK_SHARED:
		return true;
	default:
		return false;
	}
}

static int judge(struct checker *c, void *user)
{
	bool *is_safe = user;

	*is_safe = !c->is_impossible;
	for (size_t i = 0; i < c->findings.count; i++)
		if (hides_blocks((enum problem)((const struct finding *)vec_at(&c->findings, i))->problem))
			*is_safe = false;
	return 0;
}

/* Does something wait, and can it be had? */
static int is_wanted(struct f2fs_volume *vol, bool *out)
{
	struct f2fs_recovery_summary summary;
	struct f2fs_recovery *plan;
	int err = f2fs_recovery_plan(vol, &plan);

	if (err)
		return err;
	f2fs_recovery_summarize(plan, &summary);
	f2fs_recovery_free(plan);
	*out = summary.needs_recovery && summary.end != F2FS_CHAIN_LOOP && summary.end != F2FS_CHAIN_DISABLED;
	return 0;
}

static int recover(struct f2fs_volume *vol, struct f2fs_device *dev, const struct f2fs_check_options *options,
		   struct f2fs_recover_result *out)
{
	struct f2fs_check_options quiet = *options;
	struct f2fs_check_result unused;
	bool wanted = false, is_safe = false;
	int err = is_wanted(vol, &wanted);

	if (err || !wanted)
		return err;
	quiet.problem = NULL;
	err = check_run(vol->ctx, dev, &quiet, F2FS_MODE_TOLERANT, &unused, judge, &is_safe);
	return err || !is_safe ? err : f2fs_recover(vol, NULL, out);
}

int repair_recover(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		   struct f2fs_recover_result *out)
{
	struct f2fs_open_options open = { 0 };
	struct f2fs_volume *vol;
	int err;

	if (options->open)
		open = *options->open;
	open.mode = F2FS_MODE_TOLERANT;
	open.pack = 0;
	open.recover = F2FS_RECOVER_NONE;
	err = f2fs_volume_open(ctx, dev, &open, &vol);
	if (!err) {
		err = recover(vol, dev, options, out);
		f2fs_volume_close(vol);
	}
	/* what stands in the way is the check's to tell */
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED ? err : 0;
}
