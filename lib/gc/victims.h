/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the sections that may be collected.
 */
#ifndef F2FSKIT_GC_VICTIMS_H
#define F2FSKIT_GC_VICTIMS_H

#include <f2fskit/gc.h>

#include "gc/policy.h"
#include "volume/volume.h"

struct run;

/* Sections as the last checkpoint has them; nothing may have been changed since then. */
struct victims {
	struct gc_view view;
	struct vec list;    /* struct gc_candidate, in the order of the policy */
	size_t count;	    /* how many of these are to be collected now */
	uint32_t free;	    /* free sections */
	uint32_t partly;    /* sections that are partly used and no log's */
};
/* In the order of options' policy. Skipped are sections used to more than used_limit percent, and those whose
 * bit is set in left (MSB-first). */
int victims_find(struct f2fs_volume *vol, const struct f2fs_gc_options *options, const uint8_t *left,
		 struct victims *out);
void victims_free(struct victims *victims);

/* A section stays as it is: count it, say why, and do not look at it again. */
void gc_leave(struct run *r, uint32_t section);
/* Blocks of a section that can hold something. */
uint32_t gc_section_blocks(const struct f2fs_volume *vol);

#endif
