/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files on their way back: contents in a temporary file of the host, the rest in memory.
 */
#define _XOPEN_SOURCE 700
#include "edit/staged.h"

#include <stdlib.h>
#include <string.h>

enum { ENCRYPTION_INDEX = 9, NONCE_SIZE = 16 }; /* of the attribute with the encryption context */

/* Copy contents to the store, block by block where they cannot be read at once; holes are not written. */
static int stage_contents(struct staging *staging, struct f2fs_inode *inode, struct staged *s)
{
	const uint64_t bs = f2fs_volume_geometry(staging->e->vol)->block_size;
	const uint64_t most = f2fs_volume_geometry(staging->e->vol)->block_count + 4096;
	const uint64_t blocks = s->stat.size / bs + (s->stat.size % bs != 0);

	if (staging->end > (uint64_t)INT64_MAX / 2) {
		f2fs_context_fail(staging->e->ctx, F2FS_ERR_TOO_BIG,
				  "too much at once: bring back fewer files at a time");
		return edit_fail(staging->e, F2FS_ERR_TOO_BIG, s->path);
	}
	s->at = staging->end;
	for (uint64_t block = 0; block < blocks && s->lost < most;) {
		struct f2fs_file_extent extent;
		size_t done = 0;
		int rc = f2fs_inode_extent(inode, block, &extent);

		if (rc == F2FS_ERR_NOT_FOUND)
			break;
		if (!rc && (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED)) {
			block = extent.file_block + extent.count;
			continue;
		}
		if (!rc)
			rc = f2fs_inode_read(inode, block * bs, staging->buffer, (size_t)bs, &done);
		if (rc == F2FS_ERR_NOMEM || cli_stopped())
			return rc ? rc : F2FS_ERR_CANCELED;
		s->lost += rc != 0;
		if (!rc && (fseeko(staging->store, (off_t)(s->at + block * bs), SEEK_SET) ||
			    fwrite(staging->buffer, 1, done, staging->store) != done))
			return edit_host_fail(staging->e, "temporary file");
		block++;
	}
	staging->end += blocks * bs;
	return 0;
}

/* A target that cannot be had is lost, like a block. */
static int stage_target(struct staging *staging, struct f2fs_inode *inode, struct staged *s)
{
	size_t length;

	s->target = malloc(TARGET_ROOM);
	if (!s->target)
		return edit_no_memory(staging->e);
	s->lost += f2fs_inode_readlink(inode, s->target, TARGET_ROOM, &length) != 0;
	return 0;
}

/* Attributes that users see; others, like the place of a verity tree, mean nothing elsewhere. */
static int stage_xattrs(struct staging *staging, struct f2fs_inode *inode, struct staged *s)
{
	struct staged_xattr **last = &s->xattrs;
	struct f2fs_xattr x;
	const int count = f2fs_xattr_count(inode);

	s->lost += count < 0;
	for (int i = 0; i < count; i++) {
		struct staged_xattr *kept;

		if (f2fs_xattr_at(inode, (unsigned)i, &x) != 0) {
			s->lost++;
			continue;
		}
		if (x.is_internal)
			continue;
		kept = malloc(sizeof(*kept) + x.value_size);
		if (!kept)
			return edit_no_memory(staging->e);
		kept->next = NULL;
		kept->size = x.value_size;
		memcpy(kept->value, x.value, x.value_size);
		kept->name = strdup(x.name);
		*last = kept;
		last = &kept->next;
		if (!kept->name)
			return edit_no_memory(staging->e);
	}
	return 0;
}

/* An encryption context ends in 16 bytes that differ from inode to inode. */
void staged_policy_of(struct f2fs_inode *inode, struct staged_policy *out)
{
	const int count = f2fs_xattr_count(inode);
	struct f2fs_xattr x;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < count; i++)
		if (f2fs_xattr_at(inode, (unsigned)i, &x) == 0 && x.name_index == ENCRYPTION_INDEX &&
		    x.value_size > NONCE_SIZE && x.value_size - NONCE_SIZE <= POLICY_MAX) {
			out->size = x.value_size - NONCE_SIZE;
			memcpy(out->bytes, x.value, out->size);
		}
}

int staged_policy_equal(const struct staged_policy *a, const struct staged_policy *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static int stage_links(struct staging *staging, const struct f2fs_deleted *file, struct staged *s)
{
	if (file->link_count == 0 || file->link_count >= file->max_links) /* earlier names are among them */
		return 0;
	s->links = calloc(file->link_count, sizeof(char *));
	for (; s->links && s->link_count < file->link_count; s->link_count++) {
		const char *path = file->links[s->link_count];

		s->links[s->link_count] = strdup(path + strspn(path, "/"));
		if (!s->links[s->link_count])
			break;
	}
	return s->link_count == file->link_count ? 0 : edit_no_memory(staging->e);
}

static int compare_staged(const void *a, const void *b)
{
	const struct staged *x = *(struct staged *const *)a, *y = *(struct staged *const *)b;
	const int x_dir = (x->stat.mode & MODE_TYPE) == MODE_DIR, y_dir = (y->stat.mode & MODE_TYPE) == MODE_DIR;

	return x_dir != y_dir ? y_dir - x_dir : strcmp(x->path, y->path);
}

int staging_sort(struct staging *staging)
{
	struct staged **all, *s;
	size_t count = 0, n = 0;

	for (s = staging->first; s; s = s->next)
		count++;
	all = calloc(count + 1, sizeof(struct staged *));
	if (!all)
		return edit_no_memory(staging->e);
	for (s = staging->first; s; s = s->next)
		all[n++] = s;
	qsort(all, count, sizeof(struct staged *), compare_staged);
	for (size_t i = 0; i < count; i++)
		all[i]->next = all[i + 1];
	staging->first = all[0];
	free(all);
	return 0;
}

int staging_init(struct staging *staging, struct edit *e)
{
	memset(staging, 0, sizeof(*staging));
	staging->e = e;
	staging->last = &staging->first;
	staging->buffer = malloc(f2fs_volume_geometry(e->vol)->block_size);
	if (!staging->buffer)
		return edit_no_memory(e);
	staging->store = tmpfile();
	return staging->store ? 0 : edit_host_fail(e, "temporary file");
}

int staging_take(struct staging *staging, struct f2fs_past *past, const struct f2fs_deleted *file)
{
	const uint32_t type = file->version.stat.mode & MODE_TYPE;
	struct staged *s = calloc(1, sizeof(*s));
	struct f2fs_inode *inode;
	int rc;

	if (!s)
		return edit_no_memory(staging->e);
	*staging->last = s;
	staging->last = &s->next;
	s->path = strdup(file->path + strspn(file->path, "/"));
	if (!s->path)
		return edit_no_memory(staging->e);
	s->stat = file->version.stat;
	s->addr = file->version.addr;
	s->is_blank = file->version.remains.blank != 0 && type != MODE_DIR;
	s->blank_holes = staging->takes_blank || type == MODE_DIR ? 0 : file->version.remains.blank;
	rc = f2fs_inode_open_at(staging->e->vol, past, s->addr, staging->takes_blank ? F2FS_AT_BLANK : 0, &inode);
	if (rc)
		return edit_fail(staging->e, rc, s->path);
	staged_policy_of(inode, &s->policy);
	if (type == MODE_REG)
		rc = stage_contents(staging, inode, s);
	else if (type == MODE_LNK)
		rc = stage_target(staging, inode, s);
	if (!rc)
		rc = stage_xattrs(staging, inode, s);
	if (!rc)
		rc = stage_links(staging, file, s);
	f2fs_inode_close(inode);
	return rc;
}

int staged_write(struct staging *staging, const struct staged *s, struct f2fs_inode *inode)
{
	const size_t bs = f2fs_volume_geometry(staging->e->vol)->block_size;
	int rc = 0;

	for (uint64_t at = 0; at < s->stat.size && !rc && s->at + at < staging->end; at += bs) {
		const size_t want = s->stat.size - at < bs ? (size_t)(s->stat.size - at) : bs;
		size_t i = 0;

		if (cli_stopped())
			return F2FS_ERR_CANCELED;
		memset(staging->buffer, 0, want);
		if (fseeko(staging->store, (off_t)(s->at + at), SEEK_SET))
			return edit_host_fail(staging->e, "temporary file");
		if (fread(staging->buffer, 1, want, staging->store) != want && ferror(staging->store))
			return edit_host_fail(staging->e, "temporary file");
		while (i < want && staging->buffer[i] == 0)
			i++;
		if (i < want)
			rc = f2fs_inode_write(inode, at, staging->buffer, want);
	}
	return rc ? rc : f2fs_inode_truncate(inode, s->stat.size);
}

static void free_staged(struct staged *s)
{
	while (s->xattrs) {
		struct staged_xattr *x = s->xattrs;

		s->xattrs = x->next;
		free(x->name);
		free(x);
	}
	for (uint32_t i = 0; i < s->link_count; i++)
		free(s->links[i]);
	free(s->links);
	free(s->path);
	free(s->target);
	free(s);
}

void staging_free(struct staging *staging)
{
	while (staging->first) {
		struct staged *s = staging->first;

		staging->first = s->next;
		free_staged(s);
	}
	free(staging->buffer);
	if (staging->store)
		fclose(staging->store);
}
