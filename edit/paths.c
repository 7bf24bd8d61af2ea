/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From operands to inodes and names: relative to the current directory, <NUMBER> for an inode.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "cli/size.h"
#include "edit/failure.h"
#include "edit/paths.h"

const char *edit_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *edit_path(struct edit *e, const char *operand)
{
	return operand[0] == '/' ? cli_join(operand, "") : cli_join(e->cwd, operand);
}

/* The number of "<12>"; 0 when it is something else. */
static f2fs_nid_t parse_number(const char *operand)
{
	size_t n = strlen(operand);
	char digits[16];
	uint32_t ino;

	if (n < 3 || n - 2 >= sizeof(digits) || operand[0] != '<' || operand[n - 1] != '>')
		return 0;
	memcpy(digits, operand + 1, n - 2);
	digits[n - 2] = '\0';
	return cli_parse_u32(digits, 1, UINT32_MAX, &ino) ? 0 : ino;
}

int edit_open(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out)
{
	f2fs_nid_t ino = parse_number(operand);
	char *path;
	int rc;

	if (ino) {
		rc = f2fs_inode_open(e->vol, ino, out);
		return rc ? edit_fail(e, rc, operand) : 0;
	}
	if (!*operand)
		return edit_usage(e, "name", operand, "is empty");
	path = edit_path(e, operand);
	if (!path)
		return edit_no_memory(e);
	rc = f2fs_lookup(e->vol, path, lookup_flags, out);
	free(path);
	return rc ? edit_fail(e, rc, operand) : 0;
}

int edit_open_stat(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out,
		   struct f2fs_stat *st)
{
	int rc = edit_open(e, operand, lookup_flags, out);

	if (rc)
		return rc;
	rc = f2fs_inode_stat(*out, st);
	if (!rc)
		return 0;
	f2fs_inode_close(*out);
	return edit_fail(e, rc, operand);
}

/* Split an absolute path; the directory's part is cut off in place. */
static int open_parent(struct edit *e, const char *operand, struct edit_name *out)
{
	char *slash;
	int rc;

	for (size_t n = strlen(out->path); n > 1 && out->path[n - 1] == '/'; n--)
		out->path[n - 1] = '\0';
	slash = strrchr(out->path, '/');
	out->name = slash + 1;
	out->length = strlen(out->name);
	if (!out->length || !strcmp(out->name, ".") || !strcmp(out->name, ".."))
		return edit_usage(e, "name", operand, "cannot be changed: it is no name of its own");
	*slash = '\0';
	rc = f2fs_lookup(e->vol, *out->path ? out->path : "/", F2FS_LOOKUP_FOLLOW, &out->dir);
	*slash = '/';
	return rc ? edit_fail(e, rc, operand) : 0;
}

int edit_name_open(struct edit *e, const char *operand, struct edit_name *out)
{
	int rc;

	memset(out, 0, sizeof(*out));
	if (!*operand)
		return edit_usage(e, "name", operand, "is empty");
	out->path = edit_path(e, operand);
	if (!out->path)
		return edit_no_memory(e);
	rc = open_parent(e, operand, out);
	if (rc)
		edit_name_close(out);
	return rc;
}

void edit_name_close(struct edit_name *name)
{
	f2fs_inode_close(name->dir);
	free(name->path);
	memset(name, 0, sizeof(*name));
}

/* Does an operand name a directory? */
static int is_directory(struct edit *e, const char *operand)
{
	char *path = edit_path(e, operand);
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int yes = 0;

	if (path && f2fs_lookup(e->vol, path, F2FS_LOOKUP_FOLLOW, &inode) == 0) {
		yes = f2fs_inode_stat(inode, &st) == 0 && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR;
		f2fs_inode_close(inode);
	}
	free(path);
	return yes;
}

int edit_name_open_into(struct edit *e, const char *operand, const char *source, struct edit_name *out)
{
	char *plain, *inside;
	size_t n;
	int rc;

	if (!*operand || !is_directory(e, operand))
		return edit_name_open(e, operand, out);
	plain = cli_join(source, "");
	for (n = plain ? strlen(plain) : 0; n > 1 && plain[n - 1] == '/'; n--)
		plain[n - 1] = '\0';
	inside = plain ? cli_join(operand, edit_base(plain)) : NULL;
	rc = inside ? edit_name_open(e, inside, out) : edit_no_memory(e);
	free(inside);
	free(plain);
	return rc;
}

int edit_name_open_file(struct edit *e, const char *operand, const char *source, struct edit_name *out)
{
	const size_t n = strlen(operand);
	int rc = n && operand[n - 1] == '/' ? edit_need_directory(e, operand) : 0;

	return rc ? rc : edit_name_open_into(e, operand, source, out);
}

int edit_need_directory(struct edit *e, const char *operand)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc = edit_open_stat(e, operand, F2FS_LOOKUP_FOLLOW, &inode, &st);

	if (rc)
		return rc;
	f2fs_inode_close(inode);
	if ((st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
		return 0;
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_NOT_DIR, "not a directory"), operand);
}

int edit_name_lookup(struct edit *e, const struct edit_name *name, struct f2fs_dirent *out)
{
	int rc = f2fs_dir_lookup(name->dir, name->name, name->length, out);

	return rc && rc != F2FS_ERR_NOT_FOUND ? edit_fail(e, rc, name->path) : rc;
}

struct f2fs_time edit_now(struct edit *e)
{
	int64_t ns = e->cli.host.now_ns(e->cli.host.user);
	struct f2fs_time now = { ns / 1000000000, (uint32_t)(ns % 1000000000) };

	return now;
}

void edit_new(struct edit *e, uint32_t type, const uint32_t *mode, struct f2fs_new *out)
{
	*out = (struct f2fs_new){ F2FS_SIZED(f2fs_new) };
	out->mode = type | (mode ? *mode & 07777 : type == F2FS_MODE_DIR || type == F2FS_MODE_LNK ? 0777 : 0666);
	out->umask = mode ? 0 : 022;
	out->atime = out->mtime = out->ctime = out->crtime = edit_now(e);
}

/* ---- directories ---- */

/* Entries one after the other, each as the members before its names, then the bytes of both names. */
struct entry_list {
	char *bytes;
	size_t used, room;
};

#define ENTRY_HEAD offsetof(struct f2fs_dirent, name)

static int add_entry(struct entry_list *list, const struct f2fs_dirent *entry)
{
	const size_t size = ENTRY_HEAD + entry->name_len + entry->raw_len;

	if (list->room - list->used < size) {
		size_t room = 2 * list->room + sizeof(*entry);
		char *more = realloc(list->bytes, room);

		if (!more)
			return -1;
		list->bytes = more;
		list->room = room;
	}
	memcpy(list->bytes + list->used, entry, ENTRY_HEAD);
	memcpy(list->bytes + list->used + ENTRY_HEAD, entry->name, entry->name_len);
	memcpy(list->bytes + list->used + ENTRY_HEAD + entry->name_len, entry->raw_name, entry->raw_len);
	list->used += size;
	return 0;
}

/* Take out the entry at a place. Returns the place after it. */
static size_t get_entry(const struct entry_list *list, size_t at, struct f2fs_dirent *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out, list->bytes + at, ENTRY_HEAD);
	memcpy(out->name, list->bytes + at + ENTRY_HEAD, out->name_len);
	memcpy(out->raw_name, list->bytes + at + ENTRY_HEAD + out->name_len, out->raw_len);
	return at + ENTRY_HEAD + out->name_len + out->raw_len;
}

static int read_entries(struct edit *e, struct f2fs_inode *inode, const char *path, struct entry_list *list)
{
	struct f2fs_dirent entry;
	struct f2fs_dir *dir;
	int rc = f2fs_dir_open(inode, &dir), worst = 0;

	if (rc)
		return edit_fail(e, rc, path);
	while (!cli_stopped() && (rc = f2fs_dir_next(dir, &entry)) != F2FS_ERR_NOT_FOUND) {
		if (rc) {
			worst = edit_fail(e, rc, path);
			if (rc != F2FS_ERR_CORRUPT && rc != F2FS_ERR_IO)
				break;
		} else if (strcmp(entry.name, ".") && strcmp(entry.name, "..") && add_entry(list, &entry)) {
			worst = edit_no_memory(e);
			break;
		}
	}
	f2fs_dir_close(dir);
	return cli_stopped() ? edit_stopped(e, path) : worst;
}

int edit_each(struct edit *e, struct f2fs_inode *dir, const char *path,
	      int (*visit)(void *user, const struct f2fs_dirent *entry), void *user)
{
	struct entry_list list = { NULL, 0, 0 };
	int damage = read_entries(e, dir, path, &list), rc = 0;

	for (size_t at = 0; !rc && at < list.used;) {
		struct f2fs_dirent entry;

		at = get_entry(&list, at, &entry);
		rc = cli_stopped() ? edit_stopped(e, path) : visit(user, &entry);
	}
	free(list.bytes);
	return rc ? rc : damage;
}

/* ---- output ---- */

struct cli_print *edit_print_open(struct edit *e)
{
	struct cli_print *out = cli_print_open(stdout, e->is_json ? CLI_JSON : CLI_TEXT);

	if (!out)
		edit_no_memory(e);
	return out;
}

int edit_print_close(struct edit *e, struct cli_print *out)
{
	return cli_print_close(out) ? edit_host_fail(e, "standard output") : 0;
}

void edit_put_name(const char *name, size_t length)
{
	enum { PIECE = 4096 };
	char shown[4 * PIECE + 1];

	while (length > 0) { /* in pieces that end between characters */
		size_t n = length < PIECE ? length : PIECE;

		for (size_t least = n - 3; n < length && n > least && ((unsigned char)name[n] & 0xc0) == 0x80;)
			n--;
		f2fs_text_printable(name, n, shown, sizeof(shown));
		fputs(shown, stdout);
		name += n;
		length -= n;
	}
}

void *edit_grow(struct edit *e, void *items, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (count < *room)
		return items;
	grown = realloc(items, more * size);
	if (grown)
		*room = more;
	else
		edit_no_memory(e);
	return grown;
}

int edit_way_set(struct edit *e, struct edit_way *way, size_t above, const char *name)
{
	const size_t n = strlen(name);

	if (above + n + 2 > way->room) {
		const size_t room = 2 * (above + n + 2);
		char *more = realloc(way->text, room);

		if (!more)
			return edit_no_memory(e);
		way->text = more;
		way->room = room;
	}
	if (above > 0 && way->text[above - 1] != '/')
		way->text[above++] = '/';
	memcpy(way->text + above, name, n + 1);
	way->length = above + n;
	return 0;
}

void edit_way_free(struct edit_way *way)
{
	free(way->text);
}
