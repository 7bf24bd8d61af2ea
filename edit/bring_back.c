/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command undelete: deleted files back into the volume. What is left of them lies in free blocks, which the first
 * change may write over: so everything is staged outside the volume first (staged.c), and written then.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/size.h"
#include "edit/staged.h"

#define SIZE_LIMIT ((uint64_t)1 << 50) /* bytes; the largest file of blocks of 16 KiB */

struct undelete {
	struct edit *e;
	struct f2fs_past *past;
	struct staging staging;
	const char *pattern;
	uint32_t number;
	int is_number, takes_parts;
	unsigned left_out, misplaced, blank;
	int rc;
};

static int matches(const struct undelete *u, const struct f2fs_deleted *file)
{
	if (!strcmp(u->pattern, "all"))
		return 1;
	return u->is_number ? file->version.ino == u->number :
			      !fnmatch(u->pattern, file->path, 0) || !strcmp(u->pattern, file->path);
}

static int leave_out(struct undelete *u, const char *path, const char *why)
{
	char shown[4 * 1000];

	f2fs_text_printable(path, strlen(path), shown, sizeof(shown));
	cli_error(&u->e->cli, "undelete: %s: %s", shown, why);
	u->left_out++;
	if (!u->e->status)
		u->e->status = EDIT_INCOMPLETE;
	return 0;
}

/* Is the key of an encrypted file there? */
static int can_read(struct undelete *u, const struct f2fs_deleted *file)
{
	const uint32_t type = file->version.stat.mode & MODE_TYPE;
	struct f2fs_inode *inode;
	struct f2fs_key key;
	uint8_t byte;
	size_t done;
	int rc;

	if (f2fs_volume_key_at(u->e->vol, 0, &key) != 0 ||
	    f2fs_inode_open_at(u->e->vol, u->past, file->version.addr, F2FS_AT_OVERWRITTEN, &inode) != 0)
		return 0;
	rc = type == MODE_REG ? f2fs_inode_read(inode, 0, &byte, 1, &done) : 0;
	f2fs_inode_close(inode);
	return rc != F2FS_ERR_ENCRYPTED;
}

/* Is too little left of its contents? Of a directory the inode is all that counts: entries are files of their own. */
static int lacks_contents(struct undelete *u, const struct f2fs_deleted *file)
{
	const struct f2fs_remains *r = &file->version.remains;
	const int is_blank_only = r->overwritten + r->bad + r->lost + r->nodes_lost == 0;
	const int as_is = u->staging.takes_blank && (is_blank_only || u->takes_parts);

	if (file->confidence < F2FS_CONFIDENCE_PART || (file->version.stat.mode & MODE_TYPE) == MODE_DIR ||
	    (file->confidence == F2FS_CONFIDENCE_PART && (u->takes_parts || as_is)) ||
	    (file->confidence == F2FS_CONFIDENCE_BLANK && as_is))
		return 0;
	u->blank += r->blank != 0;
	if (file->confidence == F2FS_CONFIDENCE_METADATA)
		leave_out(u, file->path, "nothing of its contents is left");
	else if (file->confidence == F2FS_CONFIDENCE_BLANK)
		leave_out(u, file->path, "its blocks are blank, probably discarded (-b brings it back as it is)");
	else if (is_blank_only && r->blank)
		leave_out(u, file->path, "parts of it are blank, probably discarded (-p brings back the rest)");
	else
		leave_out(u, file->path, "parts of it were written over (-p brings back the rest)");
	return 1;
}

static int take(void *user, const struct f2fs_deleted *file)
{
	struct undelete *u = user;

	if (!matches(u, file))
		return 0;
	if (file->confidence == F2FS_CONFIDENCE_NAME)
		return leave_out(u, file->path, "only the name is left");
	if (file->version.stat.size > SIZE_LIMIT) /* the store could not hold them side by side */
		return leave_out(u, file->path, "no file is that large");
	if (file->version.stat.is_encrypted && !can_read(u, file))
		return leave_out(u, file->path, "it is encrypted, and its key was not given");
	if (lacks_contents(u, file))
		return 0;
	u->blank += file->version.remains.blank != 0;
	u->rc = staging_take(&u->staging, u->past, file);
	return u->rc;
}

/* Open the directory below dir that a component names, making it when it is missing. Takes over dir. */
static int step_into(struct edit *e, struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode **out)
{
	struct f2fs_dirent entry;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc = f2fs_dir_lookup(dir, name, length, &entry);

	if (!rc) {
		rc = f2fs_inode_open(e->vol, entry.ino, out);
	} else if (rc == F2FS_ERR_NOT_FOUND) {
		edit_new(e, MODE_DIR, NULL, &spec);
		rc = f2fs_create(dir, name, length, &spec, out);
	}
	f2fs_inode_close(dir);
	return rc;
}

/* Open the directory that a file goes into; *name is its last component. */
static int open_parent(struct edit *e, const char *top, const char *path, const char **name, struct f2fs_inode **out)
{
	struct f2fs_inode *dir;
	int rc = f2fs_lookup(e->vol, top, F2FS_LOOKUP_FOLLOW, &dir);
	const char *slash;

	while (!rc && (slash = strchr(path, '/')) != NULL) {
		rc = step_into(e, dir, path, (size_t)(slash - path), &dir);
		path = slash + 1;
	}
	if (rc)
		return rc;
	*name = path;
	*out = dir;
	return 0;
}

/* Give a directory that was made the policy that it had, unless it has one from above. */
static int encrypt(struct f2fs_inode *dir, const struct staged *s)
{
	const uint8_t *bytes = s->policy.bytes;
	const size_t id = s->policy.size > 20 ? 8 : 4;
	struct f2fs_policy policy = { .version = bytes[0],
				      .contents_mode = bytes[1],
				      .filenames_mode = bytes[2],
				      .flags = bytes[3],
				      .log_data_unit = id == 8 ? bytes[4] : 0 };
	struct staged_policy has;

	staged_policy_of(dir, &has);
	if (has.size)
		return 0;
	memcpy(id == 8 ? policy.key.identifier : policy.key.descriptor, bytes + id, s->policy.size - id);
	return f2fs_inode_encrypt(dir, &policy);
}

/* The further names that a file had; what has one of them by now stays. */
static int link_all(struct undelete *u, const char *top, const struct staged *s, struct f2fs_inode *inode)
{
	int rc = 0;

	for (uint32_t i = 0; i < s->link_count && !rc; i++) {
		struct f2fs_inode *dir;
		const char *name;

		rc = open_parent(u->e, top, s->links[i], &name, &dir);
		if (rc)
			break;
		rc = f2fs_link(dir, name, strlen(name), inode);
		if (rc == F2FS_ERR_EXISTS || rc == F2FS_ERR_XDEV)
			rc = leave_out(u, s->links[i], f2fs_context_error(u->e->ctx)->message);
		f2fs_inode_close(dir);
	}
	return rc;
}

static int make(struct undelete *u, const char *top, struct f2fs_inode *dir, const char *name, struct staged *s)
{
	const unsigned which = F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_ATIME | F2FS_SET_MTIME;
	const uint32_t type = s->stat.mode & MODE_TYPE;
	struct f2fs_inode *inode;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc;

	edit_new(u->e, type, NULL, &spec);
	spec.rdev_major = s->stat.rdev_major;
	spec.rdev_minor = s->stat.rdev_minor;
	spec.target = s->target;
	spec.target_length = s->target ? strlen(s->target) : 0;
	rc = f2fs_create(dir, name, strlen(name), &spec, &inode);
	if (rc)
		return rc;
	if (type == MODE_DIR) {
		s->made = f2fs_inode_number(inode);
		rc = s->policy.size ? encrypt(inode, s) : 0;
	} else if (type == MODE_REG) {
		rc = staged_write(&u->staging, s, inode);
	}
	for (const struct staged_xattr *x = s->xattrs; x && !rc; x = x->next)
		rc = f2fs_xattr_set(inode, x->name, x->value, x->size);
	if (!rc)
		rc = f2fs_inode_set(inode, type == MODE_LNK ? which & ~(unsigned)F2FS_SET_MODE : which, &s->stat);
	if (!rc)
		rc = link_all(u, top, s, inode);
	f2fs_inode_close(inode);
	return rc;
}

/* Names that came back into a directory changed its times: give it those that it had. */
static int restore_times(struct undelete *u, const struct staged *s)
{
	struct f2fs_inode *dir;
	int rc = f2fs_inode_open(u->e->vol, s->made, &dir);

	if (!rc) {
		rc = f2fs_inode_set(dir, F2FS_SET_ATIME | F2FS_SET_MTIME, &s->stat);
		f2fs_inode_close(dir);
	}
	return rc ? edit_fail(u->e, rc, s->path) : 0;
}

/* Is the name taken? A directory may be there already: then there is nothing to be done. */
static int put_back(struct undelete *u, const char *top, struct staged *s)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
	struct staged_policy policy;
	char other[300];
	const char *name;
	int rc = open_parent(u->e, top, s->path, &name, &dir);

	if (rc)
		return edit_fail(u->e, rc, s->path);
	rc = f2fs_dir_lookup(dir, name, strlen(name), &entry);
	if (!rc && entry.type == F2FS_TYPE_DIRECTORY && (s->stat.mode & MODE_TYPE) == MODE_DIR) {
		f2fs_inode_close(dir);
		return 0;
	}
	staged_policy_of(dir, &policy);
	if (s->policy.size && (s->stat.mode & MODE_TYPE) != MODE_DIR && !staged_policy_equal(&policy, &s->policy)) {
		f2fs_inode_close(dir);
		u->misplaced++;
		return leave_out(u, s->path, "it was encrypted, and its directory is not, or otherwise");
	}
	if (!rc) {
		snprintf(other, sizeof(other), "%.200s.~%lu", name, (unsigned long)s->addr);
		name = other;
	}
	u->e->is_changed = 1;
	rc = make(u, top, dir, name, s);
	f2fs_inode_close(dir);
	if (rc)
		return edit_fail(u->e, rc, s->path);
	if (s->lost > s->blank_holes)
		leave_out(u, s->path, "what was written over is missing: blocks are holes, attributes are gone");
	else if (s->is_blank)
		leave_out(u, s->path,
			  s->blank_holes ? "blank blocks, probably discarded, are holes"
					 : "blank blocks, probably discarded, came back as they are");
	return 0;
}

/* A read that failed may hide a newer version of a file, or that a block is somebody else's by now. */
static int check_reads(struct undelete *u)
{
	struct f2fs_past_stat st = { F2FS_SIZED(f2fs_past_stat) };
	char why[160];

	f2fs_past_stat(u->past, &st);
	if (!st.unreadable || u->e->image.accept_unread)
		return 0;
	snprintf(why, sizeof(why),
		 "%llu reads failed: what was there is not known, and nothing is brought back "
		 "(--accept-unread gives it up)",
		 (unsigned long long)st.unreadable);
	f2fs_context_fail(u->e->ctx, F2FS_ERR_IO, why);
	return edit_fail(u->e, F2FS_ERR_IO, "undelete");
}

static int search(struct undelete *u)
{
	int rc = f2fs_past_open(u->e->vol, NULL, &u->past);

	if (rc)
		return edit_fail(u->e, rc, "undelete");
	rc = f2fs_past_list_deleted(u->past, take, u);
	if (rc && rc != u->rc)
		edit_fail(u->e, rc, "undelete");
	if (!rc)
		rc = check_reads(u);
	if (!rc && !u->staging.first && !u->left_out) {
		f2fs_context_fail(u->e->ctx, F2FS_ERR_NOT_FOUND, "no deleted file of that name or number is left");
		rc = edit_fail(u->e, F2FS_ERR_NOT_FOUND, u->pattern);
	}
	f2fs_past_close(u->past);
	return rc;
}

static int put_counts(struct edit *e, unsigned back, const struct undelete *u)
{
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;

	if (!out) {
		printf("%u files are back, %u are not, or not as a whole\n", back, u->left_out);
		return 0;
	}
	cli_print_begin(out, NULL);
	cli_print_u64(out, "back", back);
	cli_print_u64(out, "left_out", u->left_out);
	cli_print_u64(out, "blank", u->blank);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_undelete(struct edit *e, const struct edit_call *call)
{
	struct undelete u = { .e = e, .pattern = call->operands[0], .takes_parts = edit_has(call, 'p') };
	char *top = edit_path(e, call->count > 1 ? call->operands[1] : "/");
	unsigned count = 0;
	int rc = top ? 0 : edit_no_memory(e);

	if (call->count > 1 && !*call->operands[1])
		rc = edit_usage(e, "name", "", "is empty");
	if (!rc)
		rc = edit_commit(e); /* what changes has no past */
	if (!rc && call->count > 1)
		rc = edit_need_directory(e, call->operands[1]);

	u.is_number = u.pattern[0] >= '0' && u.pattern[0] <= '9' && !cli_parse_u32(u.pattern, 0, UINT32_MAX, &u.number);
	if (!rc) {
		rc = staging_init(&u.staging, e);
		u.staging.takes_blank = edit_has(call, 'b');
		if (!rc)
			rc = search(&u);
		if (!rc)
			rc = staging_sort(&u.staging);
		for (struct staged *s = u.staging.first; s && !rc; s = s->next, count++)
			rc = put_back(&u, top, s);
		for (const struct staged *s = u.staging.first; s && !rc; s = s->next)
			rc = s->made ? restore_times(&u, s) : 0;
		staging_free(&u.staging);
	}
	if (!rc)
		rc = put_counts(e, count - u.misplaced, &u);
	free(top);
	return rc;
}
