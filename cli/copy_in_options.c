/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The options of filling a volume.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/copy_in_options.h"
#include "cli/size.h"

#define MAX_LINE 4096u

/* Everything is kept until the program ends: a list of blocks. */
struct block {
	struct block *next;
	max_align_t bytes[];
};

static void *keep_room(struct cli_copy_in *in, size_t size)
{
	struct block *block = malloc(sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = in->memory;
	in->memory = block;
	return block->bytes;
}

static char *keep_text(struct cli_copy_in *in, const char *text, size_t length)
{
	char *copy = keep_room(in, length + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

void cli_copy_in_free(struct cli_copy_in *in)
{
	while (in->memory) {
		struct block *block = in->memory;

		in->memory = block->next;
		free(block);
	}
}

/* Make an array one element longer; the old one stays until the end, too. */
static void *grow(struct cli_copy_in *in, const void *old, unsigned count, size_t size)
{
	char *array = keep_room(in, (count + 1) * size);

	if (array && count)
		memcpy(array, old, count * size);
	return array;
}

static const char no_memory[] = "needs more memory than is available";

static const char *add_text(struct cli_copy_in *in, const char *const **list, unsigned *count, const char *text)
{
	const char **array = grow(in, *list, *count, sizeof(*array));

	if (!array)
		return no_memory;
	array[(*count)++] = text;
	*list = array;
	return NULL;
}

void cli_copy_in_source(struct cli_copy_in *in, const char *source)
{
	const int is_stdin = strcmp(source, "-") == 0;
	struct stat st;

	in->source = source;
	in->options.directory = NULL;
	in->options.tar = NULL;
	if (!is_stdin && (stat(source, &st) != 0 || S_ISDIR(st.st_mode))) {
		in->options.directory = source; /* the library reports a missing one */
		return;
	}
	in->input.path = is_stdin ? NULL : source;
	in->input.fd = 0;
	in->options.tar = &in->input;
}

static const char *take_manifest(struct cli_copy_in *in, const char *value)
{
	in->manifest.path = strcmp(value, "-") == 0 ? NULL : value;
	in->manifest.fd = 0;
	in->options.manifest = &in->manifest;
	if (!in->source)
		in->source = value;
	return NULL;
}

/* A line of a list of patterns, its end included. */
static const char *take_line(struct cli_copy_in *in, const char *line)
{
	const size_t n = strcspn(line, "\r\n");
	const char *copy;

	if (n == MAX_LINE - 1)
		return "has a line that is too long";
	if (n == 0 || line[0] == '#')
		return NULL;
	copy = keep_text(in, line, n);
	return copy ? add_text(in, &in->options.exclude, &in->options.exclude_count, copy) : no_memory;
}

static const char *take_exclude_from(struct cli_copy_in *in, const char *value)
{
	FILE *file = fopen(value, "r");
	char line[MAX_LINE];
	const char *why = NULL;

	if (!file)
		return "cannot be opened";
	while (!why && fgets(line, sizeof(line), file))
		why = take_line(in, line);
	if (!why && ferror(file))
		why = "cannot be read";
	fclose(file);
	return why;
}

static const char *take_owner(const char *value, struct f2fs_populate_rule *rule)
{
	char uid[24];
	const size_t n = strcspn(value, ":");

	rule->set = F2FS_SET_UID | F2FS_SET_GID;
	if (!value[n] || n >= sizeof(uid))
		return "is not PATTERN=UID:GID";
	memcpy(uid, value, n);
	uid[n] = '\0';
	if (cli_parse_u32(uid, 0, UINT32_MAX, &rule->uid) || cli_parse_u32(value + n + 1, 0, UINT32_MAX, &rule->gid))
		return "is not PATTERN=UID:GID";
	return NULL;
}

static const char *take_mode(const char *value, struct f2fs_populate_rule *rule)
{
	const size_t n = strspn(value, "01234567");

	rule->set = F2FS_SET_MODE;
	rule->mode = (uint32_t)strtoul(value, NULL, 8);
	return n == 0 || n > 5 || value[n] || rule->mode > 07777 ? "is not PATTERN=MODE, an octal number" : NULL;
}

static const char *take_time(const char *value, struct f2fs_populate_rule *rule)
{
	rule->set = F2FS_SET_MTIME;
	return cli_parse_s64(value, &rule->time.seconds) ? "is not PATTERN=SECONDS" : NULL;
}

/* PATTERN=VALUE; the pattern may have equals signs in it. */
static const char *take_rule(struct cli_copy_in *in, const char *text,
			     const char *(*take)(const char *value, struct f2fs_populate_rule *rule))
{
	const char *equals = strrchr(text, '=');
	struct f2fs_populate_rule *rules = grow(in, in->options.rules, in->options.rule_count, sizeof(*rules));
	struct f2fs_populate_rule *rule = rules ? &rules[in->options.rule_count] : NULL;
	const char *why;

	if (!rule)
		return no_memory;
	memset(rule, 0, sizeof(*rule));
	if (!equals || equals == text)
		return "is not PATTERN=VALUE";
	why = take(equals + 1, rule);
	if (why)
		return why;
	rule->pattern = keep_text(in, text, (size_t)(equals - text));
	if (!rule->pattern)
		return no_memory;
	in->options.rules = rules;
	in->options.rule_count++;
	return NULL;
}

/* Several files, separated by commas. */
static const char *take_file_contexts(struct cli_copy_in *in, const char *value)
{
	const char *why = NULL;

	while (!why && *value) {
		const size_t n = strcspn(value, ",");
		const char *path = n ? keep_text(in, value, n) : NULL;

		if (n)
			why = path ? add_text(in, &in->options.file_contexts, &in->options.file_contexts_count, path)
				   : no_memory;
		value += n + (value[n] == ',');
	}
	return why;
}

const char *cli_copy_in_take(struct cli_copy_in *in, int id, const char *value)
{
	struct f2fs_populate_options *o = &in->options;

	switch (id) {
	case CLI_COPY_manifest:
		return take_manifest(in, value);
	case CLI_COPY_include:
		return add_text(in, &o->include, &o->include_count, value);
	case CLI_COPY_exclude:
		return add_text(in, &o->exclude, &o->exclude_count, value);
	case CLI_COPY_exclude_from:
		return take_exclude_from(in, value);
	case CLI_COPY_set_owner:
		return take_rule(in, value, take_owner);
	case CLI_COPY_set_mode:
		return take_rule(in, value, take_mode);
	case CLI_COPY_set_time:
		return take_rule(in, value, take_time);
	case CLI_COPY_keep_flags:
		in->keeps_flags = 1;
		return NULL;
	case CLI_COPY_fs_config:
		o->fs_config = value;
		return NULL;
	case CLI_COPY_file_contexts:
		return take_file_contexts(in, value);
	default:
		return "is not known";
	}
}
