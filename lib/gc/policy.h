/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * GC policies as pure functions: they give each candidate a cost, the least is collected first (FORMAT files 11.2).
 */
#ifndef F2FSKIT_GC_POLICY_H
#define F2FSKIT_GC_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct f2fs_gc_section;

#define GC_NEVER UINT64_MAX /* the cost of a candidate that is not to be collected now */

/* A section that holds blocks in use and is no log's. */
struct gc_candidate {
	uint32_t section;
	uint32_t valid; /* blocks in use */
	uint64_t mtime; /* mean of its segments', in seconds of mounted time */
	uint64_t heat;	/* mean heat of its segments by the placement; without one mtime */
	uint64_t cost;	/* out */
};

/* What all candidates have in common. */
struct gc_view {
	uint64_t now;			 /* seconds of mounted time */
	uint64_t min_mtime, max_mtime;	 /* of all sections and now */
	uint32_t segments;		 /* usable segments of a section */
	uint32_t blocks;		 /* usable blocks of a section */
	bool has_heat;			 /* a placement says it; else it is mtime */
	double (*cost)(void *user, const struct f2fs_gc_section *section); /* of the host, for policy_own */
	void *user;
};

/* Set the costs; the order of the list may change. */
typedef void policy_rank(const struct gc_view *view, struct gc_candidate *list, size_t count);

policy_rank policy_greedy, policy_cost_benefit, policy_age, policy_hotness;

struct gc_policy {
	policy_rank *rank;
	bool keeps_age; /* moved blocks keep their age */
};
/* The one that asks the host. */
extern const struct gc_policy gc_policy_own;

#endif
