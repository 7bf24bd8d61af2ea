/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files on their way back: contents in a temporary file of the host, the rest in memory.
 */
#define _XOPEN_SOURCE 700
#include "edit/staged.h"

#include <stdlib.h>
#include <string.h>

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
	rc = f2fs_inode_open_at(staging->e->vol, past, s->addr, 0, &inode);
	if (rc)
		return edit_fail(staging->e, rc, s->path);
	if (type == MODE_REG)
		rc = stage_contents(staging, inode, s);
	else if (type == MODE_LNK)
		rc = stage_target(staging, inode, s);
	if (!rc)
		rc = stage_xattrs(staging, inode, s);
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
