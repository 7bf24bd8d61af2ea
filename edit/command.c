/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Running commands: their options, the volume they need, what becomes of changes when one fails.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/crypt_policy.h"
#include "cli/exit.h"
#include "edit/edit.h"

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

/* ---- failures ---- */

static void note(struct edit *e, int status)
{
	if (e->status == EDIT_OK)
		e->status = status;
}

int edit_fail(struct edit *e, int rc, const char *what)
{
	const int status = cli_exit_of(rc, 0);

	cli_error_of(&e->cli, e->ctx, what);
	note(e, status ? status : EDIT_FAILED);
	return rc;
}

int edit_usage(struct edit *e, const char *what, const char *value, const char *why)
{
	cli_error(&e->cli, "%s: '%s' %s", what, value, why);
	note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

int edit_told(struct edit *e)
{
	note(e, EDIT_FAILED);
	return F2FS_ERR_ACCESS;
}

int edit_host_fail(struct edit *e, const char *what)
{
	cli_error(&e->cli, "%s: %s", what, strerror(errno));
	return edit_told(e);
}

int edit_stopped(struct edit *e, const char *what)
{
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_CANCELED, "stopped"), what);
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

static int wrong(struct edit *e, const struct edit_command *command, const char *why)
{
	char *usage = edit_synopsis(command);

	cli_error(&e->cli, "%s: %s; usage: %s%s%s", command->name, why, command->name, usage && *usage ? " " : "",
		  usage ? usage : "");
	free(usage);
	note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

/* Note an option, whose value may be the rest of its word or the next one. Returns the number of further words taken,
 * or an error. */
static int take_option(struct edit *e, struct edit_call *call, const struct edit_option *option, const char *rest,
		       const char *next)
{
	const char **to = &call->options[(unsigned char)option->letter];

	*to = "";
	if (!option->value)
		return 0;
	*to = *rest ? rest : next;
	if (!*to)
		return wrong(e, call->command, "an option needs a value");
	return *rest ? 0 : 1;
}

/* One word "--name" or "--name=VALUE". Returns the number of further words taken, or an error. */
static int take_long(struct edit *e, struct edit_call *call, char *word, const char *next)
{
	char *value = strchr(word, '='), why[80];
	struct edit_option option;

	if (value)
		*value++ = '\0';
	if (!word[3] || !edit_option_find(call->command, word + 2, &option)) {
		snprintf(why, sizeof(why), "unknown option %.60s", word);
		return wrong(e, call->command, why);
	}
	if (!value)
		return take_option(e, call, &option, "", next);
	if (!option.value || !*value) {
		snprintf(why, sizeof(why), "%.60s %s", word, option.value ? "needs a value" : "takes no value");
		return wrong(e, call->command, why);
	}
	return take_option(e, call, &option, value, NULL);
}

/* One word "-lr", "-m755", "-name". Returns the number of further words taken, or an error. */
static int take_letters(struct edit *e, struct edit_call *call, char *word, const char *next)
{
	char letter[2] = "", why[] = "unknown option -?";
	struct edit_option option;

	if (word[1] == '-')
		return take_long(e, call, word, next);
	word++;
	if (word[1] && edit_option_find(call->command, word, &option))
		return take_option(e, call, &option, "", next);
	for (; *word; word++) {
		int taken;

		letter[0] = *word;
		if (!edit_option_find(call->command, letter, &option)) {
			why[sizeof(why) - 2] = *word;
			return wrong(e, call->command, why);
		}
		taken = take_option(e, call, &option, word + 1, next);
		if (taken || option.value)
			return taken;
	}
	return 0;
}

/* A word like "-rf" that is an option; chattr's "-i" is none. */
static int is_option(const struct edit_command *command, const char *word)
{
	const char letter[2] = { word[0] ? word[1] : '\0', '\0' };
	struct edit_option option;

	if (word[0] != '-' || !word[1] || !command->letters[0])
		return 0;
	return !strchr(command->letters, '?') || edit_option_find(command, letter, &option);
}

static int parse(struct edit *e, struct edit_call *call, char **words, int count)
{
	const int is_strict = call->command->letters[0] == '+';
	int i = 1, only_operands = 0;

	while (i < count) {
		int taken = 0;

		if (only_operands || !is_option(call->command, words[i])) {
			call->operands[call->count++] = words[i++];
			only_operands |= is_strict;
			continue;
		}
		if (!strcmp(words[i], "--"))
			only_operands = 1;
		else
			taken = take_letters(e, call, words[i], i + 1 < count ? words[i + 1] : NULL);
		if (taken < 0)
			return taken;
		i += 1 + taken;
	}
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
	e->image.saves = 1;
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

static uint64_t version(const struct edit *e)
{
	static const char structure[] = "checkpoint";

	return f2fs_field_get(f2fs_struct_field(f2fs_struct_find(structure), "checkpoint_ver"),
			      f2fs_volume_checkpoint(e->vol, NULL, NULL), 0);
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
	e->first_version = version(e);
	if (e->may_write) {
		rc = cli_writer_apply(&e->writer, e->vol);
		if (rc)
			return edit_fail(e, rc, e->image.path);
	}
	rc = cli_keys_add(&e->cli, &e->opened.keys, e->ctx, e->vol);
	if (rc) {
		e->status = EDIT_FAILED;
		return rc;
	}
	for (unsigned i = 0; (note_text = f2fs_volume_note(e->vol, i)) != NULL; i++)
		if (e->cli.level >= F2FS_LOG_WARNING)
			cli_warning(&e->cli, "%s", note_text);
	return 0;
}

int edit_need_write(struct edit *e, const char *command)
{
	if (e->may_write) {
		e->is_writing = 1;
		return 0;
	}
	cli_error(&e->cli, "%s changes the volume, which is opened for reading: -w allows it", command);
	note(e, EDIT_USAGE);
	return F2FS_ERR_READ_ONLY;
}

/* Open what a command needs, and run it. */
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
	return rc;
}

int edit_run(struct edit *e, char **words, int count)
{
	struct edit_call call;
	int rc;

	e->has_run = 1;
	memset(&call, 0, sizeof(call));
	call.command = find_command(words[0]);
	if (!call.command) {
		const char *here = known_elsewhere(words[0]);

		if (here)
			cli_error(&e->cli, "%s: unknown command; here it is %s", words[0], here);
		else
			cli_error(&e->cli, "%s: unknown command; 'help' lists them", words[0]);
		note(e, EDIT_USAGE);
		return F2FS_ERR_INVALID;
	}
	call.operands = malloc((size_t)count * sizeof(*call.operands));
	if (!call.operands)
		return edit_no_memory(e);
	rc = parse(e, &call, words, count);
	if (!rc)
		rc = run_call(e, &call);
	free(call.operands);
	return rc;
}

int edit_save(struct edit *e)
{
	const int rc = cli_image_save(&e->cli, &e->opened);

	if (rc)
		note(e, EDIT_FAILED);
	return rc;
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
		return rc;
	}
	rc = edit_save(e);
	if (!rc)
		e->cli.done = "what was changed is committed";
	return rc;
}

/* Did this run make something true already: by a commit, also one for want of room, or past all commits? */
static int has_written(const struct edit *e)
{
	return e->may_have_written || version(e) != e->first_version;
}

void edit_discard(struct edit *e)
{
	if (!e->is_changed)
		return;
	f2fs_volume_discard(e->vol);
	e->is_changed = 0;
	cli_error(&e->cli, "nothing was changed%s",
		  has_written(e) ? " since the last commit; what was done before it stays" :
		  e->is_shell	 ? " since the last commit" :
				   "");
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
	int is_lost;

	if (rc == 0)
		return 1;
	is_lost = is_fatal(rc) || (e->vol && f2fs_volume_transaction(e->vol) == F2FS_TRANSACTION_FAILED);
	if (is_lost || (!e->keep_going && !e->is_shell))
		edit_discard(e);
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
