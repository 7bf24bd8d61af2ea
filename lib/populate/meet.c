/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Apply the policy to a name that already exists in the volume. An entry to be replaced is renamed first and removed
 * when the new file is complete, so a source that fails costs nothing.
 */
#include "populate/meet.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/dir_read.h"
#include "file/name.h"
#include "populate/compress.h"
#include "populate/delete.h"
#include "populate/new_inode.h"
#include "populate/report.h"
#include "populate/run.h"
#include "populate/same_contents.h"

#define MAX_TARGET 16385u /* bytes: a block and a NUL */

static bool is_same_time(const struct f2fs_time *a, const struct f2fs_time *b)
{
	return a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

/* Does a symbolic link of the volume lead where the item does? */
static int compare_target(struct populate *p, struct f2fs_inode *inode, const struct source_item *item, bool *same)
{
	char *target = mem_alloc(p->ctx, MAX_TARGET);
	size_t length;
	int err = target ? f2fs_inode_readlink(inode, target, MAX_TARGET, &length) : F2FS_ERR_NOMEM;

	if (!err)
		*same = length == item->target_length && memcmp(target, item->target, length) == 0;
	mem_free(p->ctx, target);
	return err;
}

/*
 * Is a regular file of the volume the item's, by its size and time? With several names that is not enough: another file
 * may have this name now, and the names of a file that was taken for it would all become its names.
 */
static int compare_file(struct populate *p, struct f2fs_inode *inode, const struct f2fs_stat *stat,
			const struct source_item *item, bool *same)
{
	const bool is_linked = item->has_links || map32_find(&p->linked, f2fs_inode_number(inode));

	*same = !p->opt.has_time && (p->opt.keep & F2FS_KEEP_TIMES) && (item->given & GIVEN_MTIME) &&
		!(item->forced & GIVEN_MTIME) && stat->size == item->size && is_same_time(&stat->mtime, &item->mtime);
	return *same && is_linked ? populate_same_contents(p, inode, item, same) : 0;
}

/* Compare an inode with the item, as far as possible without reading contents. */
static int compare(struct populate *p, struct f2fs_inode *inode, const struct f2fs_stat *stat,
		   const struct source_item *item, bool *same)
{
	*same = false;
	if (item->link || ((stat->mode ^ item->mode) & MODE_TYPE))
		return 0;
	switch (item->mode & MODE_TYPE) {
	case MODE_REG:
		return compare_file(p, inode, stat, item, same);
	case MODE_LNK:
		return compare_target(p, inode, item, same);
	case MODE_CHR:
	case MODE_BLK:
		*same = stat->rdev_major == item->rdev_major && stat->rdev_minor == item->rdev_minor;
		return 0;
	default:
		*same = true;
		return 0;
	}
}

/*
 * Could an inode have been made from the item's file? One file of the volume is one of the source: not another one that
 * was met before, and not this one, if the item has become another inode. Others of its names may be replaced before
 * the last one is met, so the fact that it had several is remembered.
 */
static int check_links(struct populate *p, const struct f2fs_stat *stat, f2fs_nid_t ino, const struct source_item *item,
		       bool *fits)
{
	const uint64_t *linked = map32_find(&p->linked, ino);

	*fits = !(linked && *linked == POPULATE_TAKEN) && source_link_find(&p->links, item) == F2FS_NO_NID;
	return !linked && stat->nlink > 1 ? map32_set(&p->linked, ino, POPULATE_LINKED) : 0;
}

/* Leave an entry that is the same but for its attributes. */
static int keep(struct populate *p, f2fs_nid_t ino, struct source_item *item, bool *done)
{
	struct f2fs_inode *inode;
	struct f2fs_stat stat;
	bool fits = false;
	int err = populate_open(p, ino, &inode);

	if (err)
		return err;
	err = f2fs_inode_stat(inode, &stat);
	if (!err)
		err = check_links(p, &stat, ino, item, &fits);
	if (!err && fits)
		err = compare(p, inode, &stat, item, done);
	if (!err && *done) {
		p->result->kept++;
		err = populate_update(p, inode, item, &p->src.attributes);
		if (!err)
			err = source_link_add(&p->links, item, ino);
		if (!err && map32_find(&p->linked, ino))
			err = map32_set(&p->linked, ino, POPULATE_TAKEN);
	}
	f2fs_inode_close(inode);
	return err;
}

/* Find a name that the directory does not have. */
static int choose_name(const struct populate *p, struct f2fs_inode *dir, f2fs_nid_t ino, struct populate_aside *aside)
{
	struct f2fs_dirent entry;
	int err = 0;

	for (unsigned i = 0; !err && i < 1000; i++) {
		snprintf(aside->name, sizeof(aside->name), ".replaced-%u-%u", (unsigned)ino, i);
		err = f2fs_dir_lookup(dir, aside->name, strlen(aside->name), &entry);
	}
	if (err == F2FS_ERR_NOT_FOUND)
		return 0;
	return err ? err : error_set(p->ctx, F2FS_ERR_EXISTS, "no temporary name is free for the replaced file");
}

/* Get a name out of the way. */
static int set_aside(struct populate *p, struct f2fs_inode *dir, const char *name, const struct f2fs_dirent *entry,
		     struct populate_aside *aside)
{
	const size_t length = strlen(name);
	int err = 0;

	if (entry->type == F2FS_TYPE_DIRECTORY && !aside->is_tree)
		err = dir_need_empty(p->vol, entry->ino);
	if (!err && aside->is_tree)
		err = populate_may_remove(p, dir, name, length);
	if (err)
		return err;
	if (p->vol->write.commit_when_full) /* there may be no room for both */
		return aside->is_tree ? populate_remove(p, dir, name, length) : f2fs_remove(dir, name, length);
	err = choose_name(p, dir, entry->ino, aside);
	if (!err)
		err = f2fs_rename(dir, name, length, dir, aside->name, strlen(aside->name), F2FS_RENAME_NO_REPLACE);
	return err;
}

int populate_end_meet(struct populate *p, struct f2fs_inode *dir, const char *name, const struct populate_aside *aside,
		    int err)
{
	const struct f2fs_error_detail detail = p->ctx->error;
	const size_t length = strlen(aside->name);
	int failed;

	if (length == 0 || (err && (p->src.is_broken || populate_is_fatal(p, err))))
		return err;
	if (err)
		failed = f2fs_rename(dir, aside->name, length, dir, name, strlen(name), F2FS_RENAME_NO_REPLACE);
	else if (aside->is_tree)
		failed = populate_remove(p, dir, aside->name, length);
	else
		failed = f2fs_remove(dir, aside->name, length);
	p->result->replaced -= err != 0;
	if (failed) {
		p->is_of_source = false;
		return failed;
	}
	p->ctx->error = detail;
	return err;
}

int populate_meet(struct populate *p, struct f2fs_inode *dir, const char *name, struct source_item *item, bool *done,
		  struct populate_aside *aside)
{
	const size_t length = strlen(name);
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, length, &entry);
	bool is_own;

	*done = false;
	memset(aside, 0, sizeof(*aside));
	if (err)
		return err;
	is_own = map32_find(&p->made, entry.ino) != NULL;
	if (!is_own && p->opt.existing == F2FS_EXISTING_REFUSE)
		return error_set(p->ctx, F2FS_ERR_EXISTS, "the name exists already");
	if (!is_own && p->opt.existing == F2FS_EXISTING_SKIP) {
		p->result->skipped++;
		*done = true;
		return 0;
	}
	if (!is_own && p->opt.existing == F2FS_EXISTING_UPDATE) {
		err = keep(p, entry.ino, item, done);
		if (err || *done)
			return err;
	}
	aside->is_tree = entry.type == F2FS_TYPE_DIRECTORY && (p->opt.flags & F2FS_POPULATE_DELETE) && !is_own;
	err = set_aside(p, dir, name, &entry, aside);
	p->result->replaced += !err && !is_own;
	return err;
}
