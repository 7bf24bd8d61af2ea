/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of a command as commands.def writes them, "l a n:PATTERN/name": letters, the name of a value, a long
 * name. The parser of a call, the usage that the shell and the manual page show, and messages about wrong calls all
 * come from this one text.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/synopsis.h"

int edit_option_next(const char **at, struct edit_option *out)
{
	const char *word = *at + strspn(*at, " +?"), *end = word + strcspn(word, " "), *slash, *colon;

	if (word == end)
		return 0;
	memset(out, 0, sizeof(*out));
	slash = memchr(word, '/', (size_t)(end - word));
	out->letter = *word;
	out->name = slash ? slash + 1 : end;
	out->name_length = (size_t)(end - out->name);
	colon = word[1] == ':' ? word + 2 : NULL;
	out->value = colon;
	out->value_length = colon ? (size_t)((slash ? slash : end) - colon) : 0;
	*at = end;
	return 1;
}

int edit_option_find(const struct edit_command *command, const char *word, struct edit_option *out)
{
	const char *at = command->letters;
	const size_t n = strlen(word);

	while (edit_option_next(&at, out))
		if ((n == 1 && out->letter == *word) || (n > 1 && out->name_length == n && !memcmp(out->name, word, n)))
			return 1;
	return 0;
}

/* "[-la] [-n PATTERN] OPERANDS": flags first, in one bracket. */
char *edit_synopsis(const struct edit_command *command)
{
	/* a letter becomes at most " [-l ]" around its value */
	char *text = malloc(6 * strlen(command->letters) + strlen(command->operands) + 8);
	char *to = text;
	struct edit_option option;
	const char *at = command->letters;

	if (!text)
		return NULL;
	while (edit_option_next(&at, &option))
		if (!option.value) {
			to = to == text ? strcpy(to, "[-") + 2 : to;
			*to++ = option.letter;
		}
	if (to != text)
		*to++ = ']';
	for (at = command->letters; edit_option_next(&at, &option);)
		if (option.value) {
			*to++ = ' ';
			*to++ = '[';
			*to++ = '-';
			*to++ = option.letter;
			*to++ = ' ';
			memcpy(to, option.value, option.value_length);
			to += option.value_length;
			*to++ = ']';
		}
	if (command->operands[0]) {
		*to++ = ' ';
		to = strcpy(to, command->operands) + strlen(command->operands);
	}
	*to = '\0';
	if (text[0] == ' ')
		memmove(text, text + 1, strlen(text));
	return text;
}

char *edit_explanation(const struct edit_command *command)
{
	/* an option becomes at most ", -l is --" and its name */
	char *text = malloc(strlen(command->doc) + 11 * strlen(command->letters) + 16);
	char *to = text;
	struct edit_option option;
	int count = 0;

	if (!text)
		return NULL;
	to = strcpy(to, command->doc) + strlen(command->doc);
	for (const char *at = command->letters; edit_option_next(&at, &option);)
		if (option.name_length > 0) {
			to += sprintf(to, "%s-%c is --", count > 0 ? ", " : to == text ? "" : " ", option.letter);
			memcpy(to, option.name, option.name_length);
			to += option.name_length;
			count++;
		}
	strcpy(to, count > 0 ? "." : "");
	return text;
}
