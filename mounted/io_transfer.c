/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands read and write: chunks of a file, by several ways of I/O, with their times.
 */
#include "mounted/io_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "cli/size.h"
#include "mounted/kernel_calls.h"

enum { WRITE_BLOCKS = 1024, READ_BLOCKS = 256 * 1024, DELAY_MAX = 1000000, LINE = 16 };

struct chunks {
	uint64_t bytes; /* of a chunk */
	uint64_t first; /* number of the first one, or how many there are to choose from */
	uint64_t count;
	int is_random;
	char *buffer; /* of a chunk, aligned for direct I/O */
};

/* Take the first three operands. Returns 0, or -1 after a message. */
static int take_chunks(const struct io_call *call, uint64_t most_blocks, struct chunks *c)
{
	const char *why;
	int64_t offset;

	if (io_number(call, 0, 1, most_blocks, &c->bytes) || io_number(call, 2, 0, UINT32_MAX, &c->count))
		return -1;
	c->bytes *= BLOCK_BYTES;
	why = cli_parse_s64(call->words[1], &offset);
	if (!why && (offset < -(int64_t)UINT32_MAX || offset > (int64_t)UINT32_MAX))
		why = "is too far away";
	if (why)
		return io_refuse(call, call->words[1], why);
	c->is_random = offset < 0;
	c->first = (uint64_t)(offset < 0 ? -offset : offset);
	c->buffer = aligned_alloc(BLOCK_BYTES, (size_t)c->bytes);
	if (!c->buffer)
		return io_fail(call, "memory for a chunk");
	memset(c->buffer, 0, (size_t)c->bytes);
	return 0;
}

static const struct way {
	const char *name;
	int flags;
	unsigned long start, end; /* ioctls of atomic writes */
} ways[] = {
	{ "buffered", 0, 0, 0 },
	{ "dio", O_DIRECT, 0, 0 },
	{ "dsync", O_DIRECT | O_DSYNC, 0, 0 },
	{ "osync", O_SYNC, 0, 0 },
	{ "atomic_commit", 0, F2FS_IOC_START_ATOMIC_WRITE, F2FS_IOC_COMMIT_ATOMIC_WRITE },
	{ "atomic_abort", 0, F2FS_IOC_START_ATOMIC_WRITE, F2FS_IOC_ABORT_ATOMIC_WRITE },
	{ "atomic_rcommit", 0, F2FS_IOC_START_ATOMIC_REPLACE, F2FS_IOC_COMMIT_ATOMIC_WRITE },
	{ "atomic_rabort", 0, F2FS_IOC_START_ATOMIC_REPLACE, F2FS_IOC_ABORT_ATOMIC_WRITE },
};

enum pattern { ZERO, INC_NUM, RAND };

struct writing {
	struct chunks chunks;
	const struct way *way;
	enum pattern pattern;
	uint64_t pause_us; /* before, after and between the writes of an atomic one */
	uint64_t written, slowest_us, state;
};

/* Announce by i_advise that a file is hot or cold. Returns 0, or -1 after a message. */
static int give_advice(const struct io_call *call, const char *word)
{
	const unsigned char advice = strcmp(word, "hot") ? 0x01 : 0x20;

	if (fsetxattr(call->fd, "system.advise", &advice, sizeof(advice), 0))
		return io_fail(call, "setxattr of system.advise");
	return 0;
}

/* @file is the operand with the path, which the delay follows. The operand before it may be an advice. */
static int take_writing(struct io_call *call, struct writing *w, int file)
{
	static const char *const patterns[] = { [ZERO] = "zero", [INC_NUM] = "inc_num", [RAND] = "rand" };
	int found = -1;
	uint64_t delay;

	for (int i = ZERO; i <= RAND; i++)
		found = strcmp(patterns[i], call->words[3]) ? found : i;
	if (found < 0)
		return io_refuse(call, call->words[3], "is not a pattern");
	w->pattern = (enum pattern)found;
	for (unsigned i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		w->way = strcmp(ways[i].name, call->words[4]) ? w->way : &ways[i];
	if (!w->way)
		return io_refuse(call, call->words[4], "is not a kind of I/O");
	if (file > 5 && strcmp(call->words[5], "hot") != 0 && strcmp(call->words[5], "cold") != 0)
		return io_refuse(call, call->words[5], "is not hot or cold");
	if (call->count > file + 1) {
		if (!w->way->start)
			return io_refuse(call, call->words[file + 1], "is a delay, which atomic writes alone have");
		if (io_number(call, file + 1, 0, DELAY_MAX, &delay))
			return -1;
		w->pause_us = delay * 1000 / (w->chunks.count + 2);
	}
	w->state = io_now() | 1;
	if (io_open(call, call->words[file], O_CREAT | O_WRONLY | w->way->flags))
		return -1;
	return file > 5 ? give_advice(call, call->words[5]) : 0;
}

static void wait_us(uint64_t us)
{
	const struct timespec t = { (time_t)(us / 1000000), (long)(us % 1000000 * 1000) };

	if (us)
		nanosleep(&t, NULL);
}

static int write_chunk(const struct io_call *call, struct writing *w, uint64_t number)
{
	const struct chunks *c = &w->chunks;
	const uint32_t mark = (uint32_t)(w->pattern == INC_NUM ? number : io_random(&w->state));
	const uint64_t place = c->is_random ? io_random(&w->state) % c->first : c->first + number;
	const uint64_t start = io_now();
	ssize_t n;

	if (w->pattern != ZERO)
		memcpy(c->buffer, &mark, sizeof(mark));
	n = pwrite(call->fd, c->buffer, (size_t)c->bytes, (off_t)(place * c->bytes));
	if (io_now() - start > w->slowest_us)
		w->slowest_us = io_now() - start;
	if (n > 0)
		w->written += (uint64_t)n;
	if (n >= 0 && (uint64_t)n < c->bytes)
		errno = ENOSPC;
	wait_us(w->pause_us);
	return n < 0 || (uint64_t)n < c->bytes ? io_fail(call, "write") : 0;
}

static int write_chunks(const struct io_call *call, struct writing *w)
{
	const uint64_t start = io_now();
	int rc = 0;

	wait_us(w->pause_us);
	if (w->way->start && io_request(call, w->way->start, "setting atomic file mode", NULL) < 0)
		return -1;
	wait_us(w->pause_us);
	for (uint64_t i = 0; !rc && i < w->chunks.count; i++)
		rc = write_chunk(call, w, i);
	if (!rc && w->way->end && io_request(call, w->way->end, "ending the atomic write", NULL) < 0)
		return -1;
	printf("Written %" PRIu64 " bytes with pattern = %s, total_time = %" PRIu64 " us, ", w->written, call->words[3],
	       io_now() - start);
	printf("max_latency = %" PRIu64 " us\n", w->slowest_us);
	return rc;
}

static int write_file(struct io_call *call, int file)
{
	struct writing w = { 0 };
	int rc = take_chunks(call, WRITE_BLOCKS, &w.chunks);

	if (!rc)
		rc = take_writing(call, &w, file);
	if (!rc)
		rc = write_chunks(call, &w);
	free(w.chunks.buffer);
	return rc;
}

int io_write(struct io_call *call)
{
	return write_file(call, 5);
}

int io_write_advice(struct io_call *call)
{
	return write_file(call, 6);
}

/* Ways to read through a mapping. */
static const struct mapping {
	const char *name;
	int flags;	/* of mmap(2) */
	int fadvise;	/* announces the range first */
	int populate;	/* reads it by madvise(2) */
	int locks;	/* reads it, or keeps it, by mlock(2) */
} mappings[] = {
	{ "mmap", MAP_POPULATE, 0, 0, 1 },
	{ "mlock", 0, 0, 0, 1 },
	{ "madvise", 0, 0, 1, 0 },
	{ "fadvise", 0, 1, 0, 1 },
};

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

struct reading {
	struct chunks chunks;
	const struct mapping *mapping; /* NULL: reads */
	int dontcache; /* no page stays in memory */
	uint64_t done, io_us, lock_us, shown;
	char *head; /* the first bytes, to be printed */
};

static void keep_head(struct reading *r, const char *from, uint64_t bytes)
{
	memcpy(r->head, from, (size_t)(bytes < r->shown ? bytes : r->shown));
}

static int read_mapped(const struct io_call *call, struct reading *r)
{
	const struct mapping *m = r->mapping;
	const uint64_t offset = r->chunks.first * r->chunks.bytes, start = io_now();
	uint64_t length = r->chunks.count * r->chunks.bytes, between;
	struct stat st;
	char *data;
	int rc = 0;

	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	if (offset >= (uint64_t)st.st_size || !length)
		return 0;
	if (length > (uint64_t)st.st_size - offset)
		length = (uint64_t)st.st_size - offset; /* pages after the end cannot be read */
	if ((size_t)length != length) {
		errno = EOVERFLOW;
		return io_fail(call, "mmap");
	}
	data = mmap(NULL, (size_t)length, PROT_READ, MAP_SHARED | m->flags, call->fd, (off_t)offset);
	if (data == MAP_FAILED)
		return io_fail(call, "mmap");
	if (m->fadvise && (errno = posix_fadvise(call->fd, (off_t)offset, (off_t)length, POSIX_FADV_WILLNEED)) != 0)
		rc = io_fail(call, "fadvise");
	if (!rc && m->populate && madvise(data, (size_t)length, MADV_POPULATE_READ))
		rc = io_fail(call, "madvise");
	between = io_now();
	if (!rc && m->locks && mlock(data, (size_t)length))
		rc = io_fail(call, "mlock");
	r->lock_us = io_now() - between;
	r->io_us = m->flags || m->fadvise || m->populate ? between - start : r->lock_us;
	if (!rc) {
		r->done = length;
		keep_head(r, data, length);
	}
	munmap(data, (size_t)length);
	return rc;
}

#ifndef RWF_DONTCACHE
#define RWF_DONTCACHE 0x80
#endif

/* Read one chunk. The C library of some systems has no preadv2(2). */
static ssize_t read_chunk(const struct io_call *call, const struct reading *r, uint64_t offset)
{
	const struct chunks *c = &r->chunks;
	const struct iovec piece = { c->buffer, (size_t)c->bytes };

	if (!r->dontcache)
		return pread(call->fd, c->buffer, (size_t)c->bytes, (off_t)offset);
	return syscall(SYS_preadv2, call->fd, &piece, 1, (unsigned long)offset, (unsigned long)(offset >> 32),
		       RWF_DONTCACHE);
}

static int read_chunks(const struct io_call *call, struct reading *r)
{
	const struct chunks *c = &r->chunks;
	const uint64_t start = io_now();

	for (uint64_t i = 0; i < c->count; i++) {
		const ssize_t n = read_chunk(call, r, (c->first + i) * c->bytes);

		if (n < 0)
			return io_fail(call, "read");
		r->done += (uint64_t)n;
		if (!i)
			keep_head(r, c->buffer, (uint64_t)n);
		if ((uint64_t)n < c->bytes) {
			printf("pread expected: %" PRIu64 ", readed: %" PRIu64 "\n", c->bytes, (uint64_t)n);
			break;
		}
	}
	r->io_us = io_now() - start;
	return 0;
}

static void print_head(const struct reading *r)
{
	const uint64_t offset = r->chunks.first * r->chunks.bytes;

	printf("%08" PRIx64 " : ", offset);
	for (uint64_t i = 1; i <= r->shown; i++) {
		printf("%02x", (unsigned char)r->head[i - 1]);
		if (i % LINE == 0)
			printf("\n%08" PRIx64 " : ", offset + i);
		else if (i % 2 == 0)
			printf(" ");
	}
	printf("\n");
}

/* Take the operands after the chunks; the advice before the last two may be missing. */
static int take_reading(struct io_call *call, struct reading *r)
{
	uint64_t advice = 0;

	if (r->chunks.is_random)
		return io_refuse(call, call->words[1], "is before the file");
	for (unsigned i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++)
		r->mapping = strcmp(mappings[i].name, call->words[3]) ? r->mapping : &mappings[i];
	r->dontcache = !strcmp(call->words[3], "dontcache");
	if (!r->mapping && !r->dontcache && strcmp(call->words[3], "buffered") != 0 &&
	    strcmp(call->words[3], "dio") != 0)
		return io_refuse(call, call->words[3], "is not a kind of I/O");
	if (io_number(call, call->count - 2, 0, r->chunks.bytes, &r->shown))
		return -1;
	if (call->count > 6 && io_number(call, 4, 0, 1, &advice))
		return -1;
	if (!strcmp(call->words[3], "dio") && fcntl(call->fd, F_SETFL, O_DIRECT))
		return io_fail(call, "O_DIRECT");
	r->head = calloc(1, (size_t)r->shown + 1);
	if (!r->head)
		return io_fail(call, "memory for the printed bytes");
	return advice ? io_advise(call, POSIX_FADV_SEQUENTIAL, "SEQUENTIAL") : 0;
}

int io_read(struct io_call *call)
{
	struct reading r = { 0 };
	int rc = take_chunks(call, READ_BLOCKS, &r.chunks);
	uint64_t start;

	if (!rc)
		rc = take_reading(call, &r);
	start = io_now();
	if (!rc)
		rc = r.mapping ? read_mapped(call, &r) : read_chunks(call, &r);
	if (r.shown > r.done)
		r.shown = r.done;
	if (!rc) {
		printf("Read %" PRIu64 " bytes total_time = %" PRIu64 " us, BW = %.0f MB/s, ", r.done, io_now() - start,
		       (double)r.done / (double)(r.io_us ? r.io_us : 1));
		printf("IO time = %" PRIu64 " us, mlock time = %" PRIu64 " us, print %" PRIu64 " bytes:\n",
		       r.io_us, r.lock_us, r.shown);
		print_head(&r);
	}
	free(r.head);
	free(r.chunks.buffer);
	return rc;
}
