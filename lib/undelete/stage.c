/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stage deleted files for their return into the volume. Their remains are in free blocks, which the first change may
 * overwrite. So contents go to a store in memory, and beyond a limit to a temporary file, and the rest to memory.
 */
#include <string.h>

#include "base/error.h"
#include "forensics/past.h"
#include "undelete/stage.h"
#include "undelete/undelete_report.h"

enum { ENCRYPTION_INDEX = 9, NONCE_SIZE = 16 }; /* of the attribute with the encryption context */
#define STORE_SIZE ((uint64_t)1 << 60)

int undelete_stage_open(struct undelete *u)
{
	struct f2fs_device *memory;
	int err = f2fs_device_open_memory(u->ctx, STORE_SIZE, &memory);

	u->last = &u->first;
	if (err)
		return err;
	err = f2fs_device_open_overlay(memory, 0, u->options->temporary, &u->store);
	f2fs_device_close(memory);
	return err;
}

/* Copy contents to the store, block by block where they cannot be read at once. Holes are not written. */
static int stage_contents(struct undelete *u, struct f2fs_inode *inode, struct staged *s)
{
	const uint64_t bs = u->vol->geo.block_size, most = u->vol->geo.block_count + 4096;
	const uint64_t blocks = s->stat.size / bs + (s->stat.size % bs != 0);

	if (blocks * bs > STORE_SIZE - u->end)
		return error_set(u->ctx, F2FS_ERR_TOO_BIG, "too much at once: bring back fewer files at a time");
	s->at = u->end;
	for (uint64_t block = 0; block < blocks && s->lost < most;) {
		struct f2fs_file_extent extent;
		size_t done = 0;
		int err = f2fs_inode_extent(inode, block, &extent);

		if (err == F2FS_ERR_NOT_FOUND)
			break;
		if (!err && (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED)) {
			block = extent.file_block + extent.count;
			continue;
		}
		if (!err)
			err = f2fs_inode_read(inode, block * bs, u->buffer, (size_t)bs, &done);
		if (undelete_ends(err))
			return err;
		s->lost += err != 0;
		err = err ? 0 : f2fs_device_write(u->store, s->at + block * bs, u->buffer, done);
		if (err)
			return err;
		block++;
	}
	u->end += blocks * bs;
	return 0;
}

/* A target that cannot be read is lost, like a block. */
static int stage_target(struct undelete *u, struct f2fs_inode *inode, struct staged *s)
{
	size_t length;
	int err = f2fs_inode_readlink(inode, (char *)u->buffer, TARGET_ROOM, &length);

	if (undelete_ends(err))
		return err;
	s->lost += err != 0;
	s->target = mem_strdup(u->ctx, err ? "" : (char *)u->buffer);
	return s->target ? 0 : F2FS_ERR_NOMEM;
}

/* Stage the attributes that users see. Others, like the place of a verity tree, mean nothing elsewhere. */
static int stage_xattrs(struct undelete *u, struct f2fs_inode *inode, struct staged *s)
{
	struct staged_xattr **last = &s->xattrs;
	struct f2fs_xattr x;
	const int count = f2fs_xattr_count(inode);

	if (undelete_ends(count))
		return count;
	s->lost_attributes += count < 0;
	for (int i = 0; i < count; i++) {
		struct staged_xattr *kept;
		const int err = f2fs_xattr_at(inode, (unsigned)i, &x);

		if (undelete_ends(err))
			return err;
		if (err || x.is_internal) {
			s->lost_attributes += err != 0;
			continue;
		}
		kept = mem_alloc(u->ctx, sizeof(*kept) + x.value_size);
		if (!kept)
			return F2FS_ERR_NOMEM;
		kept->next = NULL;
		kept->size = x.value_size;
		memcpy(kept->value, x.value, x.value_size);
		kept->name = mem_strdup(u->ctx, x.name);
		*last = kept;
		last = &kept->next;
		if (!kept->name)
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

/* An encryption context ends in 16 bytes that differ from inode to inode. */
void undelete_policy_of(struct f2fs_inode *inode, struct undelete_policy *out)
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

static int stage_links(struct undelete *u, const struct f2fs_deleted *file, struct staged *s)
{
	if (file->link_count == 0 || file->link_count >= file->max_links) /* earlier names are among them */
		return 0;
	s->links = mem_calloc(u->ctx, file->link_count, sizeof(char *));
	if (!s->links)
		return F2FS_ERR_NOMEM;
	for (; s->link_count < file->link_count; s->link_count++) {
		const char *path = file->links[s->link_count];

		s->links[s->link_count] = mem_strdup(u->ctx, path + strspn(path, "/"));
		if (!s->links[s->link_count])
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

static int stage_parts(struct undelete *u, const struct f2fs_deleted *file, struct f2fs_inode *inode, struct staged *s)
{
	const uint32_t type = s->stat.mode & MODE_TYPE;
	int err = 0;

	undelete_policy_of(inode, &s->policy);
	if (type == MODE_REG)
		err = stage_contents(u, inode, s);
	else if (type == MODE_LNK)
		err = stage_target(u, inode, s);
	if (!err)
		err = stage_xattrs(u, inode, s);
	return err ? err : stage_links(u, file, s);
}

int undelete_stage_take(struct undelete *u, const struct f2fs_deleted *file)
{
	struct staged *s = mem_zalloc(u->ctx, sizeof(*s));
	struct f2fs_inode *inode;
	int err;

	if (!s)
		return F2FS_ERR_NOMEM;
	*u->last = s;
	u->last = &s->next;
	s->path = mem_strdup(u->ctx, file->path + strspn(file->path, "/"));
	if (!s->path)
		return F2FS_ERR_NOMEM;
	s->stat = file->version.stat;
	s->addr = file->version.addr;
	s->confidence = file->confidence;
	s->blank = (s->stat.mode & MODE_TYPE) == MODE_DIR ? 0 : file->version.remains.blank;
	err = f2fs_inode_open_at(u->vol, u->past, s->addr, undelete_open_flags(u), &inode);
	if (err)
		return err;
	err = stage_parts(u, file, inode, s);
	f2fs_inode_close(inode);
	return err;
}

static int compare_staged(const void *a, const void *b)
{
	const struct staged *x = *(struct staged *const *)a, *y = *(struct staged *const *)b;
	const bool x_dir = (x->stat.mode & MODE_TYPE) == MODE_DIR, y_dir = (y->stat.mode & MODE_TYPE) == MODE_DIR;

	return x_dir != y_dir ? y_dir - x_dir : strcmp(x->path, y->path);
}

int undelete_stage_sort(struct undelete *u)
{
	struct vec all;
	struct staged **row, *s;

	vec_init(&all, u->ctx, sizeof(struct staged *));
	for (s = u->first; s; s = s->next) {
		row = vec_push(&all, 1);
		if (!row) {
			vec_fini(&all);
			return F2FS_ERR_NOMEM;
		}
		*row = s;
	}
	vec_sort(&all, compare_staged);
	u->first = NULL;
	for (size_t i = all.count; i > 0; i--) {
		s = *(struct staged **)vec_at(&all, i - 1);
		s->next = u->first;
		u->first = s;
	}
	vec_fini(&all);
	return 0;
}

int undelete_stage_write(struct undelete *u, const struct staged *s, struct f2fs_inode *inode)
{
	const size_t bs = u->vol->geo.block_size;
	int err = 0;

	for (uint64_t at = 0; at < s->stat.size && !err && s->at + at < u->end; at += bs) {
		const size_t want = s->stat.size - at < bs ? (size_t)(s->stat.size - at) : bs;
		size_t i = 0;

		err = f2fs_device_read(u->store, s->at + at, u->buffer, want);
		while (i < want && u->buffer[i] == 0)
			i++;
		if (!err && i < want)
			err = f2fs_inode_write(inode, at, u->buffer, want);
		if (!err)
			err = progress_tick(u->ctx, "undelete", want);
	}
	return err ? err : f2fs_inode_truncate(inode, s->stat.size);
}

static void free_staged(struct undelete *u, struct staged *s)
{
	while (s->xattrs) {
		struct staged_xattr *x = s->xattrs;

		s->xattrs = x->next;
		mem_free(u->ctx, x->name);
		mem_free(u->ctx, x);
	}
	for (uint32_t i = 0; i < s->link_count; i++)
		mem_free(u->ctx, s->links[i]);
	mem_free(u->ctx, s->links);
	mem_free(u->ctx, s->path);
	mem_free(u->ctx, s->target);
	mem_free(u->ctx, s);
}

void undelete_stage_close(struct undelete *u)
{
	while (u->first) {
		struct staged *s = u->first;

		u->first = s->next;
		free_staged(u, s);
	}
	f2fs_device_close(u->store);
}
