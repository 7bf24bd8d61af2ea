/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mount, go into the background, answer requests, and end at a signal.
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "cli/exit.h"
#include "fuse/connection.h"
#include "fuse/fuse_session.h"
#include "fuse/keeper.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_ioctls.h"

static int ready_fd = -1; /* the parent waits for a byte from here */

int session_fork(struct cli *cli, int failure)
{
	char status = (char)failure;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0 || (child = fork()) < 0) {
		cli_error(cli, "cannot go into the background: %s", strerror(errno));
		return -1;
	}
	if (child == 0) {
		close(ends[0]);
		ready_fd = ends[1];
		fcntl(ready_fd, F_SETFD, FD_CLOEXEC);
		return 0;
	}
	close(ends[1]);
	if (read(ends[0], &status, 1) != 1) { /* it has reported why, and the meaning of its exit status */
		int ended;

		if (waitpid(child, &ended, 0) == child && WIFEXITED(ended))
			status = (char)WEXITSTATUS(ended);
	}
	_exit((unsigned char)status);
}

/* The mount is there: let the parent end, and close the caller's terminal and directory. */
static void detach(struct mount *m)
{
	const char ok = CLI_EXIT_OK;
	int null;

	if (ready_fd < 0)
		return;
	setsid();
	if (chdir("/") != 0)
		mount_say(m, "/: %s", strerror(errno));
	openlog("f2fsfuse", LOG_PID, LOG_DAEMON);
	m->is_daemon = 1;
	null = open("/dev/null", O_RDWR);
	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	if (write(ready_fd, &ok, 1) != 1)
		syslog(LOG_ERR, "the program that was to wait for the mount is gone");
	close(ready_fd);
	ready_fd = -1;
}

static void init(void *user, struct fuse_conn_info *conn)
{
	/* The kernel then sends no request to open a file, and trusts its cache without asking for the time of
	 * modification. It also clears setuid and capabilities itself, and truncates by setattr. */
	const unsigned wanted = FUSE_CAP_NO_OPEN_SUPPORT | FUSE_CAP_POSIX_ACL | FUSE_CAP_DONT_MASK |
				FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_ASYNC_READ |
				FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_PARALLEL_DIROPS |
				FUSE_CAP_ASYNC_DIO | FUSE_CAP_EXPORT_SUPPORT;
	const unsigned unwanted = FUSE_CAP_HANDLE_KILLPRIV | FUSE_CAP_AUTO_INVAL_DATA | FUSE_CAP_ATOMIC_O_TRUNC;
	struct mount *m = user;

	if (!m->options.no_splice && conn->capable & FUSE_CAP_SPLICE_WRITE) {
		conn->want |= FUSE_CAP_SPLICE_WRITE;
		image_pipes_open(&m->pipes);
	}
	conn->want |= conn->capable & (wanted | (m->gathers_writes ? FUSE_CAP_WRITEBACK_CACHE : 0));
	conn->want &= ~unwanted;
	conn->time_gran = 1;
}

static struct fuse_session *new_session(struct mount *m, const struct session_options *o)
{
	static const char defaults[] = "default_permissions,subtype=f2fsfuse";
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_lowlevel_ops ops = { .init = init };
	struct fuse_session *session = NULL;
	char *path = realpath(m->image, NULL), *name = malloc(strlen(path ? path : m->image) + 8), *words = NULL;
	int rc = name ? 0 : -1;

	m->gathers_writes = o->gathers_writes && !m->options.is_read_only;
	m->is_single = o->is_single;
#define SERVE(function, when) \
	if (when)             \
		function(&ops);
#include "fuse/serve.def"
#undef SERVE
	if (m->gathers_writes) /* the kernel asks without regard to pages that it has not written yet */
		ops.lseek = NULL;
	if (!rc) {
		strcpy(name, "fsname=");
		strcat(name, path ? path : m->image);
		rc = fuse_opt_add_opt_escaped(&words, name);
	}
	if (!rc)
		rc = fuse_opt_add_opt(&words, defaults);
	if (!rc && m->options.is_read_only)
		rc = fuse_opt_add_opt(&words, "ro");
	if (!rc && o->passed)
		rc = fuse_opt_add_opt(&words, o->passed);
	if (!rc)
		rc = fuse_opt_add_arg(&args, "f2fsfuse") || fuse_opt_add_arg(&args, "-o") ||
		     fuse_opt_add_arg(&args, words) || (o->is_debug && fuse_opt_add_arg(&args, "-d"));
	if (rc)
		cli_error(m->cli, "out of memory");
	else
		session = fuse_session_new(&args, &ops, sizeof(ops), m); /* it reports errors itself */
	fuse_opt_free_args(&args);
	free(words);
	free(name);
	free(path);
	return session;
}

/* Signals that end a program end the mount from now on. The handlers of cli/ would only note them. */
static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

static void set_signals(void (*handler)(int), int also_ignored)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction action;

		if (sigaction(signals[i], NULL, &action) == 0 && (also_ignored || action.sa_handler != SIG_IGN))
			signal(signals[i], handler);
	}
}

static int loop(struct fuse_session *session, int is_single)
{
	struct fuse_loop_config config = { .clone_fd = 0, .max_idle_threads = 4 };

	return is_single ? fuse_session_loop(session) : fuse_session_loop_mt(session, &config);
}

/* Answer requests on a session that is mounted. A positive result is the signal that ended it. */
static int answer(struct mount *m, struct fuse_session *session, int is_single)
{
	int code, rc;

	set_signals(SIG_DFL, 0);
	if (fuse_set_signal_handlers(session) != 0)
		return -1;
	if (cli_stopped()) { /* while it was being mounted */
		fuse_remove_signal_handlers(session);
		return cli_stopped();
	}
	detach(m);
	code = keeper_start(m);
	if (code) {
		mount_say(m, "cannot start a thread: %s", strerror(code));
		rc = -1;
	} else {
		rc = loop(session, is_single);
	}
	set_signals(SIG_IGN, 1); /* the last checkpoint follows */
	fuse_remove_signal_handlers(session);
	keeper_stop(m);
	return rc;
}

/* libfuse would mount on a file, too, whose type is then that of the root of the mount. */
static int check_mountpoint(struct mount *m, const char *path)
{
	struct stat st;
	const int code = stat(path, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;

	if (code)
		cli_error(m->cli, "%s: %s", path, strerror(code));
	return code ? -1 : 0;
}

int session_run(struct mount *m, const struct session_options *o)
{
	struct fuse_session *session = check_mountpoint(m, o->mountpoint) == 0 ? new_session(m, o) : NULL;
	int rc = -1;

	if (!session)
		return -1;
	m->session = session;
	if (fuse_session_mount(session, o->mountpoint) == 0) {
		if (connection_ends_quietly(session) == 0)
			rc = answer(m, session, o->is_single);
		else
			cli_error(m->cli, "out of memory");
		fuse_session_unmount(session);
		ioctls_wait();
	}
	fuse_session_destroy(session);
	return rc < 0 ? -1 : 0;
}
