/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Set attributes of one file on the host, in the one order that keeps all of them: owner (clears setuid and
 * capabilities), attributes, mode, ACLs (their mask is part of the mode), times, and last the flags that may forbid the
 * rest. Calls that would change nothing are not made. Without a context: workers use this.
 */
#include "sink/hostattr.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/hostid.h"
#include "format/flags.h"
#include "host/attributes.h"
#include "host/inode_flags.h"
#include "sink/lists.h"
#include "sink/substitute.h"

#define SETID 06000u

static bool is_symlink(const struct host_wish *w)
{
	return (w->attr->mode & MODE_TYPE) == MODE_LNK;
}

static int set_xattr(const struct host_subject *s, const struct host_xattr *xattr)
{
	const struct host_place place = { .fd = s->fd, .dir = s->dir_fd, .name = s->name };

	return host_set_attribute(&place, xattr->name, xattr->value, xattr->size) ? errno : 0;
}

static void set_xattrs(const struct host_subject *s, struct host_wish *w, bool acls)
{
	for (unsigned i = 0; i < w->xattr_count; i++)
		if ((w->xattrs[i].bit == F2FS_KEEP_ACL) == acls)
			w->xattrs[i].sys_errno = set_xattr(s, &w->xattrs[i]);
}

/* ACLs that came from the destination's default and not from the image. */
static void drop_acls(const struct host_subject *s, const struct host_wish *w)
{
	static const char *const names[] = { "system.posix_acl_access", "system.posix_acl_default" };

	for (unsigned n = 0; n < 2 && s->fd >= 0; n++) {
		bool is_wanted = false;

		for (unsigned i = 0; i < w->xattr_count; i++)
			is_wanted = is_wanted || !strcmp(w->xattrs[i].name, names[n]);
		if (!is_wanted)
			host_remove_attribute(s->fd, names[n]); /* none there is as good */
	}
}

/* Returns whether the file has the owner it is to have. */
static bool set_owner(const struct host_subject *s, struct host_wish *w)
{
	const struct sink_attr *a = w->attr;
	int ret;

	if (!(w->keep & F2FS_KEEP_OWNER))
		return false;
	if (w->knows_owner && a->uid == w->uid && a->gid == w->gid)
		return true;
	if (s->fd >= 0)
		ret = fchown(s->fd, a->uid, a->gid);
	else
		ret = fchownat(s->dir_fd, s->name, a->uid, a->gid, AT_SYMLINK_NOFOLLOW);
	if (ret == 0) {
		w->mode = HOST_MODE_UNKNOWN; /* without setuid and setgid now */
		return true;
	}
	w->owner_errno = errno;
	/* the group alone may be allowed */
	if (!w->knows_owner || a->gid != w->gid)
		(void)(s->fd >= 0 ? fchown(s->fd, (uid_t)-1, a->gid)
				  : fchownat(s->dir_fd, s->name, (uid_t)-1, a->gid, AT_SYMLINK_NOFOLLOW));
	return false;
}

/* The mode a file is to have, given whether its owner is the image's. */
static uint32_t wanted_mode(const struct host_wish *w, bool has_owner)
{
	uint32_t mode = w->attr->mode & 07777;

	if (w->stays_readable)
		mode |= (w->attr->mode & MODE_TYPE) == MODE_DIR ? 0500 : 0400;
	if (!(w->keep & F2FS_KEEP_MODE))
		return mode & 0777 & w->mode_mask;
	/* setuid and setgid bits stay if asked for, or if root gives the file to the owner in the image */
	if (!w->keeps_setid && !(w->is_root && has_owner && !w->attr->is_mapped))
		mode &= ~SETID;
	return mode;
}

static void set_mode(const struct host_subject *s, struct host_wish *w, bool has_owner)
{
	uint32_t mode = wanted_mode(w, has_owner);

	w->lost_setid = (w->keep & F2FS_KEEP_MODE) && ((mode ^ w->attr->mode) & SETID);
	if (is_symlink(w) || mode == w->mode)
		return;
	if (s->fd >= 0 ? fchmod(s->fd, (mode_t)mode) : fchmodat(s->dir_fd, s->name, (mode_t)mode, 0))
		w->mode_errno = errno;
}

static struct timespec timespec_of(const struct f2fs_time *t, bool *fits)
{
	struct timespec ts = { .tv_sec = (time_t)t->seconds,
			       .tv_nsec = (long)(t->nanoseconds < 1000000000 ? t->nanoseconds : 999999999) };

	*fits = *fits && ts.tv_sec == t->seconds;
	return ts;
}

static void set_times(const struct host_subject *s, struct host_wish *w)
{
	bool fits = true;
	const struct timespec times[2] = { timespec_of(&w->attr->atime, &fits), timespec_of(&w->attr->mtime, &fits) };
	int ret;

	if (!fits) {
		w->times_errno = EOVERFLOW;
		return;
	}
	if (s->fd >= 0)
		ret = futimens(s->fd, times);
	else
		ret = utimensat(s->dir_fd, s->name, times, AT_SYMLINK_NOFOLLOW);
	if (ret)
		w->times_errno = errno;
}

static int set_project(const struct host_subject *s, const struct host_wish *w)
{
	const bool inherits = (w->attr->flags & FLAG_i_flags_projinherit) != 0;

	if (s->fd < 0)
		return EOPNOTSUPP;
	return host_set_project_id(s->fd, w->attr->projid, inherits) ? errno : 0;
}

void host_attrs_apply(const struct host_subject *s, struct host_wish *w)
{
	bool has_owner = set_owner(s, w);

	set_xattrs(s, w, false);
	if (w->drops_acl)
		drop_acls(s, w);
	set_mode(s, w, has_owner);
	set_xattrs(s, w, true);
	if (w->keep & F2FS_KEEP_TIMES)
		set_times(s, w);
	if ((w->keep & F2FS_KEEP_PROJECT) && w->attr->projid)
		w->project_errno = set_project(s, w);
	if ((w->keep & F2FS_KEEP_FLAGS) && s->fd >= 0 && host_set_portable_flags(s->fd, w->attr->flags))
		w->flags_errno = errno;
}

void host_wish_init(const struct host *h, struct host_wish *w, const struct sink_attr *attr, bool is_foreign)
{
	*w = (struct host_wish){
		.attr = attr,
		.keep = h->sink->opt.keep,
		.keeps_setid = ((h->sink->opt.require & F2FS_KEEP_MODE) | (h->sink->opt.keep & F2FS_KEEP_SETID)) != 0,
		.is_root = geteuid() == 0,
		.stays_readable = geteuid() != 0 && sink_has_manifest(h->sink),
		.drops_acl = is_foreign || h->birth.has_acl,
		.knows_owner = !is_foreign,
		.uid = h->birth.uid,
		.gid = h->birth.gid,
		.mode = HOST_MODE_UNKNOWN,
		.mode_mask = h->birth.mode_mask,
	};
}

uint32_t host_create_mode(const struct host_wish *w, bool has_xattrs)
{
	bool has_owner = w->knows_owner && w->attr->uid == w->uid && w->attr->gid == w->gid;
	uint32_t mode = wanted_mode(w, has_owner) & 0777;

	if (!has_owner && (w->keep & F2FS_KEEP_OWNER))
		mode &= 0700;
	return has_xattrs ? mode | 0600 : mode;
}

bool host_make_way(const struct host *h, const struct host_target *t, int *sys_errno)
{
	struct stat st;

	if (*sys_errno == EEXIST && t->is_choosy && host_is_alias(t->dir_fd, t->name))
		*sys_errno = HOST_ALIAS;
	if (*sys_errno != EEXIST || h->sink->opt.existing != F2FS_EXISTING_REPLACE)
		return false;
	if (fstatat(t->dir_fd, t->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && hostfile_is_open(h->sink->ctx, &st))
		errno = EBUSY; /* the image that is read */
	else if (unlinkat(t->dir_fd, t->name, 0) == 0)
		return true;
	*sys_errno = errno;
	return false;
}

int host_create(const struct host *h, const struct host_target *t, uint32_t mode, int *fd)
{
	int sys_errno;

	/* two attempts: the first may remove an existing entry */
	for (int tries = 0; tries < 2; tries++) {
		*fd = openat(t->dir_fd, t->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
		if (*fd >= 0)
			return 0;
		sys_errno = errno;
		if (!host_make_way(h, t, &sys_errno))
			break;
	}
	return sys_errno;
}
