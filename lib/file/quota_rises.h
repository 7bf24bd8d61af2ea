/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Since when a count has been above a limit. The count goes up and down during a transaction; the limit is known at its
 * end only.
 */
#ifndef F2FSKIT_FILE_QUOTA_RISES_H
#define F2FSKIT_FILE_QUOTA_RISES_H

#include "base/vec.h"

struct quota_rises {
	int64_t lowest;	 /* of the count, which began at 0 */
	struct vec list; /* struct quota_rise, lowest first */
};

void quota_rises_init(struct quota_rises *r, struct f2fs_context *ctx);
void quota_rises_fini(struct quota_rises *r);
/* The count has become @count now, in seconds. Fails with NOMEM. */
int quota_rises_note(struct quota_rises *r, int64_t count, int64_t now);
/*
 * Find since when the count has been above a level that it is above now. Returns false when it was above the level from
 * the beginning; then *since is the time of the first rise that is known, if there is one.
 */
bool quota_rises_find(const struct quota_rises *r, int64_t level, int64_t *since);

#endif
