/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Try in memory the recovery that a mount does. Fsynced nodes are not in the volume's tree yet, so no pass reads
 * them. If one of them cannot be recovered, Linux drops all of them. A volume with other damage is not tried, because
 * a repair recovers with facts that this attempt does not have.
 */
#include "base/error.h"
#include "check/try_recovery.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "recover/recover_open.h"
#include "recover/run.h"

static bool is_sound(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (problem_row((enum problem)f->problem)->severity != F2FS_SEVERITY_NOTE)
			return false;
	}
	return true;
}

static int raise_error(struct checker *c)
{
	const struct f2fs_error_detail detail = c->ctx->error;
	const struct f2fs_rule *rule = f2fs_rule_find(detail.rule);

	error_clear(c->ctx);
	return problem_raise(c, &(struct finding){ .problem = P_CP_CHAIN_NODE,
						   .rule = rule ? rule->id : 0,
						   .nid = detail.nid,
						   .ino = detail.nid,
						   .has_block = detail.block != F2FS_NO_BLOCK,
						   .block = (f2fs_blk_t)detail.block });
}

int recovery_try(struct checker *c)
{
	struct f2fs_open_options open = { 0 };
	struct f2fs_volume *vol;
	int err;

	if (!c->vol || c->vol->rescue || c->result->pending == 0 || !is_sound(c))
		return 0;
	if (c->options.open)
		open = *c->options.open;
	open.mode = F2FS_MODE_TOLERANT;
	open.recover = F2FS_RECOVER_VIEW;
	err = volume_open_recovered(c->ctx, c->dev, &open, &vol);
	if (!err) {
		f2fs_volume_close(vol);
		return 0;
	}
	if (err == F2FS_ERR_CORRUPT)
		return raise_error(c);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	error_clear(c->ctx);
	return 0;
}
