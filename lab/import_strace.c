/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text of strace: calls on files, of all processes, become operations. Paths come from the calls that open files, and
 * from what -y shows. Calls that failed are passed over, and so are mmap(), fallocate() and everything that is not
 * about files. A renamed file keeps its number; one that was removed while it is open goes when the last descriptor
 * does.
 */
#include "lab/import_state.h"
#include "lab/strace_processes.h"
#include "lab/strace_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

struct strace {
	struct strace_processes processes;
	struct lab_import *im;
	uint64_t first_us, relative_us;
	int has_first;
	/* files that were removed while they were open */
	uint32_t *pending;
	unsigned pending_count, pending_room;
	/* how often each file is open */
	uint32_t *opens;
	uint32_t opens_room;
	int failed;
};

struct turn {
	struct lab_import *im;
	struct strace *s;
	struct strace_process *process;
	struct strace_call *call;
	uint64_t result;
};

static int wrong_argument(struct turn *t, unsigned i, const char *why)
{
	char field[48];

	snprintf(field, sizeof(field), "%.24s: argument %u", t->call->name, i + 1);
	return lab_import_wrong(t->im, field, why);
}

static int number(struct turn *t, unsigned i, uint64_t *out)
{
	char *end;

	if (i >= t->call->count)
		return wrong_argument(t, i, "is missing");
	*out = strtoull(t->call->arguments[i], &end, 0);
	if (end == t->call->arguments[i] || (*end && *end != '<' && *end != ' '))
		return wrong_argument(t, i, "is no number");
	return 0;
}

static int put_op(struct turn *t, unsigned kind, uint32_t file, uint64_t offset, uint64_t length)
{
	const struct lab_op op = { .kind = (uint8_t)kind,
				   .thread = (uint16_t)t->process->thread,
				   .file = file,
				   .offset = offset,
				   .length = length };

	return lab_import_put(t->im, &op, 0);
}

/* ---- names ---- */

/* An absolute path without "." and ".." in out; 0 or -1. */
static int normalize(const char *directory, const char *path, char out[PATH_ROOM])
{
	char text[2 * PATH_ROOM], *rest = NULL;
	size_t n = 0;

	if (strlen(path) >= PATH_ROOM || strlen(directory) >= PATH_ROOM)
		return -1;
	snprintf(text, sizeof(text), "%s/%s", path[0] == '/' ? "" : directory, path);
	out[0] = '\0';
	for (char *part = strtok_r(text, "/", &rest); part; part = strtok_r(NULL, "/", &rest)) {
		const size_t length = strlen(part);

		if (strcmp(part, ".") == 0)
			continue;
		if (strcmp(part, "..") == 0) {
			while (n > 0 && out[n - 1] != '/')
				n--;
			n -= n > 0;
			out[n] = '\0';
			continue;
		}
		if (n + length + 2 > PATH_ROOM)
			return -1;
		out[n++] = '/';
		memcpy(out + n, part, length + 1);
		n += length;
	}
	return 0;
}

/* The working directory is known from now on. */
static int set_directory(struct turn *t, const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		return lab_import_wrong(t->im, t->call->name, "out of memory");
	free(t->process->directory);
	t->process->directory = copy;
	return 0;
}

/* The path of argument i, relative to the directory of argument at (-1: the working directory). */
static int take_path(struct turn *t, unsigned i, int at, char out[PATH_ROOM])
{
	const char *directory = t->process->directory, *shown;
	char *path = i < t->call->count ? strace_string(t->call->arguments[i]) : NULL;

	if (!path)
		return wrong_argument(t, i, "is no path, or was cut off");
	if (at >= 0 && path[0] != '/') {
		const struct strace_open *open = NULL;
		char *argument = t->call->arguments[at];

		shown = strace_path(argument);
		if (shown && strncmp(argument, "AT_FDCWD", 8) == 0 && !directory[0] && set_directory(t, shown))
			return -1;
		if (shown)
			directory = shown;
		else if (strncmp(argument, "AT_FDCWD", 8) != 0) {
			open = strace_get(t->process, strtoull(argument, NULL, 10));
			directory = open ? open->path : "/unknown";
		}
	}
	if (normalize(directory, path, out))
		return wrong_argument(t, i, "is too long a path");
	return 0;
}

/* ---- open files ---- */

static uint32_t *opens_of(struct strace *s, uint32_t file)
{
	if (file >= s->opens_room) {
		const uint32_t room = file < 128 ? 256 : file * 2;
		uint32_t *more = realloc(s->opens, room * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + s->opens_room, 0, (room - s->opens_room) * sizeof(*more));
		s->opens = more;
		s->opens_room = room;
	}
	return &s->opens[file];
}

/* An open file learns its number: something is done with it. */
static int have_file(struct turn *t, struct strace_open *open)
{
	struct lab_import_file *file;
	uint32_t *opens;

	if (open->has_file)
		return 0;
	file = lab_import_file(t->im, open->path);
	if (file && !file->is_there && lab_import_renew(t->im, file))
		return -1;
	opens = file ? opens_of(t->s, file->number) : NULL;
	if (!opens)
		return file ? lab_import_wrong(t->im, t->call->name, "out of memory") : -1;
	++*opens;
	open->number = file->number;
	open->has_file = 1;
	return 0;
}

static int put_remove(struct lab_import *im, uint32_t file)
{
	const struct lab_op op = { .kind = LAB_OP_REMOVE, .file = file };

	return lab_import_put(im, &op, 0);
}

static void closed(void *user, struct strace_open *open)
{
	struct strace *s = user;

	if (!open->has_file || --s->opens[open->number] > 0)
		return;
	for (unsigned i = 0; i < s->pending_count; i++) {
		if (s->pending[i] != open->number)
			continue;
		s->failed |= put_remove(s->im, open->number) != 0;
		s->pending[i] = s->pending[--s->pending_count];
		return;
	}
}

/* What descriptor i refers to, whether it has a number or not; NULL in *out: nothing that is wanted. */
static int look_at(struct turn *t, unsigned i, struct strace_open **out)
{
	uint64_t fd;
	char *path;

	*out = NULL;
	if (i >= t->call->count)
		return wrong_argument(t, i, "is missing");
	path = strace_path(t->call->arguments[i]);
	if (number(t, i, &fd))
		return -1;
	*out = strace_get(t->process, fd);
	if (!*out && path && lab_import_is_wanted(t->im, path)) { /* it was open before the trace began */
		struct strace_open *open = calloc(1, sizeof(*open));

		if (open)
			open->path = strdup(path);
		if (!open || !open->path || strace_set(&t->s->processes, t->process, fd, open))
			return wrong_argument(t, i, "out of memory, or too large a descriptor");
		*out = open;
	}
	if (*out && (*out)->is_directory)
		*out = NULL;
	return 0;
}

/* The same for reads and writes. */
static int take_open(struct turn *t, unsigned i, struct strace_open **out)
{
	if (look_at(t, i, out))
		return -1;
	return *out ? have_file(t, *out) : 0;
}

static int do_open_at(struct turn *t, unsigned i, int at, const char *flags)
{
	struct strace_open *open;
	struct lab_import_file *file;
	char path[PATH_ROOM];

	if (!flags)
		return wrong_argument(t, i + 1, "is missing");
	if (take_path(t, i, at, path))
		return -1;
	if (!lab_import_is_wanted(t->im, path) && !strstr(flags, "O_DIRECTORY"))
		return strace_set(&t->s->processes, t->process, t->result, NULL);
	open = calloc(1, sizeof(*open));
	if (open)
		open->path = strdup(path);
	if (!open || !open->path || strace_set(&t->s->processes, t->process, t->result, open)) {
		if (open && !open->path)
			free(open);
		return lab_import_wrong(t->im, t->call->name, "out of memory, or too large a descriptor");
	}
	open->at_end = strstr(flags, "O_APPEND") != NULL;
	open->is_directory = strstr(flags, "O_DIRECTORY") != NULL;
	file = lab_import_find(t->im, path);
	if (strstr(flags, "O_CREAT") && (!file || !file->is_there)) {
		if (have_file(t, open) ||
		    lab_import_made(t->im, open->number, t->process->thread,
				    strstr(flags, "O_EXCL") || strstr(flags, "O_TRUNC")))
			return -1;
		return 0;
	}
	if (!strstr(flags, "O_TRUNC"))
		return 0;
	if (have_file(t, open))
		return -1;
	return put_op(t, LAB_OP_TRUNCATE, open->number, 0, 0);
}

static int do_open(struct turn *t)
{
	return do_open_at(t, 0, -1, t->call->count > 1 ? t->call->arguments[1] : NULL);
}

static int do_openat(struct turn *t)
{
	return do_open_at(t, 1, 0, t->call->count > 2 ? t->call->arguments[2] : NULL);
}

static int do_creat(struct turn *t)
{
	return do_open_at(t, 0, -1, "O_CREAT|O_TRUNC|O_WRONLY");
}

static int do_close(struct turn *t)
{
	uint64_t fd;

	return number(t, 0, &fd) || strace_set(&t->s->processes, t->process, fd, NULL) ? -1 : 0;
}

static int do_dup(struct turn *t)
{
	uint64_t fd;

	if (number(t, 0, &fd))
		return -1;
	if (fd == t->result)
		return 0;
	if (strace_set(&t->s->processes, t->process, t->result, strace_get(t->process, fd)))
		return lab_import_wrong(t->im, t->call->name, "out of memory, or too large a descriptor");
	return 0;
}

static int do_fcntl(struct turn *t)
{
	return t->call->count > 1 && strncmp(t->call->arguments[1], "F_DUPFD", 7) == 0 ? do_dup(t) : 0;
}

/* ---- reading and writing ---- */

static int transfer(struct turn *t, unsigned kind, unsigned fd, int offset_argument)
{
	struct lab_op op = { .kind = (uint8_t)kind, .thread = (uint16_t)t->process->thread, .length = t->result };
	struct strace_open *open;
	int at_end;

	if (take_open(t, fd, &open))
		return -1;
	if (!open)
		return 0;
	at_end = kind == LAB_OP_WRITE && open->at_end;
	op.file = open->number;
	if (offset_argument >= 0) {
		if (number(t, (unsigned)offset_argument, &op.offset))
			return -1;
	} else {
		op.offset = at_end ? t->im->known[open->number].size : open->position;
		open->position = op.offset + t->result;
	}
	return t->result ? lab_import_put(t->im, &op, at_end) : 0;
}

static int do_read(struct turn *t)
{
	return transfer(t, LAB_OP_READ, 0, -1);
}

static int do_write(struct turn *t)
{
	return transfer(t, LAB_OP_WRITE, 0, -1);
}

static int do_pread(struct turn *t)
{
	return transfer(t, LAB_OP_READ, 0, 3);
}

static int do_pwrite(struct turn *t)
{
	return transfer(t, LAB_OP_WRITE, 0, 3);
}

static int do_copy_range(struct turn *t)
{
	const char *offset = t->call->count > 3 ? t->call->arguments[3] : "NULL";
	struct strace_open *open;

	if (offset[0] == 'N')
		return transfer(t, LAB_OP_WRITE, 2, -1);
	if (take_open(t, 2, &open))
		return -1;
	if (!open)
		return 0;
	/* "[4096]" or "[4096] => [8192]": where it began */
	return put_op(t, LAB_OP_WRITE, open->number, strtoull(offset + (offset[0] == '['), NULL, 0), t->result);
}

static int do_seek(struct turn *t)
{
	struct strace_open *open;

	if (take_open(t, 0, &open))
		return -1;
	if (open)
		open->position = t->result;
	return 0;
}

static int do_fsync(struct turn *t)
{
	struct strace_open *open;

	if (look_at(t, 0, &open))
		return -1;
	if (!open || (!open->has_file && !lab_import_find(t->im, open->path))) /* a directory, or nothing to be kept */
		return 0;
	return have_file(t, open) ? -1 : put_op(t, LAB_OP_FSYNC, open->number, 0, 0);
}

static int do_sync(struct turn *t)
{
	return t->im->numbers ? put_op(t, LAB_OP_SYNC, 0, 0, 0) : 0;
}

static int do_ftruncate(struct turn *t)
{
	struct strace_open *open;
	uint64_t size;

	if (take_open(t, 0, &open) || number(t, 1, &size))
		return -1;
	return open ? put_op(t, LAB_OP_TRUNCATE, open->number, size, 0) : 0;
}

/* The file of a path that is wanted; *file is NULL for others. */
static int file_at(struct turn *t, const char *path, struct lab_import_file **file)
{
	*file = NULL;
	if (!lab_import_is_wanted(t->im, path))
		return 0;
	*file = lab_import_file(t->im, path);
	if (!*file)
		return -1;
	return (*file)->is_there ? 0 : lab_import_renew(t->im, *file);
}

static int do_truncate(struct turn *t)
{
	struct lab_import_file *file;
	char path[PATH_ROOM];
	uint64_t size;

	if (take_path(t, 0, -1, path) || number(t, 1, &size) || file_at(t, path, &file))
		return -1;
	return file ? put_op(t, LAB_OP_TRUNCATE, file->number, size, 0) : 0;
}

/* ---- names that go ---- */

/* The name of a file is gone; the file is, too, unless it is open. */
static int lose(struct turn *t, struct lab_import_file *file)
{
	struct strace *s = t->s;
	const uint32_t *opens = opens_of(s, file->number);

	file->is_there = 0;
	if (!opens)
		return lab_import_wrong(t->im, t->call->name, "out of memory");
	if (*opens == 0)
		return put_remove(t->im, file->number);
	if (s->pending_count == s->pending_room) {
		const unsigned room = s->pending_room ? s->pending_room * 2 : 16;
		uint32_t *more = realloc(s->pending, room * sizeof(*more));

		if (!more)
			return lab_import_wrong(t->im, t->call->name, "out of memory");
		s->pending = more;
		s->pending_room = room;
	}
	s->pending[s->pending_count++] = file->number;
	return 0;
}

static int remove_at(struct turn *t, unsigned i, int at)
{
	struct lab_import_file *file;
	char path[PATH_ROOM];

	if (take_path(t, i, at, path) || file_at(t, path, &file))
		return -1;
	return file ? lose(t, file) : 0;
}

static int do_unlink(struct turn *t)
{
	return remove_at(t, 0, -1);
}

static int do_unlinkat(struct turn *t)
{
	if (t->call->count > 2 && strstr(t->call->arguments[2], "AT_REMOVEDIR"))
		return 0;
	return remove_at(t, 1, 0);
}

/* Only files that something was done with are followed to their new name. */
static int rename_at(struct turn *t, unsigned from_argument, int from_at, unsigned to_argument, int to_at)
{
	struct lab_import_file *from, *to;
	char from_path[PATH_ROOM], to_path[PATH_ROOM];
	uint32_t kept;

	if (take_path(t, from_argument, from_at, from_path) || take_path(t, to_argument, to_at, to_path))
		return -1;
	from = lab_import_find(t->im, from_path);
	if (!from || !from->is_there || strcmp(from_path, to_path) == 0)
		return 0;
	kept = from->number;
	from->is_there = 0;
	to = lab_import_find(t->im, to_path);
	if (to && to->is_there && lose(t, to))
		return -1;
	to = to ? to : lab_import_alias(t->im, to_path);
	if (!to)
		return -1;
	to->number = kept;
	to->is_there = 1;
	return 0;
}

static int do_rename(struct turn *t)
{
	return rename_at(t, 0, -1, 1, -1);
}

static int do_renameat(struct turn *t)
{
	return rename_at(t, 1, 0, 3, 2);
}

/* ---- processes ---- */

static int do_clone(struct turn *t)
{
	int shares = 0;

	for (unsigned i = 0; i < t->call->count; i++)
		shares |= strstr(t->call->arguments[i], "CLONE_FILES") != NULL;
	if (strace_clone(&t->s->processes, t->process->pid, t->result, shares))
		return lab_import_wrong(t->im, t->call->name, "makes one process too many");
	return 0;
}

static int do_chdir(struct turn *t)
{
	char path[PATH_ROOM];

	return take_path(t, 0, -1, path) ? -1 : set_directory(t, path);
}

static int do_fchdir(struct turn *t)
{
	const struct strace_open *open;
	uint64_t fd;

	if (number(t, 0, &fd))
		return -1;
	open = strace_get(t->process, fd);
	return open ? set_directory(t, open->path) : 0;
}

/* ---- lines ---- */

static const struct {
	const char *name;
	int (*run)(struct turn *t);
} calls[] = {
	{ "write", do_write },
	{ "read", do_read },
	{ "pwrite64", do_pwrite },
	{ "pread64", do_pread },
	{ "pwrite", do_pwrite },
	{ "pread", do_pread },
	{ "writev", do_write },
	{ "readv", do_read },
	{ "pwritev", do_pwrite },
	{ "preadv", do_pread },
	{ "pwritev2", do_pwrite },
	{ "preadv2", do_pread },
	{ "copy_file_range", do_copy_range },
	{ "sendfile", do_write },
	{ "lseek", do_seek },
	{ "fsync", do_fsync },
	{ "fdatasync", do_fsync },
	{ "sync", do_sync },
	{ "syncfs", do_sync },
	{ "openat", do_openat },
	{ "open", do_open },
	{ "creat", do_creat },
	{ "close", do_close },
	{ "dup", do_dup },
	{ "dup2", do_dup },
	{ "dup3", do_dup },
	{ "fcntl", do_fcntl },
	{ "truncate", do_truncate },
	{ "ftruncate", do_ftruncate },
	{ "unlink", do_unlink },
	{ "unlinkat", do_unlinkat },
	{ "rename", do_rename },
	{ "renameat", do_renameat },
	{ "renameat2", do_renameat },
	{ "clone", do_clone },
	{ "clone3", do_clone },
	{ "fork", do_clone },
	{ "vfork", do_clone },
	{ "chdir", do_chdir },
	{ "fchdir", do_fchdir },
};

static int take_call(struct turn *t)
{
	const char *why = strace_take(t->call);
	char *end;
	int rc = 0;

	if (why)
		return lab_import_wrong(t->im, t->call->name ? t->call->name : "call", why);
	t->result = strtoull(t->call->result, &end, 0);
	if (t->call->result[0] == '-' || t->call->result[0] == '?') /* it failed, or never came back */
		return 0;
	for (unsigned i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strcmp(calls[i].name, t->call->name) != 0)
			continue;
		if (end == t->call->result)
			return lab_import_wrong(t->im, t->call->name, "has a result that is no number");
		rc = calls[i].run(t);
		break;
	}
	return rc || t->s->failed ? -1 : 0;
}

/* Seconds since midnight or since 1970, or since the line before (strace -r). */
static void take_time(struct strace *s, struct lab_import *im, const char *text)
{
	uint64_t parts[3] = { 0 }, us = 0, unit = 100000;
	unsigned n = 0, is_clock = 0;
	char *at = (char *)(uintptr_t)text;

	do {
		parts[n++] = strtoull(at, &at, 10);
		is_clock |= *at == ':';
	} while (*at == ':' && at++ && n < 3);
	for (at += *at == '.'; *at >= '0' && *at <= '9'; at++, unit /= 10)
		us += (uint64_t)(*at - '0') * unit;
	us += (is_clock ? (parts[0] * 60 + parts[1]) * 60 + parts[2] : parts[0]) * 1000000;
	if (!is_clock && parts[0] < 100000000) { /* too long ago for a date */
		s->relative_us += us;
		lab_import_time(im, s->relative_us);
		return;
	}
	s->first_us = s->has_first ? s->first_us : us;
	s->has_first = 1;
	lab_import_time(im, us > s->first_us ? us - s->first_us : 0);
}

/* "name(... <unfinished ...>": the start of a call is kept until its end comes. 1: it was one. */
static int keep_start(struct strace_process *p, char *body)
{
	static const char mark[] = "<unfinished ...>";
	char *at = strstr(body, mark);

	for (char *more = at; more; more = strstr(more + 1, mark))
		at = more;
	if (!at || at[sizeof(mark) - 1] != '\0')
		return 0;
	*at = '\0';
	free(p->begun);
	p->begun = strdup(body);
	return p->begun ? 1 : -1;
}

/* "<... name resumed>rest": the call as a whole, in a new text; NULL when its start is not known. */
static char *join(struct strace_process *p, const char *body)
{
	const char *rest = strstr(body, "resumed>");
	char *whole = NULL;

	if (!rest || !p->begun)
		return NULL;
	rest += strlen("resumed>");
	whole = malloc(strlen(p->begun) + strlen(rest) + 1);
	if (whole) {
		strcpy(whole, p->begun);
		strcat(whole, rest);
	}
	free(p->begun);
	p->begun = NULL;
	return whole;
}

static int line(struct lab_import *im, char *text)
{
	struct strace *s = im->state;
	struct strace_call call;
	struct turn t = { .im = im, .s = s, .call = &call };
	char *whole = NULL;
	int rc;

	s->im = im;
	s->processes.closed = closed;
	s->processes.user = s;
	if (strncmp(text, "strace: ", 8) == 0 || strncmp(text, "[ Process", 9) == 0)
		return 0;
	strace_head(text, &call);
	if (call.time)
		take_time(s, im, call.time);
	t.process = strace_process(&s->processes, call.pid);
	if (!t.process)
		return lab_import_wrong(im, "process", "is one too many");
	if (strncmp(call.body, "+++", 3) == 0) {
		strace_exit(&s->processes, t.process);
		return s->failed ? -1 : 0;
	}
	if (strncmp(call.body, "---", 3) == 0)
		return 0;
	rc = keep_start(t.process, call.body);
	if (rc)
		return rc < 0 ? lab_import_wrong(im, "call", "out of memory") : 0;
	if (strncmp(call.body, "<...", 4) == 0) {
		whole = join(t.process, call.body);
		if (!whole)
			return 0; /* it began before the trace did */
		call.body = whole;
	}
	rc = take_call(&t);
	free(whole);
	return rc;
}

static void stop(void *state)
{
	struct strace *s = state;

	strace_forget(&s->processes);
	free(s->pending);
	free(s->opens);
}

const struct lab_import_format lab_import_strace = { .state_size = sizeof(struct strace), .line = line, .stop = stop };
