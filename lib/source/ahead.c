/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look ahead in a directory. Entries are examined in batches, each a job of a worker pool. The first batches of a
 * directory are small, so that its first entries are there soon. Workers stop before a subdirectory: the walk enters it
 * first.
 */
#include "source/ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <f2fskit/tree.h>
#include <unistd.h>

#include "base/pool.h"
#include "source/hostattr.h"

#define BATCHES 4u
#define BATCH_ENTRIES 16u
#define SMALL_FILE 65536u /* largest file that is read ahead */
#define MAX_WORKERS 4u

struct batch {
	struct pool_job job;
	const struct ahead *ahead;
	size_t first; /* index of its first name */
	unsigned count;
	struct ahead_entry entries[BATCH_ENTRIES];
	char *buffer;  /* SMALL_FILE bytes for each entry */
	bool is_ready; /* the caller waited for the job, and it is done */
};

struct ahead {
	struct f2fs_context *ctx;
	struct pool *pool;
	unsigned keep;
	enum ahead_depth depth;
	int at; /* the directory; -1: none */
	struct host_name *const *names;
	size_t count;
	size_t end;	    /* names before it were submitted */
	unsigned head, used; /* batches that are in use: used of them, from head on */
	struct batch batches[BATCHES];
};

/* Read a file whole. A file that has other bytes than its size says is left to the caller. */
static void read_small(struct ahead_entry *e, char *buffer)
{
	const size_t size = (size_t)e->st.st_size;
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(e->fd, buffer + done, size - done, (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		done += (size_t)n;
	}
	e->bytes = buffer;
	e->length = size;
	e->has_bytes = true;
}

static bool has_holes(const struct stat *st)
{
	return (uint64_t)st->st_blocks * 512 < (uint64_t)st->st_size;
}

static bool keeps_attributes(const struct ahead *a)
{
	return (a->keep & (F2FS_KEEP_XATTRS | F2FS_KEEP_ACL)) != 0;
}

static int open_file(const struct ahead *a, const char *name)
{
	return openat(a->at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
}

/* Examine a file that is open. */
static void examine_file(const struct ahead *a, const char *name, struct ahead_entry *e, char *buffer)
{
	e->has_no_attributes = !keeps_attributes(a) || host_has_no_attributes(a->at, name, e->fd);
	if (a->depth == AHEAD_READ && e->st.st_size <= SMALL_FILE && e->st.st_nlink == 1 &&
	    !((a->keep & F2FS_KEEP_HOLES) && has_holes(&e->st)))
		read_small(e, buffer);
	if (!e->has_bytes || !e->has_no_attributes || (a->keep & (F2FS_KEEP_FLAGS | F2FS_KEEP_PROJECT)))
		return;
	close(e->fd);
	e->fd = -1;
}

static void examine_link(const struct ahead *a, const char *name, struct ahead_entry *e, char *buffer)
{
	const ssize_t n = readlinkat(a->at, name, buffer, SMALL_FILE);

	if (n < 0)
		return;
	e->bytes = buffer;
	e->length = (size_t)n;
	e->has_bytes = true;
}

/* Look up a file once if the directory says that it is one: open it and ask the open file. */
static void stat_entry(const struct ahead *a, const struct host_name *name, struct ahead_entry *e)
{
	*e = (struct ahead_entry){ .fd = -1 };
	if (name->is_file && a->depth > AHEAD_STAT)
		e->fd = open_file(a, name->name);
	if (e->fd >= 0) {
		e->has_stat = fstat(e->fd, &e->st) == 0 && S_ISREG(e->st.st_mode);
		if (e->has_stat)
			return;
		close(e->fd);
		e->fd = -1;
	}
	e->has_stat = fstatat(a->at, name->name, &e->st, AT_SYMLINK_NOFOLLOW) == 0;
}

static void examine(const struct ahead *a, const struct host_name *name, struct ahead_entry *e, char *buffer)
{
	stat_entry(a, name, e);
	if (!e->has_stat || a->depth == AHEAD_STAT || S_ISDIR(e->st.st_mode))
		return;
	if (e->fd < 0 && S_ISREG(e->st.st_mode))
		e->fd = open_file(a, name->name);
	if (e->fd >= 0) {
		examine_file(a, name->name, e, buffer);
		return;
	}
	e->has_no_attributes = !keeps_attributes(a) || host_has_no_attributes(a->at, name->name, -1);
	if (S_ISLNK(e->st.st_mode))
		examine_link(a, name->name, e, buffer);
}

static void run_batch(struct pool_job *job, unsigned slot)
{
	struct batch *b = (struct batch *)job;

	(void)slot;
	for (unsigned i = 0; i < b->count; i++)
		examine(b->ahead, b->ahead->names[b->first + i], &b->entries[i],
			b->buffer + (size_t)i * SMALL_FILE);
}

/* How many names the next batch takes: a part of those before the next subdirectory. */
static unsigned next_count(const struct ahead *a)
{
	size_t files = 0;

	while (files < BATCHES * BATCH_ENTRIES && a->end + files < a->count && !a->names[a->end + files]->is_dir)
		files++;
	return (unsigned)((files + BATCHES - 1) / BATCHES);
}

static void submit(struct ahead *a)
{
	while (a->used < BATCHES) {
		struct batch *b = &a->batches[(a->head + a->used) % BATCHES];

		b->count = next_count(a);
		if (b->count == 0)
			return;
		b->first = a->end;
		a->end += b->count;
		a->used++;
		b->is_ready = false;
		pool_submit(a->pool, &b->job);
	}
}

/* Wait for a batch, once. Its job is never done in a forked process, which has no workers. */
static bool is_done(const struct ahead *a, struct batch *b)
{
	if (!b->is_ready)
		b->is_ready = pool_wait(a->pool, &b->job);
	return b->is_ready;
}

/* Wait for the oldest batch and drop its results. */
static void drop_batch(struct ahead *a)
{
	struct batch *b = &a->batches[a->head];
	const bool has_results = is_done(a, b);

	for (unsigned i = 0; has_results && i < b->count; i++)
		if (b->entries[i].fd >= 0)
			close(b->entries[i].fd);
	a->head = (a->head + 1) % BATCHES;
	a->used--;
}

void ahead_drop(struct ahead *a)
{
	while (a && a->used)
		drop_batch(a);
	if (a)
		a->at = -1;
}

struct ahead_entry *ahead_take(struct ahead *a, int at, struct host_name *const *names, size_t count, size_t index)
{
	struct batch *b;

	if (!a || names[index]->is_dir)
		return NULL;
	if (a->at != at) {
		ahead_drop(a);
		a->at = at;
		a->names = names;
		a->count = count;
		a->end = index;
	}
	while (a->used && a->batches[a->head].first + a->batches[a->head].count <= index)
		drop_batch(a);
	if (a->end < index)
		a->end = index;
	submit(a);
	b = &a->batches[a->head];
	if (!a->used || index < b->first)
		return NULL;
	return is_done(a, b) ? &b->entries[index - b->first] : NULL;
}

static int allocate(struct ahead *a)
{
	for (unsigned i = 0; i < BATCHES; i++) {
		struct batch *b = &a->batches[i];

		b->ahead = a;
		b->job.run = run_batch;
		b->buffer = mem_alloc(a->ctx, (size_t)BATCH_ENTRIES * SMALL_FILE);
		if (!b->buffer)
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

int ahead_new(struct f2fs_context *ctx, unsigned keep, enum ahead_depth depth, struct ahead **out)
{
	const unsigned workers = pool_processors() - 1;
	struct ahead *a;
	int err;

	*out = NULL;
	if (workers == 0)
		return 0;
	a = mem_zalloc(ctx, sizeof(*a));
	if (!a)
		return F2FS_ERR_NOMEM;
	a->ctx = ctx;
	a->keep = keep;
	a->depth = depth;
	a->at = -1;
	err = allocate(a);
	if (!err)
		err = pool_new(ctx, workers < MAX_WORKERS ? workers : MAX_WORKERS, &a->pool);
	if (err)
		ahead_free(a);
	else
		*out = a;
	return err;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	ahead_drop(a);
	pool_free(a->pool);
	for (unsigned i = 0; i < BATCHES; i++)
		mem_free(a->ctx, a->batches[i].buffer);
	mem_free(a->ctx, a);
}
