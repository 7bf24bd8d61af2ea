/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of names, and files by them. */
#include <dirent.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- names */

/* Does a set, given from after its '[', have the character? Returns its end, or NULL when it has none. */
static const char *match_set(const char *set, char c, bool *has)
{
	const bool is_negated = *set == '!' || *set == '^';
	const char *p = set + is_negated;
	bool found = false;

	for (bool is_first = true; *p && (is_first || *p != ']'); is_first = false) {
		const char from = *p == '\\' && p[1] ? *++p : *p;
		char to = from;

		if (p[1] == '-' && p[2] && p[2] != ']') {
			to = p[2];
			p += 2;
		}
		found = found || ((unsigned char)from <= (unsigned char)c && (unsigned char)c <= (unsigned char)to);
		p++;
	}
	*has = found != is_negated;
	return *p == ']' ? p + 1 : NULL;
}

/* Match one character, and move *pattern on. */
static bool match_one(const char **pattern, char c)
{
	const char *end;
	bool has;

	switch (**pattern) {
	case '?':
		++*pattern;
		return true;
	case '[':
		end = match_set(*pattern + 1, c, &has);
		if (end) {
			*pattern = end;
			return has;
		}
		break;
	case '\\':
		*pattern += (*pattern)[1] != 0;
		break;
	default:
		break;
	}
	return *(*pattern)++ == c;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
	const char *star = NULL, *again = NULL; /* after the last '*', and the text that it has not taken */

	(void)flags;
	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*pattern && match_one(&pattern, *text)) {
			text++;
		} else if (star) {
			pattern = star;
			text = ++again;
		} else {
			return FNM_NOMATCH;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern ? FNM_NOMATCH : 0;
}

/* ---- files */

static int compare_paths(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(*one, *other);
}

/* Add a path, which is taken over. */
static int add_path(glob_t *to, char *path)
{
	char **const more = path ? realloc(to->gl_pathv, (to->gl_pathc + 1) * sizeof(*more)) : NULL;

	if (!more) {
		free(path);
		return GLOB_NOSPACE;
	}
	to->gl_pathv = more;
	more[to->gl_pathc++] = path;
	return 0;
}

static char *join(const char *base, const char *name, size_t length)
{
	const size_t n = strlen(base);
	char *const path = malloc(n + length + 1);

	if (path) {
		memcpy(path, base, n);
		memcpy(path + n, name, length);
		path[n + length] = 0;
	}
	return path;
}

/* Add what base has by one part of a pattern. base ends with a '/', or is empty. */
static int match_part(const char *base, const char *part, glob_t *out)
{
	DIR *const dir = opendir(*base ? base : ".");
	const struct dirent *entry;
	int rc = 0;

	while (dir && rc == 0 && (entry = readdir(dir)) != NULL)
		if ((entry->d_name[0] != '.' || part[0] == '.') && fnmatch(part, entry->d_name, 0) == 0)
			rc = add_path(out, join(base, entry->d_name, strlen(entry->d_name)));
	if (dir)
		closedir(dir);
	return rc;
}

/* Follow one part of a pattern from each path; more: the '/' after the part. */
static int follow(const glob_t *from, const char *part, size_t length, const char *more, size_t more_length,
		  glob_t *out)
{
	char *const text = join("", part, length);
	int rc = text ? 0 : GLOB_NOSPACE;

	for (size_t i = 0; rc == 0 && i < from->gl_pathc; i++) {
		glob_t found = { 0 };
		struct stat st;

		if (strpbrk(text, "*?["))
			rc = match_part(from->gl_pathv[i], text, &found);
		else
			rc = add_path(&found, join(from->gl_pathv[i], text, length));
		for (size_t k = 0; rc == 0 && k < found.gl_pathc; k++)
			if (length == 0 || stat(found.gl_pathv[k], &st) == 0)
				rc = add_path(out, join(found.gl_pathv[k], more, more_length));
		globfree(&found);
	}
	free(text);
	return rc;
}

int glob(const char *pattern, int flags, int (*fail)(const char *path, int number), glob_t *out)
{
	glob_t now = { 0 };
	int rc;

	(void)flags;
	(void)fail;
	rc = add_path(&now, join("", "", 0));
	while (rc == 0 && *pattern) {
		const size_t n = strcspn(pattern, "/"), slashes = strspn(pattern + n, "/");
		glob_t next = { 0 };

		rc = follow(&now, pattern, n, pattern + n, slashes, &next);
		globfree(&now);
		now = next;
		pattern += n + slashes;
	}
	*out = now;
	if (rc == 0 && now.gl_pathc == 0)
		rc = GLOB_NOMATCH;
	if (rc != 0)
		globfree(out);
	else
		qsort(now.gl_pathv, now.gl_pathc, sizeof(*now.gl_pathv), compare_paths);
	return rc;
}

void globfree(glob_t *found)
{
	for (size_t i = 0; i < found->gl_pathc; i++)
		free(found->gl_pathv[i]);
	free(found->gl_pathv);
	*found = (glob_t){ 0 };
}
