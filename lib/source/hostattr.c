/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read extended attributes, inode flags and project ids of the host's files.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "host/attributes.h"
#include "host/inode_flags.h"
#include "source/attribute.h"
#include "source/hostattr.h"

#define NAMES_ROOM 65536u

static int copy_attributes(struct source *src, const struct host_place *at, struct source_item *item)
{
	char *value = src->buffer + NAMES_ROOM;
	ssize_t n = host_list_attributes(at, src->buffer, NAMES_ROOM);

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
		size = host_get_attribute(at, name, value, SOURCE_BUFFER - NAMES_ROOM);
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

static void read_flags(const struct source *src, int fd, struct source_item *item)
{
	uint32_t projid;

	if ((src->opt.keep & F2FS_KEEP_FLAGS) && host_get_flags(fd, &item->flags) == 0)
		item->given |= GIVEN_FLAGS;
	if ((src->opt.keep & F2FS_KEEP_PROJECT) && host_get_project(fd, &projid) == 0 && projid) {
		item->projid = projid;
		item->given |= GIVEN_PROJECT;
	}
}

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

bool host_has_no_attributes(int at, const char *name, int fd)
{
	const struct host_place place = { .fd = fd, .dir = at, .name = name };
	const ssize_t n = host_list_attributes(&place, NULL, 0);

	return n == 0 || (n < 0 && errno == ENOTSUP);
}

int host_attributes(struct source *src, int at, const char *name, int fd, struct source_item *item)
{
	const struct host_place place = { .fd = fd, .dir = at, .name = name };

	host_flags(src, at, name, fd, item);
	if (!(src->opt.keep & (F2FS_KEEP_XATTRS | F2FS_KEEP_ACL)))
		return 0;
	return copy_attributes(src, &place, item);
}
