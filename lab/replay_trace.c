/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs_lab_replay [-r] TRACE DIRECTORY [FILE...]: carry out the operations of a trace in a directory by system calls,
 * on any file system. After each round everything is synced, and the FILEs (the kernel's counters) are printed, each
 * after a line "== ROUND BLOCKS FILE": the blocks that the round's writes touch. A FILE that begins with | is a
 * command, whose output is printed. -r: carry out reads, too, and begin each round with nothing in the kernel's cache.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/source.h"

enum { PIECE = 1 << 20, OPEN_MOST = 512, FILES_MOST = 1 << 22 };

struct replay {
	const char *directory;
	char **paths;	 /* by file number */
	int *handles;	 /* the same: -1 is closed */
	uint32_t *order; /* a ring of files that are open; the oldest is closed first */
	unsigned at;
	uint64_t blocks;
	int reads; /* are reads carried out? */
};

static const uint8_t zeros[PIECE];
static uint8_t taken[PIECE];

static int failed(const struct lab_op *op, const char *path)
{
	fprintf(stderr, "f2fs_lab_replay: %s of %s, offset %" PRIu64 ": %s\n", lab_op_name(op->kind), path ? path : "?",
		op->offset, strerror(errno));
	return -1;
}

static void close_file(struct replay *r, uint32_t file)
{
	if (r->handles[file] >= 0)
		close(r->handles[file]);
	r->handles[file] = -1;
}

static int open_file(struct replay *r, uint32_t file, int flags)
{
	uint32_t *slot = &r->order[r->at];

	if (r->handles[file] >= 0)
		return r->handles[file];
	close_file(r, *slot);
	*slot = file;
	r->at = (r->at + 1) % OPEN_MOST;
	r->handles[file] = open(r->paths[file], O_RDWR | O_CLOEXEC | flags, 0644);
	return r->handles[file];
}

/* Directories above a path are made where they are missing. */
static void make_parents(char *path, size_t from)
{
	for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(path, 0755);
		*slash = '/';
	}
}

static int create(struct replay *r, const struct lab_op *op)
{
	const size_t above = strlen(r->directory) + 1, room = above + strlen(op->name) + 1;

	close_file(r, op->file);
	free(r->paths[op->file]);
	r->paths[op->file] = malloc(room);
	if (!r->paths[op->file])
		return -1;
	snprintf(r->paths[op->file], room, "%s/%s", r->directory, op->name);
	make_parents(r->paths[op->file], above);
	return open_file(r, op->file, O_CREAT | O_TRUNC);
}

static int write_zeros(struct replay *r, const struct lab_op *op, int fd)
{
	for (uint64_t done = 0; done < op->length;) {
		const uint64_t left = op->length - done;
		const ssize_t n = pwrite(fd, zeros, left < PIECE ? (size_t)left : PIECE, (off_t)(op->offset + done));

		if (n <= 0)
			return -1;
		done += (uint64_t)n;
	}
	if (op->length)
		r->blocks += (op->offset + op->length - 1) / 4096 - op->offset / 4096 + 1;
	return 0;
}

static int read_all(const struct lab_op *op, int fd)
{
	for (uint64_t done = 0; done < op->length;) {
		const uint64_t left = op->length - done;
		const ssize_t n = pread(fd, taken, left < PIECE ? (size_t)left : PIECE, (off_t)(op->offset + done));

		if (n <= 0)
			return (int)n; /* a file may end before */
		done += (uint64_t)n;
	}
	return 0;
}

static int carry_out(struct replay *r, const struct lab_op *op)
{
	int fd;

	if (op->file >= FILES_MOST)
		return -1;
	if (op->kind == LAB_OP_CREATE)
		return create(r, op) < 0 ? -1 : 0;
	if (op->kind == LAB_OP_SYNC) {
		sync();
		return 0;
	}
	if ((op->kind == LAB_OP_READ && !r->reads) || op->kind == LAB_OP_LOOKUP || !r->paths[op->file])
		return r->paths[op->file] ? 0 : -1;
	if (op->kind == LAB_OP_REMOVE) {
		close_file(r, op->file);
		return unlink(r->paths[op->file]);
	}
	fd = open_file(r, op->file, 0);
	if (fd < 0)
		return -1;
	if (op->kind == LAB_OP_WRITE)
		return write_zeros(r, op, fd);
	if (op->kind == LAB_OP_READ)
		return read_all(op, fd);
	return op->kind == LAB_OP_TRUNCATE ? ftruncate(fd, (off_t)op->offset) : fsync(fd);
}

static int drop_cache(void)
{
	FILE *to = fopen("/proc/sys/vm/drop_caches", "w");
	int failed = !to || fputs("3", to) < 0;

	if (to && fclose(to))
		failed = 1;
	if (failed)
		fprintf(stderr, "f2fs_lab_replay: /proc/sys/vm/drop_caches: %s\n", strerror(errno));
	return failed ? -1 : 0;
}

/* Sync everything to the device, then print the kernel's counters. */
static int end_round(struct replay *r, unsigned round, char **files)
{
	char line[4096];

	sync();
	for (; *files; files++) {
		const int is_command = (*files)[0] == '|';
		FILE *from;

		printf("== %u %" PRIu64 " %s\n", round, r->blocks, *files);
		fflush(stdout);
		from = is_command ? popen(*files + 1, "r") : fopen(*files, "r");
		while (from && fgets(line, sizeof(line), from))
			fputs(line, stdout);
		if (from)
			(void)(is_command ? pclose(from) : fclose(from));
	}
	fflush(stdout);
	r->blocks = 0;
	return r->reads ? drop_cache() : 0;
}

static int replay(struct replay *r, struct lab_source *source, char **files)
{
	struct lab_op op;
	int rc, ended = 0;

	/* a trace that has ended continues with empty rounds */
	while ((rc = lab_source_next(source, &op)) >= 0) {
		if (rc == LAB_END && ended)
			return 0;
		if (rc == LAB_END && end_round(r, source->round - 1, files))
			return -1;
		if (rc != LAB_END && carry_out(r, &op))
			return failed(&op, op.file < FILES_MOST ? r->paths[op.file] : NULL);
		ended = rc == LAB_END;
	}
	fprintf(stderr, "f2fs_lab_replay: %s\n", source->error);
	return -1;
}

int main(int argc, char **argv)
{
	struct lab_config config = { 0 };
	struct lab_source *source;
	const int reads = argc > 1 && strcmp(argv[1], "-r") == 0;
	struct replay r = { .reads = reads };
	int rc;

	argc -= reads;
	argv += reads;
	if (argc < 3) {
		fprintf(stderr, "f2fs_lab_replay [-r] TRACE DIRECTORY [FILE...]\n");
		return 1;
	}
	r.directory = argv[2];
	r.paths = calloc(FILES_MOST, sizeof(*r.paths));
	r.handles = malloc(FILES_MOST * sizeof(*r.handles));
	r.order = calloc(OPEN_MOST, sizeof(*r.order));
	if (!r.paths || !r.handles || !r.order)
		return 1;
	memset(r.handles, 0xff, FILES_MOST * sizeof(*r.handles));
	if (lab_config_replace(&config, "file", &argv[1], 1, 0, 0) ||
	    lab_source_open(&lab_source_trace, &config, "", 1, &source)) {
		fprintf(stderr, "f2fs_lab_replay: %s\n", config.error);
		return 1;
	}
	rc = replay(&r, source, argv + 3);
	lab_source_close(source);
	return rc ? 1 : 0; /* the process ends: the tables go with it */
}
