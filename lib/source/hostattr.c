/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read extended attributes, inode flags and project ids of the host's files. Files other than regular ones are accessed
 * by a path through /proc, because no call relative to a directory refrains from following links.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "source/attribute.h"
#include "source/hostattr.h"

#if defined(__linux__)
#include <linux/fs.h>

#include "base/host_request.h"
#endif

#define NAMES_ROOM 65536u
#define PATH_ROOM  300u /* "/proc/self/fd/", a number, a name of at most 255 bytes */

/* A file by its descriptor or, without one, by its path. */
struct place {
	int fd;
	const char *path;
};

static ssize_t list(const struct place *at, char *names, size_t room)
{
	return at->fd >= 0 ? flistxattr(at->fd, names, room) : llistxattr(at->path, names, room);
}

static ssize_t get(const struct place *at, const char *name, void *value, size_t room)
{
	return at->fd >= 0 ? fgetxattr(at->fd, name, value, room) : lgetxattr(at->path, name, value, room);
}

static int copy_attributes(struct source *src, const struct place *at, struct source_item *item)
{
	char *value = src->buffer + NAMES_ROOM;
	ssize_t n = list(at, src->buffer, NAMES_ROOM);

	if (n < 0 && errno == ENOTSUP)
		return 0;
	if (n < 0) {
		item->lacks_attributes = true;
		if (errno == ENOENT || errno == EACCES)
			return 0;
		error_sys(src->ctx, errno, "cannot list the attributes");
		return source_problem(src, "attributes");
	}
	for (const char *name = src->buffer; name < src->buffer + n; name += strlen(name) + 1) {
		ssize_t size;
		int err;

		if (!source_attribute_is_wanted(src, name))
			continue;
		size = get(at, name, value, SOURCE_BUFFER - NAMES_ROOM);
		if (size < 0) {
			error_sys(src->ctx, errno, "cannot read the attribute");
			item->lacks_attributes = true;
			err = source_problem(src, name);
		} else {
			err = source_attribute_add(src, name, value, (size_t)size);
		}
		if (err)
			return err;
	}
	return 0;
}

#if defined(__linux__)
static void read_flags(const struct source *src, int fd, struct source_item *item)
{
	struct fsxattr attr;
	int flags;

	if ((src->opt.keep & F2FS_KEEP_FLAGS) && host_request(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		item->flags = (uint32_t)flags;
		item->given |= GIVEN_FLAGS;
	}
	if ((src->opt.keep & F2FS_KEEP_PROJECT) && host_request(fd, FS_IOC_FSGETXATTR, &attr) == 0 && attr.fsx_projid) {
		item->projid = attr.fsx_projid;
		item->given |= GIVEN_PROJECT;
	}
}
#else
static void read_flags(const struct source *src, int fd, struct source_item *item)
{
	(void)p;
	(void)fd;
	(void)item;
}
#endif

/* Flags of files and directories alone: opening anything else may have effects. */
void host_flags(const struct source *src, int at, const char *name, int fd, struct source_item *item)
{
	int own = -1;

	if (!(src->opt.keep & (F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT)))
		return;
	if (fd < 0 && (item->mode & MODE_TYPE) == MODE_DIR)
		fd = own = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		read_flags(src, fd, item);
	if (own >= 0)
		close(own);
}

/* Make the path of a name for calls that take no directory. */
static void write_path(char path[static PATH_ROOM], int at, const char *name)
{
	snprintf(path, PATH_ROOM, "/proc/self/fd/%d/%s", at, name);
}

bool host_has_no_attributes(int at, const char *name, int fd)
{
	char path[PATH_ROOM];
	const struct place place = { .fd = fd, .path = path };
	ssize_t n;

	if (fd < 0)
		write_path(path, at, name);
	n = list(&place, NULL, 0);
	return n == 0 || (n < 0 && errno == ENOTSUP);
}

int host_attributes(struct source *src, int at, const char *name, int fd, struct source_item *item)
{
	char path[PATH_ROOM];
	const struct place place = { .fd = fd, .path = path };

	host_flags(src, at, name, fd, item);
	if (!(src->opt.keep & (F2FS_KEEP_XATTRS | F2FS_KEEP_ACL)))
		return 0;
	if (fd < 0)
		write_path(path, at, name);
	return copy_attributes(src, &place, item);
}
