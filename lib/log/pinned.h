/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill whole sections for pinned files.
 */
#ifndef F2FSKIT_LOG_PINNED_H
#define F2FSKIT_LOG_PINNED_H

#include "log/filler.h"

struct pinned {
	struct filler filler;
	uint32_t section, used; /* the one being filled, and how many of its blocks are taken */
	uint64_t wanted;	/* free sections that there had to be, when there were too few; else 0 */
	const uint8_t *data;	/* set by the caller: contents of the next blocks; NULL: zeros */
};
/* Make sure that there are free sections for that many blocks; NOSPC. pinned_end() in any case. */
int pinned_begin(struct txn *txn, uint64_t blocks, struct pinned *out);
/* The same for a caller that has counted the free sections itself. */
int pinned_begin_counted(struct txn *txn, struct pinned *out);
/* Allocate up to `want` consecutive blocks for the owner's slots from owner.ofs on. */
int pinned_take(struct pinned *p, struct owner owner, uint32_t want, f2fs_blk_t *addr, uint32_t *got);
int pinned_end(struct pinned *p);

#endif
