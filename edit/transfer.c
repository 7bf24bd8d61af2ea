/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole directories into the volume and out of it: put -r and get -r. The library's populate and extract do the work;
 * this file turns operands into their options, and reports entries that could not be copied.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/join.h"
#include "edit/failure.h"
#include "edit/paths.h"
#include "edit/transfer.h"
#include "host/attributes.h"

static int tell_put(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail)
{
	struct edit *e = user;

	cli_error(&e->cli, "%s: %s%s%s", path, what, what[0] ? ": " : "", detail->message);
	return cli_stopped();
}

static int tell_get(void *user, const struct f2fs_extract_problem *problem)
{
	struct edit *e = user;

	if (problem->is_counted)
		cli_error(&e->cli, "%s: %s%s%s", problem->path, problem->what, problem->what[0] ? ": " : "",
			  problem->detail->message);
	return cli_stopped();
}

int edit_put_tree(struct edit *e, const char *source, const char *operand, int keeps_owner)
{
	struct f2fs_populate_options options = { F2FS_SIZED(f2fs_populate_options) };
	struct f2fs_populate_result result = { F2FS_SIZED(f2fs_populate_result) };
	char *plain = realpath(source, NULL); /* "." and "dir/.." have a name, too */
	struct edit_name name;
	int rc;

	if (!plain)
		return edit_host_fail(e, source);
	options.directory = source;
	options.keep = F2FS_KEEP_DEFAULT & ~(keeps_owner ? 0U : (unsigned)F2FS_KEEP_OWNER);
	options.existing = F2FS_EXISTING_REPLACE;
	options.problem = tell_put;
	options.user = e;
	if (!strcmp(plain, "/")) { /* which has no name */
		free(plain);
		options.target = operand;
		rc = f2fs_populate(e->vol, &options, &result);
		return rc ? edit_fail(e, rc, source) : 0;
	}
	rc = edit_name_open_into(e, operand, plain, &name);
	free(plain);
	if (rc)
		return rc;
	options.target = name.path;
	rc = f2fs_populate(e->vol, &options, &result);
	if (rc)
		edit_fail(e, rc, source);
	edit_name_close(&name);
	return rc;
}

static struct timespec timespec_of(const struct f2fs_time *t)
{
	struct timespec out = { .tv_sec = (time_t)t->seconds, .tv_nsec = (long)t->nanoseconds };

	return out;
}

/* Attributes that the host does not take are left out, as extraction does. */
static void set_xattrs(struct f2fs_inode *inode, const char *path)
{
	const struct host_place place = { .fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) };
	struct f2fs_xattr x;

	if (place.fd < 0)
		return;
	for (unsigned i = 0; f2fs_xattr_at(inode, i, &x) == 0; i++)
		if (!x.is_internal)
			(void)!host_set_attribute(&place, x.name, x.value, x.value_size);
	close(place.fd);
}

/* Give the copy, which has a chosen name, the attributes of the directory in the volume. */
static int finish_top(struct edit *e, struct f2fs_inode *inode, const char *path)
{
	struct timespec times[2];
	struct f2fs_stat st;
	int rc = f2fs_inode_stat(inode, &st);

	if (rc)
		return edit_fail(e, rc, path);
	set_xattrs(inode, path);
	times[0] = timespec_of(&st.atime);
	times[1] = timespec_of(&st.mtime);
	if ((geteuid() == 0 && chown(path, st.uid, st.gid) != 0) || chmod(path, st.mode & 01777) != 0 ||
	    utimensat(AT_FDCWD, path, times, 0) != 0)
		return edit_host_fail(e, path);
	return 0;
}

int edit_get_tree(struct edit *e, struct f2fs_inode *inode, const char *source, const char *operand)
{
	struct f2fs_extract_options options = { F2FS_SIZED(f2fs_extract_options) };
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };
	char *path = edit_path(e, source);
	int is_new = operand && mkdir(operand, 0700) == 0, rc;
	const char *paths[1];

	if (!path)
		return edit_no_memory(e);
	paths[0] = path;
	options.paths = paths;
	options.path_count = 1;
	options.directory = operand ? operand : ".";
	options.flags = F2FS_EXTRACT_RELATIVE;
	options.strip = is_new && strspn(path, "/") < strlen(path); /* it is the copy itself */
	options.existing = F2FS_EXISTING_REPLACE;
	options.problem = tell_get;
	options.user = e;
	rc = f2fs_extract(e->vol, &options, &result);
	free(path);
	if (rc)
		return edit_fail(e, rc, source);
	return is_new ? finish_top(e, inode, operand) : 0;
}
