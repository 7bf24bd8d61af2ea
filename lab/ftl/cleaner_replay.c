/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a trace of blocks through the pure simulation of cleaning: cleaner_replay POLICY LOGICAL SECTIONS BLOCKS < TRACE
 * A line is the number of a block that is written. POLICY is fifo, greedy, cost-benefit, clairvoyant; placed (greedy,
 * with blocks placed by the time of their death); optimal (tiny cases) or bound (no policy moves fewer blocks). Prints
 * moves, cleanings and blocks written per block of the trace as JSON. Exits with 1 when a line or the case is wrong.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleaner.h"
#include "oracle.h"

struct policy {
	const char *name;
	double (*cost)(const struct lab_cleaner *cleaner, const struct lab_section *section);
	unsigned (*place)(const struct lab_cleaner *cleaner, uint32_t logical, int is_moved);
};

static const struct policy policies[] = {
	{ "fifo", lab_cost_fifo, NULL },
	{ "greedy", lab_cost_greedy, NULL },
	{ "cost-benefit", lab_cost_benefit, NULL },
	{ "clairvoyant", lab_cost_clairvoyant, NULL },
	{ "placed", lab_cost_greedy, lab_place_by_death },
};

struct trace {
	uint32_t *blocks;
	size_t count, room;
};

static int add(struct trace *trace, uint32_t block)
{
	if (trace->count == trace->room) {
		const size_t room = trace->room ? trace->room * 2 : 4096;
		uint32_t *blocks = realloc(trace->blocks, room * sizeof(*blocks));

		if (!blocks)
			return -1;
		trace->blocks = blocks;
		trace->room = room;
	}
	trace->blocks[trace->count++] = block;
	return 0;
}

static int read_trace(struct trace *trace, uint32_t logical)
{
	char text[64], extra;
	unsigned long long block;

	for (unsigned long line = 1; fgets(text, sizeof(text), stdin); line++) {
		if (sscanf(text, "%llu %c", &block, &extra) != 1 || block >= logical) {
			fprintf(stderr, "cleaner_replay: line %lu: not the number of one of %u blocks\n", line,
				logical);
			return -1;
		}
		if (add(trace, (uint32_t)block) != 0)
			return -1;
	}
	return 0;
}

static int simulate(const struct policy *policy, const struct lab_space *space, const struct trace *trace,
		    uint64_t *moves)
{
	const struct lab_cleaner_options options = {
		.logical = space->logical,
		.sections = space->sections,
		.section_blocks = space->section_blocks,
		.heads = policy->place ? 8 : 2,
		.cost = policy->cost,
		.place = policy->place,
	};
	struct lab_cleaner cleaner;
	uint64_t *death = malloc((trace->count + 1) * sizeof(*death));
	int rc = death ? lab_deaths(trace->blocks, trace->count, space->logical, death) : -1;

	if (rc == 0)
		rc = lab_cleaner_init(&cleaner, &options);
	for (size_t i = 0; rc == 0 && i < trace->count; i++)
		lab_cleaner_write(&cleaner, trace->blocks[i], death[i]);
	if (rc == 0) {
		*moves = cleaner.moves;
		lab_cleaner_fini(&cleaner);
	}
	free(death);
	return rc;
}

static int run(const char *name, const struct lab_space *space, const struct trace *trace, uint64_t *moves)
{
	if (strcmp(name, "bound") == 0)
		return lab_moves_bound(space, trace->blocks, trace->count, moves);
	if (strcmp(name, "optimal") == 0)
		return lab_optimal_moves(space, trace->blocks, trace->count, moves);
	for (size_t i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
		if (strcmp(name, policies[i].name) == 0)
			return simulate(&policies[i], space, trace, moves);
	return -3;
}

int main(int argc, char **argv)
{
	static const char *const reasons[] = { "no memory", "the case is too large, or has too few sections",
					       "there is no such policy" };
	struct lab_space space = { 0 };
	struct trace trace = { 0 };
	uint64_t moves = 0;
	int rc = -1;

	if (argc != 5) {
		fprintf(stderr, "usage: cleaner_replay POLICY LOGICAL SECTIONS BLOCKS < TRACE\n");
		return 2;
	}
	space.logical = (uint32_t)strtoul(argv[2], NULL, 10);
	space.sections = (uint32_t)strtoul(argv[3], NULL, 10);
	space.section_blocks = (uint32_t)strtoul(argv[4], NULL, 10);
	if (space.logical == 0 || space.sections == 0 || space.section_blocks < 2) {
		fprintf(stderr, "cleaner_replay: there are blocks, sections, and two blocks at least in each\n");
		return 2;
	}
	if (read_trace(&trace, space.logical) == 0) {
		rc = run(argv[1], &space, &trace, &moves);
		if (rc != 0)
			fprintf(stderr, "cleaner_replay: %s\n", reasons[-rc - 1]);
	}
	if (rc == 0)
		printf("{\"policy\": \"%s\", \"writes\": %zu, \"moves\": %llu, \"wa\": %.4f}\n", argv[1], trace.count,
		       (unsigned long long)moves,
		       trace.count ? 1 + (double)moves / (double)trace.count : 0);
	free(trace.blocks);
	return rc == 0 ? 0 : 1;
}
