/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text as commands and words, with the quoting that people know from shells.
 */
#include <stdlib.h>
#include <string.h>

#include "edit/words.h"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Return the byte that an escape stands for. *at is after the backslash and moves past the escape. */
static char unescape(const char **at)
{
	const char *p = *at;

	if (p[0] == 'x' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
		*at += 3;
		return (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
	}
	*at += 1;
	return (char)(p[0] == 'n' ? '\n' : p[0] == 't' ? '\t' : p[0]);
}

static int is_end(char c)
{
	return c == '\0' || c == '\n' || c == ';';
}

/* Note that a character of the words is one of a pattern; rest is the unread text. */
static int mark(struct edit_line *line, const char *at, const char *rest)
{
	if (!line->marks)
		line->marks = calloc((size_t)(rest - line->start) + strlen(rest) + 1, 1);
	if (line->marks)
		line->marks[at - line->start] = 1;
	return line->marks ? 0 : -3;
}

/* Read one word at *from into place at to; both move on. Returns 0, or -2 for an open quote, -3 without memory. */
static int read_word(struct edit_line *line, const char **from, char **to)
{
	const char *at = *from;
	char *out = *to, quote = '\0';

	while (*at && (quote || (!is_end(*at) && *at != ' ' && *at != '\t' && *at != '\r'))) {
		if (*at == '\\' && quote != '\'' && at[1]) {
			at++;
			*out++ = unescape(&at);
		} else if (quote && *at == quote) {
			quote = '\0';
			at++;
		} else if (!quote && (*at == '\'' || *at == '"')) {
			quote = *at++;
		} else {
			if (!quote && strchr("*?[", *at) && mark(line, out, at))
				return -3;
			*out++ = *at++;
		}
	}
	*from = at;
	*to = out;
	return quote ? -2 : 0;
}

int edit_words(char **text, struct edit_line *line)
{
	const char *at = *text;
	char *out = *text; /* words are never longer than their source text */
	char **words;
	int rc = 0;

	memset(line, 0, sizeof(*line));
	line->start = *text;
	if (!*at)
		return -1;
	words = line->words = malloc((strlen(at) / 2 + 2) * sizeof(*words));
	if (!words)
		return -3;
	for (;;) {
		char end;

		at += strspn(at, " \t\r");
		if (*at == '#')
			at += strcspn(at, "\n");
		if (is_end(*at))
			break;
		words[line->count++] = out;
		rc = read_word(line, &at, &out);
		if (rc)
			break;
		end = *at; /* the terminator may fall on it */
		if (end && !is_end(end))
			at++;
		if (is_end(end)) {
			*text = (char *)(uintptr_t)at + (end ? 1 : 0);
			*out = '\0';
			words[line->count] = NULL;
			return line->count;
		}
		*out++ = '\0';
	}
	*text = (char *)(uintptr_t)at + (*at ? 1 : 0);
	words[line->count] = NULL;
	return rc ? rc : line->count;
}
