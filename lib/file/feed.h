/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contents of many files in their order. The caller's thread finds where contents are. Workers read them, many files at
 * once, and may work on them. The caller's thread then takes them in the order in which it asked for them, so results
 * do not depend on the number of threads. Bytes of the caller's own may stand between the contents.
 */
#ifndef F2FSKIT_FILE_FEED_H
#define F2FSKIT_FILE_FEED_H

#include "file/object.h"

struct feed;

/* Contents that were asked for. */
struct feed_item {
	void *note;	/* a copy of the caller's */
	uint8_t *bytes; /* as long as the call that gets the item */
	size_t length;
	bool is_bad; /* the device could not be read, and bytes are arbitrary */
};

/* Where items go. The calls come in the order of what was asked, except those of work(). */
struct feed_user {
	void *user;
	/* Work on contents that were read, on some thread, without the context; slot < feed_slots(). NULL: nothing. */
	void (*work)(void *user, struct feed_item *item, unsigned slot);
	/* Take an item on the caller's thread. It may change the bytes. Returns 0, or an error that ends the feed. */
	int (*item)(void *user, struct feed_item *item);
	/* Release the note of an item that is not taken, because the feed ends before. NULL: nothing. */
	void (*drop)(void *user, struct feed_item *item);
	/*
	 * Write the next bytes: of items and others, after item() had all items in them. Returns 0, or a failure that
	 * report() makes an error of. NULL: nobody needs them.
	 */
	int (*bytes)(void *user, const uint8_t *bytes, size_t length);
	/* Return the error that ends the feed, on the caller's thread. */
	int (*report)(void *user, int failure);
	/* bytes() may be called on any thread, one call at a time, and does not use the context. */
	bool is_behind;
};

/* Contents to read. */
struct feed_ask {
	struct f2fs_inode *inode; /* a regular file; the feed does not keep it */
	uint64_t offset;
	size_t length;	/* at most a batch */
	bool is_stored; /* encrypted blocks as they are */
	const void *note;
	size_t note_size; /* at most FEED_NOTE */
};

enum {
	FEED_APART = 1,	      /* the caller reads them: inline, compressed, deciphered, old or damaged ones */
	FEED_NOTE = 1024,     /* bytes; notes are aligned as for malloc() */
	FEED_BATCH = 4u << 20 /* bytes */
};

/*
 * Start a feed. threads: the caller's included, 0 for as many as processors; one is used if several may not read the
 * device at once. batch: bytes that go through the feed together, at most FEED_BATCH. Fails with NOMEM.
 */
int feed_new(struct f2fs_volume *vol, unsigned threads, size_t batch, const struct feed_user *user, struct feed **out);
/* End it: nothing more is taken. NULL is allowed. */
void feed_free(struct feed *feed);
/* Return how many threads work at most: slots are below it. */
unsigned feed_slots(const struct feed *feed);
/* Add bytes. */
int feed_put(struct feed *feed, const void *bytes, size_t length);
/* Add an item with bytes that the caller has. */
int feed_copy(struct feed *feed, const struct feed_ask *ask, const void *bytes);
/* Ask for contents. Returns 0, FEED_APART, or an error. */
int feed_contents(struct feed *feed, const struct feed_ask *ask);
/*
 * Take and write everything. Within item() and bytes() it does nothing. The last error stays as it was, unless this
 * fails.
 */
int feed_flush(struct feed *feed);

#endif
