/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Split the words of -o.
 */

#include <string.h>

#include "fuse/mount_words.h"

/* Of fstab(5) and mount(8). */
static const char *const idle_words[] = { "defaults", "auto",  "noauto",  "nofail",	"user",
					  "nouser",   "users", "owner",	  "group",	"_netdev",
					  "diratime", "atime", "norelatime", "nostrictatime", "nolazytime" };
static const char *const idle_starts[] = { "x-", "X-", "comment=" };

char *mount_word_next(char **at)
{
	char *from = *at, *to = from, *word = from;

	if (!from)
		return NULL;
	while (*from && *from != ',') {
		from += *from == '\\' && from[1] == ',';
		*to++ = *from++;
	}
	*at = *from ? from + 1 : NULL;
	*to = '\0';
	return word;
}

static int is_same(const char *name, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (name[i] != (word[i] == '_' ? '-' : word[i]))
			return 0;
	return name[n] == '\0';
}

const struct cli_option *mount_word_find(const struct cli_tool *tool, const char *word)
{
	const size_t n = strcspn(word, "=");

	for (unsigned i = 0; i < tool->option_count; i++) {
		const struct cli_option *option = &tool->options[i];

		if (option->id != CLI_OPTION_GROUP && option->name && is_same(option->name, word, n))
			return option;
	}
	return NULL;
}

const char *mount_word_value(const char *word)
{
	const char *at = strchr(word, '=');

	return at ? at + 1 : NULL;
}

int mount_word_is_idle(const char *word)
{
	for (size_t i = 0; i < sizeof(idle_words) / sizeof(idle_words[0]); i++)
		if (!strcmp(word, idle_words[i]))
			return 1;
	for (size_t i = 0; i < sizeof(idle_starts) / sizeof(idle_starts[0]); i++)
		if (!strncmp(word, idle_starts[i], strlen(idle_starts[i])))
			return 1;
	return !*word;
}
