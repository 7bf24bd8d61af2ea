/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse the options of a program. usage.c prints their help.
 */
#include "cli/opt.h"
#include "cli/usage.h"

#include <stdarg.h>
#include <string.h>

#include <f2fskit/base.h>

static const struct cli_option *find_letter(const struct cli_tool *tool, char letter)
{
	for (unsigned i = 0; i < tool->option_count; i++)
		if (tool->options[i].letter == letter && tool->options[i].id > 0)
			return &tool->options[i];
	return NULL;
}

static const struct cli_option *find_name(const struct cli_tool *tool, const char *name, size_t n)
{
	for (unsigned i = 0; i < tool->option_count; i++) {
		const struct cli_option *o = &tool->options[i];

		if (o->id > 0 && o->name && strlen(o->name) == n && memcmp(o->name, name, n) == 0)
			return o;
	}
	return NULL;
}

static int is_decimal(const char *text)
{
	return text && *text && text[strspn(text, "0123456789")] == '\0';
}

static int fail(struct cli_parser *p, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "%s: ", p->tool->name);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	cli_opt_hint(p->tool);
	return CLI_OPT_ERROR;
}

/* List the optional libraries that can be used, or those that are missing and their purpose. */
static void put_parts(const struct cli_tool *tool, int is_usable)
{
	struct f2fs_build_part part = { F2FS_SIZED(f2fs_build_part) };
	const char *before = is_usable ? "with " : "without ";

	for (unsigned i = 0; f2fs_build_info(i, &part) == 0; i++)
		if (!part.is_usable == !is_usable) {
			printf(is_usable ? "%s%s" : "%s%s (%s)", before, part.library, part.purpose);
			before = ", ";
		}
	for (const struct cli_part *own = tool->parts; own && own->library; own++)
		if (!own->is_built_in == !is_usable) {
			printf(is_usable ? "%s%s" : "%s%s (%s)", before, own->library, own->purpose);
			before = ", ";
		}
	if (*before == ',')
		putchar('\n');
}

static void put_version(const struct cli_tool *tool)
{
	if (tool->peer_version)
		printf("%s %s (f2fskit %s)\n", tool->name, tool->peer_version, f2fs_version());
	else
		printf("%s %s (f2fskit)\n", tool->name, f2fs_version());
}

/* Options that every program has. */
static int do_common(struct cli_parser *p, const char *name, char letter)
{
	if (letter == 'h' || (name && !strcmp(name, "help"))) {
		cli_opt_help(p->tool, stdout);
		return CLI_OPT_EXIT;
	}
	if (letter == 'V' || (name && !strcmp(name, "version"))) {
		put_version(p->tool);
		if (letter != 'V') { /* clients of f2fs-tools expect one line of -V */
			put_parts(p->tool, 1);
			put_parts(p->tool, 0);
		}
		return CLI_OPT_EXIT;
	}
	if (name && !strcmp(name, "dump-options")) {
		cli_opt_dump(p->tool, stdout);
		return CLI_OPT_EXIT;
	}
	return CLI_OPT_END;
}

static int parse_long(struct cli_parser *p, const char *text)
{
	size_t n = strcspn(text, "=");
	const char *value = text[n] ? text + n + 1 : NULL;
	const struct cli_option *o = find_name(p->tool, text, n);

	snprintf(p->shown, sizeof(p->shown), "--%.*s", (int)(n < 60 ? n : 60), text);
	if (!o) {
		int done = value ? CLI_OPT_END : do_common(p, text, 0);

		return done != CLI_OPT_END ? done : fail(p, "unknown option %s", p->shown);
	}
	if (value && o->arg == CLI_ARG_NONE)
		return fail(p, "option %s takes no value", p->shown);
	if (!value && o->arg == CLI_ARG_REQUIRED) {
		if (p->next >= p->argc)
			return fail(p, "option %s needs a value", p->shown);
		value = p->argv[p->next++];
	}
	if (value && o->arg == CLI_ARG_NUMBER && !is_decimal(value))
		return fail(p, "%s: '%s' is not a number", p->shown, value);
	p->value = value;
	return o->id;
}

/* Parse the letter at p->rest. Its value, or further letters, follow it. */
static int parse_letter(struct cli_parser *p)
{
	char letter = *p->rest;
	const char *behind = p->rest + 1;
	const struct cli_option *o = find_letter(p->tool, letter);

	snprintf(p->shown, sizeof(p->shown), "-%c", letter);
	p->rest = *behind ? behind : NULL;
	if (!o) {
		int done = do_common(p, NULL, letter);

		return done != CLI_OPT_END ? done : fail(p, "unknown option %s", p->shown);
	}
	if (o->arg == CLI_ARG_REQUIRED || o->arg == CLI_ARG_OPTIONAL) {
		p->value = p->rest;
		p->rest = NULL;
		if (!p->value && o->arg == CLI_ARG_REQUIRED) {
			if (p->next >= p->argc)
				return fail(p, "option %s needs a value", p->shown);
			p->value = p->argv[p->next++];
		}
	} else if (o->arg == CLI_ARG_NUMBER) {
		if (is_decimal(p->rest)) {
			p->value = p->rest;
			p->rest = NULL;
		} else if (!p->rest && p->next < p->argc && is_decimal(p->argv[p->next])) {
			p->value = p->argv[p->next++];
		}
	}
	return o->id;
}

void cli_opt_init(struct cli_parser *p, const struct cli_tool *tool, int argc, char **argv)
{
	memset(p, 0, sizeof(*p));
	p->tool = tool;
	p->argc = argc;
	p->argv = argv;
	p->next = argc > 0 ? 1 : 0;
	p->operands = argv + p->next;
}

int cli_opt_next(struct cli_parser *p)
{
	p->value = NULL;
	if (p->rest)
		return parse_letter(p);
	while (p->next < p->argc) {
		char *arg = p->argv[p->next++];

		if (p->only_operands || arg[0] != '-' || arg[1] == '\0') {
			p->operands[p->operand_count++] = arg;
			if (p->operand_count == p->tool->last_operand)
				p->only_operands = 1;
		} else if (!strcmp(arg, "--")) {
			p->only_operands = 1;
		} else if (arg[1] == '-') {
			return parse_long(p, arg + 2);
		} else {
			p->rest = arg + 1;
			return parse_letter(p);
		}
	}
	return CLI_OPT_END;
}
