/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count problems and lost attributes, and report them to the caller.
 */
#include <errno.h>

#include "base/error.h"
#include "sink/dir.h"
#include "sink/report.h"

int sink_stopped(struct sink *sink)
{
	return error_set(sink->ctx, F2FS_ERR_CANCELED, "stopped by the caller");
}

static int tell(struct sink *sink, int kind, bool is_counted, const struct sink_place *place)
{
	struct f2fs_extract_problem problem = {
		.kind = kind,
		.is_counted = is_counted,
		.what = place->what ? place->what : "",
		.ino = place->ino,
		.detail = &sink->ctx->error,
	};
	int err = sink->ops && sink->ops->settle ? sink->ops->settle(sink) : 0;

	if (err)
		return err;
	if (is_counted)
		sink->result->problems++;
	if (!sink->opt.problem) {
		log_message(sink->ctx, F2FS_LOG_WARNING, "%s", sink->ctx->error.message);
		return 0;
	}
	err = sink_shown_path(sink, &sink->report_path, place->dir, place->name);
	if (err)
		return err;
	problem.path = sink->report_path.items;
	return sink->opt.problem(sink->opt.user, &problem) ? sink_stopped(sink) : 0;
}

int sink_problem(struct sink *sink, int kind, const struct sink_place *place)
{
	return tell(sink, kind, true, place);
}

int sink_remark(struct sink *sink, int kind, const struct sink_place *place)
{
	return tell(sink, kind, false, place);
}

int sink_attribute_lost(struct sink *sink, unsigned bit, const struct sink_place *place)
{
	sink->result->attributes_lost++;
	return tell(sink, F2FS_PROBLEM_ATTRIBUTE, (sink->opt.require & bit) != 0, place);
}

bool sink_is_fatal(int sys_errno)
{
	switch (sys_errno) {
	case ENOSPC:
	case EDQUOT:
	case EIO:
	case EROFS:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EPIPE:
		return true;
	default:
		return false;
	}
}
