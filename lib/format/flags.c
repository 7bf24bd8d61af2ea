/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flag tables by the name of their field.
 */
#include "format/flags.h"

#include <string.h>

/* Rows of one field stand together, so that a table is a run of rows. */
static const char *const field_names[] = {
#define FLAG(field, name, mask, doc) #field,
#include "format/flags.def"
#undef FLAG
};

static const struct f2fs_flag flags[] = {
#define FLAG(field, name, mask, doc) { #name, mask, doc },
#include "format/flags.def"
#undef FLAG
};

const struct f2fs_flag *f2fs_flags_find(const char *field_name, unsigned *count)
{
	const unsigned n = sizeof(flags) / sizeof(flags[0]);
	unsigned first = 0, end;

	while (first < n && strcmp(field_names[first], field_name) != 0)
		first++;
	if (first == n)
		return NULL;
	for (end = first; end < n && strcmp(field_names[end], field_name) == 0; end++)
		;
	*count = end - first;
	return &flags[first];
}

const char *f2fs_log_type_name(unsigned type)
{
	static const char *const names[] = {
		"HOT_DATA", "WARM_DATA", "COLD_DATA", "HOT_NODE", "WARM_NODE", "COLD_NODE"
	};

	return type < F2FS_LOG_COUNT ? names[type] : "?";
}
