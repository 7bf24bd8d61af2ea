/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the blocks of a file whose nodes are gone, one after the other.
 */
#ifndef F2FSKIT_FORENSICS_CARVE_STREAM_H
#define F2FSKIT_FORENSICS_CARVE_STREAM_H

#include "forensics/carver.h"

/* The node and slot that a block was written for, by its summary; false: not known. */
bool carve_owner(struct f2fs_carver *c, f2fs_blk_t addr, f2fs_nid_t *nid, uint32_t *slot);
/* Start again at a block. */
void stream_begin(struct f2fs_carver *c, f2fs_blk_t addr);
/* Read bytes; *done is less than n where the stream ends. Fails with NOMEM, CANCELED; an unreadable block ends it. */
int stream_read(struct f2fs_carver *c, uint64_t at, uint8_t *buffer, size_t n, size_t *done);
/* Follow the stream until it has `length` bytes or ends; returns 0 or an error as above. */
int stream_follow(struct f2fs_carver *c, uint64_t length);

#endif
