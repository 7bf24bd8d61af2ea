/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of commands, and running them: one, or those of a text; what becomes of changes when one fails.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/crypt_policy.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/patterns.h"
#include "edit/words.h"

static const struct edit_command commands[] = {
#define COMMANDS(title) { NULL, "", 0, "", 0, 0, NULL, title, "" },
#define COMMAND(name, operands, need, letters, min, max, run, help, doc)                                               \
	{ name, operands, EDIT_##need, letters, min, max, run, help, doc },
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

static const struct edit_command *find_command(const char *name)
{
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].name && !strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* What debugfs and other shells call differently. */
static const char *known_elsewhere(const char *name)
{
	static const struct {
		const char *name, *here;
	} rows[] = {
		{ "dump", "get FILE [HOSTFILE]" },
		{ "rdump", "get -r DIR [HOSTDIR]" },
		{ "stats", "info" },
		{ "show_super_stats", "info" },
		{ "open", "given on the command line" },
		{ "close", "quit" },
		{ "kill_file", "rm" },
		{ "unlink", "rm" },
		{ "symlink", "ln -s TARGET LINK" },
		{ "set_inode_field", "set 'inode[N].FIELD' VALUE" },
		{ "sif", "set 'inode[N].FIELD' VALUE" },
		{ "ssv", "set sb.FIELD VALUE" },
		{ "set_super_value", "set sb.FIELD VALUE" },
		{ "ea_get", "getfattr" },
		{ "ea_set", "setfattr" },
		{ "ea_list", "getfattr" },
		{ "ncheck", "stat <INO>" },
		{ "icheck", "dump.f2fs -b BLOCK" },
		{ "blocks", "dump.f2fs --map=FILE" },
		{ "logdump", "dump.f2fs --recovery" },
		{ "chgrp", "chown :GID FILE" },
		{ "dir", "ls" },
		{ "q", "quit" },
		{ "?", "help" },
		{ "import", "put" },
		{ "more", "cat" },
		{ "less", "cat" },
		{ "vi", "get, then put" },
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].name, name))
			return rows[i].here;
	return NULL;
}

/* Open the files that a command needs, and run it. */
static int run_call(struct edit *e, const struct edit_call *call)
{
	const struct edit_command *command = call->command;
	int rc = 0;

	e->is_writing = 0;
	if (command->need == EDIT_CHANGES)
		rc = edit_need_write(e, command->name);
	if (!rc && command->need != EDIT_ALONE)
		rc = edit_open_volume(e);
	if (rc)
		return rc;
	if (command->need == EDIT_CHANGES) {
		const struct f2fs_time now = edit_now(e);

		f2fs_volume_set_time(e->vol, &now);
		e->is_changed = 1;
	}
	rc = command->run(e, call);
	e->may_have_written |= e->is_writing && command->need != EDIT_CHANGES && rc != F2FS_ERR_INVALID;
	e->is_settled = !rc && e->is_writing && !e->is_changed;
	return rc;
}

int edit_run(struct edit *e, char **words, int count)
{
	struct edit_call call;
	int rc;

	e->has_run = 1;
	e->is_settled = 0;
	if (cli_stopped())
		return edit_stopped(e, words[0]);
	memset(&call, 0, sizeof(call));
	call.command = find_command(words[0]);
	if (!call.command) {
		const char *here = known_elsewhere(words[0]);

		if (here)
			cli_error(&e->cli, "%s: unknown command; here it is %s", words[0], here);
		else
			cli_error(&e->cli, "%s: unknown command; 'help' lists them", words[0]);
		edit_note(e, EDIT_USAGE);
		return F2FS_ERR_INVALID;
	}
	if (count > 1 && !strcmp(words[1], "--help")) {
		static char help[] = "help";
		char *asked[] = { help, words[0] };

		return edit_run(e, asked, 2);
	}
	call.operands = malloc((size_t)count * sizeof(*call.operands));
	if (!call.operands)
		return edit_no_memory(e);
	rc = edit_call_parse(e, &call, words, count);
	if (!rc)
		rc = run_call(e, &call);
	free(call.operands);
	return rc;
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
	case F2FS_ERR_UNCERTAIN:
		return 1;
	default:
		return 0;
	}
}

int edit_goes_on(struct edit *e, int rc)
{
	int is_lost;

	if (rc == 0)
		return 1;
	is_lost = is_fatal(rc) || (e->vol && f2fs_volume_transaction(e->vol) == F2FS_TRANSACTION_FAILED);
	if (is_lost || (!e->keep_going && !e->is_shell))
		edit_rollback(e);
	return (e->is_shell || (e->keep_going && !is_lost)) && !cli_stopped();
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
			edit_note(e, EDIT_USAGE);
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
