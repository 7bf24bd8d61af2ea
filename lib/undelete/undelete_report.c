/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report a file to undelete's host, and count it.
 */
#include "undelete/undelete_report.h"

#include "base/error.h"

const char *f2fs_undelete_text(unsigned outcome)
{
	switch (outcome) {
#define UNDELETE_CASE(name, number, text)                                                                              \
	case number:                                                                                                   \
		return text;
		F2FS_UNDELETE_TABLE(UNDELETE_CASE)
#undef UNDELETE_CASE
	default:
		return NULL;
	}
}

bool undelete_ends(int err)
{
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

unsigned undelete_open_flags(const struct undelete *u)
{
	return undelete_has(u, F2FS_UNDELETE_AS_BLANK) ? F2FS_AT_BLANK : 0;
}

static int send(struct undelete *u, const struct f2fs_undelete_report *report)
{
	u->is_missed |= report->outcome != F2FS_UNDELETE_DONE;
	u->result.left_out += report->outcome != F2FS_UNDELETE_DONE && report->outcome < F2FS_UNDELETE_HOLES;
	if (!u->options->report || !u->options->report(u->options->user, report))
		return 0;
	return error_set(u->ctx, F2FS_ERR_CANCELED, "stopped by the host");
}

int undelete_report(struct undelete *u, const char *path, unsigned outcome, uint64_t count)
{
	const struct f2fs_undelete_report report = { .path = path, .outcome = outcome, .count = count, .what = "" };

	return send(u, &report);
}

int undelete_report_failed(struct undelete *u, const char *path, unsigned outcome, const char *what)
{
	const struct f2fs_error_detail detail = u->ctx->error;
	const struct f2fs_undelete_report report = {
		.path = path, .outcome = outcome, .what = what, .detail = &detail
	};

	return send(u, &report);
}

int undelete_report_back(struct undelete *u, const char *path, int confidence, uint64_t lost, uint64_t blank,
			 uint64_t lost_attributes)
{
	const bool as_is = undelete_has(u, F2FS_UNDELETE_AS_BLANK);
	const uint64_t holes = as_is || blank > lost ? lost : lost - blank;
	int err = 0;

	u->result.blank += blank != 0;
	if (!lost && !blank && !lost_attributes && confidence < F2FS_CONFIDENCE_PART) {
		u->result.whole += confidence == F2FS_CONFIDENCE_WHOLE;
		u->result.likely += confidence == F2FS_CONFIDENCE_LIKELY;
		return undelete_report(u, path, F2FS_UNDELETE_DONE, 0);
	}
	u->result.part++;
	if (holes || (!blank && !lost_attributes))
		err = undelete_report(u, path, F2FS_UNDELETE_HOLES, holes);
	if (!err && blank)
		err = undelete_report(u, path, as_is ? F2FS_UNDELETE_BLANK_KEPT : F2FS_UNDELETE_BLANK_HOLES, blank);
	return err ? err : undelete_report(u, path, F2FS_UNDELETE_DONE, 0);
}
