/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print a table of options: the usage text, and the form for programs.
 */
#include <string.h>

#include "cli/usage.h"

enum { HELP_COLUMN = 28, LINE_WIDTH = 80 };

static const struct cli_option common[] = {
	{ CLI_OPTION_GROUP, 0, CLI_ARG_NONE, NULL, NULL, "General", "", NULL },
	{ 1, 'h', CLI_ARG_NONE, "help", NULL, "show this text", "", NULL },
	{ 1, 'V', CLI_ARG_NONE, "version", NULL, "show the version",
	  "Programs that f2fs-tools have, too, first show the version of theirs whose behaviour they have. "
	  "--version also lists the optional libraries that the build has, and those it lacks.", NULL },
};
enum { COMMON_COUNT = sizeof(common) / sizeof(common[0]) };

/* Does the program's own table use this letter? Then the common option has its long name only. */
static char free_letter(const struct cli_tool *tool, const struct cli_option *o)
{
	for (unsigned i = 0; i < tool->option_count; i++)
		if (tool->options[i].id > 0 && tool->options[i].letter == o->letter)
			return 0;
	return o->letter;
}

void cli_put_wrapped(FILE *to, int indent, const char *text)
{
	int column = indent;

	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > indent && column + 1 + n > LINE_WIDTH) {
			fprintf(to, "\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", n, text);
		column += n;
		text += n;
		text += strspn(text, " ");
	}
	fputc('\n', to);
}

static void put_option(FILE *to, const struct cli_option *o, char letter)
{
	const char *arg = o->arg_name ? o->arg_name : "VALUE";
	char head[120];
	int n = 0;

	if (letter)
		n = snprintf(head, sizeof(head), "  -%c%s", letter, o->name ? ", " : "");
	else
		n = snprintf(head, sizeof(head), "      ");
	if (o->name)
		n += snprintf(head + n, sizeof(head) - (size_t)n, "--%s", o->name);
	if (o->arg == CLI_ARG_REQUIRED)
		n += snprintf(head + n, sizeof(head) - (size_t)n, "%s%s", o->name ? "=" : " ", arg);
	else if (o->arg != CLI_ARG_NONE)
		n += snprintf(head + n, sizeof(head) - (size_t)n, "[%s%s]", o->name ? "=" : "", arg);
	fputs(head, to);
	if (n > HELP_COLUMN - 2)
		fprintf(to, "\n%*s", HELP_COLUMN, "");
	else
		fprintf(to, "%*s", HELP_COLUMN - n, "");
	cli_put_wrapped(to, HELP_COLUMN, o->help);
}

static void put_commands(FILE *to, const struct cli_tool *tool)
{
	for (unsigned i = 0; i < tool->command_count; i++) {
		const struct cli_command *c = &tool->commands[i];
		int n;

		if (!c->name) {
			fprintf(to, "\n%s:\n", c->help);
			continue;
		}
		n = fprintf(to, "  %s%s%s", c->name, c->args[0] ? " " : "", c->args);
		if (n > HELP_COLUMN - 2)
			fprintf(to, "\n%*s", HELP_COLUMN, "");
		else
			fprintf(to, "%*s", HELP_COLUMN - n, "");
		cli_put_wrapped(to, HELP_COLUMN, c->help);
	}
}

static void put_rows(FILE *to, const struct cli_tool *tool, const struct cli_option *rows, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (rows[i].id == CLI_OPTION_GROUP)
			fprintf(to, "\n%s:\n", rows[i].help);
		else if (!rows[i].instead)
			put_option(to, &rows[i], (char)(rows == common ? free_letter(tool, &rows[i]) : rows[i].letter));
	}
}

/* Name the old options in one paragraph, each with the option that replaces it. */
static void put_old_names(FILE *to, const struct cli_tool *tool)
{
	const char *before = "\nOld names, which the next version will not have:\n";

	for (unsigned i = 0; i < tool->option_count; i++) {
		const struct cli_option *o = &tool->options[i];

		if (!o->instead)
			continue;
		fprintf(to, "%s  --%s (now %s)\n", before, o->name, o->instead);
		before = "";
	}
}

void cli_opt_help(const struct cli_tool *tool, FILE *to)
{
	for (unsigned i = 0; tool->usage[i]; i++)
		fprintf(to, "%s %s %s\n", i == 0 ? "Usage:" : "      ", tool->name, tool->usage[i]);
	fprintf(to, "%s\n", tool->summary);
	put_commands(to, tool);
	put_rows(to, tool, tool->options, tool->option_count);
	put_rows(to, tool, common, COMMON_COUNT);
	put_old_names(to, tool);
	if (tool->exit_count)
		fprintf(to, "\nExit status:\n");
	for (unsigned i = 0; i < tool->exit_count; i++)
		fprintf(to, "  %3d  %s\n", tool->exits[i].code, tool->exits[i].text);
}

void cli_opt_hint(const struct cli_tool *tool)
{
	fprintf(stderr, "Try '%s --help'.\n", tool->name);
}

static void put_escaped(FILE *to, const char *text)
{
	fputc('\t', to);
	for (; text && *text; text++) {
		if (*text == '\n')
			fputs("\\n", to);
		else if (*text == '\\')
			fputs("\\\\", to);
		else
			fputc(*text, to);
	}
}

static void dump_rows(FILE *to, const struct cli_tool *tool, const struct cli_option *rows, unsigned count)
{
	static const char *const kinds[] = { "none", "required", "optional", "number" };

	for (unsigned i = 0; i < count; i++) {
		const struct cli_option *o = &rows[i];
		char letter[2] = { 0, 0 };

		if (o->id == CLI_OPTION_GROUP) {
			fputs("group", to);
		} else {
			letter[0] = (char)(rows == common ? free_letter(tool, o) : o->letter);
			fputs(o->instead ? "old" : "option", to);
			put_escaped(to, letter);
			put_escaped(to, o->name);
			put_escaped(to, kinds[o->arg]);
			put_escaped(to, o->arg_name);
		}
		put_escaped(to, o->help);
		if (o->id != CLI_OPTION_GROUP)
			put_escaped(to, o->doc);
		fputc('\n', to);
	}
}

void cli_opt_dump(const struct cli_tool *tool, FILE *to)
{
	dump_rows(to, tool, tool->options, tool->option_count);
	dump_rows(to, tool, common, COMMON_COUNT);
	for (unsigned i = 0; i < tool->command_count; i++) {
		const struct cli_command *c = &tool->commands[i];

		fputs(c->name ? "command" : "commands", to);
		if (c->name) {
			put_escaped(to, c->name);
			put_escaped(to, c->args);
		}
		put_escaped(to, c->help);
		if (c->name)
			put_escaped(to, c->doc);
		fputc('\n', to);
	}
	for (unsigned i = 0; i < tool->exit_count; i++) {
		fprintf(to, "exit\t%d", tool->exits[i].code);
		put_escaped(to, tool->exits[i].text);
		fputc('\n', to);
	}
}
