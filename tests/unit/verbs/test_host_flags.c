/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode flags and project ids go out to the host by extraction and come back by populating, and refusals of the host
 * are reported. The host is played: ioctl() is here, so that it does not matter what file system the test runs on.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "host/host_request.h"

#define FEATURES (F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_QUOTA)
#define KEPT ((unsigned)(F2FS_KEEP_DEFAULT | F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT) & ~(unsigned)F2FS_KEEP_OWNER)
#define PROJECT 77u
#define HOST_EXTENTS 0x80000u /* ext4's: nothing of it may be lost */

static struct {
	pthread_mutex_t lock;
	struct {
		ino_t ino;
		int flags;
		struct fsxattr x;
	} of[16];
	unsigned count;
	int refuses;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };
static unsigned problems;

static unsigned find(ino_t ino)
{
	unsigned i = 0;

	while (i < host.count && host.of[i].ino != ino)
		i++;
	if (i == host.count) {
		host.count++;
		assert_true(host.count <= 16);
		memset(&host.of[i], 0, sizeof(host.of[i]));
		host.of[i].ino = ino;
		host.of[i].flags = HOST_EXTENTS;
	}
	return i;
}

static int answer(unsigned i, unsigned long request, void *argument)
{
	const int sets = request == FS_IOC_SETFLAGS || request == FS_IOC_FSSETXATTR;

	if (sets && host.refuses) {
		errno = EOPNOTSUPP;
		return -1;
	}
	if (request == FS_IOC_GETFLAGS)
		memcpy(argument, &host.of[i].flags, sizeof(int));
	else if (request == FS_IOC_SETFLAGS)
		memcpy(&host.of[i].flags, argument, sizeof(int));
	else if (request == FS_IOC_FSGETXATTR)
		memcpy(argument, &host.of[i].x, sizeof(struct fsxattr));
	else
		memcpy(&host.of[i].x, argument, sizeof(struct fsxattr));
	return 0;
}

int ioctl(int fd, host_request_t number, ...)
{
	const unsigned long request = (unsigned int)number;
	struct stat st;
	va_list args;
	int rc;

	va_start(args, number);
	if ((request != FS_IOC_GETFLAGS && request != FS_IOC_SETFLAGS && request != FS_IOC_FSGETXATTR &&
	     request != FS_IOC_FSSETXATTR) ||
	    fstat(fd, &st) != 0) {
		va_end(args);
		errno = ENOTTY;
		return -1;
	}
	pthread_mutex_lock(&host.lock);
	rc = answer(find(st.st_ino), request, va_arg(args, void *));
	pthread_mutex_unlock(&host.lock);
	va_end(args);
	return rc;
}

static unsigned entry_of(const char *dir, const char *name)
{
	char path[200];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(stat(path, &st), 0);
	return find(st.st_ino);
}

static void set(struct f2fs_inode *inode, uint32_t flags)
{
	struct f2fs_stat st;

	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	st.flags = flags;
	st.projid = PROJECT;
	assert_int_equal(f2fs_inode_set(inode, F2FS_SET_FLAGS | F2FS_SET_PROJID, &st), 0);
	f2fs_inode_close(inode);
}

static void make_volume(struct fresh *v)
{
	fresh_open(v, 64u << 20, FEATURES);
	set(fresh_make(v, "file", 0100644), FS_NODUMP_FL | FS_NOATIME_FL);
	set(fresh_make(v, "dir", 0040755), FS_PROJINHERIT_FL | FS_DIRSYNC_FL);
	f2fs_inode_close(fresh_make(v, "plain", 0100600));
	assert_int_equal(f2fs_volume_commit(v->vol), 0);
}

static int note(void *user, const struct f2fs_extract_problem *problem)
{
	(void)user;
	assert_int_equal(problem->kind, F2FS_PROBLEM_ATTRIBUTE);
	problems += problem->is_counted != 0;
	return 0;
}

static int extract(struct fresh *v, const char *dir, unsigned require)
{
	const struct f2fs_extract_options options = {
		F2FS_SIZED(f2fs_extract_options), .directory = dir, .keep = KEPT, .require = require, .problem = note,
	};
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };

	problems = 0;
	return f2fs_extract(v->vol, &options, &result);
}

static void expect(struct fresh *v, const char *path, uint32_t flags, uint32_t projid)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;

	assert_int_equal(f2fs_lookup(v->vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	f2fs_inode_close(inode);
	assert_int_equal(st.projid, projid);
	assert_int_equal(st.flags & (FS_NODUMP_FL | FS_NOATIME_FL | FS_DIRSYNC_FL), flags);
}

static void remove_tree(const char *base)
{
	char command[300];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	assert_int_equal(system(command), 0);
}

static void there_and_back(void **state)
{
	char base[] = "/tmp/host-flags-XXXXXX", out[sizeof(base) + 4];
	struct f2fs_populate_options populate = { F2FS_SIZED(f2fs_populate_options), .keep = KEPT };
	struct f2fs_populate_result filled = { F2FS_SIZED(f2fs_populate_result) };
	struct fresh v;
	unsigned file, dir;

	(void)state;
	memset(&v, 0, sizeof(v));
	host.count = 0;
	host.refuses = 0;
	assert_non_null(mkdtemp(base));
	snprintf(out, sizeof(out), "%s/out", base);
	make_volume(&v);
	assert_int_equal(extract(&v, out, F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT), 0);
	file = entry_of(out, "file");
	dir = entry_of(out, "dir");
	assert_int_equal(host.of[file].flags, HOST_EXTENTS | FS_NODUMP_FL | FS_NOATIME_FL);
	assert_int_equal(host.of[dir].flags, HOST_EXTENTS | FS_DIRSYNC_FL);
	assert_int_equal(host.of[file].x.fsx_projid, PROJECT);
	assert_int_equal(host.of[dir].x.fsx_projid, PROJECT);
	assert_int_equal(host.of[dir].x.fsx_xflags, FS_XFLAG_PROJINHERIT);
	assert_int_equal(host.of[entry_of(out, "plain")].flags, HOST_EXTENTS);
	fresh_close(&v);

	fresh_open(&v, 64u << 20, FEATURES);
	populate.directory = out;
	assert_int_equal(f2fs_populate(v.vol, &populate, &filled), 0);
	assert_int_equal(filled.problems, 0);
	expect(&v, "/file", FS_NODUMP_FL | FS_NOATIME_FL, PROJECT);
	expect(&v, "/dir", FS_DIRSYNC_FL, PROJECT);
	expect(&v, "/plain", 0, 0);
	fresh_close(&v);
	remove_tree(base);
}

/* Lost without a word when nobody requires them, a problem of each file otherwise. */
static void a_host_without_them(void **state)
{
	char base[] = "/tmp/host-flags-XXXXXX", out[sizeof(base) + 4];
	struct fresh v;

	(void)state;
	memset(&v, 0, sizeof(v));
	host.count = 0;
	host.refuses = 1;
	assert_non_null(mkdtemp(base));
	make_volume(&v);
	snprintf(out, sizeof(out), "%s/1", base);
	assert_int_equal(extract(&v, out, 0), 0);
	assert_int_equal(problems, 0);
	snprintf(out, sizeof(out), "%s/2", base);
	assert_int_equal(extract(&v, out, F2FS_KEEP_FLAGS), F2FS_ERR_INCOMPLETE);
	assert_int_equal(problems, 2);
	snprintf(out, sizeof(out), "%s/3", base);
	assert_int_equal(extract(&v, out, F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT), F2FS_ERR_INCOMPLETE);
	assert_int_equal(problems, 4);
	fresh_close(&v);
	remove_tree(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_and_back),
		cmocka_unit_test(a_host_without_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
