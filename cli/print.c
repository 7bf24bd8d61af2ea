/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results as text or JSON. Text is written as it comes; a JSON record is built as a tree and written when it ends.
 */
#include "cli/print.h"

#include <stdlib.h>
#include <string.h>

#include <f2fskit/base.h>
#include <json-c/json.h>

enum { MAX_DEPTH = 8, PATH_SIZE = 256 };

struct level {
	json_object *node;   /* JSON only */
	size_t path_length;  /* text only: of the path before this level was opened */
	unsigned long index; /* of the next element, for an array */
	int is_array;
};

struct cli_print {
	FILE *to;
	enum cli_format format;
	int is_stream;
	int failed;
	unsigned long records;
	unsigned depth;
	struct level levels[MAX_DEPTH];
	char path[PATH_SIZE]; /* text only: "areas[1]." */
};

struct cli_print *cli_print_open(FILE *to, enum cli_format format)
{
	struct cli_print *p = calloc(1, sizeof(*p));

	if (p) {
		p->to = to;
		p->format = format;
	}
	return p;
}

void cli_print_stream(struct cli_print *p)
{
	p->is_stream = 1;
	if (p->format == CLI_JSON)
		fputc('[', p->to);
}

int cli_print_close(struct cli_print *p)
{
	int failed;

	while (p->depth > 0)
		json_object_put(p->levels[--p->depth].node);
	if (p->is_stream && p->format == CLI_JSON)
		fputs(p->records ? "\n]\n" : "]\n", p->to);
	failed = p->failed || fflush(p->to) != 0 || ferror(p->to);
	free(p);
	return failed ? -1 : 0;
}

static struct level *top(struct cli_print *p)
{
	return p->depth > 0 ? &p->levels[p->depth - 1] : NULL;
}

/* Text: the path of a value in the open level. */
static void make_path(struct cli_print *p, const char *name, char path[PATH_SIZE])
{
	struct level *level = top(p);

	if (level && level->is_array)
		snprintf(path, PATH_SIZE, "%.*s[%lu]", (int)(strlen(p->path) - 1), p->path, level->index++);
	else
		snprintf(path, PATH_SIZE, "%s%s", p->path, name ? name : "");
}

/* JSON: hang a value into the open level; takes it over. */
static void add_node(struct cli_print *p, const char *name, json_object *node)
{
	struct level *level = top(p);
	int rc = -1;

	if (level && level->node && level->is_array)
		rc = json_object_array_add(level->node, node);
	else if (level && level->node && name)
		rc = json_object_object_add(level->node, name, node);
	if (rc != 0) {
		json_object_put(node);
		p->failed = 1;
	}
}

/* The same for a value that was just made: NULL is a lack of memory, not JSON's null. */
static void add_value(struct cli_print *p, const char *name, json_object *node)
{
	if (node)
		add_node(p, name, node);
	else
		p->failed = 1;
}

static void put_record(struct cli_print *p, json_object *node)
{
	int style = JSON_C_TO_STRING_NOSLASHESCAPE;
	const char *text;

	if (!p->is_stream && p->format == CLI_JSON)
		style |= JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
	text = json_object_to_json_string_ext(node, style);
	if (!text)
		p->failed = 1;
	else if (p->is_stream && p->format == CLI_JSON)
		fprintf(p->to, "%s\n%s", p->records ? "," : "", text);
	else
		fprintf(p->to, "%s\n", text);
}

static void open_level(struct cli_print *p, const char *name, int is_array)
{
	struct level *level;
	char path[PATH_SIZE] = "";

	if (p->depth == MAX_DEPTH) {
		p->failed = 1;
		return;
	}
	if (p->format == CLI_TEXT && p->depth > 0)
		make_path(p, name, path);
	level = &p->levels[p->depth];
	memset(level, 0, sizeof(*level));
	level->is_array = is_array;
	level->path_length = strlen(p->path);
	if (p->format == CLI_TEXT) {
		if (p->depth == 0 && p->records > 0)
			fputc('\n', p->to);
		if (p->depth > 0)
			snprintf(p->path, sizeof(p->path), "%.*s.", PATH_SIZE - 2, path);
	} else {
		level->node = is_array ? json_object_new_array() : json_object_new_object();
		if (!level->node)
			p->failed = 1;
		else if (p->depth > 0)
			add_node(p, name, json_object_get(level->node));
	}
	p->depth++;
}

static void close_level(struct cli_print *p)
{
	struct level *level = top(p);

	if (!level)
		return;
	p->depth--;
	p->path[level->path_length] = '\0';
	if (p->depth == 0) {
		if (level->node)
			put_record(p, level->node);
		p->records++;
	}
	json_object_put(level->node);
}

void cli_print_begin(struct cli_print *p, const char *name)
{
	open_level(p, name, 0);
}

void cli_print_end(struct cli_print *p)
{
	close_level(p);
}

void cli_print_begin_array(struct cli_print *p, const char *name)
{
	open_level(p, name, 1);
}

void cli_print_end_array(struct cli_print *p)
{
	close_level(p);
}

static void put_text(struct cli_print *p, const char *name, const char *value)
{
	char path[PATH_SIZE];

	make_path(p, name, path);
	fprintf(p->to, "%s = %s\n", path, value);
}

void cli_print_u64(struct cli_print *p, const char *name, uint64_t value)
{
	char text[24];

	if (p->format != CLI_TEXT) {
		add_value(p, name, json_object_new_uint64(value));
		return;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	put_text(p, name, text);
}

void cli_print_s64(struct cli_print *p, const char *name, int64_t value)
{
	char text[24];

	if (p->format != CLI_TEXT) {
		add_value(p, name, json_object_new_int64(value));
		return;
	}
	snprintf(text, sizeof(text), "%lld", (long long)value);
	put_text(p, name, text);
}

void cli_print_hex(struct cli_print *p, const char *name, uint64_t value)
{
	char text[24];

	if (p->format != CLI_TEXT) {
		add_value(p, name, json_object_new_uint64(value));
		return;
	}
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	put_text(p, name, text);
}

void cli_print_fixed(struct cli_print *p, const char *name, double value, int decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	if (p->format != CLI_TEXT)
		add_value(p, name, json_object_new_double_s(value, text));
	else
		put_text(p, name, text);
}

void cli_print_bool(struct cli_print *p, const char *name, int value)
{
	if (p->format != CLI_TEXT)
		add_value(p, name, json_object_new_boolean(value != 0));
	else
		put_text(p, name, value ? "yes" : "no");
}

void cli_print_string(struct cli_print *p, const char *name, const char *value)
{
	if (p->format != CLI_TEXT)
		add_value(p, name, json_object_new_string(value));
	else
		put_text(p, name, value);
}

/* Write under name, or under name with a suffix. */
static void put_string(struct cli_print *p, const char *name, const char *suffix, const char *value)
{
	char long_name[PATH_SIZE];

	if (name && *suffix) {
		snprintf(long_name, sizeof(long_name), "%s%s", name, suffix);
		name = long_name;
	}
	cli_print_string(p, name, value);
}

static void put_digits(struct cli_print *p, const char *name, const char *suffix, const uint8_t *bytes, size_t n)
{
	static const char digit[] = "0123456789abcdef";
	char *text = malloc(2 * n + 1);

	if (!text) {
		p->failed = 1;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digit[bytes[i] >> 4];
		text[2 * i + 1] = digit[bytes[i] & 15];
	}
	text[2 * n] = '\0';
	put_string(p, name, suffix, text);
	free(text);
}

void cli_print_digits(struct cli_print *p, const char *name, const uint8_t *bytes, size_t n)
{
	put_digits(p, name, "", bytes, n);
}

void cli_print_bytes(struct cli_print *p, const char *name, const void *bytes, size_t n)
{
	size_t cap = 4 * n + 1;
	char *text;

	if (p->format != CLI_TEXT && f2fs_text_is_utf8(bytes, n)) {
		add_value(p, name, json_object_new_string_len(bytes, (int)n));
		return;
	}
	text = malloc(cap);
	if (!text) {
		p->failed = 1;
		return;
	}
	f2fs_text_printable(bytes, n, text, cap);
	cli_print_string(p, name, text);
	free(text);
	if (p->format != CLI_TEXT && name)
		put_digits(p, name, "_hex", bytes, n);
}

void cli_print_uuid(struct cli_print *p, const char *name, const uint8_t u[16])
{
	char text[37];

	snprintf(text, sizeof(text), "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		 u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
	cli_print_string(p, name, text);
}

void cli_print_null(struct cli_print *p, const char *name)
{
	if (p->format != CLI_TEXT)
		add_node(p, name, NULL);
	else
		put_text(p, name, "-");
}
