/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fs_config, the plain ("canned") form: a line for each path,
 *
 *	PATH UID GID MODE [capabilities=MASK] [selabel=CONTEXT]
 *
 * MODE is octal. A line that starts with a blank is the root's. The last line of a path counts.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "format/inode.h"
#include "source/fsconfig.h"
#include "source/listtext.h"

struct fs_config {
	struct f2fs_context *ctx;
	char *text;
	struct vec entries; /* struct fs_config_entry, sorted by path and line */
};

static bool take_number(const char *word, int base, uint64_t max, uint64_t *out)
{
	char *end;
	unsigned long long value;

	if (!word || word[0] < '0' || word[0] > '9')
		return false;
	errno = 0;
	value = strtoull(word, &end, base);
	if (*end || errno || value > max)
		return false;
	*out = value;
	return true;
}

/* Take a path's slashes at the ends off. */
static char *trim(char *path)
{
	size_t n;

	path += strspn(path, "/");
	n = strlen(path);
	while (n > 0 && path[n - 1] == '/')
		path[--n] = '\0';
	return path;
}

/* Take a line. Returns its fault, or NULL. */
static const char *take_line(char *line, struct fs_config_entry *entry)
{
	const bool is_root = line[0] == ' ' || line[0] == '\t';
	uint64_t uid, gid, mode;
	char *word;

	entry->path = is_root ? "" : trim(listtext_word(&line));
	if (!take_number(listtext_word(&line), 10, NOBODY_ID - 1, &uid) ||
	    !take_number(listtext_word(&line), 10, NOBODY_ID - 1, &gid))
		return "an owner is not a number, or is 4294967295, which is reserved";
	if (!take_number(listtext_word(&line), 8, 0177777, &mode))
		return "the mode is not an octal number";
	entry->uid = (uint32_t)uid;
	entry->gid = (uint32_t)gid;
	entry->mode = (uint32_t)mode;
	while ((word = listtext_word(&line)) != NULL) {
		if (strncmp(word, "selabel=", 8) == 0)
			entry->label = word + 8;
		else if (strncmp(word, "capabilities=", 13) != 0)
			return "a word is neither capabilities= nor selabel=";
		else if (!take_number(word + 13, 0, UINT64_MAX, &entry->capabilities))
			return "the capabilities are not a number";
	}
	return NULL;
}

static int compare_entries(const void *a, const void *b)
{
	const struct fs_config_entry *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : x->line < y->line ? -1 : 1;
}

static int take_lines(struct fs_config *config, const char *name)
{
	char *line = config->text;

	for (size_t number = 1; *line; number++) {
		char *end = line + strcspn(line, "\n"), *following = *end ? end + 1 : end;
		struct fs_config_entry entry = { .line = number };
		struct fs_config_entry *slot;
		const char *why;

		*end = '\0';
		if (line[strspn(line, " \t\r\v\f")] != '\0') {
			why = take_line(line, &entry);
			if (why)
				return error_set(config->ctx, F2FS_ERR_INVALID, "%.200s, line %zu: %s", name, number,
						 why);
			slot = vec_push(&config->entries, 1);
			if (!slot)
				return F2FS_ERR_NOMEM;
			*slot = entry;
		}
		line = following;
	}
	vec_sort(&config->entries, compare_entries);
	return 0;
}

int fs_config_parse(struct f2fs_context *ctx, const char *name, char *text, struct fs_config **out)
{
	struct fs_config *config = mem_zalloc(ctx, sizeof(*config));
	int err;

	if (!config) {
		mem_free(ctx, text);
		return F2FS_ERR_NOMEM;
	}
	config->ctx = ctx;
	config->text = text;
	vec_init(&config->entries, ctx, sizeof(struct fs_config_entry));
	err = take_lines(config, name);
	if (err)
		fs_config_free(config);
	else
		*out = config;
	return err;
}

int fs_config_load(struct f2fs_context *ctx, const char *path, struct fs_config **out)
{
	char *text;
	int err = listtext_read(ctx, path, &text);

	return err ? err : fs_config_parse(ctx, path, text, out);
}

void fs_config_free(struct fs_config *config)
{
	if (!config)
		return;
	vec_fini(&config->entries);
	mem_free(config->ctx, config->text);
	mem_free(config->ctx, config);
}

const struct fs_config_entry *fs_config_find(const struct fs_config *config, const char *path)
{
	const struct fs_config_entry key = { .path = path, .line = SIZE_MAX }, *entry;

	if (config->entries.count == 0)
		return NULL;
	entry = vec_at(&config->entries, vec_last(&config->entries, compare_entries, &key));
	return strcmp(entry->path, path) == 0 ? entry : NULL;
}
