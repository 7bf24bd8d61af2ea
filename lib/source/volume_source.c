/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as a source of items: directories in their own order, parents first.
 */
#include <string.h>

#include "base/error.h"
#include "file/dir_read.h"
#include "file/object.h"
#include "file/walk.h"
#include "source/attribute.h"
#include "source/path.h"
#include "source/volume_source.h"
#include "volume/read_room.h"
#include "volume/volume.h"

struct level {
	f2fs_nid_t ino;
	struct f2fs_inode *inode; /* NULL: far up, */
	struct f2fs_dir *dir;
	struct dir_place place; /* where it continues */
	size_t path_length;
};

struct volume_source {
	struct f2fs_volume *vol;
	struct vec levels;	  /* struct level */
	struct map32 entered;	  /* inodes of directories */
	struct f2fs_inode *inode; /* of the current item */
	bool has_started;	  /* the root was given */
	bool enters;		  /* the current item is a directory to be entered */
	uint64_t at;		  /* byte of its contents that comes next */
	uint64_t room;		  /* see read_room_take() */
};

static struct volume_source *source_of(const struct source *src)
{
	return src->own;
}

static struct level *last_level(const struct volume_source *s)
{
	return vec_at(&s->levels, s->levels.count - 1);
}

struct f2fs_inode *source_volume_inode(const struct source *src)
{
	return source_of(src)->inode;
}

int source_volume_error(struct source *src, int err)
{
	struct f2fs_context *ctx = source_of(src)->vol->ctx;

	if (ctx != src->ctx)
		src->ctx->error = ctx->error;
	return err;
}

static void close_level(struct level *level)
{
	f2fs_dir_close(level->dir);
	f2fs_inode_close(level->inode);
	level->dir = NULL;
	level->inode = NULL;
}

static void leave(struct volume_source *s)
{
	close_level(last_level(s));
	s->levels.count--;
}

/* Enter the current item. */
static int enter(struct source *src)
{
	struct volume_source *s = source_of(src);
	const f2fs_nid_t ino = f2fs_inode_number(s->inode);
	struct level *level;
	int err;

	s->enters = false;
	if (map32_find(&s->entered, ino))
		return error_set(src->ctx, F2FS_ERR_LOOP, "directory %u has a second name", (unsigned)ino);
	level = map32_set(&s->entered, ino, 1) == 0 ? vec_push(&s->levels, 1) : NULL;
	if (!level)
		return F2FS_ERR_NOMEM;
	level->path_length = src->path.count;
	level->ino = ino;
	level->inode = s->inode;
	s->inode = NULL;
	err = f2fs_dir_open(level->inode, &level->dir);
	if (err) {
		leave(s);
		return source_volume_error(src, err);
	}
	if (s->levels.count > NEAR_LEVELS) {
		struct level *far = vec_at(&s->levels, s->levels.count - 1 - NEAR_LEVELS);

		if (far->dir)
			dir_tell(far->dir, &far->place);
		close_level(far);
	}
	return 0;
}

/* Come back to a directory. */
static int return_to(struct volume_source *s, struct level *level)
{
	int err = level->inode ? 0 : f2fs_inode_open(s->vol, level->ino, &level->inode);

	if (!err)
		err = f2fs_dir_open(level->inode, &level->dir);
	return err ? err : dir_seek(level->dir, &level->place);
}

/* Find the next entry. Returns SOURCE_END after the last. */
static int next_entry(struct source *src, struct f2fs_dirent *entry)
{
	struct volume_source *s = source_of(src);

	while (s->levels.count > 0) {
		struct level *level = last_level(s);
		const size_t length = level->path_length;
		int err = level->dir ? 0 : return_to(s, level);

		if (!err)
			err = f2fs_dir_next(level->dir, entry);
		if (err == F2FS_ERR_NOT_FOUND) {
			leave(s);
			continue;
		}
		if (err) { /* a damaged entry is stepped over, everything else may stay as it is for ever */
			source_volume_error(src, err);
			if (err != F2FS_ERR_CORRUPT || !level->dir)
				leave(s);
			return source_set_path(src, length, "") != 0 ? F2FS_ERR_NOMEM : err;
		}
		if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
			return source_set_path(src, length, entry->name);
	}
	return SOURCE_END;
}

static void fill_item(struct source_item *item, const struct f2fs_stat *st)
{
	item->given = GIVEN_MODE | GIVEN_OWNER | GIVEN_MTIME | GIVEN_ATIME | GIVEN_CTIME | GIVEN_FLAGS | GIVEN_PROJECT;
	item->mode = st->mode;
	item->uid = st->uid;
	item->gid = st->gid;
	item->rdev_major = st->rdev_major;
	item->rdev_minor = st->rdev_minor;
	item->flags = st->flags;
	item->projid = st->projid;
	item->size = st->size;
	item->atime = st->atime;
	item->mtime = st->mtime;
	item->ctime = st->ctime;
	item->nlink = st->nlink;
	item->has_links = st->nlink > 1 && (st->mode & MODE_TYPE) != MODE_DIR;
	item->ino = st->ino;
}

static int next(struct source *src, struct source_item *item)
{
	struct volume_source *s = source_of(src);
	struct f2fs_dirent entry = { .ino = s->vol->geo.root_ino };
	struct f2fs_stat st;
	int err = s->enters ? enter(src) : 0;

	f2fs_inode_close(s->inode);
	s->inode = NULL;
	s->at = 0;
	if (err)
		return err;
	if (s->has_started)
		err = next_entry(src, &entry);
	else
		err = source_set_path(src, 0, "");
	s->has_started = true;
	if (err)
		return err;
	err = f2fs_inode_open(s->vol, entry.ino, &s->inode);
	if (!err)
		err = f2fs_inode_stat(s->inode, &st);
	if (err)
		return source_volume_error(src, err);
	fill_item(item, &st);
	s->enters = (st.mode & MODE_TYPE) == MODE_DIR;
	return 0;
}

static int add_attributes(struct source *src, struct volume_source *s)
{
	const int count = f2fs_xattr_count(s->inode);

	for (int i = 0; i < count; i++) {
		struct f2fs_xattr xattr;
		int err = f2fs_xattr_at(s->inode, (unsigned)i, &xattr);

		if (err)
			return source_volume_error(src, err);
		if (xattr.is_internal || !source_attribute_is_wanted(src, xattr.name))
			continue;
		err = source_attribute_add(src, xattr.name, xattr.value, xattr.value_size);
		if (err)
			return err;
	}
	return count < 0 ? source_volume_error(src, count) : 0;
}

static int prepare(struct source *src, struct source_item *item)
{
	struct volume_source *s = source_of(src);
	int err = add_attributes(src, s);

	if (err || (item->mode & MODE_TYPE) != MODE_LNK)
		return err;
	err = f2fs_inode_readlink(s->inode, src->buffer, SOURCE_BUFFER, &item->target_length);
	item->target = src->buffer;
	return err ? source_volume_error(src, err) : 0;
}

/* Skip a hole. *end is the end of the data after it. */
static int find_data(struct source *src, struct volume_source *s, uint64_t size, uint64_t *end)
{
	const uint32_t bits = s->vol->geo.block_bits;

	while (s->at < size) {
		struct f2fs_file_extent extent;
		int err = f2fs_inode_extent(s->inode, s->at >> bits, &extent);

		if (err == F2FS_ERR_NOT_FOUND)
			break;
		if (err)
			return source_volume_error(src, err);
		err = read_room_take(src->ctx, s->vol, &s->room, 0);
		if (err)
			return err;
		*end = (extent.file_block + extent.count) << bits;
		*end = *end < size && extent.kind != F2FS_EXTENT_INLINE ? *end : size;
		if (extent.kind != F2FS_EXTENT_HOLE && extent.kind != F2FS_EXTENT_RESERVED)
			return 0;
		s->at = *end;
	}
	s->at = *end = size;
	return 0;
}

static int read_contents(struct source *src, struct source_item *item, struct source_chunk *chunk)
{
	struct volume_source *s = source_of(src);
	uint64_t end = 0;
	size_t n;
	int err = find_data(src, s, item->size, &end);

	chunk->length = 0;
	if (err || end == s->at)
		return err;
	n = end - s->at < SOURCE_BUFFER ? (size_t)(end - s->at) : SOURCE_BUFFER;
	chunk->data = src->buffer;
	chunk->offset = s->at;
	err = read_room_take(src->ctx, s->vol, &s->room, n);
	if (err)
		return err;
	err = f2fs_inode_read(s->inode, s->at, src->buffer, n, &chunk->length);
	s->at += chunk->length;
	return err ? source_volume_error(src, err) : 0;
}

static void skip(struct source *src)
{
	source_of(src)->enters = false;
}

static void close_source(struct source *src)
{
	struct volume_source *s = source_of(src);

	f2fs_inode_close(s->inode);
	while (s->levels.count > 0)
		leave(s);
	vec_fini(&s->levels);
	map32_fini(&s->entered);
	mem_free(src->ctx, s);
}

int source_volume_open(struct source *src, struct f2fs_volume *vol)
{
	static const struct source_ops ops = {
		.next = next, .prepare = prepare, .read = read_contents, .skip = skip, .close = close_source
	};
	struct volume_source *s = mem_zalloc(src->ctx, sizeof(*s));

	if (!s)
		return F2FS_ERR_NOMEM;
	s->vol = vol;
	s->room = read_room(vol);
	vec_init(&s->levels, src->ctx, sizeof(struct level));
	map32_init(&s->entered, src->ctx);
	src->own = s;
	src->ops = &ops;
	return 0;
}
