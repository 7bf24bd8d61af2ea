/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests of ioctl(2): find the command in a table, check who asks, and answer. An ioctl can cause requests of its
 * own, when it reads memory that maps a file of this mount, or has the kernel drop its cache. So it gets a thread where
 * the loop of requests has none to spare.
 */

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse/atomic_file.h"
#include "fuse/caller_memory.h"
#include "fuse/encryption.h"
#include "fuse/guard.h"
#include "fuse/ioctl.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quiet_thread.h"
#include "fuse/serve.h"
#include "fuse/serve_ioctls.h"

static const struct ioctl_kind *find(unsigned command)
{
	static const struct ioctl_kind *const tables[] = { ioctls_of_flags, ioctls_of_files, ioctls_of_volumes,
							   ioctls_of_keys, ioctls_of_atomic_files };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct ioctl_kind *kind = tables[i]; kind->serve; kind++)
			if (kind->command == command)
				return kind;
	return NULL;
}

/* May the caller do this to the inode? */
static int check(const struct ioctl_call *call, unsigned needs)
{
	const uid_t caller = call->user;

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

/* Serve the call under the lock; an errno. */
static int serve(fuse_req_t req, fuse_ino_t number, const struct ioctl_kind *kind, struct ioctl_call *call)
{
	struct mount *m = kind->needs & IOCTL_CHANGES ? mount_enter_to_change(req) : mount_enter(req);
	int err = known_open_number(m, number, &call->known, &call->inode), code;

	if (!err)
		err = f2fs_inode_stat(call->inode, &call->st);
	if (!err)
		err = check(call, kind->needs);
	if (!err)
		err = kind->serve(call);
	if (call->known && kind->needs & IOCTL_CHANGES)
		known_change(m, call->known);
	call->drops_writes = m->has_stale;
	code = mount_errno(m, err);
	mount_leave(m);
	return code;
}

static void answer(fuse_req_t req, fuse_ino_t number, const struct ioctl_kind *kind, struct ioctl_call *call)
{
	int code = kind->fetch ? kind->fetch(call) : 0;

	if (!code)
		code = serve(req, number, kind, call);
	if (!code && kind->deliver)
		code = kind->deliver(call);
	if (!code && kind->needs & IOCTL_CHANGES) /* the kernel takes no new attributes from the answer */
		fuse_lowlevel_notify_inval_inode(call->m->session, number, -1, 0);
	if (call->drops_writes)
		atomic_refresh(call->m);
	if (call->changes_keys)
		encryption_forget(call);
	explicit_bzero(call->more, sizeof(call->more)); /* a key, perhaps */
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_ioctl(req, 0, call->out, call->out_size);
}

/* ---- in a thread of its own ---- */

struct job {
	fuse_req_t req;
	fuse_ino_t number;
	const struct ioctl_kind *kind;
	struct ioctl_call call;
	uint8_t in[]; /* the loop uses its buffer again */
};

static pthread_mutex_t jobs_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_ended = PTHREAD_COND_INITIALIZER;
static unsigned job_count;

static void count_job(int change)
{
	pthread_mutex_lock(&jobs_lock);
	job_count += (unsigned)change;
	pthread_cond_broadcast(&job_ended);
	pthread_mutex_unlock(&jobs_lock);
}

static void *run(void *user)
{
	struct job *job = user;

	answer(job->req, job->number, job->kind, &job->call);
	explicit_bzero(job->in, job->call.in_size);
	free(job);
	count_job(-1);
	return NULL;
}

static void answer_beside(fuse_req_t req, fuse_ino_t number, const struct ioctl_kind *kind,
			  const struct ioctl_call *call)
{
	struct job *job = malloc(sizeof(*job) + call->in_size);
	int code = job ? 0 : ENOMEM;
	pthread_t thread;

	if (!code) {
		job->req = req;
		job->number = number;
		job->kind = kind;
		job->call = *call;
		job->call.in = job->in;
		if (call->in_size)
			memcpy(job->in, call->in, call->in_size);
		count_job(1);
		code = quiet_thread_start(&thread, run, job);
		if (code)
			count_job(-1);
	}
	if (code) {
		free(job);
		fuse_reply_err(req, code);
	} else {
		pthread_detach(thread);
	}
}

void ioctls_wait(void)
{
	pthread_mutex_lock(&jobs_lock);
	while (job_count > 0)
		pthread_cond_wait(&job_ended, &jobs_lock);
	pthread_mutex_unlock(&jobs_lock);
}

static void ioctl_(fuse_req_t req, fuse_ino_t number, unsigned command, void *argument, struct fuse_file_info *fi,
		   unsigned how, const void *in, size_t in_size, size_t out_size)
{
	const struct ioctl_kind *kind = find(command);
	struct ioctl_call call = { .m = fuse_req_userdata(req), .in = in, .in_size = in_size, .room = out_size };

	(void)fi;
	(void)how;
	if (!kind || in_size < kind->in || out_size < kind->out) {
		fuse_reply_err(req, ENOTTY);
		return;
	}
	call.out_size = kind->out;
	call.user = fuse_req_ctx(req)->uid;
	call.caller = (struct caller){ .m = call.m, .process = fuse_req_ctx(req)->pid, .address = (uintptr_t)argument };
	if (call.m->is_single)
		answer_beside(req, number, kind, &call);
	else
		answer(req, number, kind, &call);
}

void serve_ioctls(struct fuse_lowlevel_ops *ops)
{
	ops->ioctl = ioctl_;
}
