/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of many files by several threads. Files go through a feed, and its workers digest those that they have read.
 * The caller's thread digests large files, between the others: a feed has no order within a file.
 */
#include "base/crc.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/pool.h"
#include "file/data_digest.h"
#include "file/data_read.h"
#include "file/feed.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/object.h"

#define MOST_THREADS 4u /* when the caller does not say how many: more would wait for memory */

struct f2fs_digest_queue {
	struct f2fs_volume *vol;
	unsigned wanted;
	int (*done)(void *user, void *tag, int error, const struct f2fs_digests *digests);
	void *user;
	struct feed *feed;
	struct digests **slots; /* of each thread */
	uint8_t *buffer;	/* of contents that workers do not read; NULL: none was needed yet */
	int stopped;		/* what done() returned, 0 as long as it goes on */
	bool is_telling;	/* done() runs: the batch of its file is not free yet */
};

/* A file in the feed. */
struct waiting {
	void *tag;
	f2fs_nid_t ino;
	bool failed; /* a digest did */
	struct f2fs_digests found;
};

static void tell(struct f2fs_digest_queue *q, void *tag, int err, const struct f2fs_digests *found)
{
	int rc;

	q->is_telling = true;
	rc = q->done(q->user, tag, err, found);
	q->is_telling = false;
	if (!q->stopped)
		q->stopped = rc;
}

/* ---- of the feed */

static void digest_item(void *user, struct feed_item *item, unsigned slot)
{
	struct f2fs_digest_queue *q = user;
	struct waiting *w = item->note;
	struct digests *d = q->slots[slot];

	w->failed = digests_again(d) != 0 || digests_add(d, item->bytes, item->length) != 0 ||
		    digests_finish(d, &w->found) != 0;
	w->found.bytes = item->length;
	w->found.crc32 = ~crc_f2fs(UINT32_MAX, item->bytes, item->length);
}

/* Digest a file again that could not be read, or not be digested: that meets and records the error. */
static int digest_again(struct f2fs_digest_queue *q, struct waiting *w)
{
	struct f2fs_inode *inode;
	int err = inode_open(q->vol, w->ino, &inode);

	if (err)
		return err;
	err = data_digest(inode, q->wanted, &w->found);
	f2fs_inode_close(inode);
	return err;
}

static void drop_item(void *user, struct feed_item *item)
{
	const struct waiting *w = item->note;

	tell(user, w->tag, F2FS_ERR_CANCELED, &w->found);
}

static int take_item(void *user, struct feed_item *item)
{
	struct f2fs_digest_queue *q = user;
	struct waiting *w = item->note;

	if (q->stopped)
		drop_item(q, item);
	else
		tell(q, w->tag, item->is_bad || w->failed ? digest_again(q, w) : 0, &w->found);
	return 0;
}

/* ---- adding */

/* Digest a file on this thread, after those before it. */
static int digest_here(struct f2fs_digest_queue *q, struct f2fs_inode *inode, void *tag)
{
	struct f2fs_digests found = { F2FS_SIZED(f2fs_digests) };
	int err = feed_flush(q->feed);

	if (err)
		return err;
	if (q->stopped)
		return q->stopped;
	tell(q, tag, data_digest(inode, q->wanted, &found), &found);
	return 0;
}

/* Read a file on this thread, for workers to digest. */
static int read_here(struct f2fs_digest_queue *q, const struct feed_ask *ask, void *tag)
{
	size_t done;

	if (!q->buffer)
		q->buffer = mem_alloc(q->vol->ctx, FEED_BATCH);
	if (!q->buffer)
		return F2FS_ERR_NOMEM;
	if (inode_read(ask->inode, 0, q->buffer, ask->length, &done) != 0 || done != ask->length)
		return digest_here(q, ask->inode, tag);
	return feed_copy(q->feed, ask, q->buffer);
}

int f2fs_digest_queue_add(struct f2fs_digest_queue *q, struct f2fs_inode *inode, void *tag)
{
	struct waiting w = { .tag = tag, .ino = inode->ino, .found = { F2FS_SIZED(f2fs_digests) } };
	struct feed_ask ask = { .inode = inode, .note = &w, .note_size = sizeof(w) };
	uint64_t size;
	int err;

	if (q->is_telling)
		return error_set(q->vol->ctx, F2FS_ERR_STATE, "done() may not add a file to its queue");
	error_clear(q->vol->ctx);
	if (q->stopped)
		return q->stopped;
	if (inode->vol != q->vol)
		return error_set(q->vol->ctx, F2FS_ERR_INVALID, "the file is of another volume than the queue");
	err = inode_sync(inode);
	if (err)
		return err;
	if (inode_type(inode) != MODE_REG || inode->is_past)
		return digest_here(q, inode, tag);
	size = inode_i_size(inode->block);
	if (size > FEED_BATCH)
		return digest_here(q, inode, tag);
	ask.length = (size_t)size;
	err = size ? feed_contents(q->feed, &ask) : feed_copy(q->feed, &ask, NULL);
	return err == FEED_APART ? read_here(q, &ask, tag) : err;
}

int f2fs_digest_queue_flush(struct f2fs_digest_queue *q)
{
	int err = feed_flush(q->feed);

	return err ? err : q->stopped;
}

/* ---- the queue */

void f2fs_digest_queue_close(struct f2fs_digest_queue *q)
{
	struct f2fs_context *ctx;
	unsigned slots;

	if (!q)
		return;
	ctx = q->vol->ctx;
	slots = q->slots ? feed_slots(q->feed) : 0;
	feed_free(q->feed);
	for (unsigned i = 0; i < slots; i++)
		digests_drop(ctx, &q->slots[i]);
	mem_free(ctx, q->slots);
	mem_free(ctx, q->buffer);
	mem_free(ctx, q);
}

static int start(struct f2fs_digest_queue *q, unsigned threads)
{
	const struct feed_user user = { .user = q, .work = digest_item, .item = take_item, .drop = drop_item };
	int err = feed_new(q->vol, threads, FEED_BATCH, &user, &q->feed);

	if (err)
		return err;
	q->slots = mem_calloc(q->vol->ctx, feed_slots(q->feed), sizeof(*q->slots));
	if (!q->slots)
		return F2FS_ERR_NOMEM;
	for (unsigned i = 0; i < feed_slots(q->feed) && !err; i++)
		err = digests_begin_kept(q->vol->ctx, &q->slots[i], q->wanted);
	return err;
}

int f2fs_digest_queue_open(struct f2fs_volume *vol, unsigned wanted, unsigned threads,
			   int (*done)(void *user, void *tag, int error, const struct f2fs_digests *digests),
			   void *user, struct f2fs_digest_queue **out)
{
	struct f2fs_digest_queue *q;
	int err;

	error_clear(vol->ctx);
	if (wanted & ~(unsigned)F2FS_DIGEST_ALL)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no such digest");
	q = mem_zalloc(vol->ctx, sizeof(*q));
	if (!q)
		return F2FS_ERR_NOMEM;
	q->vol = vol;
	q->wanted = wanted;
	q->done = done;
	q->user = user;
	if (!threads)
		threads = pool_processors() < MOST_THREADS ? pool_processors() : MOST_THREADS;
	err = start(q, threads);
	if (err)
		f2fs_digest_queue_close(q);
	else
		*out = q;
	return err;
}
