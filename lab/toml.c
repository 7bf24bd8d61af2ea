/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A reader of experiments: the part of TOML that toml.h names.
 */
#include "lab/toml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MOST = 1 << 20, KEY_MOST = 120, ITEMS_MOST = 256, TEXT_MOST = 4096 };

struct reader {
	struct lab_config *config;
	const char *p;
	unsigned line;
	char table[KEY_MOST + 2]; /* with a dot after it */
	char *items[ITEMS_MOST];
	unsigned count;
	char text[TEXT_MOST];
};

static int wrong(struct reader *r, const char *key, const char *why)
{
	snprintf(r->config->error, sizeof(r->config->error), "%s:%u: %s%s%s", r->config->path, r->line, key ? key : "",
		 key ? ": " : "", why);
	return -1;
}

static int is_bare(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static void skip_blanks(struct reader *r)
{
	while (*r->p == ' ' || *r->p == '\t')
		r->p++;
}

/* Blanks, comments and ends of lines. */
static void skip_lines(struct reader *r)
{
	for (;; r->p++) {
		skip_blanks(r);
		if (*r->p == '#')
			r->p += strcspn(r->p, "\n");
		if (*r->p == '\n')
			r->line++;
		else if (*r->p != '\r')
			return;
	}
}

static int end_of_line(struct reader *r, const char *key)
{
	skip_blanks(r);
	if (*r->p == '#')
		r->p += strcspn(r->p, "\n");
	if (*r->p == '\r')
		r->p++;
	return *r->p == '\n' || *r->p == '\0' ? 0 : wrong(r, key, "there is more on the line than one value");
}

/* Read a key, maybe with dots, after the text in key. */
static int read_key(struct reader *r, char *key)
{
	size_t n = strlen(key);
	int wants_part = 1;

	for (;; r->p++) {
		if (is_bare(*r->p)) {
			wants_part = 0;
		} else if (*r->p == '.' && !wants_part) {
			wants_part = 1;
		} else {
			break;
		}
		if (n >= KEY_MOST)
			return wrong(r, key, "is too long a key");
		key[n++] = *r->p;
		key[n] = '\0';
	}
	if (!wants_part)
		return 0;
	return wrong(r, NULL, "a key made of letters, digits, _ and - is missing, or ends in a dot");
}

static int escaped(char c)
{
	static const char names[] = "\"\\nt", meant[] = "\"\\\n\t";
	const char *at = c ? strchr(names, c) : NULL;

	return at ? meant[at - names] : -1;
}

static int read_string(struct reader *r, const char *key)
{
	const char quote = *r->p++;
	size_t n = 0;

	if (r->p[0] == quote && r->p[1] == quote)
		return wrong(r, key, "strings of several lines are not understood here");
	for (; *r->p != quote; r->p++) {
		char c = *r->p;

		if (c == '\0' || c == '\n')
			return wrong(r, key, "the string has no end on its line");
		if (c == '\\' && quote == '"') {
			const int meant = escaped(*++r->p);

			if (meant < 0)
				return wrong(r, key, "in strings only \\\" \\\\ \\n and \\t are understood");
			c = (char)meant;
		}
		if (n + 1 == TEXT_MOST)
			return wrong(r, key, "the string is too long");
		r->text[n++] = c;
	}
	r->p++;
	r->text[n] = '\0';
	return 0;
}

/* A number, or true or false; the underscores of numbers go. */
static int read_plain(struct reader *r, const char *key)
{
	static const char allowed[] = "+-.eE_0123456789abcdfxABCDF";
	size_t n = 0, digits = 0;

	if (strncmp(r->p, "true", 4) == 0 || strncmp(r->p, "false", 5) == 0) {
		n = *r->p == 't' ? 4 : 5;
		memcpy(r->text, r->p, n);
		r->text[n] = '\0';
		r->p += n;
		return is_bare(*r->p) ? wrong(r, key, "is no value") : 0;
	}
	if (!strchr("+-0123456789", *r->p) || !*r->p)
		return wrong(r, key, "is no value: a string in quotes, a number, true, false, or a list of these");
	for (; *r->p && strchr(allowed, *r->p); r->p++) {
		digits += *r->p >= '0' && *r->p <= '9';
		if (n + 1 == 64)
			return wrong(r, key, "the number is too long");
		if (*r->p != '_')
			r->text[n++] = *r->p;
	}
	r->text[n] = '\0';
	return digits && !is_bare(*r->p) && *r->p != ':' ? 0 : wrong(r, key, "is no number");
}

static int read_item(struct reader *r, const char *key)
{
	int rc = *r->p == '"' || *r->p == '\'' ? read_string(r, key) : read_plain(r, key);

	if (rc)
		return rc;
	if (r->count == ITEMS_MOST)
		return wrong(r, key, "the list is too long");
	r->items[r->count] = strdup(r->text);
	if (!r->items[r->count])
		return wrong(r, key, "out of memory");
	r->count++;
	return 0;
}

static int read_list(struct reader *r, const char *key)
{
	for (r->p++;;) {
		skip_lines(r);
		if (*r->p == ']')
			break;
		if (read_item(r, key))
			return -1;
		skip_lines(r);
		if (*r->p == ',')
			r->p++;
		else if (*r->p != ']')
			return wrong(r, key, "a comma or ] is missing in the list");
	}
	r->p++;
	return 0;
}

static int read_value(struct reader *r, const char *key, unsigned line)
{
	const int is_list = *r->p == '[';
	int rc = is_list ? read_list(r, key) : read_item(r, key);

	if (!rc)
		rc = end_of_line(r, key);
	if (!rc)
		rc = lab_config_add(r->config, key, r->items, r->count, line, is_list);
	while (r->count > 0)
		free(r->items[--r->count]);
	return rc;
}

static int read_setting(struct reader *r)
{
	const struct lab_setting *first;
	const unsigned line = r->line;
	char key[KEY_MOST + 2], why[64];

	snprintf(key, sizeof(key), "%s", r->table);
	if (read_key(r, key))
		return -1;
	skip_blanks(r);
	if (*r->p != '=')
		return wrong(r, key, "= is missing");
	r->p++;
	skip_blanks(r);
	first = lab_config_find(r->config, key);
	if (first) {
		snprintf(why, sizeof(why), "line %u has the same key", first->line);
		return wrong(r, key, why);
	}
	return read_value(r, key, line);
}

static int read_table(struct reader *r)
{
	char key[KEY_MOST + 1] = "";

	r->p++;
	if (*r->p == '[')
		return wrong(r, NULL, "arrays of tables are not understood here");
	skip_blanks(r);
	if (read_key(r, key))
		return -1;
	skip_blanks(r);
	if (*r->p != ']')
		return wrong(r, key, "] is missing");
	r->p++;
	snprintf(r->table, sizeof(r->table), "%s.", key);
	return end_of_line(r, key);
}

static char *read_file(struct lab_config *config, const char *path)
{
	FILE *from = fopen(path, "r");
	char *text = from ? malloc(FILE_MOST + 1) : NULL;
	size_t n = text ? fread(text, 1, FILE_MOST + 1, from) : 0;

	if (!text || ferror(from))
		snprintf(config->error, sizeof(config->error), "%s: %s", path, strerror(errno));
	else if (n > FILE_MOST || memchr(text, '\0', n))
		snprintf(config->error, sizeof(config->error), "%s: is no experiment: %s", path,
			 n > FILE_MOST ? "it is larger than 1 MiB" : "it has a zero byte");
	else {
		text[n] = '\0';
		fclose(from);
		return text;
	}
	free(text);
	if (from)
		fclose(from);
	return NULL;
}

int lab_toml_read(struct lab_config *config, const char *path)
{
	static struct reader r;
	char *text = read_file(config, path);
	int rc = text ? 0 : -1;

	config->path = path;
	r = (struct reader){ .config = config, .p = text, .line = 1 };
	while (!rc) {
		skip_lines(&r);
		if (*r.p == '\0')
			break;
		rc = *r.p == '[' ? read_table(&r) : read_setting(&r);
	}
	free(text);
	return rc;
}
