/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes under FreeBSD: those of users ("user.") and of the system ("system.", for root). Others, and
 * files that are neither regular nor directories, have none.
 */
#include "host/attributes.h"

#include <sys/extattr.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct kind {
	const char *prefix;
	size_t length;
	int space;
} kinds[] = {
	{ "user.", 5, EXTATTR_NAMESPACE_USER },
	{ "system.", 7, EXTATTR_NAMESPACE_SYSTEM },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strncmp(name, kinds[i].prefix, kinds[i].length) == 0)
			return &kinds[i];
	errno = ENOTSUP;
	return NULL;
}

/* *owned: to be closed. Opening anything but a directory could have effects. */
static int open_place(const struct host_place *at, bool *owned)
{
	struct stat st;

	*owned = false;
	if (at->fd >= 0)
		return at->fd;
	if (fstatat(at->dir, at->name, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (!S_ISDIR(st.st_mode)) {
		errno = ENOTSUP;
		return -1;
	}
	*owned = true;
	return openat(at->dir, at->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void close_place(int fd, bool owned)
{
	const int why = errno;

	if (owned)
		close(fd);
	errno = why;
}

/* FreeBSD lists a length and a name without a zero; put the kind in front and a zero behind, within room. */
static ssize_t convert(const struct kind *kind, char *names, size_t size, size_t used, size_t room)
{
	char own[EXTATTR_MAXNAMELEN + 1];
	size_t need = 0, from;

	for (size_t at = 0; at < size; at += 1 + (uint8_t)names[used + at])
		need += kind->length + (uint8_t)names[used + at] + 1;
	if (used + need + size > room) { /* the list moves to the end of the room first */
		errno = ERANGE;
		return -1;
	}
	from = room - size;
	memmove(names + from, names + used, size);
	for (size_t at = 0; at < size;) {
		const size_t length = (uint8_t)names[from + at];

		memcpy(own, names + from + at + 1, length);
		memcpy(names + used, kind->prefix, kind->length);
		memcpy(names + used + kind->length, own, length);
		used += kind->length + length;
		names[used++] = 0;
		at += 1 + length;
	}
	return (ssize_t)used;
}

ssize_t host_list_attributes(const struct host_place *at, char *names, size_t room)
{
	bool owned;
	const int fd = open_place(at, &owned);
	ssize_t used = 0;

	if (fd < 0)
		return -1;
	for (size_t i = 0; i < KINDS && used >= 0; i++) {
		const ssize_t size = extattr_list_fd(fd, kinds[i].space, room ? names + used : NULL,
						     room ? room - (size_t)used : 0);

		if (size < 0 && (i > 0 || errno == EPERM))
			continue; /* those of the system are for root */
		if (size < 0)
			used = -1;
		else
			used = room ? convert(&kinds[i], names, (size_t)size, (size_t)used, room) : used + size * 9;
	}
	close_place(fd, owned);
	return used;
}

ssize_t host_get_attribute(const struct host_place *at, const char *name, void *value, size_t room)
{
	const struct kind *kind = kind_of(name);
	bool owned;
	const int fd = kind ? open_place(at, &owned) : -1;
	ssize_t size;

	if (fd < 0)
		return -1;
	size = extattr_get_fd(fd, kind->space, name + kind->length, room ? value : NULL, room);
	close_place(fd, owned);
	return size;
}

int host_set_attribute(const struct host_place *at, const char *name, const void *value, size_t size)
{
	const struct kind *kind = kind_of(name);
	bool owned;
	const int fd = kind ? open_place(at, &owned) : -1;
	ssize_t done;

	if (fd < 0)
		return -1;
	done = extattr_set_fd(fd, kind->space, name + kind->length, value, size);
	close_place(fd, owned);
	return done < 0 ? -1 : 0;
}

int host_remove_attribute(int fd, const char *name)
{
	const struct kind *kind = kind_of(name);

	return kind ? extattr_delete_fd(fd, kind->space, name + kind->length) : -1;
}
