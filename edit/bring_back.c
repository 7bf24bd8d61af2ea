/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command undelete: deleted files back into the volume. What is left of them lies in free blocks, which the first
 * change may write over: so everything is copied to a temporary file of the host first, and written then.
 */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/size.h"
#include "edit/edit.h"

#define SIZE_LIMIT ((uint64_t)1 << 50) /* bytes; the largest file of blocks of 16 KiB */

/* A file that comes back. */
struct staged {
	struct staged *next;
	char *path; /* without a slash in front */
	char *target; /* of a symbolic link */
	struct f2fs_stat stat;
	f2fs_blk_t addr;
	uint64_t at; /* in the temporary file */
	uint64_t lost; /* blocks that are holes instead */
};

struct undelete {
	struct edit *e;
	struct f2fs_past *past;
	const char *pattern;
	uint32_t number;
	int is_number, takes_parts;
	FILE *store;
	uint64_t end; /* of the store */
	uint8_t *buffer;
	struct staged *first, **last;
	unsigned left_out;
	int rc;
};

static int matches(const struct undelete *u, const struct f2fs_deleted *file)
{
	if (!strcmp(u->pattern, "all"))
		return 1;
	return u->is_number ? file->version.ino == u->number :
			      !fnmatch(u->pattern, file->path, 0) || !strcmp(u->pattern, file->path);
}

/* Copy contents to the store, block by block where they cannot be read at once; holes are not written. */
static int stage_contents(struct undelete *u, struct f2fs_inode *inode, struct staged *s)
{
	const uint64_t bs = f2fs_volume_geometry(u->e->vol)->block_size;
	const uint64_t most = f2fs_volume_geometry(u->e->vol)->block_count + 4096;
	const uint64_t blocks = s->stat.size / bs + (s->stat.size % bs != 0);

	if (u->end > (uint64_t)INT64_MAX / 2) {
		f2fs_context_fail(u->e->ctx, F2FS_ERR_TOO_BIG, "too much at once: bring back fewer files at a time");
		return edit_fail(u->e, F2FS_ERR_TOO_BIG, s->path);
	}
	s->at = u->end;
	for (uint64_t block = 0; block < blocks && s->lost < most;) {
		struct f2fs_extent extent;
		size_t done = 0;
		int rc = f2fs_inode_extent(inode, block, &extent);

		if (rc == F2FS_ERR_NOT_FOUND)
			break;
		if (!rc && (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED)) {
			block = extent.file_block + extent.count;
			continue;
		}
		if (!rc)
			rc = f2fs_inode_read(inode, block * bs, u->buffer, (size_t)bs, &done);
		if (rc == F2FS_ERR_NOMEM || cli_stopped())
			return rc ? rc : F2FS_ERR_CANCELED;
		s->lost += rc != 0;
		if (!rc && (fseeko(u->store, (off_t)(s->at + block * bs), SEEK_SET) ||
			    fwrite(u->buffer, 1, done, u->store) != done))
			return edit_host_fail(u->e, "temporary file");
		block++;
	}
	u->end += blocks * bs;
	return 0;
}

static int stage_target(struct undelete *u, struct f2fs_inode *inode, struct staged *s)
{
	size_t length;
	int rc;

	s->target = malloc(TARGET_ROOM);
	if (!s->target)
		return edit_no_memory(u->e);
	rc = f2fs_inode_readlink(inode, s->target, TARGET_ROOM, &length);
	s->lost += rc != 0;
	return 0;
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

static int stage(struct undelete *u, const struct f2fs_deleted *file)
{
	const uint32_t type = file->version.stat.mode & MODE_TYPE;
	struct staged *s = calloc(1, sizeof(*s));
	struct f2fs_inode *inode;
	int rc;

	if (!s)
		return edit_no_memory(u->e);
	*u->last = s;
	u->last = &s->next;
	s->path = strdup(file->path + strspn(file->path, "/"));
	if (!s->path)
		return edit_no_memory(u->e);
	s->stat = file->version.stat;
	s->addr = file->version.addr;
	rc = f2fs_inode_open_at(u->e->vol, u->past, s->addr, 0, &inode);
	if (rc)
		return edit_fail(u->e, rc, s->path);
	rc = type == MODE_REG ? stage_contents(u, inode, s) : type == MODE_LNK ? stage_target(u, inode, s) : 0;
	f2fs_inode_close(inode);
	return rc;
}

static int take(void *user, const struct f2fs_deleted *file)
{
	struct undelete *u = user;
	const uint32_t type = file->version.stat.mode & MODE_TYPE;

	if (!matches(u, file))
		return 0;
	if (file->confidence == F2FS_CONFIDENCE_NAME)
		return leave_out(u, file->path, "only the name is left");
	if (type != MODE_REG && type != MODE_LNK && type != MODE_DIR)
		return leave_out(u, file->path, "neither file, directory nor symbolic link");
	if (file->version.stat.size > SIZE_LIMIT) /* the store could not hold them side by side */
		return leave_out(u, file->path, "no file is that large");
	if (file->version.stat.is_encrypted)
		return leave_out(u, file->path, "it is encrypted");
	if (file->confidence == F2FS_CONFIDENCE_METADATA)
		return leave_out(u, file->path, "nothing of its contents is left");
	if (file->confidence == F2FS_CONFIDENCE_PART && !u->takes_parts)
		return leave_out(u, file->path, "parts of it were written over (-p brings back the rest)");
	u->rc = stage(u, file);
	return u->rc;
}

/* Open the directory below dir that a component names, making it when it is missing. Takes over dir. */
static int step_into(struct edit *e, struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode **out)
{
	struct f2fs_dirent entry;
	struct f2fs_new spec;
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

/* Write the contents; blocks of zeros stay holes. */
static int write_contents(struct undelete *u, struct f2fs_inode *inode, const struct staged *s)
{
	const size_t bs = f2fs_volume_geometry(u->e->vol)->block_size;
	int rc = 0;

	for (uint64_t at = 0; at < s->stat.size && !rc && s->at + at < u->end; at += bs) {
		const size_t want = s->stat.size - at < bs ? (size_t)(s->stat.size - at) : bs;
		size_t i = 0;

		if (cli_stopped())
			return F2FS_ERR_CANCELED;
		memset(u->buffer, 0, want);
		if (fseeko(u->store, (off_t)(s->at + at), SEEK_SET))
			return edit_host_fail(u->e, "temporary file");
		if (fread(u->buffer, 1, want, u->store) != want && ferror(u->store))
			return edit_host_fail(u->e, "temporary file");
		while (i < want && u->buffer[i] == 0)
			i++;
		if (i < want)
			rc = f2fs_inode_write(inode, at, u->buffer, want);
	}
	return rc ? rc : f2fs_inode_truncate(inode, s->stat.size);
}

static int make(struct undelete *u, struct f2fs_inode *dir, const char *name, const struct staged *s)
{
	const unsigned which = F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_ATIME | F2FS_SET_MTIME;
	const uint32_t type = s->stat.mode & MODE_TYPE;
	struct f2fs_inode *inode;
	struct f2fs_new spec;
	int rc;

	edit_new(u->e, type, NULL, &spec);
	spec.target = s->target;
	spec.target_length = s->target ? strlen(s->target) : 0;
	rc = f2fs_create(dir, name, strlen(name), &spec, &inode);
	if (rc)
		return rc;
	if (type == MODE_REG)
		rc = write_contents(u, inode, s);
	if (!rc)
		rc = f2fs_inode_set(inode, type == MODE_LNK ? which & ~(unsigned)F2FS_SET_MODE : which, &s->stat);
	f2fs_inode_close(inode);
	return rc;
}

/* Is the name taken? A directory may be there already: then there is nothing to be done. */
static int put_back(struct undelete *u, const char *top, const struct staged *s)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
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
	if (!rc) {
		snprintf(other, sizeof(other), "%.200s.~%lu", name, (unsigned long)s->addr);
		name = other;
	}
	u->e->is_changed = 1;
	rc = make(u, dir, name, s);
	f2fs_inode_close(dir);
	if (rc)
		return edit_fail(u->e, rc, s->path);
	if (s->lost)
		leave_out(u, s->path, "blocks that were written over are holes now");
	return 0;
}

static int search(struct undelete *u)
{
	int rc = f2fs_past_open(u->e->vol, NULL, &u->past);

	if (!rc) {
		rc = f2fs_deleted(u->past, take, u);
		f2fs_past_close(u->past);
	}
	if (rc && rc != u->rc)
		edit_fail(u->e, rc, "undelete");
	if (!rc && !u->first && !u->left_out) {
		f2fs_context_fail(u->e->ctx, F2FS_ERR_NOT_FOUND, "no deleted file of that name or number is left");
		rc = edit_fail(u->e, F2FS_ERR_NOT_FOUND, u->pattern);
	}
	return rc;
}

static void finish(struct undelete *u)
{
	while (u->first) {
		struct staged *s = u->first;

		u->first = s->next;
		free(s->path);
		free(s->target);
		free(s);
	}
	free(u->buffer);
	if (u->store)
		fclose(u->store);
}

int do_undelete(struct edit *e, const struct edit_call *call)
{
	struct undelete u = { .e = e, .pattern = call->operands[0], .takes_parts = edit_has(call, 'p') };
	char *top = edit_path(e, call->count > 1 ? call->operands[1] : "/");
	unsigned count = 0;
	int rc = top ? edit_commit(e) : F2FS_ERR_NOMEM; /* what changes has no past */

	u.last = &u.first;
	u.is_number = u.pattern[0] >= '0' && u.pattern[0] <= '9' && !cli_parse_u32(u.pattern, 0, UINT32_MAX, &u.number);
	if (!rc) {
		u.store = tmpfile();
		u.buffer = malloc(f2fs_volume_geometry(e->vol)->block_size);
		rc = !u.store ? edit_host_fail(e, "temporary file") : u.buffer ? search(&u) : edit_no_memory(e);
	}
	for (const struct staged *s = u.first; s && !rc; s = s->next, count++)
		rc = put_back(&u, top, s);
	if (!rc)
		printf("%u files are back, %u are not, or not as a whole\n", count, u.left_out);
	finish(&u);
	free(top);
	return rc;
}
