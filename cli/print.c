/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print results as text or JSON. Nothing is buffered but the nesting, at most MAX_DEPTH levels, so a table may have any
 * length.
 */
#include "cli/print.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <f2fskit/base.h>

#include "cli/hex.h"

enum { MAX_DEPTH = 8, PATH_SIZE = 256 };

struct level {
	unsigned long count; /* members or elements so far */
	size_t path_length;  /* text: of the path before this level was opened */
	int is_array;
	int is_inline;			  /* JSON: on one line, without spaces */
	int has_lines;			  /* JSON: an array with elements on lines of their own */
	int is_row;			  /* text: values are the cells of a line */
	int is_mute;			  /* text: not shown (inside a row) */
	const struct cli_column *columns; /* of a table */
	unsigned column_count;
};

struct cli_print {
	FILE *to;
	enum cli_format format;
	int is_stream;
	int failed;
	unsigned long records;
	unsigned depth;
	struct level levels[MAX_DEPTH];
	char path[PATH_SIZE]; /* text: "areas[1]." */
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

int cli_print_is_text(const struct cli_print *p)
{
	return p->format == CLI_TEXT;
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

	if (p->is_stream && p->format == CLI_JSON)
		fputs(p->records ? "\n]\n" : "]\n", p->to);
	failed = p->failed || p->depth > 0 || fflush(p->to) != 0 || ferror(p->to);
	free(p);
	return failed ? -1 : 0;
}

static struct level *top(struct cli_print *p)
{
	return p->depth > 0 ? &p->levels[p->depth - 1] : NULL;
}

/* ---- text ---- */

/* The path of a value in the open level. */
static void make_path(struct cli_print *p, const char *name, char path[PATH_SIZE])
{
	struct level *level = top(p);

	if (level && level->is_array)
		snprintf(path, PATH_SIZE, "%.*s[%lu]", (int)(strlen(p->path) - 1), p->path, level->count++);
	else
		snprintf(path, PATH_SIZE, "%s%s", p->path, name ? name : "");
}

/* A cell of a table's line; cells beyond the columns are shown in JSON only. */
static void put_cell(struct cli_print *p, struct level *row, const char *value)
{
	const struct level *table = row - 1;
	unsigned long i = row->count++;
	int is_last = i + 1 == table->column_count;

	if (i >= table->column_count)
		return;
	if (i > 0)
		fputs("  ", p->to);
	if (is_last && table->columns[i].width <= 0)
		fputs(value, p->to);
	else
		fprintf(p->to, "%*s", table->columns[i].width, value);
}

static void put_text(struct cli_print *p, const char *name, const char *value)
{
	struct level *level = top(p);
	char path[PATH_SIZE];

	if (level && level->is_mute)
		return;
	if (level && level->is_row) {
		put_cell(p, level, value);
		return;
	}
	make_path(p, name, path);
	fprintf(p->to, "%s = %s\n", path, value);
}

static void open_text(struct cli_print *p, struct level *level, const char *name)
{
	const struct level *above = p->depth > 0 ? level - 1 : NULL;
	char path[PATH_SIZE] = "";

	level->path_length = strlen(p->path);
	if (!above) {
		if (p->records > 0)
			fputc('\n', p->to);
		return;
	}
	level->is_mute = above->is_mute || above->is_row;
	level->is_row = !level->is_mute && above->columns != NULL;
	if (level->is_mute || level->is_row)
		return;
	make_path(p, name, path);
	snprintf(p->path, sizeof(p->path), "%.*s.", PATH_SIZE - 2, path);
}

static void put_table_head(struct cli_print *p, struct level *table)
{
	for (unsigned i = 0; i < table->column_count; i++) {
		const struct cli_column *column = &table->columns[i];

		if (i + 1 == table->column_count && column->width <= 0)
			fprintf(p->to, "%s%s", i ? "  " : "", column->title);
		else
			fprintf(p->to, "%s%*s", i ? "  " : "", column->width, column->title);
	}
	fputc('\n', p->to);
}

/* ---- JSON ---- */

static void put_quoted(struct cli_print *p, const char *text, size_t n)
{
	FILE *to = p->to;

	fputc('"', to);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c < 0x20)
			fprintf(to, "\\u%04x", c);
		else
			fputc(c, to);
	}
	fputc('"', to);
}

static void new_line(struct cli_print *p, unsigned depth)
{
	fprintf(p->to, "\n%*s", (int)(2 * (depth + (p->is_stream ? 1U : 0U))), "");
}

/* What stands before a value: comma, line, name. */
static void put_lead(struct cli_print *p, const char *name, int is_object)
{
	struct level *level = top(p);

	if (!level) {
		if (p->is_stream && p->format == CLI_JSON)
			fputs(p->records ? ",\n" : "\n", p->to);
		return;
	}
	if (level->count++ > 0)
		fputs(level->is_array && !level->is_inline && !is_object ? ", " : ",", p->to);
	if (!level->is_inline && (!level->is_array || is_object)) {
		new_line(p, p->depth);
		level->has_lines = 1;
	}
	if (!level->is_array) {
		if (!name)
			p->failed = 1;
		put_quoted(p, name ? name : "", name ? strlen(name) : 0);
		fputs(level->is_inline ? ":" : ": ", p->to);
	}
}

static void put_json(struct cli_print *p, const char *name, const char *literal)
{
	put_lead(p, name, 0);
	fputs(literal, p->to);
}

static void open_json(struct cli_print *p, struct level *level, const char *name)
{
	const struct level *above = p->depth > 0 ? level - 1 : NULL;

	put_lead(p, name, !level->is_array);
	if (above)
		level->is_inline = above->is_inline || (above->is_array && !level->is_array);
	else
		level->is_inline = p->is_stream || p->format == CLI_NDJSON;
	fputc(level->is_array ? '[' : '{', p->to);
}

/* ---- nesting ---- */

static struct level *open_level(struct cli_print *p, const char *name, int is_array)
{
	struct level *level;

	if (p->depth == MAX_DEPTH) {
		p->failed = 1;
		return NULL;
	}
	level = &p->levels[p->depth];
	memset(level, 0, sizeof(*level));
	level->is_array = is_array;
	if (p->format == CLI_TEXT)
		open_text(p, level, name);
	else
		open_json(p, level, name);
	p->depth++;
	return level;
}

static void close_level(struct cli_print *p)
{
	struct level *level = top(p);

	if (!level)
		return;
	p->depth--;
	if (p->format == CLI_TEXT) {
		if (level->is_row)
			fputc('\n', p->to);
		p->path[level->path_length] = '\0';
	} else {
		if (level->has_lines)
			new_line(p, p->depth);
		fputc(level->is_array ? ']' : '}', p->to);
	}
	if (p->depth == 0) {
		if (p->format == CLI_NDJSON || (p->format == CLI_JSON && !p->is_stream))
			fputc('\n', p->to);
		p->records++;
	}
}

void cli_print_begin(struct cli_print *p, const char *name)
{
	struct level *level = top(p);

	if (p->format == CLI_TEXT && level && level->columns && level->count++ == 0)
		put_table_head(p, level);
	open_level(p, name, 0);
}

void cli_print_begin_element(struct cli_print *p)
{
	struct level *above = top(p), *level = open_level(p, NULL, 0);

	if (level)
		level->is_inline = above ? above->is_inline : 0;
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

void cli_print_begin_table(struct cli_print *p, const char *name, const struct cli_column *columns, unsigned count)
{
	struct level *level = open_level(p, name, 1);

	if (level && !level->is_mute) {
		level->columns = columns;
		level->column_count = count;
	}
}

void cli_print_heading(struct cli_print *p, const char *text)
{
	if (p->format == CLI_TEXT)
		fprintf(p->to, "%s\n", text);
}

/* ---- values ---- */

/* A value whose text and JSON forms may differ. */
static void put_value(struct cli_print *p, const char *name, const char *text, const char *json)
{
	if (p->format == CLI_TEXT)
		put_text(p, name, text);
	else
		put_json(p, name, json);
}

void cli_print_u64(struct cli_print *p, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put_value(p, name, text, text);
}

void cli_print_s64(struct cli_print *p, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, value);
	put_value(p, name, text, text);
}

void cli_print_hex(struct cli_print *p, const char *name, uint64_t value)
{
	char text[24], json[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, value);
	snprintf(json, sizeof(json), "%" PRIu64, value);
	put_value(p, name, text, json);
}

void cli_print_octal(struct cli_print *p, const char *name, uint32_t value)
{
	char text[24], json[24];

	snprintf(text, sizeof(text), "0%" PRIo32, value);
	snprintf(json, sizeof(json), "%" PRIu32, value);
	put_value(p, name, text, json);
}

void cli_print_fixed(struct cli_print *p, const char *name, double value, int decimals)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", decimals, value);
	put_value(p, name, text, text);
}

void cli_print_bool(struct cli_print *p, const char *name, int value)
{
	put_value(p, name, value ? "yes" : "no", value ? "true" : "false");
}

void cli_print_null(struct cli_print *p, const char *name)
{
	put_value(p, name, "-", "null");
}

static void put_string(struct cli_print *p, const char *name, const char *value, size_t n)
{
	if (p->format == CLI_TEXT) {
		put_text(p, name, value);
		return;
	}
	put_lead(p, name, 0);
	put_quoted(p, value, n);
}

void cli_print_string(struct cli_print *p, const char *name, const char *value)
{
	put_string(p, name, value, strlen(value));
}

void cli_print_digits(struct cli_print *p, const char *name, const uint8_t *bytes, size_t n)
{
	char *text = malloc(2 * n + 1);

	if (!text) {
		p->failed = 1;
		return;
	}
	cli_write_hex(text, bytes, n, 0);
	text[2 * n] = '\0';
	put_string(p, name, text, 2 * n);
	free(text);
}

void cli_print_bytes(struct cli_print *p, const char *name, const void *bytes, size_t n)
{
	size_t cap = 4 * n + 1;
	char long_name[PATH_SIZE];
	char *text;

	if (p->format != CLI_TEXT && f2fs_text_is_utf8(bytes, n)) {
		put_string(p, name, bytes, n);
		return;
	}
	text = malloc(cap);
	if (!text) {
		p->failed = 1;
		return;
	}
	put_string(p, name, text, f2fs_text_printable(bytes, n, text, cap));
	free(text);
	if (p->format != CLI_TEXT && name) {
		snprintf(long_name, sizeof(long_name), "%s_hex", name);
		cli_print_digits(p, long_name, bytes, n);
	}
}

void cli_print_uuid(struct cli_print *p, const char *name, const uint8_t u[16])
{
	char text[37];

	snprintf(text, sizeof(text), "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
		 u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
	cli_print_string(p, name, text);
}

/*
 * Take one of the flags out of value and return its name: flags from *at on, then the rest of the bits as one number in
 * rest. NULL: nothing is left.
 */
static const char *take_flag(uint32_t *value, const struct f2fs_flag *flags, unsigned count, unsigned *at,
			     char rest[16])
{
	while (*at < count) {
		const struct f2fs_flag *flag = &flags[(*at)++];

		if (flag->mask && (*value & flag->mask) == flag->mask) {
			*value &= ~flag->mask;
			return flag->name;
		}
	}
	if (*value == 0)
		return NULL;
	snprintf(rest, 16, "0x%" PRIx32, *value);
	*value = 0;
	return rest;
}

void cli_print_flags(struct cli_print *p, const char *name, uint32_t value, const struct f2fs_flag *flags,
		     unsigned count)
{
	char names[512] = "", text[560], long_name[PATH_SIZE], rest[16];
	uint32_t left = value;
	unsigned at = 0;
	const char *flag;

	if (p->format == CLI_TEXT) {
		while ((flag = take_flag(&left, flags, count, &at, rest)) != NULL) {
			const size_t n = strlen(names);

			snprintf(names + n, sizeof(names) - n, "%s%s", n ? " " : "", flag);
		}
		snprintf(text, sizeof(text), value ? "0x%" PRIx32 " (%s)" : "0x%" PRIx32, value, names);
		put_text(p, name, text);
		return;
	}
	cli_print_u64(p, name, value);
	snprintf(long_name, sizeof(long_name), "%s_names", name);
	cli_print_begin_array(p, long_name);
	while ((flag = take_flag(&left, flags, count, &at, rest)) != NULL)
		cli_print_string(p, NULL, flag);
	cli_print_end_array(p);
}

void cli_print_time(struct cli_print *p, const char *name, int64_t seconds)
{
	time_t when = (time_t)seconds;
	char date[64], text[100], json[24];
	struct tm tm;

	snprintf(json, sizeof(json), "%" PRId64, seconds);
	if (p->format == CLI_TEXT && when == seconds && gmtime_r(&when, &tm) &&
	    strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &tm) > 0) {
		struct level *level = top(p);

		if (level && level->is_row)
			snprintf(text, sizeof(text), "%s", date);
		else
			snprintf(text, sizeof(text), "%" PRId64 " (%s UTC)", seconds, date);
		put_text(p, name, text);
		return;
	}
	put_value(p, name, json, json);
}
