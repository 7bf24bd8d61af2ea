/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make staged files again in the volume, as part of its running transaction.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "forensics/past.h"
#include "undelete/put_back.h"
#include "undelete/stage.h"
#include "undelete/undelete_report.h"

static bool is_directory(const struct staged *s)
{
	return (s->stat.mode & MODE_TYPE) == MODE_DIR;
}

/* Return the first attributes of a new directory or file. */
static struct f2fs_new new_of(const struct undelete *u, uint32_t type)
{
	const struct f2fs_time now = u->options->now;

	return (struct f2fs_new){
		F2FS_SIZED(f2fs_new), .mode = type | (type == MODE_DIR || type == MODE_LNK ? 0777 : 0666),
		.umask = 022,	      .atime = now,
		.mtime = now,	      .ctime = now,
		.crtime = now
	};
}

/* Open the directory below dir that a component names, making it when it is missing. Takes over dir. */
static int step_into(struct undelete *u, struct f2fs_inode *dir, const char *name, size_t length,
		     struct f2fs_inode **out)
{
	const struct f2fs_new spec = new_of(u, MODE_DIR);
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, length, &entry);

	if (!err)
		err = f2fs_inode_open(u->vol, entry.ino, out);
	else if (err == F2FS_ERR_NOT_FOUND)
		err = f2fs_create(dir, name, length, &spec, out);
	f2fs_inode_close(dir);
	return err;
}

/* Open the directory for a file. *name is its last component. */
static int open_parent(struct undelete *u, const char *top, const char *path, const char **name,
		       struct f2fs_inode **out)
{
	struct f2fs_inode *dir;
	int err = f2fs_lookup(u->vol, top, F2FS_LOOKUP_FOLLOW, &dir);
	const char *slash;

	while (!err && (slash = strchr(path, '/')) != NULL) {
		err = step_into(u, dir, path, (size_t)(slash - path), &dir);
		path = slash + 1;
	}
	if (err)
		return err;
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
	struct undelete_policy has;

	undelete_policy_of(dir, &has);
	if (has.size)
		return 0;
	memcpy(id == 8 ? policy.key.identifier : policy.key.descriptor, bytes + id, s->policy.size - id);
	return f2fs_inode_encrypt(dir, &policy);
}

/* Link the further names that a file had. An entry that now has one of them stays. */
static int link_all(struct undelete *u, const char *top, const struct staged *s, struct f2fs_inode *inode)
{
	int err = 0;

	for (uint32_t i = 0; i < s->link_count && !err; i++) {
		struct f2fs_inode *dir;
		const char *name;

		err = open_parent(u, top, s->links[i], &name, &dir);
		if (err)
			break;
		err = f2fs_link(dir, name, strlen(name), inode);
		f2fs_inode_close(dir);
		if (err == F2FS_ERR_EXISTS || err == F2FS_ERR_XDEV)
			err = undelete_report_failed(u, s->links[i], F2FS_UNDELETE_NO_LINK, "");
	}
	return err;
}

static int make(struct undelete *u, const char *top, struct f2fs_inode *dir, const char *name, struct staged *s)
{
	const unsigned which = F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_ATIME | F2FS_SET_MTIME;
	const uint32_t type = s->stat.mode & MODE_TYPE;
	struct f2fs_new spec = new_of(u, type);
	struct f2fs_inode *inode;
	int err;

	spec.rdev_major = s->stat.rdev_major;
	spec.rdev_minor = s->stat.rdev_minor;
	spec.target = s->target;
	spec.target_length = s->target ? strlen(s->target) : 0;
	err = f2fs_create(dir, name, strlen(name), &spec, &inode);
	if (err)
		return err;
	if (type == MODE_DIR) {
		s->made = f2fs_inode_number(inode);
		err = s->policy.size ? encrypt(inode, s) : 0;
	} else if (type == MODE_REG) {
		err = undelete_stage_write(u, s, inode);
	}
	for (const struct staged_xattr *x = s->xattrs; x && !err; x = x->next)
		err = f2fs_xattr_set(inode, x->name, x->value, x->size);
	if (!err)
		err = f2fs_inode_set(inode, type == MODE_LNK ? which & ~(unsigned)F2FS_SET_MODE : which, &s->stat);
	if (!err)
		err = link_all(u, top, s, inode);
	f2fs_inode_close(inode);
	return err;
}

static int report_back(struct undelete *u, const struct staged *s)
{
	int err = 0;

	if (s->lost_attributes)
		err = undelete_report(u, s->path, F2FS_UNDELETE_NO_ATTRIBUTE, s->lost_attributes);
	return err ? err
		   : undelete_report_back(u, s->path, is_directory(s) ? 0 : s->confidence, s->lost, s->blank,
					  s->lost_attributes);
}

/* Where the name is taken another one is made; a directory that is there already is the one. */
static int put_one(struct undelete *u, const char *top, struct staged *s)
{
	struct undelete_policy policy;
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
	char other[300];
	const char *name;
	int err = open_parent(u, top, s->path, &name, &dir);

	if (err)
		return err;
	err = f2fs_dir_lookup(dir, name, strlen(name), &entry);
	if (!err && entry.type == F2FS_TYPE_DIRECTORY && is_directory(s)) {
		f2fs_inode_close(dir);
		return report_back(u, s);
	}
	undelete_policy_of(dir, &policy);
	if (s->policy.size && !is_directory(s) &&
	    (policy.size != s->policy.size || memcmp(policy.bytes, s->policy.bytes, policy.size) != 0)) {
		f2fs_inode_close(dir);
		u->result.blank += s->blank != 0;
		return undelete_report(u, s->path, F2FS_UNDELETE_OTHER_POLICY, 0);
	}
	if (!err) {
		snprintf(other, sizeof(other), "%.200s.~%lu", name, (unsigned long)s->addr);
		name = other;
	}
	err = make(u, top, dir, name, s);
	f2fs_inode_close(dir);
	return err ? err : report_back(u, s);
}

/* Names that came back into a directory changed its times: give it those that it had. */
static int restore_times(struct undelete *u, const struct staged *s)
{
	struct f2fs_inode *dir;
	int err = f2fs_inode_open(u->vol, s->made, &dir);

	if (!err) {
		err = f2fs_inode_set(dir, F2FS_SET_ATIME | F2FS_SET_MTIME, &s->stat);
		f2fs_inode_close(dir);
	}
	return err;
}

int undelete_put_back(struct undelete *u, const char *top)
{
	int err = 0;

	u->progress.phase = "bringing back";
	u->progress.total = u->result.found;
	u->progress.done = 0;
	for (struct staged *s = u->first; s && !err; s = s->next, u->progress.done++) {
		err = progress_report(u->ctx, &u->progress);
		if (!err)
			err = put_one(u, top, s);
		if (err)
			error_append(u->ctx, " (undelete of /%.200s)", s->path);
	}
	for (const struct staged *s = u->first; s && !err; s = s->next)
		err = s->made ? restore_times(u, s) : 0;
	return err;
}
