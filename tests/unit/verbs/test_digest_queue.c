/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Digests of many files by several threads: those of single files, in the order of the files, whatever is damaged. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host_tree.h"
#include "many.h"

#define WANTED (F2FS_DIGEST_SHA256)

/* Results of files, in the order in which they come. */
struct results {
	struct f2fs_context *ctx;
	unsigned count;
	unsigned stop_at; /* end the queue with this result, from 1; 0: never */
	struct result {
		unsigned number; /* of the file */
		int error;
		char message[512];
		struct f2fs_digests digests;
	} rows[MANY];
};

static int note(void *user, void *tag, int error, const struct f2fs_digests *digests)
{
	struct results *r = user;
	struct result *row = &r->rows[r->count++];

	assert_true(r->count <= MANY);
	row->number = *(unsigned *)tag;
	row->error = error;
	if (error && error != F2FS_ERR_CANCELED)
		snprintf(row->message, sizeof(row->message), "%s", f2fs_context_error(r->ctx)->message);
	row->digests = *digests;
	free(tag);
	return r->count == r->stop_at ? F2FS_ERR_NOSPC : 0;
}

static struct f2fs_inode *open_number(struct f2fs_volume *vol, unsigned i)
{
	struct f2fs_inode *inode;
	char path[20];

	snprintf(path, sizeof(path), "/f%u", i);
	assert_int_equal(f2fs_lookup(vol, path, 0, &inode), 0);
	return inode;
}

/* Digest all files, one after the other. */
static void digest_each(struct f2fs_volume *vol, struct results *r)
{
	for (unsigned i = 0; i < MANY; i++) {
		struct f2fs_digests found = { F2FS_SIZED(f2fs_digests) };
		struct f2fs_inode *inode = open_number(vol, i);
		unsigned *tag = malloc(sizeof(*tag));
		int err = f2fs_inode_digest(inode, WANTED, &found);

		*tag = i;
		note(r, tag, err, &found);
		f2fs_inode_close(inode);
	}
}

/* Add the first files to a queue, until a call fails. */
static int add_first(struct f2fs_volume *vol, struct f2fs_digest_queue *queue, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		struct f2fs_inode *inode = open_number(vol, i);
		unsigned *tag = malloc(sizeof(*tag));

		*tag = i;
		err = f2fs_digest_queue_add(queue, inode, tag);
		if (err)
			free(tag);
		f2fs_inode_close(inode);
	}
	return err;
}

/* Digest them by a queue. Returns the first failure of a call. */
static int digest_queued(struct f2fs_volume *vol, unsigned threads, struct results *r)
{
	struct f2fs_digest_queue *queue;
	int err = f2fs_digest_queue_open(vol, WANTED, threads, note, r, &queue);

	if (!err)
		err = add_first(vol, queue, MANY);
	if (!err)
		err = f2fs_digest_queue_flush(queue);
	f2fs_digest_queue_close(queue);
	return err;
}

static void threads_give_the_same_digests(void **state)
{
	static const unsigned threads[] = { 1, 2, 8 };
	struct fixture *t = *state;
	struct results *each = calloc(1, sizeof(*each)), *queued = malloc(sizeof(*queued));
	struct f2fs_volume *vol;
	struct many many;

	many_open(&many, &t->forge);
	vol = forge_volume(&t->forge, many.dev);
	each->ctx = t->forge.ctx;
	digest_each(vol, each);
	assert_int_equal(each->rows[40].error, F2FS_ERR_IO);
	assert_int_equal(each->rows[70].error, F2FS_ERR_CORRUPT);
	for (unsigned i = 0; i < 3; i++) {
		memset(queued, 0, sizeof(*queued));
		queued->ctx = t->forge.ctx;
		assert_int_equal(digest_queued(vol, threads[i], queued), 0);
		assert_int_equal(queued->count, MANY);
		for (unsigned k = 0; k < MANY; k++) {
			const struct result *a = &each->rows[k], *b = &queued->rows[k];

			assert_int_equal(b->number, k);
			assert_int_equal(b->error, a->error);
			assert_string_equal(b->message, a->message);
			if (a->error)
				continue;
			assert_int_equal(b->digests.bytes, a->digests.bytes);
			assert_int_equal(b->digests.crc32, a->digests.crc32);
			assert_memory_equal(b->digests.sha256, a->digests.sha256, sizeof(a->digests.sha256));
		}
	}
	f2fs_volume_close(vol);
	many_close(&many);
	free(each);
	free(queued);
}

/* The caller ends a queue: it gets back each file that it added, and no digest more. */
static void queues_end_early(void **state)
{
	static const unsigned threads[] = { 1, 2, 8 };
	struct fixture *t = *state;
	struct results *r = malloc(sizeof(*r));
	struct f2fs_volume *vol;
	struct many many;

	many_open(&many, &t->forge);
	vol = forge_volume(&t->forge, many.dev);
	for (unsigned i = 0; i < 3; i++) {
		memset(r, 0, sizeof(*r));
		r->ctx = t->forge.ctx;
		r->stop_at = 30;
		assert_int_equal(digest_queued(vol, threads[i], r), F2FS_ERR_NOSPC);
		assert_true(r->count >= 30);
		for (unsigned k = 0; k < r->count; k++) {
			assert_int_equal(r->rows[k].number, k);
			assert_int_equal(r->rows[k].error, k < 30 ? 0 : F2FS_ERR_CANCELED);
		}
	}
	f2fs_volume_close(vol);
	many_close(&many);
	free(r);
}

/* A device on which only its thread can read until go ends. */
struct held {
	const struct many *many;
	pthread_t caller;
	int go;
};

static int read_held(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct held *held = self;
	char c;

	while (!pthread_equal(pthread_self(), held->caller) && read(held->go, &c, 1) > 0)
		;
	for (unsigned i = 0; i < count; i++) {
		memcpy(iov[i].base, held->many->bytes + offset, iov[i].length);
		offset += iov[i].length;
	}
	return 0;
}

/* A forked process digests the files that the parent's workers were reading. */
static void a_child_has_the_digests(void **state)
{
	enum { FEW = 40 }; /* files: no call waits for them */
	struct fixture *t = *state;
	struct results *each = calloc(1, sizeof(*each)), *queued = calloc(1, sizeof(*queued));
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_held };
	struct f2fs_device_info info;
	struct f2fs_digest_queue *queue;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct many many;
	struct held held = { .many = &many, .caller = pthread_self() };
	int go[2], status;
	pid_t child;

	many_open(&many, &t->forge);
	assert_int_equal(pipe(go), 0);
	held.go = go[0];
	info = *f2fs_device_info(many.dev);
	assert_int_equal(f2fs_device_open_custom(t->forge.ctx, &ops, &held, &info, &dev), 0);
	vol = forge_volume(&t->forge, dev);
	each->ctx = queued->ctx = t->forge.ctx;
	digest_each(vol, each);
	assert_int_equal(f2fs_digest_queue_open(vol, WANTED, 2, note, queued, &queue), 0);
	assert_int_equal(add_first(vol, queue, FEW), 0);
	assert_int_equal(queued->count, 0);
	child = fork();
	if (child == 0)
		alarm(60);
	else
		close(go[1]);
	assert_int_equal(f2fs_digest_queue_flush(queue), 0);
	f2fs_digest_queue_close(queue);
	status = queued->count != FEW;
	for (unsigned k = 0; k < queued->count; k++)
		status |= queued->rows[k].error != 0 ||
			  memcmp(queued->rows[k].digests.sha256, each->rows[k].digests.sha256, 32) != 0;
	if (child == 0)
		_exit(status);
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(go[0]);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	many_close(&many);
	free(each);
	free(queued);
}

struct adder {
	struct f2fs_digest_queue *queue;
	struct f2fs_inode *inode;
	unsigned count, refused;
};

static int add_again(void *user, void *tag, int error, const struct f2fs_digests *digests)
{
	struct adder *a = user;

	(void)digests;
	free(tag);
	a->count += !error;
	a->refused += f2fs_digest_queue_add(a->queue, a->inode, NULL) == F2FS_ERR_STATE;
	return 0;
}

/* A file that done adds would take the place of one that is still to be reported. */
static void done_may_not_add(void **state)
{
	enum { FEW = 40 }; /* files that can be read */
	struct fixture *t = *state;
	struct adder adder = { 0 };
	struct f2fs_volume *vol;
	struct many many;

	many_open(&many, &t->forge);
	vol = forge_volume(&t->forge, many.dev);
	adder.inode = open_number(vol, 0);
	assert_int_equal(f2fs_digest_queue_open(vol, WANTED, 1, add_again, &adder, &adder.queue), 0);
	assert_int_equal(add_first(vol, adder.queue, FEW), 0);
	assert_int_equal(f2fs_digest_queue_flush(adder.queue), 0);
	assert_int_equal(adder.count, FEW);
	assert_int_equal(adder.refused, FEW);
	f2fs_digest_queue_close(adder.queue);
	f2fs_inode_close(adder.inode);
	f2fs_volume_close(vol);
	many_close(&many);
}

/* Inline and empty files, directories, and files of another volume. */
static void odd_files(void **state)
{
	struct fixture *t = *state;
	struct results *r = calloc(1, sizeof(*r));
	static const char *const paths[] = { "/inline", "/empty", "/", "/inline" };
	struct f2fs_volume *vol, *other;
	struct f2fs_digest_queue *queue;
	struct f2fs_inode *inode;
	struct f2fs_digests found = { F2FS_SIZED(f2fs_digests) };

	forge_entry(&t->forge, t->forge.root, "inline", MODE_REG | 0644, "text");
	forge_entry(&t->forge, t->forge.root, "empty", MODE_REG | 0644, NULL);
	vol = forge_volume(&t->forge, NULL);
	r->ctx = t->forge.ctx;
	assert_int_equal(f2fs_digest_queue_open(vol, 1u << 20, 2, note, r, &queue), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_digest_queue_open(vol, WANTED, 2, note, r, &queue), 0);
	for (unsigned i = 0; i < 4; i++) {
		unsigned *tag = malloc(sizeof(*tag));

		*tag = i;
		assert_int_equal(f2fs_lookup(vol, paths[i], 0, &inode), 0);
		assert_int_equal(f2fs_digest_queue_add(queue, inode, tag), 0);
		f2fs_inode_close(inode);
	}
	other = forge_volume(&t->forge, NULL);
	assert_int_equal(f2fs_lookup(other, "/inline", 0, &inode), 0);
	assert_int_equal(f2fs_digest_queue_add(queue, inode, NULL), F2FS_ERR_INVALID);
	f2fs_inode_close(inode);
	f2fs_volume_close(other);
	f2fs_digest_queue_close(queue); /* the last file is left, those before the directory are not */
	assert_int_equal(r->count, 4);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(r->rows[i].number, i);
	assert_int_equal(r->rows[0].error, 0);
	assert_int_equal(r->rows[1].error, 0);
	assert_int_equal(r->rows[2].error, F2FS_ERR_IS_DIR);
	assert_int_equal(r->rows[3].error, F2FS_ERR_CANCELED);
	assert_int_equal(f2fs_lookup(vol, "/inline", 0, &inode), 0);
	assert_int_equal(f2fs_inode_digest(inode, WANTED, &found), 0);
	assert_int_equal(found.bytes, 4);
	assert_memory_equal(r->rows[0].digests.sha256, found.sha256, sizeof(found.sha256));
	f2fs_inode_close(inode);
	assert_int_equal(r->rows[1].digests.bytes, 0);
	f2fs_volume_close(vol);
	free(r);
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(threads_give_the_same_digests),
		WITH_FIXTURE(queues_end_early),
		WITH_FIXTURE(a_child_has_the_digests),
		WITH_FIXTURE(done_may_not_add),
		WITH_FIXTURE(odd_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
