/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute how many segments of a new volume are kept for GC (FORMAT volume 3.4).
 */
#ifndef F2FSKIT_FORMAT_OVERPROVISION_H
#define F2FSKIT_FORMAT_OVERPROVISION_H

#include <stdbool.h>
#include <stdint.h>

struct overprovision_input {
	uint32_t section_blocks; /* that a section can hold: zones may hold less than their size */
	uint32_t main;		 /* segments of the main area */
	uint32_t sections;	 /* of the main area, at least 1 */
	uint32_t segs_per_sec;
	uint32_t reserved_sections; /* 0: from the ratio */
	double percent;		    /* the ratio, 0: search the best */
	bool is_ro;
};

struct overprovision_output {
	double percent;
	uint32_t reserved;	/* segments only GC may use */
	uint32_t overprovision; /* segments not counted as usable space, the reserved ones included */
	uint64_t user_blocks;	/* the usable space: never more than the sections hold beside the reserve */
};

/* Returns false when too little is left to use. */
bool overprovision_compute(const struct overprovision_input *in, struct overprovision_output *out);

#endif
