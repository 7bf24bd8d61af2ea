/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A feed writes all bytes in order, and none after a failure, while its caller continues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/seed.h"
#include "file/feed.h"

enum { BATCH = 4096, BATCHES = 40, PIECE = 1000, FAILURE = 7 };

/* The bytes that came. */
struct written {
	uint8_t bytes[BATCHES * BATCH];
	size_t length;
	unsigned calls, fails_at; /* a call, from 1; 0: none */
};

static uint8_t byte_at(size_t i)
{
	return (uint8_t)(i * 31 >> 4);
}

/* Write slowly, so that a feed that does not wait has too few bytes. */
static int write_slowly(void *user, const uint8_t *bytes, size_t length)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	struct written *w = user;

	nanosleep(&pause, NULL);
	w->calls++;
	if (w->calls == w->fails_at)
		return FAILURE;
	memcpy(w->bytes + w->length, bytes, length);
	w->length += length;
	return 0;
}

static int report(void *user, int failure)
{
	(void)user;
	assert_int_equal(failure, FAILURE);
	return F2FS_ERR_IO;
}

/* Put all bytes into a feed. Returns the first failure. */
static int feed_all(const struct seed *seed, unsigned threads, bool is_behind, struct written *w)
{
	const struct feed_user user = { .user = w, .bytes = write_slowly, .report = report, .is_behind = is_behind };
	uint8_t piece[PIECE];
	struct feed *feed;
	int err;

	assert_int_equal(feed_new(seed->vol, threads, BATCH, &user, &feed), 0);
	err = 0;
	for (size_t at = 0, n; at < sizeof(w->bytes) && !err; at += n) {
		n = sizeof(w->bytes) - at < PIECE ? sizeof(w->bytes) - at : PIECE;
		for (size_t i = 0; i < n; i++)
			piece[i] = byte_at(at + i);
		err = feed_put(feed, piece, n);
	}
	if (!err)
		err = feed_flush(feed);
	if (!err)
		assert_int_equal(w->length, sizeof(w->bytes));
	feed_free(feed);
	return err;
}

static const struct {
	unsigned threads;
	bool is_behind;
} ways[] = { { 1, false }, { 1, true }, { 2, false }, { 2, true }, { 4, true } };

static void flush_waits_for_the_last_write(void **state)
{
	static struct written w;

	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++) {
		memset(&w, 0, sizeof(w));
		assert_int_equal(feed_all(*state, ways[way].threads, ways[way].is_behind, &w), 0);
		for (size_t i = 0; i < sizeof(w.bytes); i++)
			assert_int_equal(w.bytes[i], byte_at(i));
	}
}

static void a_failed_write_is_the_last(void **state)
{
	static struct written w;

	for (unsigned way = 0; way < sizeof(ways) / sizeof(ways[0]); way++)
		for (unsigned call = 1; call <= BATCHES; call += BATCHES - 1) {
			memset(&w, 0, sizeof(w));
			w.fails_at = call;
			assert_int_equal(feed_all(*state, ways[way].threads, ways[way].is_behind, &w), F2FS_ERR_IO);
			assert_int_equal(w.calls, call);
			assert_int_equal(w.length, (call - 1) * BATCH);
		}
}

/* No write runs after the end of a feed that was not flushed. */
static void the_end_waits_for_a_write(void **state)
{
	static const uint8_t piece[2 * BATCH * 12];
	const struct seed *seed = *state;
	static struct written w;
	const struct feed_user user = { .user = &w, .bytes = write_slowly, .report = report, .is_behind = true };
	struct feed *feed;
	unsigned calls;

	memset(&w, 0, sizeof(w));
	assert_int_equal(feed_new(seed->vol, 2, BATCH, &user, &feed), 0);
	assert_int_equal(feed_put(feed, piece, sizeof(piece)), 0);
	feed_free(feed);
	calls = w.calls;
	assert_true(calls > 0);
	assert_int_equal(w.length, calls * BATCH);
	nanosleep(&(struct timespec){ .tv_nsec = 30000000 }, NULL);
	assert_int_equal(w.calls, calls);
}

/* Write when the other end of the pipe is closed. */
static int write_held(void *user, const uint8_t *bytes, size_t length)
{
	char c;

	(void)bytes, (void)length;
	return (int)read(*(const int *)user, &c, 1);
}

/* A forked process gets an error, and writes nothing. */
static void a_forked_process_writes_nothing(void **state)
{
	static const uint8_t piece[BATCH];
	const struct seed *seed = *state;
	int hold[2], status;
	const struct feed_user user = { .user = hold, .bytes = write_held, .report = report, .is_behind = true };
	struct feed *feed;
	pid_t child;

	assert_int_equal(pipe(hold), 0);
	assert_int_equal(feed_new(seed->vol, 2, BATCH, &user, &feed), 0);
	for (unsigned i = 0; i < 2 * feed_slots(feed) + 2; i++) /* the ring is full, and its first batch is written */
		assert_int_equal(feed_put(feed, piece, sizeof(piece)), 0);
	child = fork();
	if (child == 0)
		_exit(feed_flush(feed) == F2FS_ERR_STATE ? 0 : 1);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(hold[1]);
	assert_int_equal(feed_flush(feed), 0);
	feed_free(feed);
	close(hold[0]);
}

static int open_seed(void **state)
{
	static struct seed seed;

	*state = &seed;
	return seed_open(&seed, "plain", NULL);
}

static int close_seed(void **state)
{
	seed_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flush_waits_for_the_last_write),
		cmocka_unit_test(a_failed_write_is_the_last),
		cmocka_unit_test(the_end_waits_for_a_write),
		cmocka_unit_test(a_forked_process_writes_nothing),
	};

	return cmocka_run_group_tests(tests, open_seed, close_seed);
}
