/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns: * ? [a-z] and a backslash before what stands for itself. In texts of commands words with unquoted ones
 * become the names that match, as in a shell; a word that nothing matches stays as it is.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/patterns.h"
#include "edit/words.h"

/* Match one character with a set, after its bracket; *end is after the set, NULL when it is not closed. */
static int in_set(const char *set, char c, const char **end)
{
	const int invert = *set == '!' || *set == '^';
	const char *at = set + invert, *from = at;
	int found = 0;

	for (; *at && (*at != ']' || at == from); at++) {
		char low, high;

		if (*at == '\\' && at[1])
			at++;
		low = high = *at;
		if (at[1] == '-' && at[2] && at[2] != ']') {
			at += at[2] == '\\' && at[3] ? 3 : 2;
			high = *at;
		}
		found |= (unsigned char)c >= (unsigned char)low && (unsigned char)c <= (unsigned char)high;
	}
	*end = *at ? at + 1 : NULL;
	return found != invert;
}

/* Match one character with the start of a pattern, which is no star; *pattern moves on. */
static int match_one(const char **pattern, char c)
{
	const char *at = *pattern, *end;
	int found;

	if (*at == '[') {
		found = in_set(at + 1, c, &end);
		if (end) {
			*pattern = end;
			return found;
		}
	} else if (*at == '\\' && at[1]) {
		at++;
	} else if (*at == '?') {
		*pattern = at + 1;
		return 1;
	}
	*pattern = at + 1;
	return *at == c;
}

/* One star is gone back to at a time, so the time is at most the product of the lengths. */
int edit_matches(const char *pattern, const char *name)
{
	const char *star = NULL, *resume = name;

	while (*name) {
		const char *next = pattern;

		if (*pattern == '*') {
			star = ++pattern;
			resume = name;
		} else if (*pattern && match_one(&next, *name)) {
			pattern = next;
			name++;
		} else if (star) {
			pattern = star;
			name = ++resume;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* ---- words become names ---- */

struct list {
	char **items;
	size_t count, room;
};

static void free_list(struct list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

/* Add a text, which is taken over; NULL is a lack of memory. */
static int add(struct edit *e, struct list *list, char *text)
{
	if (text && list->count == list->room) {
		const size_t room = list->room ? 2 * list->room : 16;
		char **more = realloc(list->items, room * sizeof(*more));

		if (!more) {
			free(text);
			return edit_no_memory(e);
		}
		list->items = more;
		list->room = room;
	}
	if (!text)
		return edit_no_memory(e);
	list->items[list->count++] = text;
	return 0;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int is_pattern(const char *text)
{
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (strchr("*?[", *text))
			return 1;
	}
	return 0;
}

/* Take the backslashes out, in place. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; *to++ = *text++)
		if (*text == '\\' && text[1])
			text++;
	*to = '\0';
}

/* A name in a directory that was found; "" is the current one. */
static char *join(const char *prefix, const char *name)
{
	return *prefix ? cli_join(prefix, name) : strdup(name);
}

/* The names of a directory that match one component of a pattern. */
struct search {
	struct edit *e;
	const char *prefix, *component;
	struct list *found;
};

static int take_name(void *user, const struct f2fs_dirent *entry)
{
	struct search *s = user;

	if ((entry->name[0] == '.' && s->component[0] != '.') || !edit_matches(s->component, entry->name))
		return 0;
	return add(s->e, s->found, join(s->prefix, entry->name));
}

static int search_directory(struct search *s)
{
	char *path = edit_path(s->e, *s->prefix ? s->prefix : ".");
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc = 0;

	if (!path)
		return edit_no_memory(s->e);
	if (f2fs_lookup(s->e->vol, path, F2FS_LOOKUP_FOLLOW, &inode) == 0) {
		if (f2fs_inode_stat(inode, &st) == 0 && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
			rc = edit_each(s->e, inode, path, take_name, s);
		f2fs_inode_close(inode);
	}
	free(path);
	return rc;
}

static int is_there(struct edit *e, const char *operand)
{
	char *path = edit_path(e, operand);
	struct f2fs_inode *inode;
	const int yes = path && f2fs_lookup(e->vol, path, 0, &inode) == 0;

	if (yes)
		f2fs_inode_close(inode);
	free(path);
	return yes;
}

/* One component further: names in the directories found so far, or the component as it stands. */
static int go_down(struct edit *e, const struct list *from, char *component, struct list *to)
{
	const int with_search = is_pattern(component);
	int rc = 0;

	if (!with_search)
		unescape(component);
	for (size_t i = 0; !rc && i < from->count; i++) {
		struct search s = { e, from->items[i], component, to };

		rc = with_search ? search_directory(&s) : add(e, to, join(from->items[i], component));
	}
	return rc;
}

/* The paths of the volume that match; pattern is changed. */
static int expand_in_volume(struct edit *e, char *pattern, struct list *out)
{
	struct list paths = { NULL, 0, 0 };
	int rc = add(e, &paths, strdup(*pattern == '/' ? "/" : ""));

	for (char *at = strtok(pattern, "/"); !rc && at; at = strtok(NULL, "/")) {
		struct list next = { NULL, 0, 0 };

		rc = go_down(e, &paths, at, &next);
		free_list(&paths);
		paths = next;
	}
	if (paths.count > 1)
		qsort(paths.items, paths.count, sizeof(*paths.items), compare_texts);
	for (size_t i = 0; !rc && i < paths.count; i++)
		if (is_there(e, paths.items[i]))
			rc = add(e, out, strdup(paths.items[i]));
	free_list(&paths);
	return rc;
}

static int expand_on_host(struct edit *e, const char *pattern, struct list *out)
{
	glob_t found;
	int rc = 0;

	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; !rc && i < found.gl_pathc; i++)
		rc = add(e, out, strdup(found.gl_pathv[i]));
	globfree(&found);
	return rc;
}

/* A word as a pattern in which quoted characters have a backslash; NULL when nothing in it is active. */
static char *pattern_of(const char *word, const unsigned char *marks)
{
	const size_t n = strlen(word);
	char *pattern = memchr(marks, 1, n) ? malloc(2 * n + 1) : NULL, *to = pattern;

	if (!pattern)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (!marks[i] && strchr("*?[\\", word[i]))
			*to++ = '\\';
		*to++ = word[i];
	}
	*to = '\0';
	return pattern;
}

int edit_expand(struct edit *e, const struct edit_line *line, char ***words, int *count)
{
	struct list out = { NULL, 0, 0 };
	const int is_put = !strcmp(line->words[0], "put");
	int rc = edit_open_volume(e);

	for (int i = 0; !rc && i < line->count; i++) {
		char *word = line->words[i], *pattern = pattern_of(word, line->marks + (word - line->start));
		const size_t before = out.count;

		if (pattern && is_put && (i < line->count - 1 || i == 1))
			rc = expand_on_host(e, pattern, &out);
		else if (pattern)
			rc = expand_in_volume(e, pattern, &out);
		if (!rc && out.count == before)
			rc = add(e, &out, strdup(word));
		free(pattern);
	}
	if (rc) {
		free_list(&out);
		return rc;
	}
	*words = out.items;
	*count = (int)out.count;
	return 0;
}

void edit_expand_free(char **words, int count)
{
	for (int i = 0; i < count; i++)
		free(words[i]);
	free(words);
}
