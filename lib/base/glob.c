/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Matching with two places to come back to: the last '*' and the last '**'. Each is tried with ever more text; an
 * earlier one need not be tried again, since the part after it was matched as far to the left as it can be.
 */
#include "base/glob.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* Where to continue after a mismatch: pattern after the star, text of the last attempt. */
struct retry {
	const char *pattern; /* NULL: none */
	const char *text;
	bool at_component; /* '**' followed by a slash: only tried at the start of a component */
};

/* The character at p and its length; a byte that is no UTF-8 is its own character beyond Unicode. */
static uint32_t next_char(const char *p, size_t *length)
{
	uint32_t cp;

	*length = utf8_decode((const uint8_t *)p, strnlen(p, UTF8_MAX), &cp);
	if (*length)
		return cp;
	*length = 1;
	return 0x110000u + (uint8_t)*p;
}

/* The next character of a set, escapes resolved; 0 at the end of the pattern. */
static uint32_t set_char(const char **p)
{
	size_t length;
	uint32_t c;

	if (**p == '\\' && (*p)[1])
		(*p)++;
	if (!**p)
		return 0;
	c = next_char(*p, &length);
	*p += length;
	return c;
}

/* Is c in the set whose '[' is at p? Returns the place after the ']', NULL when there is no ']'. */
static const char *match_set(const char *p, uint32_t c, bool *matches)
{
	bool negated, found = false, first = true;

	p++;
	negated = *p == '!' || *p == '^';
	if (negated)
		p++;
	for (; *p && (first || *p != ']'); first = false) {
		uint32_t low = set_char(&p), high = low;

		if (p[0] == '-' && p[1] && p[1] != ']') {
			p++;
			high = set_char(&p);
		}
		found = found || (low <= c && c <= high);
	}
	*matches = found != negated && c != '/';
	return *p ? p + 1 : NULL;
}

/* Match one character of the text against one element that is no star; advances both. */
static bool match_one(const char **pattern, const char **text)
{
	const char *p = *pattern, *end;
	size_t length, plain;
	uint32_t c = next_char(*text, &length);
	bool matches;

	if (*p == '?') {
		matches = c != '/';
		end = p + 1;
	} else if (*p == '[' && (end = match_set(p, c, &matches)) != NULL) {
		/* done */
	} else {
		if (*p == '\\' && p[1])
			p++;
		matches = *p && next_char(p, &plain) == c;
		end = p + length;
	}
	if (!matches)
		return false;
	*pattern = end;
	*text += length;
	return true;
}

/* Take a star or double star at *pattern as matching nothing yet; remember where to retry. */
static void enter_star(const char *start, const char **pattern, const char *text, struct retry *star,
		       struct retry *stars)
{
	const char *p = *pattern;

	if (p[1] != '*') {
		while (p[0] == '*' && p[1] != '*')
			p++;
		*star = (struct retry){ .pattern = p, .text = text };
	} else {
		bool whole = p == start || p[-1] == '/';

		while (*p == '*')
			p++;
		whole = whole && *p == '/';
		if (whole)
			p++;
		*stars = (struct retry){ .pattern = p, .text = text, .at_component = whole };
		star->pattern = NULL;
	}
	*pattern = p;
}

/* Give a star one more character of the text; false when it cannot have more. */
static bool extend(struct retry *r, bool crosses)
{
	const char *t = r->text;
	size_t length;

	if (!r->pattern || !*t || (!crosses && *t == '/'))
		return false;
	if (r->at_component) {
		t = strchr(t, '/');
		if (!t)
			return false;
		length = 1;
	} else {
		next_char(t, &length);
	}
	r->text = t + length;
	return true;
}

bool glob_match(const char *pattern, const char *text)
{
	struct retry star = { 0 }, stars = { 0 };
	const char *start = pattern;

	for (;;) {
		if (*pattern == '*') {
			enter_star(start, &pattern, text, &star, &stars);
			continue;
		}
		if (!*text && !*pattern)
			return true;
		if (*text && match_one(&pattern, &text))
			continue;
		if (extend(&star, false)) {
			pattern = star.pattern;
			text = star.text;
		} else if (extend(&stars, true)) {
			star.pattern = NULL;
			pattern = stars.pattern;
			text = stars.text;
		} else {
			return false;
		}
	}
}

bool glob_match_any(const char *const *patterns, unsigned count, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (unsigned i = 0; i < count; i++) {
		const char *pattern = patterns[i];

		if (glob_match(pattern + (pattern[0] == '/'), strchr(pattern, '/') ? path : name))
			return true;
	}
	return false;
}
