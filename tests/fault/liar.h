/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device whose reads go wrong from the n-th on, in the ways that disks, cables and firmware have: an error once, an
 * error for good at that place or everywhere, half of the bytes and then an error, zeros, or old contents.
 */
#ifndef F2FSKIT_TESTS_FAULT_LIAR_H
#define F2FSKIT_TESTS_FAULT_LIAR_H

#include <f2fskit/device.h>

enum wrong {
	WRONG_ONCE,	   /* the n-th read fails */
	WRONG_SHORT,	   /* the n-th read gives half and fails */
	WRONG_PLACE,	   /* the range of the n-th read cannot be read any more */
	WRONG_ALL,	   /* nor can anything else */
	WRONG_ZEROS_ONCE,  /* the n-th read gives zeros */
	WRONG_ZEROS_PLACE, /* the place gives zeros from then on */
	WRONG_STALE_ONCE,  /* the n-th read gives what an older device had there */
	WRONG_STALE_PLACE, /* so does the place from then on */
	WRONG_KINDS
};

struct liar {
	struct f2fs_device *inner, *older; /* the device, and the one that stale reads come from; kept by the caller */
	enum wrong wrong;
	uint64_t n;	  /* of the read, from 1; 0: nothing is wrong */
	uint64_t reads;	  /* so far */
	uint64_t at, end; /* the place: bytes */
};

/* Does it give wrong bytes without an error? */
int liar_is_silent(enum wrong wrong);
/* A device on a liar, which must outlive it. */
int liar_open(struct f2fs_context *ctx, struct liar *liar, struct f2fs_device **out);

#endif
