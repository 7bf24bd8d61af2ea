/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs: look at and change files of a volume, without mounting it. This file reads the options and finds the commands:
 * after the image, in -c and -f, or typed in.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/size.h"
#include "cli/crypt_policy.h"
#include "cli/state.h"
#include "cli/usage.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/prompt.h"
#include "edit/synopsis.h"
#include "f2fskit_config.h"

#define CLI_OPTIONS_FILE "edit/options.def"
#include "cli/option_table.h"

/* With the texts that synopsis.c makes, for usage and manual page. */
static struct cli_command command_texts[] = {
#define COMMANDS(title) { NULL, "", title, "" },
#define COMMAND(name, operands, need, letters, min, max, run, help, doc) { name, NULL, help, NULL },
#include "edit/commands.def"
#undef COMMAND
#undef COMMANDS
};

static const struct cli_exit exits[] = {
	{ EDIT_OK, "everything was done" },
	{ EDIT_FAILED,
	  "something failed; without --keep-going nothing was changed since the last commit, unless a message says "
	  "that this is not known" },
	{ EDIT_MISSING, "something that was named does not exist, or has the wrong type; as above" },
	{ EDIT_INCOMPLETE, "something could not be read (damaged, encrypted); as above" },
	{ EDIT_USAGE, "wrong usage; as above" },
	{ CLI_EXIT_STOPPED, CLI_STOPPED_TEXT
	  "changes since the last commit are dropped; those that take effect at once (label, uuid, set, gc, trim, "
	  "restore) stay" },
};

static const char *const usage[] = { "[OPTION]... IMAGE COMMAND [ARG]... [-- COMMAND [ARG]...]...",
				     "[OPTION]... {-c TEXT | -f FILE}... IMAGE", "[OPTION]... IMAGE", NULL };

static const struct cli_part parts[] = {
	{ "libedit", "editing of command lines", HAVE_LIBEDIT },
	{ 0 },
};

static const struct cli_tool tool = {
	.name = "f2fs",
	.summary = "Look at and change the files of an F2FS volume, without mounting it. Without a command it asks for "
		   "them.",
	CLI_TOOL_TABLES,
	.commands = command_texts,
	.command_count = sizeof(command_texts) / sizeof(command_texts[0]),
	.last_operand = 2,
	.parts = parts,
};

struct arguments {
	char **texts;	      /* of -c and -f, in their order */
	unsigned text_count;
	char **words; /* the commands after the image */
	int word_count;
};

static void forget_usages(void)
{
	for (unsigned i = 0; i < tool.command_count; i++)
		if (command_texts[i].name) {
			free((char *)command_texts[i].args);
			free((char *)command_texts[i].doc);
		}
}

/* 0, or -1 without memory. */
static int make_usages(const struct edit *e)
{
	for (unsigned i = 0; i < e->command_count; i++)
		if (e->commands[i].name && (!(command_texts[i].args = edit_synopsis(&e->commands[i])) ||
					    !(command_texts[i].doc = edit_explanation(&e->commands[i]))))
			return -1;
	return 0;
}

/* All of a file; NULL after a message. */
static char *read_file(struct edit *e, const char *path)
{
	FILE *from = strcmp(path, "-") ? fopen(path, "r") : stdin;
	size_t n = 0, room = 1 << 16;
	char *text = from ? malloc(room) : NULL;

	while (text && (n += fread(text + n, 1, room - 1 - n, from)) == room - 1) {
		char *more = realloc(text, room *= 2);

		if (!more)
			free(text);
		text = more;
	}
	if (!text || ferror(from) || memchr(text, '\0', n)) {
		cli_error(&e->cli, "%s: %s", path, text && !ferror(from) ? "is not text" : strerror(errno));
		free(text);
		text = NULL;
	} else {
		text[n] = '\0';
	}
	if (from && from != stdin)
		fclose(from);
	return text;
}

static int take_text(struct edit *e, struct arguments *a, char *text)
{
	if (!text)
		return -1;
	(void)e;
	a->texts[a->text_count++] = text;
	return 0;
}

static int take_option(struct edit *e, struct arguments *a, int id, const char *shown, const char *value)
{
	const char *why = NULL;
	uint32_t number = 0;

	switch (id) {
	case OPT_write:
		e->may_write = 1;
		break;
	case OPT_commands:
		return take_text(e, a, strdup(value));
	case OPT_file:
		return take_text(e, a, read_file(e, value));
	case OPT_keep_going:
		e->keep_going = 1;
		break;
	case OPT_stepwise:
		e->writer.options.commit_when_full = 1;
		break;
	case OPT_recover:
		e->image.recover = F2FS_RECOVER_VIEW;
		break;
	case OPT_pack:
		why = cli_parse_u32(value, 1, 2, &number);
		e->image.pack = (int)number;
		break;
	case OPT_undo:
		e->undo_path = value;
		break;
	case OPT_read_log:
		e->log_path = value;
		break;
	case OPT_json:
		e->is_json = 1;
		break;
	case OPT_quiet:
		e->cli.level = F2FS_LOG_ERROR;
		e->cli.show_progress = 0;
		break;
	default:
		why = cli_is_image_option(id) ? cli_image_take(&e->image, id, value)
					      : cli_writer_take(&e->writer, id, value);
		break;
	}
	if (why)
		cli_usage_error(&e->cli, shown, value, why);
	return why ? -1 : 0;
}

/* Returns 0, 1 to exit with 0, or -1 after a message. */
static int parse_arguments(struct edit *e, struct arguments *a, int argc, char **argv)
{
	struct cli_parser p;
	int id;

	cli_opt_init(&p, &tool, argc, argv);
	while ((id = cli_opt_next(&p)) != CLI_OPT_END) {
		if (id < 0)
			return id == CLI_OPT_EXIT ? 1 : -1;
		if (take_option(e, a, id, p.shown, p.value))
			return -1;
	}
	if (p.operand_count > 0 && p.operand_count < 3 && !a->text_count && !strcmp(p.operands[0], "help")) {
		a->words = p.operands; /* needs no image */
		a->word_count = p.operand_count;
		return 0;
	}
	if (p.operand_count < 1 || (p.operand_count > 1 && a->text_count)) {
		cli_error(&e->cli, p.operand_count ? "commands come from -c and -f or follow the image, not both"
						   : "no image given");
		cli_opt_hint(&tool);
		return -1;
	}
	e->image.path = p.operands[0];
	e->cli.offers_repaired = cli_state_is_current(&e->image) && !e->may_write;
	if (cli_state_conflict(&e->image) || (cli_state_is_fixed(&e->image) && e->may_write)) {
		cli_error(&e->cli, "%s", cli_state_conflict(&e->image) ? cli_state_conflict(&e->image)
				   : "--state shows a state that cannot be changed: it does not go with --write");
		cli_opt_hint(&tool);
		return -1;
	}
	if (e->image.recover && e->may_write)
		e->image.recover = F2FS_RECOVER_APPLY;
	e->image.flags = e->may_write ? F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE : F2FS_OPEN_READ;
	a->words = p.operands + 1;
	a->word_count = p.operand_count - 1;
	return 0;
}

/* The commands of the command line, separated by "--". */
static int run_words(struct edit *e, char **words, int count)
{
	int rc = 0;

	for (int i = 0, n; i < count; i += n + 1) {
		for (n = 0; i + n < count && strcmp(words[i + n], "--") != 0; n++)
			;
		rc = n ? edit_run(e, words + i, n) : 0;
		if (!edit_goes_on(e, rc) || e->is_over)
			return rc;
	}
	return 0;
}

/* A line at a time from the standard input. */
static void run_lines(struct edit *e)
{
	char *line = NULL;
	size_t room = 0;

	while (!e->is_over && getline(&line, &room, stdin) >= 0 && !cli_stopped())
		if (edit_run_text(e, line))
			break;
	if (ferror(stdin) && !cli_stopped()) { /* the missing input may hold more commands */
		cli_error(&e->cli, "standard input: %s", strerror(errno));
		edit_rollback(e);
		e->status = EDIT_FAILED;
	}
	free(line);
}

/* The same on a terminal, with a prompt. */
static void run_shell(struct edit *e)
{
	e->is_shell = 1;
	while (!e->is_over && !cli_stopped()) {
		const size_t room = 4 * strlen(e->cwd) + 16;
		char *prompt = malloc(room), *line;
		size_t n;

		if (!prompt)
			break;
		n = (size_t)sprintf(prompt, "f2fs:");
		n += f2fs_text_printable(e->cwd, strlen(e->cwd), prompt + n, room - n);
		sprintf(prompt + n, "%s ", e->may_write ? e->is_changed ? "*>" : ">" : "$");
		line = edit_read_line(e, prompt);
		free(prompt);
		if (line && !cli_stopped())
			e->is_over |= edit_run_text(e, line) && !cli_stopped();
		else if (!cli_stopped())
			e->is_over = 1;
		else
			fputc('\n', stderr);
		if (cli_stopped() == SIGINT) /* ends the line or the command, not the session */
			cli_go_on();
		free(line);
		fflush(stdout);
	}
}

static void run(struct edit *e, const struct arguments *a)
{
	const int asks = !a->word_count && !a->text_count;
	int rc = asks ? edit_open_image(e) : 0; /* before somebody types for nothing */

	for (unsigned i = 0; !rc && !e->is_over && i < a->text_count; i++)
		rc = edit_run_text(e, a->texts[i]);
	if (!rc && !e->is_over && a->word_count)
		run_words(e, a->words, a->word_count);
	else if (!rc && asks)
		(isatty(STDIN_FILENO) ? run_shell : run_lines)(e);
	if (!rc && !e->has_run && !cli_stopped()) /* no command ran that would have reported damage of the volume */
		edit_open_volume(e);
	edit_close_as_of(e);
	if (cli_stopped() && (asks || !e->is_settled))
		edit_end_stopped(e);
	else if (e->vol && !e->may_write && f2fs_volume_check_current(e->vol))
		edit_fail(e, F2FS_ERR_INCOMPLETE, NULL);
	edit_commit(e);
}

int main(int argc, char **argv)
{
	static struct edit e;
	struct arguments a = { 0 };
	int rc;

	e.commands = edit_commands(&e.command_count);
	if (cli_init(&e.cli, &tool))
		return EDIT_USAGE;
	a.texts = calloc((size_t)argc, sizeof(*a.texts));
	e.cwd = strdup("/");
	if (a.texts && e.cwd && make_usages(&e) == 0 && cli_context_new(&e.cli, &e.ctx) == 0) {
		rc = parse_arguments(&e, &a, argc, argv);
		if (rc < 0)
			e.status = EDIT_USAGE;
		else if (rc == 0 && e.log_path && read_log_open(&e.cli, e.log_path, &e.image.read_log))
			e.status = EDIT_FAILED;
		else if (rc == 0)
			run(&e, &a);
	} else {
		cli_error(&e.cli, "out of memory");
		e.status = EDIT_FAILED;
	}
	cli_writer_close(&e.writer, e.vol);
	f2fs_volume_close(e.vol);
	if (!cli_stopped() || e.may_have_written)
		edit_save(&e); /* what did not wait for a commit */
	cli_image_close(&e.opened);
	if (e.cli.has_logged_error && !e.status) /* an undo file that was not finished */
		e.status = EDIT_FAILED;
	f2fs_context_close(e.ctx);
	if (read_log_close(e.image.read_log, &e.cli) && !e.status)
		e.status = EDIT_FAILED;
	for (unsigned i = 0; i < a.text_count; i++)
		free(a.texts[i]);
	free(a.texts);
	free(e.cwd);
	forget_usages();
	return cli_finish(&e.cli, e.status, EDIT_FAILED);
}
