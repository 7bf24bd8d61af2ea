/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Which items are copied. A pattern that matches a directory holds for everything in it, even if the source never gives
 * the directory itself. So each prefix of a path is matched.
 */
#include <string.h>

#include "base/glob.h"
#include "task/populate/populate.h"

bool populate_matches(const char *pattern, const char *path)
{
	const char *slash = strrchr(path, '/');
	const bool is_whole = strchr(pattern, '/') || !slash;

	return glob_match(pattern + (pattern[0] == '/'), is_whole ? path : slash + 1);
}

static bool matches_any(const char *const *patterns, unsigned count, const char *path)
{
	for (unsigned i = 0; i < count; i++)
		if (populate_matches(patterns[i], path))
			return true;
	return false;
}

enum populate_choice populate_choose(const struct populate *p, char *path)
{
	const struct f2fs_populate_options *o = &p->opt;
	enum populate_choice choice = o->include_count ? POPULATE_NOT_INCLUDED : POPULATE_WANTED;

	if (o->include_count + o->exclude_count == 0 || path[0] == '\0')
		return POPULATE_WANTED;
	for (char *end = path;; end++) {
		const char byte = *end;

		if (byte != '/' && byte != '\0')
			continue;
		*end = '\0'; /* cut to the path of a parent directory while that is matched */
		if (choice != POPULATE_EXCLUDED && matches_any(o->exclude, o->exclude_count, path))
			choice = POPULATE_EXCLUDED;
		else if (choice == POPULATE_NOT_INCLUDED && matches_any(o->include, o->include_count, path))
			choice = POPULATE_WANTED;
		*end = byte;
		if (byte == '\0' || choice == POPULATE_EXCLUDED)
			return choice;
	}
}
