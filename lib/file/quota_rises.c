/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A stack of rises. Each says up to which value the count has been above the rise before it, and since when. Falling
 * takes rises off, so there are at most as many as there were seconds with a rise.
 */
#include "file/quota_rises.h"

struct quota_rise {
	int64_t top, since;
};

void quota_rises_init(struct quota_rises *r, struct f2fs_context *ctx)
{
	r->lowest = 0;
	vec_init(&r->list, ctx, sizeof(struct quota_rise));
}

void quota_rises_fini(struct quota_rises *r)
{
	vec_fini(&r->list);
}

static int64_t top_of(const struct quota_rises *r, size_t count)
{
	return count ? ((const struct quota_rise *)vec_at(&r->list, count - 1))->top : r->lowest;
}

static void fall(struct quota_rises *r, int64_t count)
{
	while (r->list.count > 0 && top_of(r, r->list.count - 1) >= count)
		r->list.count--;
	if (r->list.count > 0)
		((struct quota_rise *)vec_at(&r->list, r->list.count - 1))->top = count;
	if (count < r->lowest)
		r->lowest = count;
}

int quota_rises_note(struct quota_rises *r, int64_t count, int64_t now)
{
	struct quota_rise *last = r->list.count ? vec_at(&r->list, r->list.count - 1) : NULL;

	if (count <= top_of(r, r->list.count)) {
		fall(r, count);
		return 0;
	}
	if (!last || last->since != now)
		last = vec_push(&r->list, 1);
	if (!last)
		return F2FS_ERR_NOMEM;
	*last = (struct quota_rise){ .top = count, .since = now };
	return 0;
}

bool quota_rises_find(const struct quota_rises *r, int64_t level, int64_t *since)
{
	for (size_t i = 0; i < r->list.count; i++) {
		const struct quota_rise *rise = vec_at(&r->list, i);

		if (rise->top > level) {
			*since = rise->since;
			break;
		}
	}
	return level >= r->lowest;
}
