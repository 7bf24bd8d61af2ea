/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File name extensions as F2FS compares them: ASCII letters in any case, after any dot except one that starts the name;
 * "*" stands for every name (FORMAT files 8.6, volume 2.5).
 */
#ifndef F2FSKIT_BASE_EXTENSION_H
#define F2FSKIT_BASE_EXTENSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A set of the letters after the dots of a name: a bit for each value of the last five bits. Most extensions of a long
 * list are out by their first letter alone.
 */
uint32_t extension_starts(const char *name, size_t length);

/* May an extension, of one character at least or empty, match a name with this set? No is certain. */
static inline bool extension_may_match(uint32_t starts, const char *extension)
{
	return *extension == '*' || ((starts >> (*extension & 31)) & 1);
}

/* whole: the extension must end where the name or its part up to the next dot does ("mp4" is not in "a.mp4x"). */
bool extension_matches(const char *name, size_t length, const char *extension, size_t extension_length, bool whole);
/* Is one of a list's extensions, separated by commas or spaces, in the name, as a whole? NULL: an empty list. */
bool extension_in_list(const char *list, const char *name, size_t length);

#endif
