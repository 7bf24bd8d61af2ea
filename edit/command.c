/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Running commands: their options, the volume they need, what becomes of changes when one fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "edit/edit.h"

static const struct edit_command commands[] = {
#define COMMANDS(title) { NULL, "", 0, "", 0, 0, NULL, title, "" },
#define COMMAND(name, args, need, letters, min, max, run, help, doc)                                                   \
	{ name, args, EDIT_##need, letters, min, max, run, help, doc },
#include "edit/commands.def"
#undef COMMAND
#undef COMMANDS
};
enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) };

const struct edit_command *edit_commands(unsigned *count)
{
	*count = COMMAND_COUNT;
	return commands;
}

/* ---- failures ---- */

static int status_of(int rc)
{
	switch (rc) {
	case F2FS_ERR_NOT_FOUND:
	case F2FS_ERR_NO_ATTR:
	case F2FS_ERR_NOT_DIR:
	case F2FS_ERR_IS_DIR:
	case F2FS_ERR_LOOP:
		return EDIT_MISSING;
	case F2FS_ERR_CORRUPT:
	case F2FS_ERR_ENCRYPTED:
	case F2FS_ERR_DAMAGED_DATA:
	case F2FS_ERR_INCOMPLETE:
		return EDIT_INCOMPLETE;
	default:
		return EDIT_FAILED;
	}
}

static void note(struct edit *e, int status)
{
	if (e->status == EDIT_OK)
		e->status = status;
}

int edit_fail(struct edit *e, int rc, const char *what)
{
	cli_error_of(&e->cli, e->ctx, what);
	note(e, status_of(rc));
	return rc;
}

int edit_usage(struct edit *e, const char *what, const char *value, const char *why)
{
	cli_error(&e->cli, "%s: '%s' %s", what, value, why);
	note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

int edit_host_fail(struct edit *e, const char *what)
{
	cli_error(&e->cli, "%s: %s", what, strerror(errno));
	note(e, EDIT_FAILED);
	return F2FS_ERR_ACCESS;
}

int edit_no_memory(struct edit *e)
{
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
}

/* ---- options of a command ---- */

static const struct edit_command *find_command(const char *name)
{
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].name && !strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int wrong(struct edit *e, const struct edit_command *command, const char *why)
{
	cli_error(&e->cli, "%s: %s; usage: %s %s", command->name, why, command->name, command->args);
	note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

/* The letters of one word "-lr", "-m755". Returns the number of further words taken, or an error. */
static int take_letters(struct edit *e, struct edit_call *call, const char *word, const char *next)
{
	const char *letters = call->command->letters;
	char why[] = "unknown option -?";

	for (const char *c = word + 1; *c; c++) {
		const char *found = *c == ':' ? NULL : strchr(letters, *c);

		if (!found) {
			why[sizeof(why) - 2] = *c;
			return wrong(e, call->command, why);
		}
		if (found[1] != ':') {
			call->options[(unsigned char)*c] = "";
			continue;
		}
		if (!c[1] && !next)
			return wrong(e, call->command, "an option needs a value");
		call->options[(unsigned char)*c] = c[1] ? c + 1 : next;
		return c[1] ? 0 : 1;
	}
	return 0;
}

/* A word like "-rf" that is an option; chattr's "-i" is none. */
static int is_option(const struct edit_command *command, const char *word)
{
	return word[0] == '-' && word[1] && command->letters[0];
}

static int parse(struct edit *e, struct edit_call *call, char **words, int count)
{
	int i = 1;

	while (i < count && is_option(call->command, words[i])) {
		int taken;

		if (!strcmp(words[i], "--")) {
			i++;
			break;
		}
		taken = take_letters(e, call, words[i], i + 1 < count ? words[i + 1] : NULL);
		if (taken < 0)
			return taken;
		i += 1 + taken;
	}
	call->operands = words + i;
	call->count = count - i;
	if (call->count < call->command->min)
		return wrong(e, call->command, "something is missing");
	if (call->command->max >= 0 && call->count > call->command->max)
		return wrong(e, call->command, "too many operands");
	return 0;
}

/* ---- running ---- */

int edit_open_image(struct edit *e)
{
	int rc;

	if (e->opened.device)
		return 0;
	rc = cli_image_open(&e->cli, e->ctx, &e->image, &e->opened);
	if (rc) {
		note(e, EDIT_FAILED);
		return rc;
	}
	if (!e->undo_path || !e->may_write)
		return 0;
	rc = cli_image_record(&e->opened, e->undo_path);
	if (rc) {
		edit_fail(e, rc, e->undo_path);
		cli_image_close(&e->opened);
	}
	return rc;
}

int edit_open_volume(struct edit *e)
{
	const char *note_text;
	int rc;

	if (e->vol)
		return 0;
	rc = edit_open_image(e);
	if (rc)
		return rc;
	rc = f2fs_volume_open(e->ctx, e->opened.device, &e->opened.options, &e->vol);
	if (rc) {
		edit_fail(e, rc, e->image.path);
		e->status = EDIT_FAILED;
		return rc;
	}
	if (e->is_stepwise && e->may_write) {
		const struct f2fs_write_options options = { .commit_when_full = 1 };

		rc = f2fs_volume_configure(e->vol, &options);
		if (rc)
			return edit_fail(e, rc, e->image.path);
	}
	for (unsigned i = 0; (note_text = f2fs_volume_note(e->vol, i)) != NULL; i++)
		if (e->cli.level >= F2FS_LOG_WARNING)
			cli_warning(&e->cli, "%s", note_text);
	return 0;
}

int edit_need_write(struct edit *e, const char *command)
{
	if (e->may_write)
		return 0;
	cli_error(&e->cli, "%s changes the volume, which is opened for reading: -w allows it", command);
	note(e, EDIT_USAGE);
	return F2FS_ERR_READ_ONLY;
}

int edit_run(struct edit *e, char **words, int count)
{
	struct edit_call call;
	int rc;

	memset(&call, 0, sizeof(call));
	call.command = find_command(words[0]);
	if (!call.command) {
		cli_error(&e->cli, "%s: unknown command; 'help' lists them", words[0]);
		note(e, EDIT_USAGE);
		return F2FS_ERR_INVALID;
	}
	rc = parse(e, &call, words, count);
	if (rc)
		return rc;
	if (call.command->need == EDIT_CHANGES) {
		rc = edit_need_write(e, words[0]);
		if (rc)
			return rc;
	}
	if (call.command->need != EDIT_ALONE) {
		rc = edit_open_volume(e);
		if (rc)
			return rc;
	}
	if (call.command->need == EDIT_CHANGES) {
		const struct f2fs_time now = edit_now(e);

		f2fs_volume_set_time(e->vol, &now);
		e->is_changed = 1;
	}
	return call.command->run(e, &call);
}

int edit_commit(struct edit *e)
{
	int rc;

	if (!e->is_changed)
		return 0;
	rc = f2fs_volume_commit(e->vol);
	e->is_changed = 0;
	if (rc) {
		edit_fail(e, rc, "commit");
		f2fs_volume_discard(e->vol);
	}
	return rc;
}

void edit_discard(struct edit *e)
{
	if (!e->is_changed)
		return;
	f2fs_volume_discard(e->vol);
	e->is_changed = 0;
	cli_error(&e->cli, "nothing was changed%s", e->is_shell ? " since the last commit" : "");
}

/* Failures that leave a change half done, so that the transaction is of no use any more. */
static int is_fatal(int rc)
{
	switch (rc) {
	case F2FS_ERR_IO:
	case F2FS_ERR_NOMEM:
	case F2FS_ERR_NOSPC:
	case F2FS_ERR_CORRUPT:
	case F2FS_ERR_CANCELED:
	case F2FS_ERR_STATE:
		return 1;
	default:
		return 0;
	}
}

int edit_goes_on(struct edit *e, int rc)
{
	if (rc == 0)
		return 1;
	if (is_fatal(rc) || (!e->keep_going && !e->is_shell))
		edit_discard(e);
	return (e->is_shell || (e->keep_going && !is_fatal(rc))) && !cli_stopped();
}

int edit_takes_files(const char *command)
{
	const struct edit_command *found = find_command(command);

	return found && found->need != EDIT_ALONE;
}

static int run_line(struct edit *e, const struct edit_line *line)
{
	char **words;
	int count, rc;

	if (!line->marks || !edit_takes_files(line->words[0]))
		return edit_run(e, line->words, line->count);
	rc = edit_expand(e, line, &words, &count);
	if (rc)
		return rc;
	rc = edit_run(e, words, count);
	edit_expand_free(words, count);
	return rc;
}

int edit_run_text(struct edit *e, char *text)
{
	while (!e->is_over) {
		struct edit_line line;
		int count = edit_words(&text, &line), rc = 0;

		if (count == -1)
			return 0;
		if (count == -2) {
			cli_error(&e->cli, "a quote is not closed");
			note(e, EDIT_USAGE);
			rc = F2FS_ERR_INVALID;
		} else if (count < 0) {
			rc = edit_no_memory(e);
		} else if (count > 0) {
			rc = run_line(e, &line);
		}
		free(line.words);
		free(line.marks);
		if (!edit_goes_on(e, rc))
			return rc;
	}
	return 0;
}
