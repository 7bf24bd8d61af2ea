/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep descriptors of directories. Every name is made relative to one, and a directory is only ever opened by its own
 * name in its parent, never through a link. So nothing outside the destination can be reached, however deep or long the
 * paths are. Few are open at a time. A closed one is opened again from the nearest open directory above it, or as ".."
 * of one below when it is still the same.
 */
#include "sink/hostdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "host/attributes.h"
#include "host/files.h"
#include "sink/dir.h"
#include "sink/sink.h"
#include "sink/substitute.h"

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static void unlink_entry(struct host *h, struct host_dir *d)
{
	if (d->older)
		d->older->newer = d->newer;
	else
		h->oldest = d->newer;
	if (d->newer)
		d->newer->older = d->older;
	else
		h->newest = d->older;
}

static void append_entry(struct host *h, struct host_dir *d)
{
	d->older = h->newest;
	d->newer = NULL;
	if (h->newest)
		h->newest->newer = d;
	else
		h->oldest = d;
	h->newest = d;
}

static bool is_top(const struct sink_dir *dir)
{
	return !dir->parent || dir->state == DIR_OUTSIDE;
}

void host_dir_close(struct host *h, struct sink_dir *dir)
{
	struct host_dir *d = dir->host;

	if (!d)
		return;
	unlink_entry(h, d);
	close(d->fd);
	mem_free(h->sink->ctx, d);
	dir->host = NULL;
	h->open_dirs--;
}

/* Remember which directory it is, for when it is opened again. */
static void note_identity(const struct host_dir *d)
{
	struct stat st;

	if (fstat(d->fd, &st))
		return;
	d->dir->host_device = (uint64_t)st.st_dev;
	d->dir->host_inode = (uint64_t)st.st_ino;
}

/* Close directories that were not used for long. */
static void make_room(struct host *h)
{
	struct host_dir *d = h->oldest;

	while (d && h->open_dirs >= HOST_OPEN_DIRS) {
		struct host_dir *newer = d->newer;

		if (!d->pins) {
			note_identity(d);
			host_dir_close(h, d->dir);
		}
		d = newer;
	}
}

/* Take a descriptor as a directory's. */
static int adopt(struct host *h, struct sink_dir *dir, int fd)
{
	struct host_dir *d = mem_zalloc(h->sink->ctx, sizeof(*d));

	if (!d) {
		close(fd);
		return F2FS_ERR_NOMEM;
	}
	d->dir = dir;
	d->fd = fd;
	dir->host = d;
	append_entry(h, d);
	h->open_dirs++;
	return 0;
}

/* Is fd the directory that was open before? Nothing is known of one that never was. */
static bool is_same(const struct sink_dir *dir, int fd)
{
	struct stat st;

	if (!dir->host_inode)
		return true;
	return fstat(fd, &st) == 0 && (uint64_t)st.st_dev == dir->host_device && (uint64_t)st.st_ino == dir->host_inode;
}

/* Open dir from an open directory above it, step by step. */
static int open_below(struct host *h, struct sink_dir *dir, struct sink_dir *above, int *out)
{
	struct sink_dir *step;
	int fd = is_top(above) ? h->top.fd : above->host->fd, next;
	bool is_ours = false;

	/* the way down: each directory knows the one above it, so note the way while going up */
	for (step = dir; step->parent != above; step = step->parent)
		step->parent->next_down = step;
	for (;; step = step->next_down) {
		next = openat(fd, sink_dir_host_name(step), OPEN_DIR);
		if (is_ours)
			close(fd);
		if (next < 0)
			return error_sys(h->sink->ctx, errno, "cannot open the directory %s that was made",
					 sink_dir_host_name(step));
		fd = next;
		is_ours = true;
		if (step == dir)
			break;
	}
	if (!is_same(dir, fd)) {
		close(fd);
		return error_set(h->sink->ctx, F2FS_ERR_STATE, "the directory %s was replaced meanwhile", dir->name);
	}
	*out = fd;
	return 0;
}

int host_dir_get(struct host *h, struct sink_dir *dir, struct host_dir **out)
{
	struct sink_dir *above = dir;
	int fd = -1, err;

	if (is_top(dir)) {
		*out = &h->top;
		return 0;
	}
	if (!dir->host) {
		make_room(h);
		while (!is_top(above) && !above->host)
			above = above->parent;
		err = open_below(h, dir, above, &fd);
		if (!err)
			err = adopt(h, dir, fd);
		if (err)
			return err;
	} else if (dir->host != h->newest) {
		unlink_entry(h, dir->host);
		append_entry(h, dir->host);
	}
	*out = dir->host;
	return 0;
}

void host_dir_open_upwards(struct host *h, struct sink_dir *dir)
{
	struct sink_dir *parent = dir->parent;
	int fd;

	if (dir->host && parent && !is_top(parent) && !parent->host && parent->host_inode) {
		fd = openat(dir->host->fd, "..", OPEN_DIR);
		if (fd >= 0 && !is_same(parent, fd))
			close(fd);
		else if (fd >= 0)
			(void)adopt(h, parent, fd); /* without memory it is opened when it is needed */
	}
}

/* Make a file in the destination, look at it, remove it; the directory's time is as it was. */
static int probe_birth(struct host *h)
{
	char name[64];
	struct host_place place = { 0 };
	struct stat st, top;
	const bool has_time = fstat(h->top.fd, &top) == 0;
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   has_time ? host_mtime(&top) : (struct timespec){ 0 } };
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < 100; i++) {
		snprintf(name, sizeof(name), ".f2fskit-probe-%ld-%u", (long)getpid(), i);
		fd = openat(h->top.fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0777);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0)
		return error_sys(h->sink->ctx, errno, "cannot make files in %s", h->sink->opt.directory);
	if (fstat(fd, &st) == 0) {
		h->birth.uid = st.st_uid;
		h->birth.gid = st.st_gid;
		h->birth.mode_mask = st.st_mode & 0777u;
	}
	close(fd);
	unlinkat(h->top.fd, name, 0);
	h->device = has_time ? (uint64_t)top.st_dev : 0;
	host_names_probe(h);
	if (has_time)
		(void)futimens(h->top.fd, times); /* not the owner's: then it changes */
	place.fd = h->top.fd;
	h->birth.has_acl = host_get_attribute(&place, "system.posix_acl_default", NULL, 0) > 0;
	return 0;
}

int host_open_top(struct host *h)
{
	const char *path = h->sink->opt.directory;

	h->top.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (h->top.fd < 0 && errno == ENOENT) {
		if (mkdir(path, 0777))
			return error_sys(h->sink->ctx, errno, "cannot make %s", path);
		h->made_top = true;
		h->top.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (h->top.fd < 0)
		return error_sys(h->sink->ctx, errno, "cannot open %s", path);
	return probe_birth(h);
}
