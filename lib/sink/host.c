/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory sink: directories, links and special files, made at once on the walk's thread. Also opens and closes
 * the sink.
 */

#include "sink/host.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/files.h"
#include "sink/hostattr.h"
#include "sink/hostdir.h"
#include "sink/hostpipe.h"
#include "sink/plan.h"
#include "sink/retire.h"
#include "sink/sink.h"
#include "sink/substitute.h"

static int existing_policy(const struct host *h)
{
	return h->sink->opt.existing;
}

/* ---- directories */

/* Make a directory, or enter an existing one. Returns 0, an errno or HOST_ALIAS. */
static int make_or_enter(struct host *h, struct sink_dir *dir, const struct host_target *t)
{
	int sys_errno;
	struct stat st;

	dir->state = DIR_MADE;
	if (mkdirat(t->dir_fd, t->name, 0700) == 0)
		return 0;
	sys_errno = errno;
	if (sys_errno == EEXIST && fstatat(t->dir_fd, t->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
	    !(t->is_choosy && host_is_alias(t->dir_fd, t->name))) {
		dir->state = DIR_ENTERED;
		dir->is_foreign = true;
		dir->is_choosy = dir->is_choosy || (uint64_t)st.st_dev != h->device;
		return 0;
	}
	if (host_make_way(h, t, &sys_errno))
		sys_errno = mkdirat(t->dir_fd, t->name, 0700) == 0 ? 0 : errno;
	return sys_errno;
}

/* The host refused every name of a directory. */
static int refuse_dir(struct host *h, struct sink_dir *dir, int sys_errno)
{
	const struct sink_place place = { .dir = dir, .ino = dir->ino };

	dir->state = DIR_FAILED;
	if (sys_errno == EEXIST && existing_policy(h) == F2FS_EXISTING_SKIP) {
		h->sink->result->skipped++;
		return SINK_LEFT;
	}
	return host_refused(h, sys_errno == EEXIST ? ENOTDIR : sys_errno, &place, "cannot make the directory");
}

/* The directory was made: note the name that it has. */
static int note_name(struct host *h, struct sink_dir *dir, const struct sink_place *place,
		     const struct host_naming *naming)
{
	char substitute[SINK_NAME_ROOM];
	int err = host_naming_end(h, place, naming, substitute);

	if (err || !substitute[0])
		return err;
	dir->is_renamed = true;
	dir->substitute = mem_strdup(h->sink->ctx, substitute);
	return dir->substitute ? 0 : F2FS_ERR_NOMEM;
}

static int make_below(struct host *h, struct sink_dir *dir)
{
	struct sink_place place = { .dir = dir->parent, .name = dir->name, .ino = dir->ino };
	struct host_target target = { .is_choosy = dir->parent->is_choosy };
	struct host_naming naming;
	struct host_dir *parent;
	int rc, sys_errno;

	dir->is_foreign = dir->parent->is_foreign;
	dir->is_renamed = dir->parent->is_renamed;
	dir->is_choosy = dir->parent->is_choosy;
	rc = host_dir_get(h, dir->parent, &parent);
	if (!rc)
		rc = host_naming_begin(h, &place, &naming);
	if (rc)
		return rc;
	target.dir_fd = parent->fd;
	do {
		target.name = naming.name;
		sys_errno = make_or_enter(h, dir, &target);
		rc = sys_errno ? host_naming_again(h, &place, &naming, &sys_errno) : 0;
	} while (rc == 1);
	if (rc)
		return rc;
	return sys_errno ? refuse_dir(h, dir, sys_errno) : note_name(h, dir, &place, &naming);
}

static int make_dir(struct sink *sink, struct sink_dir *dir)
{
	struct host *h = host_of(sink);
	int err = 0;

	if (!dir->parent)
		dir->state = h->made_top ? DIR_MADE : DIR_ENTERED;
	else
		err = make_below(h, dir);
	sink->result->directories += err == 0;
	return err;
}

/* Does a directory take the image's attributes? */
static bool takes_attributes(const struct host *h, const struct sink_dir *dir)
{
	if (dir->state == DIR_MADE || existing_policy(h) == F2FS_EXISTING_REPLACE)
		return true;
	return !dir->parent && (h->sink->opt.flags & F2FS_EXTRACT_ROOT_ATTRIBUTES);
}

static int set_dir_attributes(struct host *h, struct sink_dir *dir, int fd)
{
	const struct sink_place place = { .dir = dir, .ino = dir->ino };
	const struct host_subject subject = { .fd = fd };
	struct f2fs_inode *inode = NULL;
	struct host_wish wish;
	int err = 0;

	/* the top was not made by the probe's rules but by its own parent's */
	host_wish_init(h, &wish, &dir->attr, dir->is_foreign || dir->state == DIR_ENTERED || !dir->parent);
	if (dir->has_xattrs) {
		err = f2fs_inode_open(h->sink->vol, dir->ino, &inode);
		if (!err)
			err = host_xattrs_load(h, inode, &place, &h->dir_xattrs);
		if (!err) {
			wish.xattrs = h->dir_xattrs.items;
			wish.xattr_count = (unsigned)h->dir_xattrs.count;
		}
	}
	if (!err)
		host_attrs_apply(&subject, &wish);
	if (!err)
		err = host_tell_losses(h, &wish, &place);
	f2fs_inode_close(inode);
	return err;
}

static int leave_dir(struct sink *sink, struct sink_dir *dir)
{
	const struct sink_place place = { .dir = dir, .ino = dir->ino };
	struct host *h = host_of(sink);
	struct host_dir *d;
	int err = 0;

	if (takes_attributes(h, dir) || (sink->opt.flags & F2FS_EXTRACT_SYNC)) {
		err = host_dir_get(h, dir, &d);
		if (!err)
			host_dir_open_upwards(h, dir); /* while its mode lets us */
		if (!err && takes_attributes(h, dir))
			err = set_dir_attributes(h, dir, d->fd);
		if (!err && (sink->opt.flags & F2FS_EXTRACT_SYNC) && fsync(d->fd))
			err = host_refused(h, errno, &place, "cannot make the directory durable");
	}
	host_dir_open_upwards(h, dir);
	host_dir_close(h, dir);
	return err < 0 ? err : 0;
}

static void drop_dir(struct sink *sink, struct sink_dir *dir)
{
	host_dir_close(host_of(sink), dir);
}

/* ---- other entries */

/* Ways to make an entry; each returns 0 or -1 with errno. */
typedef int (*maker)(const struct host_target *to, const struct sink_entry *e, const void *more);

static int make_symlink(const struct host_target *to, const struct sink_entry *e, const void *more)
{
	(void)more;
	return symlinkat(e->target, to->dir_fd, to->name);
}

static int make_special(const struct host_target *to, const struct sink_entry *e, const void *more)
{
	(void)more;
	return host_mknod(to->dir_fd, to->name, (mode_t)((e->stat.mode & MODE_TYPE) | 0600),
		       host_device(e->stat.rdev_major, e->stat.rdev_minor));
}

struct link_source {
	int dir_fd;
	const char *name;
};

static int make_link(const struct host_target *to, const struct sink_entry *e, const void *more)
{
	const struct link_source *from = more;

	(void)e;
	return linkat(from->dir_fd, from->name, to->dir_fd, to->name, 0);
}

/* Make an entry of one name; 0, an errno or HOST_ALIAS. */
static int make_named(struct host *h, const struct host_target *to, const struct sink_entry *e, maker make,
		      const void *more)
{
	int sys_errno = 0;

	for (int tries = 0; tries < 2; tries++) {
		if (make(to, e, more) == 0)
			return 0;
		sys_errno = errno;
		if (!host_make_way(h, to, &sys_errno))
			break;
	}
	return sys_errno;
}

static int make_entry(struct host *h, const struct sink_entry *e, int dir_fd, maker make, const void *more,
		      const char *failure)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino };
	struct host_target to = { .dir_fd = dir_fd, .is_choosy = e->dir->is_choosy };
	struct host_naming naming;
	int sys_errno, rc = host_naming_begin(h, &place, &naming);

	if (rc)
		return rc;
	do {
		to.name = naming.name;
		sys_errno = make_named(h, &to, e, make, more);
		rc = sys_errno ? host_naming_again(h, &place, &naming, &sys_errno) : 0;
	} while (rc == 1);
	if (rc)
		return rc;
	if (!sys_errno)
		return host_naming_end(h, &place, &naming, e->substitute);
	if (sys_errno == EEXIST && existing_policy(h) == F2FS_EXISTING_SKIP) {
		h->sink->result->skipped++;
		return SINK_LEFT;
	}
	return host_refused_without_contents(h, sys_errno, &place, failure);
}

/* Attributes of an entry that is not a file and not a directory. */
static int set_attributes(struct host *h, const struct sink_entry *e, int dir_fd)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino };
	const struct host_subject subject = { .fd = -1,
					      .dir_fd = dir_fd,
					      .name = e->substitute[0] ? e->substitute : e->name };
	struct host_wish wish;
	int err = host_xattrs_load(h, e->inode, &place, &h->xattrs);

	if (err)
		return err;
	host_wish_init(h, &wish, &e->attr, e->dir->is_foreign);
	wish.xattrs = h->xattrs.items;
	wish.xattr_count = (unsigned)h->xattrs.count;
	host_attrs_apply(&subject, &wish);
	return host_tell_losses(h, &wish, &place);
}

static int put_symlink(struct sink *sink, const struct sink_entry *e)
{
	struct host *h = host_of(sink);
	struct host_dir *dir;
	int err = host_dir_get(h, e->dir, &dir);

	if (!err)
		err = make_entry(h, e, dir->fd, make_symlink, NULL, "cannot make the symbolic link");
	if (err)
		return err;
	sink->result->symlinks++;
	return set_attributes(h, e, dir->fd);
}

static int put_special(struct sink *sink, const struct sink_entry *e)
{
	struct host *h = host_of(sink);
	struct host_dir *dir;
	int err = host_dir_get(h, e->dir, &dir);

	if (!err)
		err = make_entry(h, e, dir->fd, make_special, NULL, "cannot make the special file");
	if (err)
		return err;
	sink->result->specials++;
	return set_attributes(h, e, dir->fd);
}

static int put_link(struct sink *sink, const struct sink_entry *e, const struct sink_first *first)
{
	struct host *h = host_of(sink);
	struct host_dir *from, *to;
	struct link_source source = { .name = first->name };
	int err = host_dir_get(h, first->dir, &from);

	/* getting the second must not close the first */
	if (!err) {
		from->pins++;
		err = host_dir_get(h, e->dir, &to);
		if (!err) {
			source.dir_fd = from->fd;
			err = make_entry(h, e, to->fd, make_link, &source, "cannot make the hard link");
		}
		from->pins--;
	}
	return err;
}

static int put_file(struct sink *sink, const struct sink_entry *e)
{
	return host_plan_file(host_of(sink), e);
}

/* ---- life */

static int flush(struct sink *sink)
{
	return host_pipe_flush(host_of(sink));
}

static int end(struct sink *sink)
{
	(void)sink;
	return 0;
}

static void close_sink(struct sink *sink)
{
	struct host *h = host_of(sink);

	host_pipe_fini(h);
	if (h->top.fd >= 0)
		close(h->top.fd);
	map32_fini(&h->substitutes);
	vec_fini(&h->dir_xattrs);
	vec_fini(&h->xattrs);
	mem_free(sink->ctx, h);
}

static const struct sink_ops host_ops = {
	.make_dir = make_dir,
	.leave_dir = leave_dir,
	.drop_dir = drop_dir,
	.put_file = put_file,
	.put_symlink = put_symlink,
	.put_special = put_special,
	.put_link = put_link,
	.flush = flush,
	.end = end,
	.close = close_sink,
};

/* Write out the blocks that a running transaction still holds: workers read the device itself. */
static int write_out(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = &vol->geo;

	if (!vol->ops.running)
		return 0;
	return vol->ops.running->write_out(vol, geo->main_blkaddr, geo->end_blkaddr - geo->main_blkaddr);
}

int sink_host_open(struct sink *sink)
{
	struct host *h = mem_zalloc(sink->ctx, sizeof(*h));
	int err;

	if (!h)
		return F2FS_ERR_NOMEM;
	h->sink = sink;
	h->top.fd = -1;
	atomic_init(&h->stop, false);
	vec_init(&h->xattrs, sink->ctx, sizeof(struct host_xattr));
	vec_init(&h->dir_xattrs, sink->ctx, sizeof(struct host_xattr));
	map32_init(&h->substitutes, sink->ctx);
	sink->ops = &host_ops;
	sink->own = h;
	err = host_pipe_init(h);
	if (!err)
		err = write_out(sink->vol);
	return err ? err : host_open_top(h);
}
