/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes under macOS. Its names have no part for who may use them: "color" is Linux's "user.color". The
 * other kinds of Linux ("security.", "trusted.", "system.") keep their whole names, so that nothing is lost on the way
 * back.
 */
#include "host/attributes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define USER	  "user."
#define USER_SIZE (sizeof(USER) - 1)

static bool has_kind(const char *name)
{
	static const char *const kinds[] = { "security.", "trusted.", "system." };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

static const char *own_name(const char *name)
{
	return strncmp(name, USER, USER_SIZE) == 0 ? name + USER_SIZE : name;
}

/* A descriptor of the file itself, a link included. *owned: to be closed. */
static int open_place(const struct host_place *at, bool *owned)
{
	*owned = at->fd < 0;
	return *owned ? openat(at->dir, at->name, O_RDONLY | O_SYMLINK | O_NONBLOCK | O_CLOEXEC) : at->fd;
}

static void close_place(int fd, bool owned)
{
	const int why = errno;

	if (owned)
		close(fd);
	errno = why;
}

/* Put the missing kinds in front of the names, from the last one to the first. */
static ssize_t add_kinds(char *names, ssize_t size, size_t room)
{
	size_t need = 0, to;

	for (ssize_t at = 0; at < size; at += (ssize_t)strlen(names + at) + 1)
		need += strlen(names + at) + 1 + (has_kind(names + at) ? 0 : USER_SIZE);
	if (need > room) {
		errno = ERANGE;
		return -1;
	}
	to = need;
	for (ssize_t end = size; end > 0;) {
		ssize_t start = end - 1;
		size_t length;

		while (start > 0 && names[start - 1])
			start--;
		length = (size_t)(end - start);
		to -= length;
		memmove(names + to, names + start, length);
		if (!has_kind(names + to)) {
			to -= USER_SIZE;
			memcpy(names + to, USER, USER_SIZE);
		}
		end = start;
	}
	return (ssize_t)need;
}

ssize_t host_list_attributes(const struct host_place *at, char *names, size_t room)
{
	bool owned;
	const int fd = open_place(at, &owned);
	ssize_t size;

	if (fd < 0)
		return -1;
	size = flistxattr(fd, room ? names : NULL, room, 0);
	close_place(fd, owned);
	if (size <= 0)
		return size;
	return room ? add_kinds(names, size, room) : size * (ssize_t)(USER_SIZE + 1); /* at most */
}

ssize_t host_get_attribute(const struct host_place *at, const char *name, void *value, size_t room)
{
	bool owned;
	const int fd = open_place(at, &owned);
	ssize_t size;

	if (fd < 0)
		return -1;
	size = fgetxattr(fd, own_name(name), room ? value : NULL, room, 0, 0);
	close_place(fd, owned);
	return size;
}

int host_set_attribute(const struct host_place *at, const char *name, const void *value, size_t size)
{
	bool owned;
	const int fd = open_place(at, &owned);
	int rc;

	if (fd < 0)
		return -1;
	rc = fsetxattr(fd, own_name(name), value, size, 0, 0);
	close_place(fd, owned);
	return rc;
}

int host_remove_attribute(int fd, const char *name)
{
	return fremovexattr(fd, own_name(name), 0);
}
