/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fstat: print a line of numbers about a mounted volume again and again, from the kernel's status in debugfs. Columns
 * are those of the program of that name in f2fs-tools.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print.h"
#include "cli/program.h"
#include "cli/size.h"

#define CLI_OPTIONS_FILE "mounted/f2fstat_options.def"
#include "cli/option_table.h"

#define STATUS "/sys/kernel/debug/f2fs/status"
#define PARTITION "partition info("

enum { LINE = 1024, NAME = 64, PAGE_KIB = 4, TIMES_MAX = 1000000000 };

static const char *const usage[] = { "[OPTION]...", NULL };

static const struct cli_exit exits[] = {
	{ CLI_EXIT_OK, "all lines were printed" },
	{ CLI_EXIT_FAILURE, "no such volume, no status (needs root and debugfs), or wrong usage" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT "the usual end without --count" },
};

static const struct cli_tool tool = {
	.name = "f2fstat",
	.peer_version = CLI_PEER_VERSION,
	.summary = "Show numbers about a mounted F2FS volume, line after line.",
	CLI_TOOL_TABLES,
};

static const struct column {
	const char *group; /* the title of a group that begins; then nothing else */
	const char *key, *heading, *name;
	int width, is_pages;
} columns[] = {
#define GROUP(title) { title, NULL, NULL, NULL, 0, 0 },
#define COLUMN(key, heading, name, width, is_pages) { NULL, key, heading, name, width, is_pages },
#include "mounted/f2fstat_columns.def"
};

enum { COLUMN_COUNT = sizeof(columns) / sizeof(columns[0]) };

struct arguments {
	const char *file;
	const char *partition; /* without folder; NULL: the first one */
	uint32_t delay, interval, count; /* count 0: no end */
	int json;
};

struct sample {
	char partition[NAME];
	uint64_t values[COLUMN_COUNT];
	int known[COLUMN_COUNT];
};

static const char *take(void *arguments, struct cli *cli, int id, const char *value)
{
	struct arguments *a = arguments;
	const char *slash;

	(void)cli;
	switch (id) {
	case OPT_delay:
		return cli_parse_u32(value, 0, TIMES_MAX, &a->delay);
	case OPT_interval:
		return cli_parse_u32(value, 1, TIMES_MAX, &a->interval);
	case OPT_count:
		return cli_parse_u32(value, 1, TIMES_MAX, &a->count);
	case OPT_partition:
		slash = strrchr(value, '/');
		a->partition = slash ? slash + 1 : value;
		return NULL;
	case OPT_status:
		a->file = value;
		return NULL;
	default: /* OPT_json */
		a->json = 1;
		return NULL;
	}
}

static int complete(void *arguments, struct cli *cli, const struct cli_parser *parser)
{
	(void)arguments;
	return parser->operand_count ? cli_refuse(cli, "operands have no meaning here: name the device with -p") : 0;
}

/* Take the numbers of a line "  - key: 12 ... in 3" of the status. */
static void take_line(struct sample *s, char *line)
{
	char *colon = strchr(line, ':'), *end;
	const char *pages;

	line += strspn(line, " -");
	if (!colon || colon < line)
		return;
	*colon = 0;
	pages = strstr(colon + 1, " in ");
	for (int i = 0; i < COLUMN_COUNT; i++) {
		const struct column *c = &columns[i];
		const char *at = c->is_pages ? (pages ? pages + 4 : "") : colon + 1;

		if (c->group || strcmp(c->key, line) != 0 || s->known[i])
			continue;
		s->values[i] = strtoull(at, &end, 10) * (c->is_pages ? PAGE_KIB : 1);
		s->known[i] = end != at;
	}
}

/* Read the part of the status about the wanted volume. Returns whether there is one. */
static int read_sample(FILE *file, const char *wanted, struct sample *s)
{
	char line[LINE];
	int is_inside = 0;

	memset(s, 0, sizeof(*s));
	while (fgets(line, sizeof(line), file)) {
		const char *name = strstr(line, PARTITION);

		if (name) {
			name += strlen(PARTITION);
			if (is_inside)
				break;
			snprintf(s->partition, sizeof(s->partition), "%.*s", (int)strcspn(name, ")"), name);
			is_inside = !wanted || !strcmp(wanted, s->partition);
		} else if (is_inside) {
			take_line(s, line);
		}
	}
	return is_inside;
}

/* Print what the columns of a group are about, over their headings: |---title---| */
static void print_group(const char *title, int width)
{
	const int dashes = width - 1 - (int)strlen(title), left = dashes > 0 ? dashes / 2 : 0;

	printf("|%.*s%s%.*s", left, "----------------------------------------", title, dashes > 0 ? dashes - left : 0,
	       "----------------------------------------");
}

static int width_of(const struct sample *s, int i)
{
	const int digits = snprintf(NULL, 0, "%" PRIu64, s->values[i]);
	const int letters = (int)strlen(columns[i].heading);
	const int least = letters > columns[i].width ? letters : columns[i].width;

	return digits > least ? digits : least;
}

static void print_heading(const struct sample *s)
{
	const char *group = NULL;
	int width = 0;

	for (int i = 0; i <= COLUMN_COUNT; i++) {
		if (i < COLUMN_COUNT && !columns[i].group) {
			width += width_of(s, i) + 1;
			continue;
		}
		if (group)
			print_group(group, width);
		else
			printf("%*s", width - 1, "");
		group = i < COLUMN_COUNT ? columns[i].group : NULL;
		width = 0;
	}
	printf("|\n");
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!columns[i].group)
			printf("%-*s%s", width_of(s, i), columns[i].heading, i + 1 < COLUMN_COUNT ? " " : "\n");
}

static void print_numbers(const struct sample *s)
{
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!columns[i].group)
			printf("%*" PRIu64 "%s", width_of(s, i), s->values[i], i + 1 < COLUMN_COUNT ? " " : "\n");
}

static int print_json(const struct sample *s)
{
	struct cli_print *p = cli_print_open(stdout, CLI_NDJSON);

	if (!p)
		return -1;
	cli_print_stream(p);
	cli_print_begin(p, NULL);
	cli_print_bytes(p, "partition", s->partition, strlen(s->partition));
	for (int i = 0; i < COLUMN_COUNT; i++)
		if (!columns[i].group && s->known[i])
			cli_print_u64(p, columns[i].name, s->values[i]);
		else if (!columns[i].group)
			cli_print_null(p, columns[i].name);
	cli_print_end(p);
	return cli_print_close(p);
}

/* Print one line. Returns an exit status. */
static int show(const struct arguments *a, struct cli *cli, uint32_t number)
{
	struct sample s;
	FILE *file = fopen(a->file, "re");
	int is_there;

	if (!file) {
		cli_error(cli, "%s: %s", a->file, strerror(errno));
		return CLI_EXIT_FAILURE;
	}
	is_there = read_sample(file, a->partition, &s);
	fclose(file);
	if (!is_there) {
		cli_error(cli, "%s: no mounted volume%s%s", a->file, a->partition ? " on " : "",
			  a->partition ? a->partition : "");
		return CLI_EXIT_FAILURE;
	}
	if (a->json)
		return print_json(&s) ? CLI_EXIT_FAILURE : CLI_EXIT_OK;
	if (number % a->interval == 0)
		print_heading(&s);
	print_numbers(&s);
	fflush(stdout);
	return CLI_EXIT_OK;
}

static int run(void *arguments, struct cli *cli)
{
	const struct arguments *a = arguments;

	for (uint32_t i = 0;; i++) {
		const int rc = show(a, cli, i);

		if (rc || (a->count && i + 1 == a->count) || cli_stopped() || ferror(stdout))
			return rc;
		sleep(a->delay);
	}
}

static const struct cli_program program = {
	.tool = &tool,
	.failure = CLI_EXIT_FAILURE,
	.usage = CLI_EXIT_FAILURE,
	.take = take,
	.complete = complete,
	.run = run,
};

int main(int argc, char **argv)
{
	static struct arguments a = { .file = STATUS, .delay = 1, .interval = 20 };

	return cli_program_main(&program, &a, argc, argv);
}
