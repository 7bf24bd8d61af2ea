/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make every state that a power cut may leave on a disk with a volatile cache, from the contents before and the
 * recorded writes and flushes, and have each one judged.
 *
 * The disk's promises: writes before a flush that has returned are durable, in their order. Any part of later writes
 * may be there: whole writes in any combination, and of each write any of its sectors. A discarded range holds anything
 * (here: neither its old contents nor zeros).
 */
#ifndef F2FSKIT_TESTS_CRASH_CRASH_H
#define F2FSKIT_TESTS_CRASH_CRASH_H

#include <f2fskit/device.h>

/* How a state came about; for messages and for judges that want more of states after the last flush. */
struct crash_state {
	const char *kind;	 /* "prefix", "torn", "subset", "scattered" */
	uint64_t durable;	 /* records before this one are all there */
	uint64_t issued;	 /* records before this one had begun; promises after them must hold */
	uint64_t number;	 /* of the variant within its kind */
	struct f2fs_device *dev; /* memory; the judge may change it, and does not close it */
};

struct crash_options {
	unsigned subsets;   /* combinations tried of the writes between two flushes; all of them when there are fewer */
	unsigned scattered; /* random choices of sectors among the writes between two flushes */
	uint64_t seed;
};

/* Judge a state: 0 when it is as it may be. The first other result ends the walk. */
typedef int (*crash_judge)(void *user, const struct crash_state *state);

/*
 * Make and judge all states. before: a memory device with the contents before the first record; it is not changed.
 * *count (NULL allowed): states judged. Returns 0, the judge's result, or a negative enum f2fs_error.
 */
int crash_each(struct f2fs_device *before, const struct f2fs_device *recorder, const struct crash_options *options,
	       crash_judge judge, void *user, uint64_t *count);
/* Write a state as one line of text. */
void crash_describe(const struct crash_state *state, char *text, size_t size);

#endif
