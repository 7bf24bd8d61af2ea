/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of ioctl(2): find the command in a table, check who asks, and answer.
 */
#include "fuse/ioctl.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct ioctl_kind *find(unsigned command)
{
	static const struct ioctl_kind *const tables[] = { ioctls_of_flags, ioctls_of_files, ioctls_of_volumes };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct ioctl_kind *kind = tables[i]; kind->serve; kind++)
			if (kind->command == command)
				return kind;
	return NULL;
}

/* May the caller do this to the inode? */
static int check(const struct ioctl_call *call, unsigned needs, uid_t caller)
{
	if (needs & IOCTL_REGULAR && !S_ISREG(call->st.mode))
		return F2FS_ERR_INVALID;
	if (needs & IOCTL_CHANGES && call->m->options.is_read_only)
		return F2FS_ERR_READ_ONLY;
	if (needs & IOCTL_OWNER && caller != 0 && caller != call->st.uid)
		return F2FS_ERR_ACCESS;
	if (needs & IOCTL_ADMIN && caller != 0 && caller != geteuid())
		return MOUNT_NOT_PERMITTED;
	return 0;
}

static void ioctl_(fuse_req_t req, fuse_ino_t number, unsigned command, void *argument, struct fuse_file_info *fi,
		   unsigned how, const void *in, size_t in_size, size_t out_size)
{
	const struct ioctl_kind *kind = find(command);
	struct ioctl_call call = { .in = in, .in_size = in_size, .room = out_size };
	int err, code;

	(void)argument;
	(void)fi;
	(void)how;
	if (!kind || in_size < kind->in || out_size < kind->out) {
		fuse_reply_err(req, ENOTTY);
		return;
	}
	call.out_size = kind->out;
	call.m = kind->needs & IOCTL_CHANGES ? mount_enter_to_change(req) : mount_enter(req);
	err = known_open_number(call.m, number, &call.known, &call.inode);
	if (!err)
		err = f2fs_inode_stat(call.inode, &call.st);
	if (!err)
		err = check(&call, kind->needs, fuse_req_ctx(req)->uid);
	if (!err)
		err = kind->serve(&call);
	if (call.known && kind->needs & IOCTL_CHANGES)
		known_change(call.m, call.known);
	code = mount_errno(call.m, err);
	mount_leave(call.m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_ioctl(req, 0, call.out, call.out_size);
}

void serve_ioctls(struct fuse_lowlevel_ops *ops)
{
	ops->ioctl = ioctl_;
}
