/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Flags and project ids: chattr, lsattr, project.
 */
#include <stdio.h>
#include <string.h>

#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/inode_change.h"
#include "edit/paths.h"

enum {
	SHOWN_NOCOW = 0x800000,	     /* pinned */
	SHOWN_ENCRYPT = 0x800,
	SHOWN_VERITY = 0x100000,
	SHOWN_INLINE = 0x10000000,
	INLINE_PIN = 0x40 /* of i_inline */
};

static const struct {
	char letter;
	char is_settable;
	uint32_t bit;
} flag_letters[] = {
	{ 's', 0, 0x1 },	    { 'u', 0, 0x2 },	      { 'S', 1, 0x8 },	       { 'D', 1, 0x10000 },
	{ 'i', 1, 0x10 },	    { 'a', 1, 0x20 },	      { 'd', 1, 0x40 },	       { 'A', 1, 0x80 },
	{ 'c', 0, 0x4 },	    { 'm', 1, 0x400 },	      { 'E', 0, SHOWN_ENCRYPT }, { 'I', 0, 0x1000 },
	{ 'P', 1, 0x20000000 },	    { 'V', 0, SHOWN_VERITY }, { 'C', 0, SHOWN_NOCOW }, { 'N', 0, SHOWN_INLINE },
	{ 'F', 1, 0x40000000 },
};
enum { FLAG_LETTERS = sizeof(flag_letters) / sizeof(flag_letters[0]) };

static int fill_flags(const struct edit_change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	uint32_t bits = 0, settable = 0;

	for (unsigned i = 0; i < FLAG_LETTERS; i++)
		settable |= flag_letters[i].is_settable ? flag_letters[i].bit : 0;
	for (const char *c = change->text ? change->text + 1 : ""; *c; c++) {
		unsigned i = 0;

		while (i < FLAG_LETTERS && flag_letters[i].letter != *c)
			i++;
		if (i == FLAG_LETTERS || !flag_letters[i].is_settable)
			return edit_usage(change->e, "chattr", change->text,
					  "has other flags than a A d D F i m P S (pin, compress, seal are commands)");
		bits |= flag_letters[i].bit;
	}
	values->projid = change->projid;
	if (!change->text)
		return (int)change->which;
	values->flags = change->text[0] == '+'	 ? st->flags | bits
			: change->text[0] == '-' ? st->flags & ~bits
						 : (st->flags & ~settable) | bits;
	return (int)change->which | F2FS_SET_FLAGS;
}

/* Parse the project id of a change. Reports errors. */
static int take_project(struct edit_change *change, const char *what, const char *text)
{
	const char *why = cli_parse_u32(text, 0, UINT32_MAX - 1, &change->projid);

	if (why)
		return edit_usage(change->e, what, text, why);
	change->which |= F2FS_SET_PROJID;
	return 0;
}

int do_chattr(struct edit *e, const struct edit_call *call)
{
	const char *text = call->operands[0];
	const int has_flags = text[0] && strchr("+-=", text[0]) != NULL;
	struct edit_change change = { .e = e, .fill = fill_flags, .text = has_flags ? text : NULL };
	int rc = call->options['p'] ? take_project(&change, "chattr -p", call->options['p']) : 0;

	if (rc)
		return rc;
	if (!has_flags && !call->options['p'])
		return edit_usage(e, "chattr", text, "does not begin with +, - or =");
	if (call->count == has_flags)
		return edit_usage(e, "chattr", text, "is not followed by files");
	return edit_change_apply(&change, call, has_flags, F2FS_LOOKUP_FOLLOW);
}

int do_project(struct edit *e, const struct edit_call *call)
{
	struct edit_change change = { .e = e, .fill = fill_flags };
	int rc = take_project(&change, "project", call->operands[0]);

	return rc ? rc : edit_change_apply(&change, call, 1, F2FS_LOOKUP_FOLLOW);
}

struct attr_list {
	struct edit *e;
	struct cli_print *out;
	int with_project;
};

/* Collect the flags that the kernel shows. Not all of them are kept among the flags. */
static uint32_t shown_flags(const struct f2fs_stat *st)
{
	return st->flags | (st->is_encrypted ? SHOWN_ENCRYPT : 0U) | (st->is_verity ? SHOWN_VERITY : 0U) |
	       (st->is_inline ? SHOWN_INLINE : 0U) | (st->inline_flags & INLINE_PIN ? SHOWN_NOCOW : 0U);
}

static void put_json(struct cli_print *out, const struct f2fs_stat *st, const char *name)
{
	const struct f2fs_flag *names;
	unsigned count = 0;

	names = f2fs_flags_find("i_flags", &count);
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "name", name, strlen(name));
	cli_print_flags(out, "flags", st->flags, names, count);
	cli_print_u64(out, "projid", st->projid);
	cli_print_bool(out, "is_encrypted", st->is_encrypted);
	cli_print_bool(out, "is_verity", st->is_verity);
	cli_print_end(out);
}

static int put_flags(const struct attr_list *list, f2fs_nid_t ino, const char *name)
{
	char text[FLAG_LETTERS + 1];
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc = f2fs_inode_open(list->e->vol, ino, &inode);

	if (rc)
		return edit_fail(list->e, rc, name);
	rc = f2fs_inode_stat(inode, &st);
	f2fs_inode_close(inode);
	if (rc)
		return edit_fail(list->e, rc, name);
	if (list->e->is_json) {
		put_json(list->out, &st, name);
		return 0;
	}
	for (unsigned i = 0; i < FLAG_LETTERS; i++)
		text[i] = (char)(shown_flags(&st) & flag_letters[i].bit ? flag_letters[i].letter : '-');
	text[FLAG_LETTERS] = '\0';
	if (list->with_project)
		printf("%5u ", st.projid);
	printf("%s ", text);
	edit_put_name(name, strlen(name));
	putchar('\n');
	return 0;
}

static int visit_flags(void *user, const struct f2fs_dirent *entry)
{
	return put_flags(user, entry->ino, entry->name);
}

int do_lsattr(struct edit *e, const struct edit_call *call)
{
	static const struct cli_column none[] = { { "name", -1 } };
	char here[] = ".";
	char *only[] = { here };
	char **operands = call->count ? call->operands : only;
	struct attr_list list = { e, edit_print_open(e), edit_has(call, 'p') };
	int rc = 0, closed;

	if (!list.out)
		return F2FS_ERR_NOMEM;
	if (e->is_json) {
		cli_print_begin(list.out, NULL);
		cli_print_begin_table(list.out, "flags", none, 1);
	}
	for (int i = 0; !rc && i < (call->count ? call->count : 1); i++) {
		struct f2fs_inode *inode;
		struct f2fs_stat st;

		rc = edit_open_stat(e, operands[i], F2FS_LOOKUP_FOLLOW, &inode, &st);
		if (rc)
			break;
		rc = (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR && !edit_has(call, 'd')
			     ? edit_each(e, inode, operands[i], visit_flags, &list)
			     : put_flags(&list, st.ino, operands[i]);
		f2fs_inode_close(inode);
	}
	if (e->is_json) {
		cli_print_end_array(list.out);
		cli_print_end(list.out);
	}
	closed = edit_print_close(e, list.out);
	return rc ? rc : closed;
}
