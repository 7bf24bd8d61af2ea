/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contents: to the host, from the host, and parts of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/join.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/data.h"
#include "edit/failure.h"
#include "edit/names.h"
#include "edit/paths.h"
#include "edit/transfer.h"
#include "edit/xattrs.h"
#include "host/files.h"

int edit_copy_out(struct edit *e, struct f2fs_inode *inode, const char *what, FILE *to)
{
	uint8_t *buffer = malloc(COPY_BYTES);
	uint64_t at = 0;
	size_t done = 1;
	int rc = buffer ? 0 : edit_no_memory(e);

	while (!rc && done > 0 && !cli_stopped()) {
		rc = f2fs_inode_read(inode, at, buffer, COPY_BYTES, &done);
		if (rc)
			edit_fail(e, rc, what);
		else if (cli_write(to, buffer, done) && !cli_stopped())
			rc = edit_host_fail(e, to == stdout ? "standard output" : what);
		at += done;
	}
	if (!rc && cli_stopped())
		rc = edit_stopped(e, what);
	free(buffer);
	return rc;
}

int do_cat(struct edit *e, const struct edit_call *call)
{
	int rc = 0;

	if (e->is_json)
		return edit_usage(e, "cat", "--json", "has no place for contents, which take the standard output");
	for (int i = 0; !rc && i < call->count; i++) {
		struct f2fs_inode *inode;

		rc = edit_open(e, call->operands[i], F2FS_LOOKUP_FOLLOW, &inode);
		if (rc)
			break;
		rc = edit_copy_out(e, inode, call->operands[i], stdout);
		f2fs_inode_close(inode);
	}
	return rc;
}

/* The file of the host that a copy goes to: as named, or in the directory named. Free it. */
static char *host_target(const char *operand, const char *source)
{
	struct stat st;

	if (!operand)
		return strdup(edit_base(source));
	if (stat(operand, &st) == 0 && S_ISDIR(st.st_mode))
		return cli_join(operand, edit_base(source));
	return strdup(operand);
}

/* Give a file of the host the time of modification; a device or a pipe that stands there has its own. */
static int keep_time(struct edit *e, FILE *to, const struct f2fs_stat *st, const char *path)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { (time_t)st->mtime.seconds, (long)st->mtime.nanoseconds } };
	struct stat host;

	if (fflush(to) != 0 || fstat(fileno(to), &host) != 0)
		return edit_host_fail(e, path);
	return S_ISREG(host.st_mode) && futimens(fileno(to), times) != 0 ? edit_host_fail(e, path) : 0;
}

static int get_to_file(struct edit *e, struct f2fs_inode *inode, const struct f2fs_stat *st, const char *path)
{
	int is_new, fd = cli_create(&e->cli, e->ctx, path, st->mode & 0777, &is_new), rc;
	FILE *to;

	if (fd < 0)
		return edit_told(e);
	to = fdopen(fd, "wb");
	if (!to) {
		close(fd);
		return edit_host_fail(e, path);
	}
	rc = edit_copy_out(e, inode, path, to);
	if (!rc)
		rc = keep_time(e, to, st, path);
	if (fclose(to) != 0 && !rc)
		rc = edit_host_fail(e, path);
	if (rc)
		cli_leave_part(&e->cli, path, is_new);
	return rc;
}

int do_get(struct edit *e, const struct edit_call *call)
{
	const char *source = call->operands[0], *operand = call->count > 1 ? call->operands[1] : NULL;
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	char *path;
	int rc = edit_open_stat(e, source, F2FS_LOOKUP_FOLLOW, &inode, &st);

	if (rc)
		return rc;
	if ((st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR && edit_has(call, 'r')) {
		rc = edit_get_tree(e, inode, source, operand);
	} else if ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_REG) {
		rc = edit_fail(e,
			       f2fs_context_fail(e->ctx, F2FS_ERR_WRONG_TYPE,
						 edit_has(call, 'r') ? "neither a file nor a directory"
								     : "not a regular file: -r copies directories"),
			       source);
	} else if (operand && !strcmp(operand, "-")) {
		rc = edit_copy_out(e, inode, source, stdout);
	} else {
		path = host_target(operand, source);
		rc = path ? get_to_file(e, inode, &st, path) : edit_no_memory(e);
		free(path);
	}
	f2fs_inode_close(inode);
	return rc;
}

/* ---- into the volume ---- */

/* Move a file at fd to the next data at or after *at, and *at with it. Returns its length, at most room. */
static size_t skip_hole(int fd, uint64_t *at, size_t room)
{
#if defined(SEEK_DATA)
	off_t data = lseek(fd, (off_t)*at, SEEK_DATA), hole;

	if (data < 0 && errno == ENXIO) /* nothing but a hole up to the end */
		data = lseek(fd, 0, SEEK_END);
	if (data > (off_t)*at)
		*at = (uint64_t)data;
	hole = data < 0 ? -1 : lseek(fd, (off_t)*at, SEEK_HOLE);
	if (hole > (off_t)*at && (uint64_t)hole - *at < room)
		room = (size_t)((uint64_t)hole - *at);
	lseek(fd, (off_t)*at, SEEK_SET);
#else
	(void)fd;
	(void)at;
#endif
	return room;
}

/* As much as fits into the buffer, from a pipe too. */
static ssize_t read_fully(int fd, uint8_t *buffer, size_t room)
{
	size_t done = 0;

	while (done < room) {
		ssize_t n = cli_read(fd, buffer + done, room - done);

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int edit_copy_in(struct edit *e, struct f2fs_inode *inode, uint64_t at, const char *what, int fd)
{
	uint8_t *buffer = malloc(COPY_BYTES);
	const off_t start = lseek(fd, 0, SEEK_CUR); /* -1 in a pipe; the standard input may begin anywhere in a file */
	const uint64_t begin = start > 0 ? (uint64_t)start : 0;
	uint64_t from = begin; /* offset in the source */
	int rc = buffer ? 0 : edit_no_memory(e), is_file = 0;
	struct f2fs_stat before;
	ssize_t n;

	if (!rc) {
		rc = f2fs_inode_stat(inode, &before);
		if (rc)
			edit_fail(e, rc, what);
		else /* holes over existing contents are zeros to be written */
			is_file = before.size <= at && start >= 0;
	}

	while (!rc) {
		const size_t room = is_file ? skip_hole(fd, &from, COPY_BYTES) : COPY_BYTES;

		n = cli_stopped() ? -1 : read_fully(fd, buffer, room);
		if (n <= 0) {
			if (n < 0)
				rc = cli_stopped() ? edit_stopped(e, what) : edit_host_fail(e, what);
			break;
		}
		rc = f2fs_inode_write(inode, at + (from - begin), buffer, (size_t)n);
		if (rc)
			edit_fail(e, rc, what);
		from += (uint64_t)n;
	}
	if (!rc && is_file && from > begin) { /* a hole at the end */
		struct f2fs_stat st;

		rc = f2fs_inode_stat(inode, &st);
		if (!rc && st.size < at + (from - begin))
			rc = f2fs_inode_truncate(inode, at + (from - begin));
		if (rc)
			edit_fail(e, rc, what);
	}
	free(buffer);
	return !rc && from > begin ? edit_drop_capability(e, inode, what) : rc;
}

void edit_undo_file(struct edit *e, const struct edit_name *name, int is_new)
{
	if (!is_new || f2fs_remove(name->dir, name->name, name->length))
		f2fs_volume_fail(e->vol);
}

int edit_open_empty(struct edit *e, const struct edit_name *name, const uint32_t *mode, struct f2fs_inode **out,
		    int *is_new)
{
	struct f2fs_dirent entry;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int rc = edit_name_lookup(e, name, &entry);

	*is_new = rc == F2FS_ERR_NOT_FOUND;
	if (*is_new) {
		edit_new(e, F2FS_MODE_REG, mode, &spec);
		rc = f2fs_create(name->dir, name->name, name->length, &spec, out);
		return rc ? edit_fail(e, rc, name->path) : 0;
	}
	if (rc)
		return rc;
	rc = f2fs_lookup(e->vol, name->path, F2FS_LOOKUP_FOLLOW, out);
	if (rc)
		return edit_fail(e, rc, name->path);
	rc = f2fs_inode_truncate(*out, 0);
	rc = rc ? edit_fail(e, rc, name->path) : edit_drop_capability(e, *out, name->path);
	if (rc)
		f2fs_inode_close(*out);
	return rc;
}

/* The permissions asked for, and the time of a file of the host. */
static int set_attributes(struct edit *e, struct f2fs_inode *inode, const uint32_t *mode, const struct stat *source,
			  int keeps_owner)
{
	struct f2fs_stat values;
	unsigned which = 0;
	int rc;

	memset(&values, 0, sizeof(values));
	if (mode || source) {
		values.mode = mode ? *mode : (uint32_t)source->st_mode;
		which |= F2FS_SET_MODE;
	}
	if (source) {
		const struct timespec mtime = host_mtime(source);

		values.mtime.seconds = (int64_t)mtime.tv_sec;
		values.mtime.nanoseconds = (uint32_t)mtime.tv_nsec;
		which |= F2FS_SET_MTIME;
		values.uid = source->st_uid;
		values.gid = source->st_gid;
		which |= keeps_owner ? F2FS_SET_UID | F2FS_SET_GID : 0;
	}
	rc = f2fs_inode_set(inode, which, &values);
	return rc ? edit_fail(e, rc, NULL) : 0;
}

/* Was a directory given for what comes from the standard input? Then its name was taken for that of a file. */
static int lacks_name(const char *operand, const struct edit_name *name)
{
	const char *slash = strrchr(operand, '/');

	return name->length == 1 && *name->name == '-' && strcmp(slash ? slash + 1 : operand, "-") != 0;
}

static int put_one(struct edit *e, const char *source, const char *operand, const uint32_t *mode, int keeps_owner)
{
	int is_input = !strcmp(source, "-"), fd = is_input ? STDIN_FILENO : open(source, O_RDONLY), rc;
	struct f2fs_inode *inode;
	struct edit_name name;
	uint32_t host_mode;
	int is_new;
	struct stat st;

	if (fd < 0)
		return edit_host_fail(e, source);
	if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		rc = edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_IS_DIR, "is a directory: -r copies those"),
			       source);
		goto out;
	}
	rc = edit_name_open_file(e, operand, source, &name);
	if (rc)
		goto out;
	host_mode = (uint32_t)st.st_mode;
	if (is_input && lacks_name(operand, &name))
		rc = edit_usage(e, "put", source, "needs a name: standard input has none");
	else
		rc = edit_open_empty(e, &name, mode || is_input ? mode : &host_mode, &inode, &is_new);
	if (!rc) {
		rc = edit_copy_in(e, inode, 0, source, fd);
		if (!rc)
			rc = set_attributes(e, inode, mode, is_input ? NULL : &st, keeps_owner);
		f2fs_inode_close(inode);
		if (rc)
			edit_undo_file(e, &name, is_new);
	}
	edit_name_close(&name);
out:
	if (!is_input)
		close(fd);
	return rc;
}

static int is_host_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int do_put(struct edit *e, const struct edit_call *call)
{
	const char *target = call->count > 1 ? call->operands[call->count - 1] : ".";
	const char *text = call->options['m'];
	int sources = call->count > 1 ? call->count - 1 : 1, rc = 0;
	uint32_t mode = 0;

	if (text && edit_parse_mode(text, &mode))
		return edit_usage(e, "put -m", text, "is not an octal mode");
	if (sources > 1)
		rc = edit_need_directory(e, target);
	for (int i = 0; !rc && i < sources; i++) {
		const char *source = call->operands[i];

		if (edit_has(call, 'r') && is_host_directory(source))
			rc = edit_put_tree(e, source, target, edit_has(call, 'P'));
		else
			rc = put_one(e, source, target, text ? &mode : NULL, edit_has(call, 'P'));
	}
	return rc;
}

/* ---- parts of files ---- */

int do_write(struct edit *e, const struct edit_call *call)
{
	const char *operand = call->operands[0], *text = call->operands[2], *why;
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	uint64_t at;
	int rc = edit_open_stat(e, operand, F2FS_LOOKUP_FOLLOW, &inode, &st);

	if (rc)
		return rc;
	at = st.size;
	why = strcmp(call->operands[1], "-") ? cli_parse_size(call->operands[1], 1, 512, &at) : NULL;
	if (why) {
		rc = edit_usage(e, "offset", call->operands[1], why);
	} else if (!strcmp(text, "-")) {
		rc = edit_copy_in(e, inode, at, operand, STDIN_FILENO);
		if (rc)
			f2fs_volume_fail(e->vol);
	} else {
		rc = f2fs_inode_write(inode, at, text, strlen(text));
		if (rc)
			edit_fail(e, rc, operand);
		else if (*text)
			rc = edit_drop_capability(e, inode, operand);
	}
	f2fs_inode_close(inode);
	return rc;
}

int do_truncate(struct edit *e, const struct edit_call *call)
{
	const char *operand = call->operands[0], *why;
	struct f2fs_inode *inode;
	uint64_t size;
	int rc;

	why = cli_parse_size(call->operands[1], 1, 512, &size);
	if (why)
		return edit_usage(e, "size", call->operands[1], why);
	rc = edit_open(e, operand, F2FS_LOOKUP_FOLLOW, &inode);
	if (rc)
		return rc;
	rc = f2fs_inode_truncate(inode, size);
	rc = rc ? edit_fail(e, rc, operand) : edit_drop_capability(e, inode, operand);
	f2fs_inode_close(inode);
	return rc;
}
