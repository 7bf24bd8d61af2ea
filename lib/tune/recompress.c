/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compress files that are there, or make them uncompressed. Some files at a time share a commit. When a batch finds no
 * room, or contents that cannot be read, it is dropped and done again file by file. A file that fails alone stays.
 */
#include "tune/recompress.h"

#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "base/sized.h"
#include "file/change.h"
#include "file/compress_mark.h"
#include "file/inode_read.h"
#include "file/path.h"
#include "log/commit.h"
#include "log/txn.h"
#include "tune/inode_walk.h"
#include "tune/recompress_file.h"
#include "volume/open_beside.h"

#define BATCH_BYTES (64u << 20) /* of contents that share a commit */
#define BATCH_FILES 4096u

/* An inode of the batch. */
struct batched {
	size_t path; /* in text */
	bool is_directory;
	struct f2fs_compress_file file;
};

struct run {
	struct recompress r;
	struct f2fs_compress_files_result result;
	struct map32 seen; /* inodes that may be met again */
	struct vec batch;  /* struct batched */
	struct vec text;   /* char: paths of the batch */
	struct vec path;   /* char: of the entry, from the root */
	const char *base;  /* path of the start of the walk, without a slash at the end */
	uint64_t bytes;	   /* of contents in the batch */
	bool is_changed;   /* the batch has something to commit */
};

const char *f2fs_compress_left_text(int reason)
{
	static const char *const texts[] = {
#define F2FS_COMPRESS_LEFT_ROW(name, number, text) [number] = (text),
		F2FS_COMPRESS_LEFT_TABLE(F2FS_COMPRESS_LEFT_ROW)
#undef F2FS_COMPRESS_LEFT_ROW
	};

	return reason >= 0 && (size_t)reason < sizeof(texts) / sizeof(texts[0]) ? texts[reason] : NULL;
}

/* ---- one inode in the running transaction ---- */

/*
 * Begin what shares a commit. Free sections are won first, because that commits, and the view is of the last commit.
 * The transaction counts as changed from then on, so that nothing else is committed before the batch ends.
 */
static int begin(struct run *run)
{
	struct f2fs_volume *vol = run->r.vol;
	struct change change;
	int err = change_begin(&change, vol);

	if (!err && !txn_is_fresh(vol)) { /* it has freed orphans */
		err = txn_commit(vol);
		if (!err)
			err = change_start(vol);
	}
	if (!err)
		err = beside_open(vol, &run->r.view);
	if (!err) {
		vol->generation++;
		run->is_changed = true;
	}
	return err;
}

static void close_view(struct run *run)
{
	f2fs_volume_close(run->r.view);
	run->r.view = NULL;
}

static void roll_back(struct run *run)
{
	close_view(run);
	txn_roll_back(run->r.vol);
	run->is_changed = false;
}

static int mark_directory(struct run *run, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	int err = inode_open(run->r.vol, ino, &inode);

	if (err)
		return err;
	inode->rules = &run->r.rules;
	err = f2fs_compress_set(inode, run->r.options->how);
	f2fs_inode_close(inode);
	return err;
}

static int count_after(struct run *run, struct f2fs_compress_file *file)
{
	struct f2fs_inode *inode;
	int err = inode_open(run->r.vol, file->ino, &inode);

	if (err)
		return err;
	err = recompress_count(inode, &file->blocks_after);
	f2fs_inode_close(inode);
	return err;
}

/* Change an inode. A failure that is the file's own becomes its reason to stay; *failed: roll back. */
static int change_one(struct run *run, struct batched *one, bool *failed)
{
	struct f2fs_context *ctx = run->r.vol->ctx;
	int err = run->r.view ? 0 : begin(run);

	*failed = false;
	run->r.why = F2FS_COMPRESS_LEFT_NONE;
	if (!err && one->is_directory)
		return mark_directory(run, one->file.ino);
	if (!err)
		err = recompress_rewrite(&run->r, one->file.ino);
	if (!err)
		return run->r.reshape ? 0 : count_after(run, &one->file);
	if (!run->r.why)
		return err;
	*failed = true;
	one->file.left = run->r.why;
	error_clear(ctx);
	return 0;
}

/* ---- batches ---- */

/* Report the batch, whose fate is durable now. */
static int report(struct run *run)
{
	const struct f2fs_compress_files_options *o = run->r.options;
	int err = 0;

	for (size_t i = 0; i < run->batch.count && !err; i++) {
		struct batched *one = vec_at(&run->batch, i);

		if (one->is_directory) {
			run->result.directories++;
			continue;
		}
		if (one->file.left) /* a second try of the same batch may still change it */
			one->file.blocks_before = one->file.blocks_after = 0;
		run->result.changed += one->file.left == F2FS_COMPRESS_LEFT_NONE;
		run->result.blocks_before += one->file.blocks_before;
		run->result.blocks_after += one->file.blocks_after;
		one->file.path = vec_at(&run->text, one->path);
		if (o->file && o->file(o->user, &one->file) != 0)
			err = error_set(run->r.vol->ctx, F2FS_ERR_CANCELED, "stopped");
	}
	run->batch.count = 0;
	run->text.count = 0;
	run->bytes = 0;
	return err;
}

static int commit(struct run *run)
{
	if (!run->is_changed)
		return 0;
	close_view(run);
	run->is_changed = false;
	return txn_commit(run->r.vol);
}

static int end_batch(struct run *run)
{
	int err = commit(run);

	return err ? err : report(run);
}

/* The batch was rolled back: do it again, with a commit for each inode. */
static int redo(struct run *run)
{
	int err = 0;

	for (size_t i = 0; i < run->batch.count && !err; i++) {
		struct batched *one = vec_at(&run->batch, i);
		bool failed;

		if (one->file.left != F2FS_COMPRESS_LEFT_NONE && one->file.left != F2FS_COMPRESS_LEFT_ROOM)
			continue;
		one->file.left = F2FS_COMPRESS_LEFT_NONE;
		err = change_one(run, one, &failed);
		if (failed)
			roll_back(run);
		else if (!err)
			err = commit(run);
	}
	return err;
}

static int add(struct run *run, const struct batched *one, uint64_t bytes)
{
	const size_t length = run->path.count;
	const bool is_alone = !run->is_changed;
	struct batched *new = vec_push(&run->batch, 1);
	char *path = new ? vec_push(&run->text, length) : NULL;
	bool failed = false;
	int err = 0;

	if (!path)
		return F2FS_ERR_NOMEM;
	memcpy(path, run->path.items, length);
	*new = *one;
	new->path = run->text.count - length;
	run->bytes += bytes;
	if (one->file.left == F2FS_COMPRESS_LEFT_NONE && !run->r.options->dry_run)
		err = change_one(run, new, &failed);
	if (failed)
		roll_back(run);
	if (failed && !is_alone)
		err = redo(run);
	if (!err && (failed || run->bytes >= BATCH_BYTES || run->batch.count >= BATCH_FILES))
		err = end_batch(run);
	return err;
}

/* ---- what is asked for ---- */

/* Put the path of an entry together, from the root. */
static int set_path(struct run *run, const char *relative)
{
	const size_t base = strlen(run->base), rest = strlen(relative);
	char *p;

	run->path.count = 0;
	p = vec_push(&run->path, base + 1 + rest + 1);
	if (!p)
		return F2FS_ERR_NOMEM;
	memcpy(p, run->base, base);
	if (rest || !base)
		p[base] = '/';
	memcpy(p + base + (rest || !base), relative, rest + 1);
	run->path.count = strlen(p) + 1;
	return 0;
}

static bool is_wanted(const struct run *run)
{
	const struct f2fs_compress_files_options *o = run->r.options;
	const char *path = (const char *)run->path.items + 1;

	return (o->include_count == 0 || glob_match_any(o->include, o->include_count, path)) &&
	       !glob_match_any(o->exclude, o->exclude_count, path);
}

/* Was this inode met under another of its names, or below another of the paths? */
static int meet(struct run *run, const struct f2fs_inode *inode, bool *known)
{
	const bool can_be = inode_i_links(inode->block) > 1 || run->r.options->path_count > 1;

	*known = can_be && map32_find(&run->seen, inode->ino) != NULL;
	return can_be && !*known ? map32_set(&run->seen, inode->ino, 1) : 0;
}

/* Would compressing save something? Sets the reason, and with dry_run the number of blocks. */
static int weigh(struct run *run, struct f2fs_inode *inode, struct f2fs_compress_file *file)
{
	uint64_t blocks, saved;
	int err;

	if (inode_i_size(inode->block) == 0 || (!run->r.options->how && !run->r.options->dry_run))
		return 0;
	err = recompress_try(&run->r, inode, !run->r.options->dry_run, &blocks, &saved);
	if (err && run->r.why) {
		file->left = run->r.why;
		error_clear(run->r.vol->ctx);
		return 0;
	}
	if (run->r.options->how && saved == 0)
		file->left = F2FS_COMPRESS_LEFT_GAIN;
	file->blocks_after = blocks;
	return err;
}

static int look_at_file(struct run *run, struct f2fs_inode *inode)
{
	struct batched one = { .file = { .ino = inode->ino } };
	bool known;
	int err;

	if (!is_wanted(run)) /* another name of the inode may be */
		return 0;
	err = meet(run, inode, &known);
	if (err || known)
		return err;
	run->result.files++;
	one.file.left = recompress_judge(&run->r, inode);
	if (!one.file.left)
		err = recompress_count(inode, &one.file.blocks_before);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) {
		one.file.left = F2FS_COMPRESS_LEFT_UNREADABLE;
		error_clear(run->r.vol->ctx);
		err = 0;
	}
	if (!err && !one.file.left)
		err = weigh(run, inode, &one.file);
	if (one.file.left)
		one.file.blocks_before = one.file.blocks_after = 0;
	return err ? err : add(run, &one, one.file.left ? 0 : inode_i_size(inode->block));
}

/* Mark a directory, or take its mark away, if that changes something and it has the room. */
static int look_at_directory(struct run *run, struct f2fs_inode *inode)
{
	const struct batched one = { .is_directory = true, .file = { .ino = inode->ino } };
	const struct f2fs_compress_files_options *o = run->r.options;

	bool known;
	int err;

	if (!o->directories || recompress_judge(&run->r, inode) == F2FS_COMPRESS_LEFT_SO ||
	    !inode_has_extra(inode->block, extra_SIZE) || (o->how && inode_i_flags(inode->block) & FLAG_i_flags_nocomp))
		return 0;
	err = meet(run, inode, &known);
	return err || known ? err : add(run, &one, 0);
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct run *run = user;
	unsigned type;
	int err;

	if (!entry->inode || entry->error) {
		run->result.unreadable++;
		return F2FS_WALK_GO;
	}
	type = inode_type(entry->inode);
	if (type != MODE_REG && type != MODE_DIR)
		return F2FS_WALK_GO;
	err = set_path(run, entry->path);
	if (!err)
		err = type == MODE_REG ? look_at_file(run, entry->inode) : look_at_directory(run, entry->inode);
	if (!err)
		err = progress_tick(run->r.vol->ctx, "compress", run->r.vol->geo.block_size);
	return err ? err : F2FS_WALK_GO;
}

static int walk(struct run *run, const char *path)
{
	struct f2fs_context *ctx = run->r.vol->ctx;
	char *base = path_base(ctx, path);
	struct f2fs_inode *start;
	int err = base ? 0 : F2FS_ERR_NOMEM;

	if (!err) {
		run->base = base;
		err = f2fs_lookup(run->r.vol, base[0] ? base : "/", 0, &start);
	}
	if (!err) {
		err = f2fs_walk(start, visit, run);
		f2fs_inode_close(start);
	}
	mem_free(ctx, base);
	return err;
}

static int walk_all(struct run *run)
{
	const struct f2fs_compress_files_options *o = run->r.options;
	int err = o->path_count ? 0 : walk(run, "/");

	for (uint32_t i = 0; i < o->path_count && !err; i++)
		err = walk(run, o->paths[i]);
	return err ? err : end_batch(run);
}

/* ---- the frame ---- */

static int check(struct f2fs_volume *vol, const struct f2fs_compress_files_options *o)
{
	int err = o->how ? compress_check(vol, o->how) : 0;

	if (err || o->dry_run)
		return err;
	return inode_walk_ready(vol);
}

/* Begin. Settings of the volume that would commit in the middle of a file rest meanwhile. */
static int start(struct run *run, struct f2fs_write_options *write, int *sync)
{
	struct f2fs_volume *vol = run->r.vol;
	const struct f2fs_compress_files_options *o = run->r.options;

	*write = vol->write;
	*sync = vol->sync_mode;
	map32_init(&run->seen, vol->ctx);
	vec_init(&run->batch, vol->ctx, sizeof(struct batched));
	vec_init(&run->text, vol->ctx, 1);
	vec_init(&run->path, vol->ctx, 1);
	run->r.rules = (struct change_rules){ .keeps_times = true,
					      .compression = o->how,
					      .minimum_saved = vol->write.minimum_saved,
					      .releases = o->how && o->release };
	vol->write.commit_when_full = 0;
	vol->sync_mode = F2FS_SYNC_NONE;
	return recompress_init(&run->r);
}

static void end(struct run *run, const struct f2fs_write_options *write, int sync)
{
	struct f2fs_volume *vol = run->r.vol;

	if (run->is_changed)
		roll_back(run);
	close_view(run);
	change_end_rules(vol, &run->r.rules);
	vol->write.commit_when_full = write->commit_when_full;
	vol->sync_mode = sync;
	recompress_fini(&run->r);
	map32_fini(&run->seen);
	vec_fini(&run->batch);
	vec_fini(&run->text);
	vec_fini(&run->path);
}

int f2fs_compress_files(struct f2fs_volume *vol, const struct f2fs_compress_files_options *options,
			struct f2fs_compress_files_result *result)
{
	struct f2fs_compress_files_options o;
	struct run run = { .r = { .vol = vol, .options = &o } };
	struct f2fs_write_options write;
	int err, sync;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &o, sizeof(o), options);
	if (!err && result)
		err = sized_check(vol->ctx, result, sizeof(*result));
	if (!err)
		err = check(vol, &o);
	if (err)
		return err;
	err = start(&run, &write, &sync);
	if (!err)
		err = walk_all(&run);
	end(&run, &write, sync);
	if (result)
		sized_give(result, &run.result, sizeof(run.result));
	return err;
}

int recompress_reshape(struct f2fs_volume *vol, enum reshape reshape, const f2fs_nid_t *inos, size_t count,
		       uint64_t *changed)
{
	const struct f2fs_compress_files_options o = { F2FS_SIZED(f2fs_compress_files_options) };
	struct run run = { .r = { .vol = vol, .options = &o, .reshape = reshape }, .base = "" };
	struct f2fs_write_options write;
	int sync, err = start(&run, &write, &sync);

	if (!err)
		err = set_path(&run, "");
	for (size_t i = 0; i < count && !err; i++) {
		const struct batched one = { .file = { .ino = inos[i] } };
		struct f2fs_inode *inode;
		uint64_t size;

		err = inode_open(vol, inos[i], &inode);
		if (err)
			break;
		size = inode_i_size(inode->block);
		f2fs_inode_close(inode);
		err = add(&run, &one, size);
	}
	if (!err)
		err = end_batch(&run);
	end(&run, &write, sync);
	*changed = run.result.changed;
	return err;
}
