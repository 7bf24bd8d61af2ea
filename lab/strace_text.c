/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking lines of strace apart.
 */
#include "lab/strace_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static char *skip_blanks(char *s)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return s;
}

void strace_head(char *text, struct strace_call *call)
{
	char *at = skip_blanks(text), *end;

	*call = (struct strace_call){ 0 };
	if (strncmp(at, "[pid", 4) == 0) {
		call->pid = strtoull(at + 4, &end, 10);
		at = skip_blanks(*end == ']' ? end + 1 : end);
	} else {
		const uint64_t pid = strtoull(at, &end, 10);

		if (end > at && *end == ' ') {
			call->pid = pid;
			at = skip_blanks(end);
		}
	}
	if (isdigit((unsigned char)*at)) {
		call->time = at;
		while (isdigit((unsigned char)*at) || *at == '.' || *at == ':')
			at++;
		if (*at == ' ')
			*at++ = '\0';
		at = skip_blanks(at);
	}
	call->body = at;
}

/* Return the end of the string that begins at s, or of the text. */
static char *behind_string(char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

/* -y shows a path after a number or after AT_FDCWD; 1<<20 is a number. */
static int opens_path(const char *s, const char *first)
{
	return *s == '<' && s > first && s[1] != '<' && s[-1] != '<' &&
	       (isdigit((unsigned char)s[-1]) || s[-1] == 'D');
}

/* Return the end of the path that begins at s. In it, descriptors of devices have brackets of their own. */
static char *behind_path(char *s)
{
	unsigned depth = 0;

	for (; *s; s++) {
		depth += *s == '<';
		depth -= *s == '>';
		if (depth == 0)
			return s + 1;
	}
	return s;
}

/* Cut the arguments at their commas; returns the text after the closing bracket, or NULL. */
static char *cut_arguments(struct strace_call *call, char *s)
{
	unsigned depth = 0;
	char *first = skip_blanks(s);

	for (s = first; *s;) {
		if (*s == '"') {
			s = behind_string(s);
			continue;
		}
		if (opens_path(s, first)) {
			s = behind_path(s);
			continue;
		}
		if (depth == 0 && (*s == ',' || *s == ')')) {
			const int is_last = *s == ')';

			*s++ = '\0';
			if (call->count < STRACE_ARGUMENTS && (call->count > 0 || first[0] || !is_last))
				call->arguments[call->count++] = first;
			if (is_last)
				return s;
			first = s = skip_blanks(s);
			continue;
		}
		depth += *s == '(' || *s == '[' || *s == '{';
		depth -= depth > 0 && (*s == ')' || *s == ']' || *s == '}');
		s++;
	}
	return NULL;
}

const char *strace_take(struct strace_call *call)
{
	char *bracket = call->body, *rest;

	while (isalnum((unsigned char)*bracket) || *bracket == '_')
		bracket++;
	if (bracket == call->body || *bracket != '(')
		return "is no call";
	*bracket = '\0';
	call->name = call->body;
	rest = cut_arguments(call, bracket + 1);
	if (!rest)
		return "has no end of its arguments";
	rest = skip_blanks(rest);
	if (*rest != '=')
		return "has no result";
	call->result = skip_blanks(rest + 1);
	return NULL;
}

/* Take one escape after its backslash. Returns the number of its characters. */
static unsigned take_escape(const char *s, char *out)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *letter = *s ? strchr(letters, *s) : NULL;
	unsigned value = 0, n = 0;

	if (letter) {
		*out = values[letter - letters];
		return 1;
	}
	if (*s == 'x') {
		char digits[3] = { s[1], s[1] ? s[2] : '\0', '\0' };

		*out = (char)strtoul(digits, NULL, 16);
		return s[1] && s[2] ? 3 : 1;
	}
	for (; n < 3 && s[n] >= '0' && s[n] <= '7'; n++)
		value = value * 8 + (unsigned)(s[n] - '0');
	*out = n ? (char)value : *s;
	return n ? n : 1;
}

/* Undo the escapes of a text up to its end at stop. */
static void unescape(char *to, const char *from, const char *stop)
{
	while (from < stop) {
		if (*from == '\\' && from + 1 < stop) {
			from++;
			from += take_escape(from, to++);
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

char *strace_string(char *argument)
{
	char *end;

	if (*argument != '"')
		return NULL;
	end = behind_string(argument);
	if (end[-1] != '"' || end == argument + 1 || *end != '\0')
		return NULL;
	unescape(argument, argument + 1, end - 1);
	return argument;
}

char *strace_path(char *argument)
{
	char *at = strchr(argument, '<'), *end;

	if (!at || !opens_path(at, argument) || at[1] != '/')
		return NULL;
	end = behind_path(at);
	if (end[-1] != '>' || strchr(at + 1, '<')) /* a device */
		return NULL;
	end[-1] = '\0';
	if (end - at > 11 && strcmp(end - 11, " (deleted)") == 0)
		return NULL;
	*at = '\0';
	unescape(at + 1, at + 1, end - 1);
	return at + 1;
}
