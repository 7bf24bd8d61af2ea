/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass-through device that counts all requests, independently of the library's counters.
 */
#ifndef F2FSKIT_LAB_METER_H
#define F2FSKIT_LAB_METER_H

#include <f2fskit/engine.h>

#define LAB_DISCARD_SIZES 20 /* up to 4 KiB, up to 8 KiB, ... up to 1 GiB, more */

struct lab_meter_counts {
	uint64_t reads, read_bytes;
	uint64_t writes, written_bytes;
	uint64_t following;		    /* writes that begin where the one before ended */
	/* The same writes as a block layer that takes no more than 512 KiB at once would pass them on. */
	uint64_t pieces, whole_pieces;	    /* all, and those of 512 KiB */
	uint64_t sizes[F2FS_COUNTER_SIZES]; /* writes by length, as struct f2fs_counters has them */
	uint64_t zeros, zero_bytes;
	uint64_t discards, discard_bytes;
	uint64_t small_discards; /* below 256 KiB */
	uint64_t discard_sizes[LAB_DISCARD_SIZES];
	uint64_t flushes;
};

struct lab_meter;

/* Put a meter over inner (kept by reference). *meter lives as long as *out. An error code of f2fskit/error.h. */
int lab_meter_open(struct f2fs_context *ctx, struct f2fs_device *inner, struct f2fs_device **out,
		   struct lab_meter **meter);
const struct lab_meter_counts *lab_meter_counts(const struct lab_meter *meter);
/* Reset the counters. */
void lab_meter_reset(struct lab_meter *meter);

/*
 * Hold the library's counters since the meter was reset against the meter. NULL: they are equal; else what differs, in
 * buffer.
 */
const char *lab_meter_compare(const struct lab_meter_counts *seen, const struct f2fs_counters *said, char buffer[160]);

#endif
