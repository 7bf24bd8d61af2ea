/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remember which patterns matched.
 */
#include "base/pattern_set.h"

#include <string.h>

#include "base/glob.h"

#define MOST_NAMED 10u

int pattern_set_init(struct pattern_set *p, struct f2fs_context *ctx, const char *const *first, size_t stride,
		     unsigned count)
{
	bool *met = NULL;

	*p = (struct pattern_set){ .first = first, .stride = stride, .count = count };
	vec_init(&p->met, ctx, sizeof(bool));
	if (count)
		met = vec_push(&p->met, count);
	if (!met && count)
		return F2FS_ERR_NOMEM;
	for (unsigned i = 0; i < count; i++)
		met[i] = false;
	return 0;
}

void pattern_set_fini(struct pattern_set *p)
{
	vec_fini(&p->met);
}

static const char *const *pattern_at(const struct pattern_set *p, unsigned index)
{
	return (const void *)((const char *)(const void *)p->first + index * p->stride);
}

bool pattern_set_match(struct pattern_set *p, unsigned index, const char *path)
{
	bool *met = vec_at(&p->met, index);
	const bool matches = glob_match_any(pattern_at(p, index), 1, path);

	*met |= matches;
	return matches;
}

bool pattern_set_match_any(struct pattern_set *p, const char *path, bool is_included)
{
	for (unsigned i = 0; i < p->count; i++)
		if (!is_included || !*(const bool *)vec_at(&p->met, i))
			is_included |= pattern_set_match(p, i, path);
	return is_included;
}

void pattern_set_warn(const struct pattern_set *p, const char *kind)
{
	unsigned unmet = 0;

	for (unsigned i = 0; i < p->met.count; i++) {
		if (*(const bool *)vec_at(&p->met, i))
			continue;
		if (unmet++ < MOST_NAMED)
			log_message(p->met.ctx, F2FS_LOG_WARNING, "nothing matches the %s %s", kind, *pattern_at(p, i));
	}
	if (unmet > MOST_NAMED)
		log_message(p->met.ctx, F2FS_LOG_WARNING, "nothing matches %u more %ss", unmet - MOST_NAMED, kind);
}
