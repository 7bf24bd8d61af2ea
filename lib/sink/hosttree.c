/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make single files below a directory of the host, by calls relative to descriptors.
 */
#include "sink/hosttree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "format/inode.h"
#include "host/attributes.h"
#include "host/files.h"

static int host_error(const struct host_tree *t, const char *what)
{
	return error_sys(t->ctx, errno, "%s", what);
}

int host_tree_open(struct host_tree *t, struct f2fs_context *ctx, const char *path)
{
	t->ctx = ctx;
	t->top = -1;
	vec_init(&t->made, ctx, sizeof(char *));
	if (mkdir(path, 0777) && errno != EEXIST)
		return host_error(t, path);
	t->top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return t->top < 0 ? host_error(t, path) : 0;
}

void host_tree_close(struct host_tree *t)
{
	if (t->top >= 0)
		close(t->top);
	for (size_t i = 0; i < t->made.count; i++)
		mem_free(t->ctx, *(char **)vec_at(&t->made, i));
	vec_fini(&t->made);
}

int host_tree_make_dir(struct host_tree *t, int dir, const char *name, const char *path, size_t length)
{
	char **made;

	if (mkdirat(dir, name, 0777))
		return errno == EEXIST ? 0 : host_error(t, name);
	made = vec_push(&t->made, 1);
	if (!made)
		return F2FS_ERR_NOMEM;
	*made = mem_alloc(t->ctx, length + 1);
	if (!*made)
		return F2FS_ERR_NOMEM;
	memcpy(*made, path, length);
	(*made)[length] = '\0';
	return 0;
}

int host_tree_enter(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

void host_tree_leave(int dir)
{
	if (dir >= 0)
		close(dir);
}

int host_tree_parent(struct host_tree *t, const char *path, char name[HOST_NAME_ROOM], int *out)
{
	const char *const whole = path;
	int dir = dup(t->top);

	while (dir >= 0) {
		const char *end;
		size_t n;
		int err, next;

		path += strspn(path, "/");
		end = strchr(path, '/');
		n = end ? (size_t)(end - path) : strlen(path);
		if (n == 0 || n >= HOST_NAME_ROOM - 40) {
			close(dir);
			return error_sys(t->ctx, ENAMETOOLONG, "a name");
		}
		memcpy(name, path, n);
		name[n] = '\0';
		if (!end) {
			*out = dir;
			return 0;
		}
		err = host_tree_make_dir(t, dir, name, whole, (size_t)(end - whole));
		next = err ? -1 : host_tree_enter(dir, name);
		if (!err && next < 0)
			err = host_error(t, name);
		close(dir);
		if (err)
			return err;
		dir = next;
		path = end;
	}
	return host_error(t, whole);
}

int host_tree_create(struct host_tree *t, int dir, const char *name, int *out)
{
	*out = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return *out < 0 ? host_error(t, name) : 0;
}

int host_tree_symlink(struct host_tree *t, const char *target, int dir, const char *name)
{
	return symlinkat(target, dir, name) ? host_error(t, name) : 0;
}

int host_tree_special(struct host_tree *t, const struct f2fs_stat *st, int dir, const char *name)
{
	const mode_t mode = (mode_t)(st->mode & (MODE_TYPE | 0777));

	return host_mknod(dir, name, mode, host_device(st->rdev_major, st->rdev_minor)) ? host_error(t, name) : 0;
}

int host_tree_link(struct host_tree *t, int dir, const char *name, int to, const char *other)
{
	return linkat(dir, name, to, other, 0) ? host_error(t, other) : 0;
}

void host_tree_remove(int dir, const char *name)
{
	unlinkat(dir, name, 0);
}

int host_tree_resize(struct host_tree *t, int fd, uint64_t size)
{
	return ftruncate(fd, (off_t)size) ? host_error(t, "size") : 0;
}

int host_tree_write(struct host_tree *t, int fd, uint64_t offset, const uint8_t *bytes, size_t length)
{
	for (size_t at = 0; at < length;) {
		const ssize_t n = pwrite(fd, bytes + at, length - at, (off_t)(offset + at));

		if (n <= 0)
			return host_error(t, "write");
		at += (size_t)n;
	}
	return 0;
}

int host_tree_put_xattr(struct host_tree *t, int fd, const struct f2fs_xattr *x)
{
	const struct host_place place = { .fd = fd };

	return host_set_attribute(&place, x->name, x->value, x->value_size) ? host_error(t, x->name) : 0;
}

void host_tree_set_attributes(int fd, const struct f2fs_stat *st)
{
	const struct timespec times[2] = { { (time_t)st->atime.seconds, (long)(st->atime.nanoseconds % 1000000000u) },
					   { (time_t)st->mtime.seconds, (long)(st->mtime.nanoseconds % 1000000000u) } };

	if (geteuid() == 0 && fchown(fd, st->uid, st->gid))
		errno = 0;
	if (fchmod(fd, st->mode & 0777) || futimens(fd, times))
		errno = 0;
}

int host_tree_close_file(struct host_tree *t, int fd, const char *name)
{
	return close(fd) ? host_error(t, name) : 0;
}
