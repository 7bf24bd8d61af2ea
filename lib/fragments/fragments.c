/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report on fragmentation: every file that has a name, and those of quotas. A directory is reported after all its
 * entries, with sums. The walk is depth first, so a stack of the current directories is enough.
 */
#include "fragments/fragments.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/vec.h"
#include "file/inode_read.h"
#include "fragments/file.h"
#include "fragments/free.h"

enum { SMALL_BYTES = 65536, READ_BYTES = 131072 };

/* A directory whose entries are being walked; its path is a prefix of the walk's. */
struct open_dir {
	struct f2fs_dir_fragments sums;
	size_t path_length;
};

struct run {
	struct f2fs_volume *vol;
	const struct f2fs_fragments_options *options;
	struct f2fs_fragments *out;
	struct fragment_units units;
	const char *base;  /* path of the start of the walk, without a slash at the end */
	struct vec dirs;   /* struct open_dir */
	struct vec path;   /* char: the whole path of the current entry */
	struct map32 seen; /* files with several names */
};

static int stopped(struct run *r)
{
	return error_set(r->vol->ctx, F2FS_ERR_CANCELED, "the report was stopped");
}

/* Put the whole path of an entry together. */
static int set_path(struct run *r, const char *relative)
{
	const size_t base = strlen(r->base), n = strlen(relative);
	char *p;

	r->path.count = 0;
	p = vec_push(&r->path, base + n + 3);
	if (!p)
		return F2FS_ERR_NOMEM;
	memcpy(p, r->base, base);
	if (n > 0 || base == 0)
		p[base] = '/';
	memcpy(p + base + (n > 0 || base == 0), relative, n);
	return 0;
}

/* Add a file with blocks to the sums of its directory. */
static void add_to_dir(struct run *r, const struct f2fs_file_fragments *f)
{
	struct f2fs_dir_fragments *sums;

	if (r->dirs.count == 0)
		return;
	sums = &((struct open_dir *)vec_at(&r->dirs, r->dirs.count - 1))->sums;
	sums->files++;
	sums->blocks += f->blocks;
	sums->extents += f->extents;
	sums->fragments += f->fragments;
	sums->small_blocks += f->small_blocks;
	sums->requests += f->requests;
}

static void add_file(struct run *r, const struct f2fs_file_fragments *f, uint64_t ideal_requests)
{
	struct f2fs_fragments *out = r->out;

	out->unreadable += f->error != 0;
	out->inlines += f->is_inline;
	if (f->blocks == 0)
		return;
	out->files++;
	out->broken += f->fragments > f->ideal;
	out->blocks += f->blocks;
	out->extents += f->extents;
	out->fragments += f->fragments;
	out->ideal += f->ideal;
	out->small_blocks += f->small_blocks;
	out->requests += f->requests;
	out->ideal_requests += ideal_requests;
	add_to_dir(r, f);
}

/* The walk has left the innermost directory. */
static int close_dir(struct run *r)
{
	struct open_dir dir = *(struct open_dir *)vec_at(&r->dirs, r->dirs.count - 1);
	char *p = r->path.items;
	char kept;
	int ret = 0;

	r->dirs.count--;
	if (r->dirs.count > 0) {
		struct f2fs_dir_fragments *up = &((struct open_dir *)vec_at(&r->dirs, r->dirs.count - 1))->sums;

		up->files += dir.sums.files;
		up->blocks += dir.sums.blocks;
		up->extents += dir.sums.extents;
		up->fragments += dir.sums.fragments;
		up->small_blocks += dir.sums.small_blocks;
		up->requests += dir.sums.requests;
	}
	if (!r->options->directory)
		return 0;
	kept = p[dir.path_length];
	p[dir.path_length] = '\0';
	dir.sums.path = p;
	ret = r->options->directory(r->options->user, &dir.sums);
	p[dir.path_length] = kept;
	return ret ? stopped(r) : 0;
}

/* Leave the directories that an entry of that depth is not in. The path is still that of the entry before. */
static int close_dirs(struct run *r, size_t depth)
{
	int err = 0;

	while (r->dirs.count > depth && !err)
		err = close_dir(r);
	return err;
}

static int open_dir(struct run *r, f2fs_nid_t ino)
{
	const uint32_t depth = (uint32_t)r->dirs.count;
	struct open_dir *dir = vec_push(&r->dirs, 1);

	if (!dir)
		return F2FS_ERR_NOMEM;
	dir->sums.ino = ino;
	dir->sums.depth = depth;
	dir->path_length = strlen(r->path.items);
	return 0;
}

/* Was the file met by another name? */
static int is_known(struct run *r, struct f2fs_inode *inode, bool *known)
{
	*known = false;
	if (inode_i_links(inode->block) < 2 || inode_type(inode) == MODE_DIR)
		return 0;
	*known = map32_find(&r->seen, inode->ino) != NULL;
	return *known ? 0 : map32_set(&r->seen, inode->ino, 1);
}

static int report_file(struct run *r, struct f2fs_inode *inode, const char *path)
{
	struct f2fs_file_fragments file;
	uint64_t ideal_requests;
	int err = fragments_count(inode, &r->units, &file, &ideal_requests);

	if (err)
		return err;
	file.path = path;
	add_file(r, &file, ideal_requests);
	if (r->options->file && r->options->file(r->options->user, &file))
		return stopped(r);
	return progress_tick(r->vol->ctx, "fragments", r->vol->geo.block_size);
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct run *r = user;
	unsigned type;
	bool known = false;
	int err = close_dirs(r, entry->depth);

	if (err)
		return err;
	if (entry->error)
		r->out->unreadable++;
	if (!entry->inode || entry->error)
		return F2FS_WALK_GO;
	type = inode_type(entry->inode);
	if (type != MODE_REG && type != MODE_DIR && type != MODE_LNK)
		return F2FS_WALK_GO;
	err = set_path(r, entry->path);
	if (!err)
		err = is_known(r, entry->inode, &known);
	if (!err && type == MODE_DIR)
		err = open_dir(r, entry->inode->ino);
	if (!err && !known)
		err = report_file(r, entry->inode, r->path.items);
	return err ? err : F2FS_WALK_GO;
}

/* One path of the options: a file, or a directory with all below it. */
static int report_path(struct run *r, const char *path)
{
	struct f2fs_inode *start;
	char *base = mem_strdup(r->vol->ctx, path[0] == '/' ? path + 1 : path);
	char *whole = base ? mem_alloc(r->vol->ctx, strlen(base) + 2) : NULL;
	int err = whole ? 0 : F2FS_ERR_NOMEM;

	if (!err) {
		whole[0] = '/';
		memcpy(whole + 1, base, strlen(base) + 1);
		for (size_t n = strlen(whole); n > 0 && whole[n - 1] == '/'; n--)
			whole[n - 1] = '\0';
		r->base = whole;
		err = f2fs_lookup(r->vol, whole[0] ? whole : "/", 0, &start);
	}
	if (!err) {
		r->path.count = 0;
		err = f2fs_walk(start, visit, r);
		f2fs_inode_close(start);
		if (!err)
			err = close_dirs(r, 0);
	}
	r->base = NULL;
	mem_free(r->vol->ctx, base);
	mem_free(r->vol->ctx, whole);
	return err;
}

/* A file without a path: damage is counted. */
static int report_inode(struct run *r, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	int err = inode_open(r->vol, ino, &inode);

	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	if (err) {
		r->out->unreadable++;
		error_clear(r->vol->ctx);
		return 0;
	}
	err = report_file(r, inode, NULL);
	f2fs_inode_close(inode);
	return err;
}

/* Files of quotas have no name. */
static int report_quotas(struct run *r)
{
	int err = 0;

	for (unsigned kind = 0; kind < 3 && !err; kind++)
		if (geometry_has(&r->vol->geo, F2FS_FEAT_QUOTA) && sb_qf_ino(r->vol->sb, kind) != 0)
			err = report_inode(r, sb_qf_ino(r->vol->sb, kind));
	return err;
}

static uint32_t blocks_of(const struct f2fs_volume *vol, uint32_t bytes, uint32_t usual)
{
	const uint32_t blocks = (bytes ? bytes : usual) / vol->geo.block_size;

	return blocks ? blocks : 1;
}

int f2fs_fragments_count(struct f2fs_volume *vol, const struct f2fs_fragments_options *options,
			 struct f2fs_fragments *out)
{
	struct f2fs_fragments_options own;
	struct run r = { .vol = vol, .options = &own, .out = out };
	int err;

	error_clear(vol->ctx);
	memset(out, 0, sizeof(*out));
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (err)
		return err;
	r.units.small = blocks_of(vol, r.options->small_bytes, SMALL_BYTES);
	r.units.read = blocks_of(vol, r.options->read_bytes, READ_BYTES);
	vec_init(&r.dirs, vol->ctx, sizeof(struct open_dir));
	vec_init(&r.path, vol->ctx, 1);
	map32_init(&r.seen, vol->ctx);
	for (uint32_t i = 0; i < r.options->path_count && !err; i++) {
		r.dirs.count = 0;
		err = report_path(&r, r.options->paths[i]);
	}
	if (r.options->path_count == 0)
		err = report_path(&r, "/");
	if (!err && r.options->path_count == 0)
		err = report_quotas(&r);
	if (!err)
		err = fragments_add_space(vol, out);
	vec_fini(&r.dirs);
	vec_fini(&r.path);
	map32_fini(&r.seen);
	return err;
}

int fragments_again(struct f2fs_volume *vol, const f2fs_nid_t *inodes, size_t count, struct f2fs_fragments *out)
{
	const struct f2fs_fragments_options none = { 0 };
	struct run r = { .vol = vol, .options = &none, .out = out };
	int err = 0;

	error_clear(vol->ctx);
	memset(out, 0, sizeof(*out));
	r.units.small = blocks_of(vol, 0, SMALL_BYTES);
	r.units.read = blocks_of(vol, 0, READ_BYTES);
	for (size_t i = 0; i < count && !err; i++)
		err = report_inode(&r, inodes[i]);
	return err ? err : fragments_add_space(vol, out);
}
