/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hollow device: of any size, it stores only blocks that are not zeros. An experiment writes files of zeros, so that
 * the device holds the file system's own blocks and nothing else, and a volume of 120 GB fits into memory.
 */
#ifndef F2FSKIT_LAB_HOLLOW_H
#define F2FSKIT_LAB_HOLLOW_H

#include <f2fskit/device.h>

/* Requests by length: class i counts those of 512 << i bytes up to less than twice that; the last one has no end. */
#define LAB_SIZE_CLASSES 18u
struct lab_requests {
	uint64_t count, bytes;
	uint64_t by_size[LAB_SIZE_CLASSES];
};

struct lab_hollow_counts {
	struct lab_requests reads, writes, zeros, discards;
	uint64_t flushes;
	uint64_t held_blocks;  /* blocks of 4 KiB that are not zeros */
	uint64_t memory_bytes; /* taken for contents and for the table that finds them */
};

/* Add one request of `length` bytes (> 0). */
void lab_requests_add(struct lab_requests *requests, uint64_t length);

/*
 * Make a hollow device of bytes (a multiple of 4096, up to 64 TiB), all zeros. The device belongs to the caller and to
 * one thread at a time. INVALID: another size; NOMEM, also of a later write.
 */
int lab_hollow_open(struct f2fs_context *ctx, uint64_t bytes, struct f2fs_device **out);
/* The same; the device keeps *counts up to date, which must outlive it. */
int lab_hollow_open_counted(struct f2fs_context *ctx, uint64_t bytes, struct lab_hollow_counts *counts,
			    struct f2fs_device **out);

#endif
