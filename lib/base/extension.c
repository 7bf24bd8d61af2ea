/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extensions in names.
 */
#include "base/extension.h"

#include <string.h>

static bool same_letter(char a, char b)
{
	if (a == b)
		return true;
	if (a >= 'A' && a <= 'Z')
		a = (char)(a - 'A' + 'a');
	if (b >= 'A' && b <= 'Z')
		b = (char)(b - 'A' + 'a');
	return a == b;
}

uint32_t extension_starts(const char *name, size_t length)
{
	uint32_t starts = 0;

	for (size_t i = 1; i + 1 < length; i++)
		if (name[i] == '.')
			starts |= (uint32_t)1 << (name[i + 1] & 31);
	return starts;
}

bool extension_matches(const char *name, size_t length, const char *extension, size_t extension_length, bool whole)
{
	if (extension_length == 1 && extension[0] == '*')
		return true;
	if (extension_length == 0)
		return false;
	for (size_t dot = 1; dot + extension_length < length; dot++) {
		const char *next = memchr(name + dot, '.', length - dot), *at;
		size_t k = 0, end;

		if (!next)
			return false;
		dot = (size_t)(next - name);
		end = dot + 1 + extension_length;
		if (end > length || (whole && end < length && name[end] != '.'))
			continue;
		at = next + 1;
		while (k < extension_length && same_letter(at[k], extension[k]))
			k++;
		if (k == extension_length)
			return true;
	}
	return false;
}

bool extension_in_list(const char *list, const char *name, size_t length)
{
	while (list && *list) {
		size_t n = strcspn(list, ", ");

		if (extension_matches(name, length, list, n, true))
			return true;
		list += n;
		list += strspn(list, ", ");
	}
	return false;
}
