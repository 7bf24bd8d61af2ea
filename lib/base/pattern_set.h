/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of paths that a run was given, and which of them matched anything: one that matches nothing is mostly
 * misspelt.
 */
#ifndef F2FSKIT_BASE_PATTERN_SET_H
#define F2FSKIT_BASE_PATTERN_SET_H

#include "base/vec.h"

struct pattern_set {
	const char *const *first; /* of count pointers, stride bytes from each other */
	size_t stride;
	unsigned count;
	struct vec met; /* bool for each */
};

/* Begin; the patterns live as long as this. Fails with NOMEM. */
int pattern_set_init(struct pattern_set *p, struct f2fs_context *ctx, const char *const *first, size_t stride,
		     unsigned count);
void pattern_set_fini(struct pattern_set *p);
/* Does a pattern match the path (glob_match_any())? */
bool pattern_set_match(struct pattern_set *p, unsigned index, const char *path);
/*
 * Is the path included, or does a pattern match it? Once one does, only those are tried that matched nothing so far.
 */
bool pattern_set_match_any(struct pattern_set *p, const char *path, bool is_included);
/* Warn of those that matched nothing, of the first ones by name. kind: "pattern" or the like. */
void pattern_set_warn(const struct pattern_set *p, const char *kind);

#endif
