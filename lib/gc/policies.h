/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of policies.
 */
#ifndef F2FSKIT_GC_POLICIES_H
#define F2FSKIT_GC_POLICIES_H

#include "gc/policy.h"

struct f2fs_gc_options;

/* NULL for an unknown number. */
const struct gc_policy *gc_policy_get(unsigned number);
/* The policy that options choose. */
const struct gc_policy *gc_policy_of(const struct f2fs_gc_options *options);
/* Rank a list and put it in order, the first to be collected first; returns how many are to be collected at all. */
size_t gc_policy_sort(const struct gc_policy *policy, const struct gc_view *view,
			 struct gc_candidate *list, size_t count);

#endif
