/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of file names: bytes in, yes or no out; independent of the locale, no recursion.
 */
#ifndef F2FSKIT_BASE_GLOB_H
#define F2FSKIT_BASE_GLOB_H

#include <stdbool.h>

/*
 * Does the whole text match? '*' stands for any characters but a slash, '?' for one of those, '**' for any characters,
 * a component '**' also for no directory at all ("**" "/a" matches "a"), [a-z] and [!a-z] for one character of a set or
 * not of it (never a slash), '\' takes the next character's meaning away. A character is a UTF-8 sequence or a byte
 * that is part of none. Time: at most pattern * text * text.
 */
bool glob_match(const char *pattern, const char *text);

/*
 * Does one of the patterns match a path? The path has no slash in front. A pattern with a slash is held against the
 * whole path, whether it begins with a slash or not, any other one against the last component.
 */
bool glob_match_any(const char *const *patterns, unsigned count, const char *path);

#endif
