/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Modes, owners and times.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/inode_change.h"
#include "edit/names.h"
#include "edit/paths.h"
#include "edit/xattrs.h"

static int apply_to(const struct edit_change *change, struct f2fs_inode *inode, const char *what)
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
	if (rc)
		return edit_fail(change->e, rc, what);
	return change->drops_privileges && (st.mode & F2FS_MODE_TYPE) != F2FS_MODE_DIR ?
		       edit_drop_capability(change->e, inode, what) :
		       0;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	const struct edit_change *change = user;

	if (entry->error)
		return edit_fail(change->e, entry->error, entry->path);
	if (entry->dirent && entry->dirent->type == F2FS_TYPE_SYMLINK)
		return F2FS_WALK_GO;
	return apply_to(change, entry->inode, entry->path);
}

int edit_change_apply(struct edit_change *change, const struct edit_call *call, int first, unsigned lookup_flags)
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

/* Those of one class, "go=u", or letters; X depends on the old permissions. */
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
			if ((old & F2FS_MODE_TYPE) == F2FS_MODE_DIR || (old & 0111))
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

static int fill_mode(const struct edit_change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	if (edit_parse_mode(change->text, &values->mode) && symbolic_mode(change->text, st->mode, &values->mode))
		return edit_usage(change->e, "chmod", change->text, "is not a mode, like 644 or u+x,go-w");
	return F2FS_SET_MODE;
}

int do_chmod(struct edit *e, const struct edit_call *call)
{
	struct edit_change change = { .e = e, .fill = fill_mode, .text = call->operands[0] };

	return edit_change_apply(&change, call, 1, F2FS_LOOKUP_FOLLOW);
}

/* ---- chown ---- */

/* Return the bits that a change of owner clears: setuid and setgid, as in the kernel. Without execution by the group,
 * setgid has another meaning. */
static uint32_t privileges_of(uint32_t mode)
{
	if ((mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
		return 0;
	return (mode & 04000) | (mode & 0010 ? mode & 02000 : 0);
}

static int fill_owner(const struct edit_change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	const uint32_t lost = privileges_of(st->mode);

	values->uid = change->uid;
	values->gid = change->gid;
	values->mode = st->mode & ~lost;
	return (int)(change->which | (lost ? F2FS_SET_MODE : 0));
}

int do_chown(struct edit *e, const struct edit_call *call)
{
	struct edit_change change = {
		.e = e, .fill = fill_owner, .text = call->operands[0], .drops_privileges = 1
	};
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
	return edit_change_apply(&change, call, 1, edit_has(call, 'h') ? 0 : F2FS_LOOKUP_FOLLOW);
}

/* ---- touch ---- */

static int parse_time(struct edit *e, const char *text, struct f2fs_time *out)
{
	const char *dot = strchr(text, '.');
	char seconds[24];
	size_t n = dot ? (size_t)(dot - text) : strlen(text);
	uint32_t ns = 0, unit = 100000000;

	if (n == 0 || n >= sizeof(seconds))
		return edit_usage(e, "touch -t", text, "is not a number of seconds");
	memcpy(seconds, text, n);
	seconds[n] = '\0';
	for (const char *c = dot ? dot + 1 : ""; *c; c++, unit /= 10) {
		if (*c < '0' || *c > '9' || unit == 0)
			return edit_usage(e, "touch -t", text, "is not a number of seconds");
		ns += (uint32_t)(*c - '0') * unit;
	}
	if (cli_parse_s64(seconds, &out->seconds))
		return edit_usage(e, "touch -t", text, "is not a number of seconds");
	if (ns && text[0] == '-') { /* -1.25 is 0.75 after -2 */
		out->seconds--;
		ns = 1000000000 - ns;
	}
	out->nanoseconds = ns;
	return 0;
}

static int fill_times(const struct edit_change *change, const struct f2fs_stat *st, struct f2fs_stat *values)
{
	(void)st;
	values->atime = values->mtime = change->time;
	return F2FS_SET_ATIME | F2FS_SET_MTIME;
}

static int make_missing(struct edit *e, const char *operand)
{
	struct edit_name name;
	struct f2fs_dirent there;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc;

	if (operand[0] == '<' || !*edit_base(operand) || !strcmp(edit_base(operand), ".") ||
	    !strcmp(edit_base(operand), ".."))
		return 0;
	rc = edit_name_open(e, operand, &name);
	if (rc)
		return rc;
	rc = edit_name_lookup(e, &name, &there);
	if (rc == F2FS_ERR_NOT_FOUND) {
		edit_new(e, F2FS_MODE_REG, NULL, &spec);
		rc = f2fs_create(name.dir, name.name, name.length, &spec, NULL);
		if (rc)
			edit_fail(e, rc, operand);
	}
	edit_name_close(&name);
	return rc;
}

int do_touch(struct edit *e, const struct edit_call *call)
{
	struct edit_change change = { .e = e, .fill = fill_times, .time = edit_now(e) };
	int rc = call->options['t'] ? parse_time(e, call->options['t'], &change.time) : 0;

	for (int i = 0; !rc && !edit_has(call, 'c') && i < call->count; i++)
		rc = make_missing(e, call->operands[i]);
	return rc ? rc : edit_change_apply(&change, call, 0, F2FS_LOOKUP_FOLLOW);
}
