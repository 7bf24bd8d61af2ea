/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A command as it was called: options and operands taken out of its words.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/call.h"
#include "edit/failure.h"
#include "edit/synopsis.h"

static int wrong(struct edit *e, const struct edit_command *command, const char *why)
{
	char *usage = edit_synopsis(command);

	cli_error(&e->cli, "%s: %s; usage: %s%s%s", command->name, why, command->name, usage && *usage ? " " : "",
		  usage ? usage : "");
	free(usage);
	edit_note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

/* Note an option, whose value may be the rest of its word or the next one. Returns the number of further words taken,
 * or an error. */
static int take_option(struct edit *e, struct edit_call *call, const struct edit_option *option, const char *rest,
		       const char *next)
{
	const char **to = &call->options[(unsigned char)option->letter];

	*to = "";
	if (!option->value)
		return 0;
	*to = *rest ? rest : next;
	if (!*to)
		return wrong(e, call->command, "an option needs a value");
	return *rest ? 0 : 1;
}

/* One word "--name" or "--name=VALUE". Returns the number of further words taken, or an error. */
static int take_long(struct edit *e, struct edit_call *call, char *word, const char *next)
{
	char *value = strchr(word, '='), why[80];
	struct edit_option option;

	if (value)
		*value++ = '\0';
	if (!word[3] || !edit_option_find(call->command, word + 2, &option)) {
		snprintf(why, sizeof(why), "unknown option %.60s", word);
		return wrong(e, call->command, why);
	}
	if (!value)
		return take_option(e, call, &option, "", next);
	if (!option.value || !*value) {
		snprintf(why, sizeof(why), "%.60s %s", word, option.value ? "needs a value" : "takes no value");
		return wrong(e, call->command, why);
	}
	return take_option(e, call, &option, value, NULL);
}

/* One word "-lr", "-m755", "-name". Returns the number of further words taken, or an error. */
static int take_letters(struct edit *e, struct edit_call *call, char *word, const char *next)
{
	char letter[2] = "", why[] = "unknown option -?";
	struct edit_option option;

	if (word[1] == '-')
		return take_long(e, call, word, next);
	word++;
	if (word[1] && edit_option_find(call->command, word, &option))
		return take_option(e, call, &option, "", next);
	for (; *word; word++) {
		int taken;

		letter[0] = *word;
		if (!edit_option_find(call->command, letter, &option)) {
			why[sizeof(why) - 2] = *word;
			return wrong(e, call->command, why);
		}
		taken = take_option(e, call, &option, word + 1, next);
		if (taken || option.value)
			return taken;
	}
	return 0;
}

/* A word like "-rf" that is an option; chattr's "-i" is none. */
static int is_option(const struct edit_command *command, const char *word)
{
	const char letter[2] = { word[0] ? word[1] : '\0', '\0' };
	struct edit_option option;

	if (word[0] != '-' || !word[1] || !command->letters[0])
		return 0;
	return !strchr(command->letters, '?') || word[1] == '-' || edit_option_find(command, letter, &option);
}

int edit_call_parse(struct edit *e, struct edit_call *call, char **words, int count)
{
	const int is_strict = call->command->letters[0] == '+';
	int i = 1, only_operands = 0;

	while (i < count) {
		int taken = 0;

		if (only_operands || !is_option(call->command, words[i])) {
			call->operands[call->count++] = words[i++];
			only_operands |= is_strict;
			continue;
		}
		if (!strcmp(words[i], "--"))
			only_operands = 1;
		else
			taken = take_letters(e, call, words[i], i + 1 < count ? words[i + 1] : NULL);
		if (taken < 0)
			return taken;
		i += 1 + taken;
	}
	if (call->count < call->command->min)
		return wrong(e, call->command, "something is missing");
	if (call->command->max >= 0 && call->count > call->command->max)
		return wrong(e, call->command, "too many operands");
	return 0;
}
