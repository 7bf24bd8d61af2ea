/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Simulate log-structured cleaning alone. A trace of block writes fills sections one after the other. When fewer than
 * two free ones are left (with place: than one more than heads), a policy names a victim, whose valid blocks move to a
 * section for moved blocks. No metadata, no checkpoints. It shows how much a policy can save at best. Tests compare it
 * with formulas.
 */
#ifndef F2FSKIT_LAB_CLEANER_H
#define F2FSKIT_LAB_CLEANER_H

#include <stdint.h>

#define CLEANER_NONE UINT32_MAX
#define CLEANER_HEADS 16u	  /* sections that are filled at once, at most */
#define CLEANER_NEVER UINT64_MAX  /* a block that is not written again */

struct lab_section {
	uint32_t *blocks; /* [cleaner's section_blocks]: the logical block, CLEANER_NONE where it is not valid */
	uint32_t next;	  /* blocks written to it */
	uint32_t valid;
	uint64_t filled;    /* time when it became full */
	uint64_t write_sum; /* of the times at which its valid blocks were written by the user */
	uint8_t is_full;    /* and can be a victim */
};

struct lab_cleaner;

struct lab_cleaner_options {
	uint32_t logical;	 /* blocks that the user has */
	uint32_t sections;	 /* physical ones */
	uint32_t section_blocks; /* > 1 */
	uint32_t heads; /* > 1; without place, writes of the user go to the first, moved blocks to the last */
	/* What cleaning a full section costs; the cheapest is cleaned, of equals the one with the lower number. */
	double (*cost)(const struct lab_cleaner *cleaner, const struct lab_section *section);
	/* Which head a block goes to, below heads; may be NULL. */
	unsigned (*place)(const struct lab_cleaner *cleaner, uint32_t logical, int is_moved);
};

struct lab_cleaner {
	struct lab_cleaner_options options;
	uint64_t now;		      /* writes of the user so far: the clock */
	uint64_t moves, cleanings;    /* blocks moved, sections cleaned */
	struct lab_section *sections; /* [options.sections] */
	uint32_t *where;	      /* [logical]: section * section_blocks + index, or CLEANER_NONE */
	uint64_t *written, *death;    /* [logical]: when the user wrote it last, and will write it again */
	uint32_t head[CLEANER_HEADS]; /* section, or CLEANER_NONE */
	uint32_t *free;		      /* free sections, used from the end */
	uint32_t free_count;
};

/*
 * Make one. Return 0, -1 without memory, or -2 when the sections are too few: those of the logical blocks, one for each
 * head, those that are kept free, and one more.
 */
int lab_cleaner_init(struct lab_cleaner *cleaner, const struct lab_cleaner_options *options);
void lab_cleaner_fini(struct lab_cleaner *cleaner);
/* The user writes a block, and will write it again at time death (CLEANER_NEVER: does not, or nobody knows). */
void lab_cleaner_write(struct lab_cleaner *cleaner, uint32_t logical, uint64_t death);
/* Return blocks written for each block that the user wrote, if the user wrote that many since moves was 0. */
double lab_cleaner_amplification(const struct lab_cleaner *cleaner, uint64_t user_writes);

/* Policies. FIFO: what became full first. */
double lab_cost_fifo(const struct lab_cleaner *cleaner, const struct lab_section *section);
/* Fewest valid blocks. */
double lab_cost_greedy(const struct lab_cleaner *cleaner, const struct lab_section *section);
/* Cost-benefit: 2u / ((1 - u) * age), age since the mean write of its valid blocks. */
double lab_cost_benefit(const struct lab_cleaner *cleaner, const struct lab_section *section);
/*
 * Clairvoyant: it knows when each block dies. A valid block that will die soon by itself is moved in vain, so it counts
 * twice when its death is nearer than the next cleaning of the same section is likely to be. Not optimal: see oracle.h.
 */
double lab_cost_clairvoyant(const struct lab_cleaner *cleaner, const struct lab_section *section);
/* Place blocks by the time until they die, in powers of four of a section: blocks that die together share a section. */
unsigned lab_place_by_death(const struct lab_cleaner *cleaner, uint32_t logical, int is_moved);

#endif
