/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of GC policies, and the order that costs give.
 */
#include <f2fskit/gc.h>
#include <stdlib.h>
#include <string.h>

#include "gc/policies.h"
#include "gc/policy.h"

/* What each does. */
static const struct gc_policy policies[] = {
	[F2FS_GC_GREEDY] = { policy_greedy, .keeps_age = false },
	[F2FS_GC_COST_BENEFIT] = { policy_cost_benefit, .keeps_age = false },
	[F2FS_GC_AGE] = { policy_age, .keeps_age = true },
	[F2FS_GC_HOTNESS] = { policy_hotness, .keeps_age = false },
};

/* How each is called. */
static const struct {
	const char *name, *text;
} words[] = {
#define ROW(id, number, name, text) [number] = { name, text },
	F2FS_GC_POLICY_TABLE(ROW)
#undef ROW
};

#define POLICY_COUNT (sizeof(policies) / sizeof(policies[0]))
_Static_assert(POLICY_COUNT == sizeof(words) / sizeof(words[0]), "each policy has a function");

/* Further names. */
static const struct {
	const char *name;
	int number;
} aliases[] = {
	{ "age-threshold", F2FS_GC_AGE }, /* the kernel's word */
};

const struct gc_policy *gc_policy_get(unsigned number)
{
	return number < POLICY_COUNT ? &policies[number] : NULL;
}

const struct gc_policy *gc_policy_of(const struct f2fs_gc_options *options)
{
	return options->cost ? &gc_policy_own : gc_policy_get(options->policy);
}

int f2fs_gc_policy_find(const char *name)
{
	for (size_t i = 0; i < POLICY_COUNT; i++)
		if (strcmp(words[i].name, name) == 0)
			return (int)i;
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strcmp(aliases[i].name, name) == 0)
			return aliases[i].number;
	return -1;
}

const char *f2fs_gc_policy_name(unsigned policy)
{
	return policy < POLICY_COUNT ? words[policy].name : NULL;
}

const char *f2fs_gc_policy_text(unsigned policy)
{
	return policy < POLICY_COUNT ? words[policy].text : NULL;
}

/* Equal costs: the older one, then the lower number. */
static int by_cost(const void *left, const void *right)
{
	const struct gc_candidate *a = left, *b = right;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->mtime != b->mtime)
		return a->mtime < b->mtime ? -1 : 1;
	return (a->section > b->section) - (a->section < b->section);
}

size_t gc_policy_sort(const struct gc_policy *policy, const struct gc_view *view,
			 struct gc_candidate *list, size_t count)
{
	size_t n = 0;

	if (count == 0)
		return 0;
	policy->rank(view, list, count);
	qsort(list, count, sizeof(*list), by_cost);
	while (n < count && list[n].cost != GC_NEVER)
		n++;
	return n;
}
