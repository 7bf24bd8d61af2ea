/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes are set before the mode: an access control list changes it, and the mode then restores its permissions.
 */
#include "cli/host_attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/attributes.h"

#define ACCESS_LIST "system.posix_acl_access"

static int begins_with(const char *name, const char *start)
{
	return strncmp(name, start, strlen(start)) == 0;
}

/* Does the attribute depend on the contents, which change? */
static int is_of_contents(const char *name)
{
	return begins_with(name, "security.ima") || begins_with(name, "security.evm") ||
	       begins_with(name, "security.capability");
}

/* Labels are the host's matter: it may give others, or none. */
static int is_needed(const char *name)
{
	return begins_with(name, "user.") || strcmp(name, ACCESS_LIST) == 0;
}

static ssize_t ask(int fd, const char *name, char *bytes, size_t room)
{
	const struct host_place place = { .fd = fd };

	return name ? host_get_attribute(&place, name, bytes, room) : host_list_attributes(&place, bytes, room);
}

/* The names of all attributes (name NULL) or the value of one; NULL with errno, 0 when there are none. */
static char *get_bytes(int fd, const char *name, ssize_t *size)
{
	char *bytes = NULL;

	for (;;) {
		char *more;
		const ssize_t room = ask(fd, name, NULL, 0);

		more = room < 0 ? NULL : realloc(bytes, (size_t)room + 1);
		if (!more)
			break;
		bytes = more;
		*size = room ? ask(fd, name, bytes, (size_t)room) : 0;
		if (*size >= 0)
			return bytes;
		if (errno != ERANGE) /* else it has grown */
			break;
	}
	free(bytes);
	return NULL;
}

static int copy_one(int from, int to, const char *name)
{
	ssize_t size;
	char *value = get_bytes(from, name, &size);
	const struct host_place place = { .fd = to };
	int rc = value ? host_set_attribute(&place, name, value, (size_t)size) : -1;
	const int why = errno;

	free(value);
	errno = why;
	return rc;
}

static int copy_extended(struct cli *cli, const char *path, int from, int to)
{
	ssize_t size, at;
	char *names = get_bytes(from, NULL, &size);
	int rc = 0;

	if (!names && errno == ENOTSUP)
		return 0;
	host_remove_attribute(to, ACCESS_LIST); /* that of the directory, for new files */
	for (at = 0; names && at < size && !rc; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;

		if (is_of_contents(name) || copy_one(from, to, name) == 0 || !is_needed(name))
			continue;
		cli_error(cli, "%s: its attribute %s cannot be kept: %s", path, name, strerror(errno));
		rc = -1;
	}
	if (!names) {
		cli_error(cli, "%s: its attributes cannot be read: %s", path, strerror(errno));
		rc = -1;
	}
	free(names);
	return rc;
}

/* Give it the owner and group, and return the mode that it may have. */
static mode_t give_owner(int to, const struct stat *st)
{
	mode_t mode = st->st_mode & 07777;

	if (fchown(to, st->st_uid, st->st_gid) == 0)
		return mode;
	mode &= 01777; /* nobody becomes somebody else by it */
	if (fchown(to, (uid_t)-1, st->st_gid) != 0)
		mode &= (mode_t) ~(S_IRWXG & ~(mode << 3)); /* another group gets what everybody gets */
	return mode;
}

int cli_copy_attributes(struct cli *cli, const char *path, int from, int to)
{
	struct stat st;
	mode_t mode;

	if (fstat(from, &st) == 0) {
		mode = give_owner(to, &st);
		if (copy_extended(cli, path, from, to))
			return -1;
		if (fchmod(to, mode) == 0)
			return 0;
	}
	cli_error(cli, "%s: %s", path, strerror(errno));
	return -1;
}
