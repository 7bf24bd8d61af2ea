/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modes, owners, times and flags.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"
#include "edit/edit.h"

/* A change that is applied to a file, and with -R to all below it. */
struct change {
	struct edit *e;
	/* Fill values; returns which members, or an error that was reported. */
	int (*fill)(const struct change *change, const struct f2fs_stat *st, struct f2fs_stat *values);
	const char *text;
	uint32_t uid, gid;
	unsigned which;
	struct f2fs_time time;
};

static int apply_to(const struct change *change, struct f2fs_inode *inode, const char *what)
{
	struct f2fs_stat st, values;
	int rc = f2fs_inode_stat(inode, &st), which;

	if (rc)
		return edit_fail(change->e, rc, what);
	memset(&values, 0, sizeof(values));
	which = change->fill(change, &st, &values);
	if (which < 0)
		return which;
	rc = f2fs_inode_set(inode, (unsigned)which, &values);
	return rc ? edit_fail(change->e, rc, what) : 0;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	const struct change *change = user;

	if (entry->error)
		return edit_fail(change->e, entry->error, entry->path);
	if (entry->dirent && entry->dirent->type == F2FS_TYPE_SYMLINK)
		return F2FS_WALK_GO;
	return apply_to(change, entry->inode, entry->path);
}

static int apply(struct change *change, const struct edit_call *call, int first, unsigned lookup_flags)
{
	int rc = 0;

	for (int i = first; !rc && i < call->count; i++) {
		struct f2fs_inode *inode;

		rc = edit_open(change->e, call->operands[i], lookup_flags, &inode);
		if (rc)
			break;
		rc = edit_has(call, 'R') ? f2fs_walk(inode, visit, change) : apply_to(change, inode, call->operands[i]);
		f2fs_inode_close(inode);
	}
	return rc;
}

/* ---- chmod ---- */

static uint32_t who_mask(const char **at)
{
	uint32_t mask = 0;

	for (;; ++*at)
		if (**at == 'u')
			mask |= 04700;
		else if (**at == 'g')
			mask |= 02070;
		else if (**at == 'o')
			mask |= 01007;
		else if (**at == 'a')
			mask |= 07777;
		else
			return mask ? mask : 07777;
}

/* Those of one class, "go=u", or letters; X depends on what the file had. */
static int permission_bits(const char **at, uint32_t old, uint32_t now, uint32_t *bits)
{
	static const char classes[] = "ogu";
	const char *class = **at ? strchr(classes, **at) : NULL;

	if (class) {
		*bits = (now >> (3 * (class - classes)) & 7) * 0111;
		++*at;
		return **at && **at != ',' ? -1 : 0;
	}
	*bits = 0;
	for (;; ++*at)
		switch (**at) {
		case 'r':
			*bits |= 0444;
			break;
		case 'w':
			*bits |= 0222;
			break;
		case 'x':
			*bits |= 0111;
			break;
		case 'X':
			if ((old & MODE_TYPE) == MODE_DIR || (old & 0111))
				*bits |= 0111;
			break;
		case 's':
			*bits |= 06000;
			break;
		case 't':
			*bits |= 01000;
			break;
		case '\0':
		case ',':
			return 0;
		default:
			return -1;
		}
}

/* "u+x,go=r" */
static int symbolic_mode(const char *at, uint32_t old, uint32_t *mode)
{
	uint32_t found = old & 07777, who, bits;

	for (;;) {
		char how;

		who = who_mask(&at);
		how = *at;
		if ((how != '+' && how != '-' && how != '=') || (at++, permission_bits(&at, old, found, &bits)))
			return -1;
		bits &= who;
		if (how == '+')
			found |= bits;
		else if (how == '-')
			found &= ~bits;
		else
			found = (found & ~who) | bits;
		if (!*at)
			break;
		at++;
	}
	*mode = found;
	return 0;
}

static int fill_mode(const struct change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	if (edit_parse_mode(change->text, &values->mode) && symbolic_mode(change->text, st->mode, &values->mode))
		return edit_usage(change->e, "chmod", change->text, "is not a mode, like 644 or u+x,go-w");
	return F2FS_SET_MODE;
}

int do_chmod(struct edit *e, const struct edit_call *call)
{
	struct change change = { .e = e, .fill = fill_mode, .text = call->operands[0] };

	return apply(&change, call, 1, F2FS_LOOKUP_FOLLOW);
}

/* ---- chown ---- */

static int fill_owner(const struct change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	(void)st;
	values->uid = change->uid;
	values->gid = change->gid;
	return (int)change->which;
}

int do_chown(struct edit *e, const struct edit_call *call)
{
	struct change change = { .e = e, .fill = fill_owner, .text = call->operands[0] };
	const char *text = call->operands[0], *colon = strchr(text, ':');
	char uid[16];
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	const char *why = n >= sizeof(uid) ? "is too long" : NULL;

	if (!why && n > 0) {
		memcpy(uid, text, n);
		uid[n] = '\0';
		why = cli_parse_u32(uid, 0, UINT32_MAX - 1, &change.uid);
		change.which |= F2FS_SET_UID;
	}
	if (!why && colon && colon[1]) {
		why = cli_parse_u32(colon + 1, 0, UINT32_MAX - 1, &change.gid);
		change.which |= F2FS_SET_GID;
	}
	if (why || !change.which)
		return edit_usage(e, "chown", text, "is not UID, UID:GID or :GID");
	return apply(&change, call, 1, edit_has(call, 'h') ? 0 : F2FS_LOOKUP_FOLLOW);
}

/* ---- touch ---- */

int edit_parse_time(struct edit *e, const char *text, struct f2fs_time *out)
{
	const char *dot = strchr(text, '.');
	char seconds[24];
	size_t n = dot ? (size_t)(dot - text) : strlen(text);
	uint32_t ns = 0, unit = 100000000;

	if (n == 0 || n >= sizeof(seconds))
		return edit_usage(e, "time", text, "is not a number of seconds");
	memcpy(seconds, text, n);
	seconds[n] = '\0';
	for (const char *c = dot ? dot + 1 : ""; *c; c++, unit /= 10) {
		if (*c < '0' || *c > '9' || unit == 0)
			return edit_usage(e, "time", text, "is not a number of seconds");
		ns += (uint32_t)(*c - '0') * unit;
	}
	if (cli_parse_s64(seconds, &out->seconds))
		return edit_usage(e, "time", text, "is not a number of seconds");
	if (ns && text[0] == '-') { /* -1.25 is 0.75 after -2 */
		out->seconds--;
		ns = 1000000000 - ns;
	}
	out->nanoseconds = ns;
	return 0;
}

static int fill_times(const struct change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	(void)st;
	values->atime = values->mtime = change->time;
	return F2FS_SET_ATIME | F2FS_SET_MTIME;
}

static int make_missing(struct edit *e, const char *operand)
{
	struct edit_name name;
	struct f2fs_dirent there;
	struct f2fs_new spec;
	int rc;

	if (operand[0] == '<' || !*edit_base(operand) || !strcmp(edit_base(operand), ".") ||
	    !strcmp(edit_base(operand), ".."))
		return 0;
	rc = edit_name_open(e, operand, &name);
	if (rc)
		return rc;
	rc = edit_name_lookup(e, &name, &there);
	if (rc == F2FS_ERR_NOT_FOUND) {
		edit_new(e, MODE_REG, NULL, &spec);
		rc = f2fs_create(name.dir, name.name, name.length, &spec, NULL);
		if (rc)
			edit_fail(e, rc, operand);
	}
	edit_name_close(&name);
	return rc;
}

int do_touch(struct edit *e, const struct edit_call *call)
{
	struct change change = { .e = e, .fill = fill_times, .time = edit_now(e) };
	int rc = call->options['t'] ? edit_parse_time(e, call->options['t'], &change.time) : 0;

	for (int i = 0; !rc && !edit_has(call, 'c') && i < call->count; i++)
		rc = make_missing(e, call->operands[i]);
	return rc ? rc : apply(&change, call, 0, F2FS_LOOKUP_FOLLOW);
}

/* ---- flags ---- */

static const struct {
	char letter;
	uint32_t bit;
} flag_letters[] = {
	{ 's', 0x1 },	     { 'u', 0x2 },	{ 'S', 0x8 },	   { 'D', 0x10000 },	{ 'i', 0x10 },	{ 'a', 0x20 },
	{ 'd', 0x40 },	     { 'A', 0x80 },	{ 'c', 0x4 },	   { 'm', 0x400 },	{ 'E', 0x800 }, { 'I', 0x1000 },
	{ 'P', 0x20000000 }, { 'V', 0x100000 }, { 'C', 0x800000 }, { 'F', 0x40000000 },
};
enum { FLAG_LETTERS = sizeof(flag_letters) / sizeof(flag_letters[0]) };

static int fill_flags(const struct change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	const uint32_t settable = 0x8 | 0x10 | 0x20 | 0x40 | 0x80 | 0x10000 | 0x20000000;
	uint32_t bits = 0;

	for (const char *c = change->text + 1; *c; c++) {
		unsigned i = 0;

		while (i < FLAG_LETTERS && flag_letters[i].letter != *c)
			i++;
		if (i == FLAG_LETTERS || !(flag_letters[i].bit & settable))
			return edit_usage(change->e, "chattr", change->text, "has other flags than a A d D i P S");
		bits |= flag_letters[i].bit;
	}
	values->flags = change->text[0] == '+'	 ? st->flags | bits
			: change->text[0] == '-' ? st->flags & ~bits
						 : (st->flags & ~settable) | bits;
	return F2FS_SET_FLAGS;
}

int do_chattr(struct edit *e, const struct edit_call *call)
{
	struct change change = { .e = e, .fill = fill_flags, .text = call->operands[0] };

	if (!strchr("+-=", change.text[0]) || !change.text[0])
		return edit_usage(e, "chattr", change.text, "does not begin with +, - or =");
	return apply(&change, call, 1, F2FS_LOOKUP_FOLLOW);
}

struct attr_list {
	struct edit *e;
	struct cli_print *out;
};

static int put_flags(struct edit *e, struct cli_print *out, f2fs_nid_t ino, const char *name)
{
	char text[FLAG_LETTERS + 1];
	const struct f2fs_flag *names;
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	unsigned count = 0;
	int rc = f2fs_inode_open(e->vol, ino, &inode);

	if (rc)
		return edit_fail(e, rc, name);
	rc = f2fs_inode_stat(inode, &st);
	f2fs_inode_close(inode);
	if (rc)
		return edit_fail(e, rc, name);
	if (e->is_json) {
		names = f2fs_flags_find("i_flags", &count);
		cli_print_begin(out, NULL);
		cli_print_bytes(out, "name", name, strlen(name));
		cli_print_flags(out, "flags", st.flags, names, count);
		cli_print_end(out);
		return 0;
	}
	for (unsigned i = 0; i < FLAG_LETTERS; i++)
		text[i] = (char)(st.flags & flag_letters[i].bit ? flag_letters[i].letter : '-');
	text[FLAG_LETTERS] = '\0';
	printf("%s ", text);
	edit_put_name(name, strlen(name));
	putchar('\n');
	return 0;
}

static int visit_flags(void *user, const struct f2fs_dirent *entry)
{
	const struct attr_list *list = user;

	return put_flags(list->e, list->out, entry->ino, entry->name);
}

int do_lsattr(struct edit *e, const struct edit_call *call)
{
	static const struct cli_column none[] = { { "name", -1 } };
	char here[] = ".";
	char *only[] = { here };
	char **operands = call->count ? call->operands : only;
	struct attr_list list = { e, edit_print_open(e) };
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
		rc = (st.mode & MODE_TYPE) == MODE_DIR && !edit_has(call, 'd')
			     ? edit_each(e, inode, operands[i], visit_flags, &list)
			     : put_flags(e, list.out, st.ino, operands[i]);
		f2fs_inode_close(inode);
	}
	if (e->is_json) {
		cli_print_end_array(list.out);
		cli_print_end(list.out);
	}
	closed = edit_print_close(e, list.out);
	return rc ? rc : closed;
}
