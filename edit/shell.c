/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands about the session itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/usage.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/synopsis.h"

enum { PATH_ROOM = 1 << 16 };

int do_cd(struct edit *e, const struct edit_call *call)
{
	const char *operand = call->count ? call->operands[0] : "/";
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	char *path;
	int rc = edit_open_stat(e, operand, F2FS_LOOKUP_FOLLOW, &inode, &st);

	if (rc)
		return rc;
	path = malloc(PATH_ROOM);
	if (!path)
		rc = edit_no_memory(e);
	else if ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_DIR)
		rc = edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_NOT_DIR, "not a directory"), operand);
	else if ((rc = f2fs_inode_path(inode, path, PATH_ROOM)) != 0)
		edit_fail(e, rc, operand);
	f2fs_inode_close(inode);
	if (rc) {
		free(path);
		return rc;
	}
	free(e->cwd);
	e->cwd = path;
	return 0;
}

int do_pwd(struct edit *e, const struct edit_call *call)
{
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;

	(void)call;
	if (out) {
		cli_print_begin(out, NULL);
		cli_print_bytes(out, "path", e->cwd, strlen(e->cwd));
		cli_print_end(out);
		return edit_print_close(e, out);
	}
	edit_put_name(e->cwd, strlen(e->cwd));
	putchar('\n');
	return 0;
}

int do_commit(struct edit *e, const struct edit_call *call)
{
	(void)call;
	return edit_commit(e);
}

int do_rollback(struct edit *e, const struct edit_call *call)
{
	(void)call;
	f2fs_volume_rollback(e->vol);
	e->is_changed = 0;
	return 0;
}

static void put_help_record(struct cli_print *out, const struct edit_command *c, const char *usage, const char *more)
{
	cli_print_begin(out, NULL);
	cli_print_string(out, "name", c->name);
	cli_print_string(out, "usage", usage);
	cli_print_string(out, "help", c->help);
	cli_print_string(out, "more", more);
	cli_print_bool(out, "needs_write", c->need == EDIT_CHANGES);
	cli_print_end(out);
}

static void put_whole(const struct edit_command *c, const char *usage, const char *more)
{
	printf("%s%s%s\n%s\n", c->name, *usage ? " " : "", usage, c->help);
	if (more[0])
		cli_put_wrapped(stdout, 0, more);
	if (c->need == EDIT_CHANGES)
		puts("(changes the volume: needs -w)");
}

/* A command in the list of all, or (is_whole) all that there is to say of it. out: of --json. */
static int put_help(struct edit *e, struct cli_print *out, const struct edit_command *c, int is_whole)
{
	char *usage = edit_synopsis(c), *more = edit_explanation(c);

	if (!usage || !more) {
		free(usage);
		free(more);
		return edit_no_memory(e);
	}
	if (out)
		put_help_record(out, c, usage, more);
	else if (is_whole)
		put_whole(c, usage, more);
	else
		printf("  %s%s%s\n      %s\n", c->name, *usage ? " " : "", usage, c->help);
	free(usage);
	free(more);
	return 0;
}

int do_help(struct edit *e, const struct edit_call *call)
{
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;
	int found = 0, rc = e->is_json && !out ? F2FS_ERR_NOMEM : 0, closed = 0;

	if (out)
		cli_print_stream(out);
	for (unsigned i = 0; !rc && i < e->command_count; i++) {
		const struct edit_command *c = &e->commands[i];

		if (call->count == 0 && !c->name) {
			if (!out)
				printf("%s:\n", c->help);
		} else if (call->count == 0) {
			rc = put_help(e, out, c, 0);
		} else if (c->name && !strcmp(c->name, call->operands[0])) {
			rc = put_help(e, out, c, 1);
			found = 1;
		}
	}
	if (out)
		closed = edit_print_close(e, out);
	if (closed)
		return rc ? rc : closed;
	if (!rc && call->count && !found)
		return edit_usage(e, "help", call->operands[0], "is no command");
	return rc;
}

int do_quit(struct edit *e, const struct edit_call *call)
{
	(void)call;
	e->is_over = 1;
	return 0;
}

int do_restore(struct edit *e, const struct edit_call *call)
{
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };
	int rc = edit_need_write(e, "restore");

	if (!rc)
		rc = edit_open_image(e);
	if (rc)
		return rc;
	cli_writer_close(&e->writer, e->vol);
	f2fs_volume_close(e->vol);
	e->vol = NULL;
	e->is_changed = 0;
	rc = cli_image_restore(&e->opened, call->operands[0], edit_has(call, 'f'), &info);
	if (rc)
		return edit_fail(e, rc, call->operands[0]);
	if (e->cli.level >= F2FS_LOG_WARNING && !e->is_json)
		printf("%llu bytes put back\n", (unsigned long long)info.bytes);
	if (info.left)
		cli_warning(&e->cli, CLI_UNDO_LEFT, call->operands[0], (unsigned long long)info.records,
			    (unsigned long long)info.left);
	return 0;
}
