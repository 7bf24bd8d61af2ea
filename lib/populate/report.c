/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Problems of a run: which of them end it, and the callback for the others.
 */
#include "populate/report.h"

#include "base/error.h"

bool populate_is_fatal(const struct populate *p, int err)
{
	if (err == F2FS_ERR_IO) /* the failed call may have changed a part of the volume */
		return !p->is_of_source;
	return err == F2FS_ERR_NOSPC || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED || err == F2FS_ERR_CORRUPT ||
	       err == F2FS_ERR_READ_ONLY || err == F2FS_ERR_STATE || err == F2FS_ERR_UNCERTAIN;
}

int populate_problem(struct populate *p, const char *what)
{
	struct f2fs_error_detail detail = p->ctx->error;

	if (p->is_ahead)
		return 0;
	p->result->problems++;
	if (p->opt.problem && p->opt.problem(p->opt.user, source_path(&p->src), what, &detail) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was stopped");
	return 0;
}
