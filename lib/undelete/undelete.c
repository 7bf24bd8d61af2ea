/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Undelete: find deleted files, judge the remains of each, and pass the wanted ones to the host or to the volume.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "forensics/past.h"
#include "undelete/host_copy.h"
#include "undelete/put_back.h"
#include "undelete/stage.h"
#include "undelete/undelete_report.h"

#define SIZE_LIMIT ((uint64_t)1 << 50) /* bytes; the largest file of blocks of 16 KiB */

/* Does the file wait for its key? Names and targets are read without one only in the form that is shown then. */
static int lacks_key(struct undelete *u, const struct f2fs_deleted *file, bool *out)
{
	struct f2fs_inode *inode;
	struct f2fs_key key;
	uint8_t byte;
	size_t done;
	int err;

	*out = !u->options->directory && f2fs_volume_key_at(u->vol, 0, &key) != 0;
	if (*out || (file->version.stat.mode & MODE_TYPE) != MODE_REG)
		return 0;
	err = f2fs_inode_open_at(u->vol, u->past, file->version.addr, F2FS_AT_OVERWRITTEN, &inode);
	if (err)
		return undelete_ends(err) ? err : 0; /* the caller that copies it reports why */
	err = f2fs_inode_read(inode, 0, &byte, 1, &done);
	f2fs_inode_close(inode);
	*out = err == F2FS_ERR_ENCRYPTED;
	return undelete_ends(err) ? err : 0;
}

/* Return why too little of its contents is left, DONE if enough is. */
static unsigned lack_of(const struct undelete *u, const struct f2fs_deleted *file)
{
	const struct f2fs_remains *r = &file->version.remains;
	const bool is_blank_only = r->overwritten + r->bad + r->lost + r->nodes_lost == 0;
	const bool takes_parts = undelete_has(u, F2FS_UNDELETE_PARTS);
	const bool as_is = undelete_has(u, F2FS_UNDELETE_AS_BLANK) && (is_blank_only || takes_parts);

	/* of a directory the inode is all that counts: entries are files of their own */
	if (file->confidence < F2FS_CONFIDENCE_PART || (file->version.stat.mode & MODE_TYPE) == MODE_DIR ||
	    (file->confidence == F2FS_CONFIDENCE_PART && (takes_parts || as_is)) ||
	    (file->confidence == F2FS_CONFIDENCE_BLANK && as_is))
		return F2FS_UNDELETE_DONE;
	if (file->confidence == F2FS_CONFIDENCE_METADATA)
		return file->version.stat.size ? F2FS_UNDELETE_NO_CONTENTS : F2FS_UNDELETE_DONE;
	if (file->confidence == F2FS_CONFIDENCE_BLANK)
		return F2FS_UNDELETE_BLANK;
	return is_blank_only && r->blank ? F2FS_UNDELETE_PARTLY_BLANK : F2FS_UNDELETE_OVERWRITTEN;
}

static int take(struct undelete *u, const struct f2fs_deleted *file)
{
	bool is_locked = false;
	unsigned lack;
	int err;

	u->result.found++;
	u->progress.done = u->result.found;
	err = progress_report(u->ctx, &u->progress);
	if (!err && file->confidence == F2FS_CONFIDENCE_NAME)
		return undelete_report(u, file->path, F2FS_UNDELETE_ONLY_NAME, 0);
	if (!err && file->version.stat.size > SIZE_LIMIT) /* the store could not hold them side by side */
		return undelete_report(u, file->path, F2FS_UNDELETE_TOO_BIG, 0);
	if (!err && file->version.stat.is_encrypted)
		err = lacks_key(u, file, &is_locked);
	if (err)
		return err;
	if (is_locked && u->options->directory) /* the error names the key */
		return undelete_report_failed(u, file->path, F2FS_UNDELETE_ENCRYPTED, "");
	if (is_locked)
		return undelete_report(u, file->path, F2FS_UNDELETE_ENCRYPTED, 0);
	lack = lack_of(u, file);
	if (lack != F2FS_UNDELETE_DONE) {
		u->result.blank += file->version.remains.blank != 0;
		return undelete_report(u, file->path, lack, 0);
	}
	return u->options->directory ? undelete_host_put(u, file) : undelete_stage_take(u, file);
}

static int visit(void *user, const struct f2fs_deleted *file)
{
	struct undelete *u = user;

	return u->options->choose && !u->options->choose(u->options->user, file) ? 0 : take(u, file);
}

/* The version at a block address, out of all of its inode. */
struct wanted {
	f2fs_blk_t addr;
	struct f2fs_version *out;
};

static int pick(void *user, const struct f2fs_version *version)
{
	const struct wanted *w = user;

	if (version->addr == w->addr)
		*w->out = *version;
	return 0;
}

/* Take one old version by its block address, under its own name. */
static int take_version(struct undelete *u)
{
	struct f2fs_deleted file = { .sources = F2FS_DELETED_NODE };
	struct wanted wanted = { .addr = u->options->addr, .out = &file.version };
	struct f2fs_inode *inode;
	char path[40];
	int err = f2fs_inode_open_at(u->vol, u->past, wanted.addr, 0, &inode);

	if (!err) {
		err = f2fs_inode_stat(inode, &file.version.stat);
		file.version.ino = f2fs_inode_number(inode);
		f2fs_inode_close(inode);
	}
	if (!err)
		err = f2fs_past_list_versions(u->past, file.version.ino, pick, &wanted);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/inode-%lu", (unsigned long)file.version.ino);
	file.path = path;
	file.confidence = file.version.confidence;
	file.version.addr = wanted.addr;
	return take(u, &file);
}

/* Check for failed reads: they may hide a newer version of a file, or that a block has a new owner. */
static int check_reads(const struct undelete *u)
{
	struct f2fs_past_stat st = { F2FS_SIZED(f2fs_past_stat) };

	f2fs_past_stat(u->past, &st);
	if (!st.unreadable || undelete_has(u, F2FS_UNDELETE_UNREAD))
		return 0;
	return error_set(u->ctx, F2FS_ERR_IO,
			 "%llu reads failed and may hide newer versions: nothing is brought back",
			 (unsigned long long)st.unreadable);
}

static int search(struct undelete *u)
{
	int err = u->options->addr ? take_version(u) : f2fs_past_list_deleted(u->past, visit, u);

	if (!err && !u->options->directory)
		err = check_reads(u);
	if (!err && !u->result.found)
		err = error_set(u->ctx, F2FS_ERR_NOT_FOUND, "no such deleted file is left");
	return err;
}

static int run_host(struct undelete *u)
{
	int err = undelete_host_open(u);

	if (!err)
		err = search(u);
	undelete_host_close(u);
	return err;
}

static int run_volume(struct undelete *u)
{
	int err = undelete_stage_open(u);

	if (!err)
		err = search(u);
	if (!err)
		err = undelete_stage_sort(u);
	if (!err)
		err = undelete_put_back(u, u->options->into ? u->options->into : "/");
	undelete_stage_close(u);
	return err;
}

int f2fs_undelete(struct f2fs_past *past, const struct f2fs_undelete_options *options,
		  struct f2fs_undelete_result *result)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct undelete u = { .past = past, .vol = past->vol, .ctx = ctx, .host = { .top = -1 } };
	struct f2fs_undelete_options own;
	const struct f2fs_progress *before;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(ctx, result, sizeof(u.result));
	if (!err && own.directory && own.into)
		err = error_set(ctx, F2FS_ERR_INVALID, "undelete writes to the host or to the volume, not to both");
	if (err)
		return err;
	u.options = &own;
	u.buffer = mem_alloc(ctx, UNDELETE_PIECE);
	if (!u.buffer)
		return F2FS_ERR_NOMEM;
	u.progress = (struct f2fs_progress){ .task = "undelete", .phase = "files", .unit = "inodes" };
	before = progress_run(ctx, &u.progress);
	err = own.directory ? run_host(&u) : run_volume(&u);
	progress_run(ctx, before);
	mem_free(ctx, u.buffer);
	if (!err && u.is_missed)
		err = error_set(ctx, F2FS_ERR_INCOMPLETE, "not everything could be brought back");
	else if (!err)
		error_clear(ctx);
	sized_give(result, &u.result, sizeof(u.result));
	return err;
}
