/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that only measure: random reads, reads into scattered memory, creating and looking up many files.
 */
#include "mounted/io_speed.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mounted/kernel_calls.h"

enum {
	RANDOM_BLOCKS = 1024,
	SCATTERED_BLOCKS = 256 * 1024,
	GAP = 2 * 1024 * 1024 - 4096, /* between two pages: both fill a huge page */
	GAPS_SHOWN = 5,
	FILE_KIB = 1024 * 1024,
};

static double per_us(uint64_t amount, uint64_t us)
{
	return (double)amount / (double)(us ? us : 1);
}

/* ---- randread */

struct random_reading {
	uint64_t bytes, count, places; /* of a chunk; chunks to read; blocks at which one may begin */
	char *buffer;
	const char *data; /* the mapped file, or NULL */
	size_t mapped;
};

/* Find the size of a file or block device. Returns 0, or -1 after a message. */
static int find_size(const struct io_call *call, uint64_t *size)
{
	struct stat st;

	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	*size = (uint64_t)st.st_size;
	return S_ISBLK(st.st_mode) && io_ask(call, BLKGETSIZE64, size) < 0 ? -1 : 0;
}

/* Prepare the way of I/O. Returns 0, or -1 after a message. */
static int take_way(const struct io_call *call, uint64_t size, struct random_reading *r)
{
	const char *way = call->words[2];
	void *data;

	if (!strcmp(way, "buffered"))
		return 0;
	if (!strcmp(way, "dio"))
		return fcntl(call->fd, F_SETFL, O_DIRECT) ? io_fail(call, "O_DIRECT") : 0;
	if (strcmp(way, "mmap") != 0)
		return io_refuse(call, way, "is not a kind of I/O");
	if ((size_t)size != size) {
		errno = EOVERFLOW;
		return io_fail(call, "mmap");
	}
	data = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, call->fd, 0);
	if (data == MAP_FAILED)
		return io_fail(call, "mmap");
	r->data = data;
	r->mapped = (size_t)size;
	return madvise(data, r->mapped, MADV_RANDOM) ? io_fail(call, "madvise") : 0;
}

static int read_place(const struct io_call *call, const struct random_reading *r, uint64_t place)
{
	const uint64_t offset = place * BLOCK_BYTES;
	ssize_t n;

	if (r->data) {
		for (uint64_t at = 0; at < r->bytes; at += BLOCK_BYTES)
			r->buffer[at] = *(const volatile char *)(r->data + offset + at);
		return 0;
	}
	n = pread(call->fd, r->buffer, (size_t)r->bytes, (off_t)offset);
	if (n >= 0 && (uint64_t)n < r->bytes)
		errno = EIO; /* the file has become shorter */
	return n < 0 || (uint64_t)n < r->bytes ? io_fail(call, "read") : 0;
}

static int read_places(const struct io_call *call, const struct random_reading *r)
{
	const uint64_t start = io_now();
	uint64_t state = start | 1, us;

	for (uint64_t i = 0; i < r->count; i++)
		if (read_place(call, r, io_random(&state) % r->places))
			return -1;
	us = io_now() - start;
	printf("Read %" PRIu64 " bytes total_time = %" PRIu64 " us, avg. latency = %.0f us, ", r->count * r->bytes, us,
	       per_us(us, r->count));
	printf("IOPs= %.0f, BW = %.0f MB/s\n", per_us(r->count * 1000000, us), per_us(r->count * r->bytes, us));
	return 0;
}

static int take_random(struct io_call *call, struct random_reading *r)
{
	uint64_t advice, size;

	if (io_number(call, 0, 1, RANDOM_BLOCKS, &r->bytes) || io_number(call, 1, 0, UINT32_MAX, &r->count) ||
	    io_number(call, 3, 0, 1, &advice) || find_size(call, &size))
		return -1;
	r->bytes *= BLOCK_BYTES;
	if (size < r->bytes)
		return io_refuse(call, call->words[4], "is smaller than a chunk");
	r->places = (size - r->bytes) / BLOCK_BYTES + 1;
	r->buffer = aligned_alloc(BLOCK_BYTES, (size_t)r->bytes);
	if (!r->buffer)
		return io_fail(call, "memory for a chunk");
	if (advice && io_advise(call, POSIX_FADV_RANDOM, "RANDOM"))
		return -1;
	return take_way(call, size, r);
}

int io_randread(struct io_call *call)
{
	struct random_reading r = { 0 };
	int rc = take_random(call, &r);

	if (!rc)
		rc = read_places(call, &r);
	if (r.data)
		munmap((void *)(uintptr_t)r.data, r.mapped);
	free(r.buffer);
	return rc;
}

/* ---- fragread */

struct scattered {
	char *buffer;
	size_t bytes, page;
	void **gaps;
	size_t gap_count;
};

static void *map_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void touch(char *memory, size_t bytes, size_t page)
{
	for (size_t at = 0; at < bytes; at += page)
		*(volatile char *)(memory + at) = 1;
}

static void free_scattered(struct scattered *s)
{
	for (size_t i = 0; i < s->gap_count; i++)
		munmap(s->gaps[i], GAP);
	if (s->buffer)
		munmap(s->buffer, s->bytes);
	free(s->gaps);
}

/* Make a buffer whose pages are far from each other in physical memory: after each, other memory is taken. */
static int scatter(const struct io_call *call, struct scattered *s)
{
	const long pages = sysconf(_SC_PAGESIZE), room = sysconf(_SC_AVPHYS_PAGES);

	s->page = pages > 0 ? (size_t)pages : BLOCK_BYTES;
	if (room > 0 && s->bytes / s->page + 1 > (uint64_t)room * s->page / (GAP + s->page)) {
		errno = ENOMEM; /* rather than have the kernel end other programs */
		return io_fail(call, "memory between the pages of the chunk");
	}
	s->gaps = calloc(s->bytes / s->page + 1, sizeof(*s->gaps));
	s->buffer = s->gaps ? map_memory(s->bytes) : NULL;
	if (!s->buffer)
		return io_fail(call, "memory for a chunk");
	(void)madvise(s->buffer, s->bytes, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses it */
	for (size_t at = 0; at < s->bytes; at += s->page) {
		void *gap = map_memory(GAP);

		if (!gap)
			return io_fail(call, "memory between the pages of the chunk");
		s->gaps[s->gap_count++] = gap;
		touch(s->buffer + at, 1, s->page);
		touch(gap, GAP, s->page);
	}
	return mlock(s->buffer, s->bytes) ? io_fail(call, "mlock") : 0;
}

static void print_gaps(const struct scattered *s)
{
	printf("Touched allocated memory: count = %zu\n - allocated memory: = ", s->gap_count);
	for (size_t i = 0; i < s->gap_count && i < GAPS_SHOWN; i++)
		printf(" %p", s->gaps[i]);
	printf("\n");
}

static int read_scattered(const struct io_call *call, const struct scattered *s, uint64_t first, uint64_t count)
{
	const uint64_t start = io_now();
	uint64_t done = 0, us;

	for (uint64_t i = 0; i < count; i++) {
		const ssize_t n = pread(call->fd, s->buffer, s->bytes, (off_t)((first + i) * s->bytes));

		if (n < 0)
			return io_fail(call, "read");
		done += (uint64_t)n;
		if ((uint64_t)n < s->bytes) {
			printf("pread expected: %zu, readed: %zd\n", s->bytes, n);
			break;
		}
	}
	us = io_now() - start;
	printf("Fragmented_Read %" PRIu64 " bytes total_time = %" PRIu64 " us, BW = %.0f MB/s\n\n", done, us,
	       per_us(done, us));
	return 0;
}

int io_fragread(struct io_call *call)
{
	struct scattered s = { 0 };
	uint64_t blocks, first, count, advice;
	int rc;

	if (io_number(call, 0, 1, SCATTERED_BLOCKS, &blocks) || io_number(call, 1, 0, UINT32_MAX, &first) ||
	    io_number(call, 2, 0, UINT32_MAX, &count) || io_number(call, 3, 0, 1, &advice))
		return -1;
	s.bytes = (size_t)blocks * BLOCK_BYTES;
	rc = scatter(call, &s);
	if (!rc) {
		print_gaps(&s);
		if (advice)
			rc = io_advise(call, POSIX_FADV_SEQUENTIAL, "SEQUENTIAL");
	}
	if (!rc)
		rc = read_scattered(call, &s, first, count);
	free_scattered(&s);
	return rc;
}

/* ---- files */

/* Make the path of a test file; the caller frees it. NULL after a message. */
static char *test_path(const struct io_call *call, uint64_t number)
{
	const size_t room = strlen(call->words[0]) + sizeof("/test_file_") + 20;
	char *path = malloc(room);

	if (path)
		snprintf(path, room, "%s/test_file_%" PRIu64, call->words[0], number);
	else
		io_fail(call, "memory for a path");
	return path;
}

/* Do something to each test file, until it fails. Returns how many files it was done to. */
static uint64_t each_file(struct io_call *call, uint64_t count,
			  int (*step)(struct io_call *call, const char *path, void *user), void *user)
{
	uint64_t i;

	for (i = 0; i < count && !cli_stopped(); i++) {
		char *path = test_path(call, i);
		const int rc = path ? step(call, path, user) : -1;

		free(path);
		if (rc)
			break;
	}
	call->path = call->words[0];
	return i;
}

struct creating {
	char *contents;
	size_t bytes;
	int durable;
};

static int create_file(struct io_call *call, const char *path, void *user)
{
	const struct creating *c = user;
	const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	ssize_t n = 0;
	int rc = 0;

	call->path = path;
	if (fd < 0)
		return io_fail(call, "open");
	if (c->bytes)
		n = write(fd, c->contents, c->bytes);
	if (n >= 0 && (size_t)n < c->bytes) {
		errno = ENOSPC;
		n = -1;
	}
	if (n < 0)
		rc = io_fail(call, "write");
	else if (c->durable && fsync(fd))
		rc = io_fail(call, "fsync");
	close(fd);
	return rc;
}

static int delete_file(struct io_call *call, const char *path, void *user)
{
	(void)user;
	call->path = path;
	return unlink(path) ? io_fail(call, "unlink") : 0;
}

static int stat_file(struct io_call *call, const char *path, void *user)
{
	struct stat st;

	(void)user;
	call->path = path;
	return stat(path, &st) ? io_fail(call, "stat") : 0;
}

static double seconds(uint64_t us)
{
	return (double)us / 1e6;
}

int io_create_perf(struct io_call *call)
{
	enum { DURABLE = 1, SYNC = 2 };
	struct creating c = { .durable = call->letters & DURABLE };
	const int syncs = call->letters & SYNC;
	uint64_t count, kib, start, made, create_us, delete_us;

	call->path = call->words[0];
	if (io_number(call, 1, 1, UINT32_MAX, &count) || io_number(call, 2, 0, FILE_KIB, &kib))
		return -1;
	c.bytes = (size_t)kib * 1024;
	c.contents = malloc(c.bytes + 1);
	if (!c.contents)
		return io_fail(call, "memory for a file");
	memset(c.contents, 'a', c.bytes);
	printf("Starting test: Creating %" PRIu64 " files of %" PRIu64 "KB each in %s (fsync: %s)\n", count, kib,
	       call->words[0], c.durable ? "Enabled" : "Disabled");
	start = io_now();
	made = each_file(call, count, create_file, &c);
	create_us = io_now() - start;
	free(c.contents);
	printf("Deleting %" PRIu64 " created files (sync: %s)\n", made, syncs ? "Enabled" : "Disabled");
	start = io_now();
	if (each_file(call, made, delete_file, NULL) < made || made < count)
		return -1;
	if (syncs)
		sync();
	delete_us = io_now() - start;
	printf("Operation,total_files,file_size_kb,total_time_s,throughput_files_per_sec\n");
	printf("CREATE,%" PRIu64 ",%" PRIu64 ",%.4f,%.2f\n", count, kib, seconds(create_us),
	       per_us(count * 1000000, create_us));
	printf("DELETE,%" PRIu64 ",%" PRIu64 ",%.4f,%.2f\n", count, kib, seconds(delete_us),
	       per_us(count * 1000000, delete_us));
	return 0;
}

static const char *type_name(unsigned char type)
{
	static const char *const names[] = { [DT_REG] = "regular", [DT_DIR] = "directory", [DT_FIFO] = "FIFO",
					     [DT_SOCK] = "socket", [DT_LNK] = "symlink",   [DT_BLK] = "block dev",
					     [DT_CHR] = "char dev" };

	return type < sizeof(names) / sizeof(names[0]) && names[type] ? names[type] : "unknown";
}

static int list_all(struct io_call *call, int verbose)
{
	const struct dirent *entry;
	DIR *dir;

	call->path = call->words[0];
	dir = opendir(call->path);
	if (!dir)
		return io_fail(call, "opendir");
	if (verbose)
		printf("inode    file type  d_reclen  d_off    d_name\n");
	while ((errno = 0, entry = readdir(dir)) != NULL && !cli_stopped()) {
		if (!verbose)
			continue;
		printf("%-8" PRIu64 " %-10s %-9u %-8" PRId64 " ", (uint64_t)entry->d_ino, type_name(entry->d_type),
		       entry->d_reclen, (int64_t)entry->d_off);
		cli_put_text(stdout, entry->d_name);
		printf("\n");
	}
	const int rc = !entry && errno ? io_fail(call, "readdir") : 0;

	closedir(dir);
	return rc;
}

int io_lookup_perf(struct io_call *call)
{
	enum { MAKES = 1, VERBOSE = 2 };
	struct creating c = { 0 };
	uint64_t count, start, list_us, stat_us;

	call->path = call->words[0];
	if (io_number(call, 1, 1, UINT32_MAX, &count))
		return -1;
	if (call->letters & MAKES) {
		printf("Starting test: Creating %" PRIu64 " files in %s\n", count, call->words[0]);
		return each_file(call, count, create_file, &c) < count ? -1 : 0;
	}
	printf("Measure readdir performance\n");
	start = io_now();
	if (list_all(call, call->letters & VERBOSE))
		return -1;
	list_us = io_now() - start;
	printf("Measure stat performance\n");
	start = io_now();
	if (each_file(call, count, stat_file, NULL) < count)
		return -1;
	stat_us = io_now() - start;
	printf("Operation: total_files, total_time_s, throughput_files_per_sec\n");
	printf("readdir: %" PRIu64 ", %.4f, %.2f\n", count, seconds(list_us), per_us(count * 1000000, list_us));
	printf("stat: %" PRIu64 ", %.4f, %.2f\n", count, seconds(stat_us), per_us(count * 1000000, stat_us));
	return 0;
}
