/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See cleaner.h. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cleaner.h"

/* Free sections that there are always: one to be begun by the user, and those that emptying a victim may begin. */
static uint32_t least_free(const struct lab_cleaner_options *options)
{
	return 1 + (options->place ? options->heads : 1);
}

int lab_cleaner_init(struct lab_cleaner *cleaner, const struct lab_cleaner_options *options)
{
	const uint32_t n = options->section_blocks;
	uint32_t *blocks;

	memset(cleaner, 0, sizeof(*cleaner));
	cleaner->options = *options;
	assert(n > 1 && options->heads > 1 && options->heads <= CLEANER_HEADS);
	if (options->sections < (options->logical + n - 1) / n + options->heads + least_free(options) + 1)
		return -2;
	cleaner->sections = calloc(options->sections, sizeof(*cleaner->sections));
	blocks = malloc((size_t)options->sections * n * sizeof(*blocks));
	cleaner->where = malloc(options->logical * sizeof(*cleaner->where));
	cleaner->written = calloc(options->logical, sizeof(*cleaner->written));
	cleaner->death = calloc(options->logical, sizeof(*cleaner->death));
	cleaner->free = malloc(options->sections * sizeof(*cleaner->free));
	if (cleaner->sections)
		cleaner->sections[0].blocks = blocks;
	if (!cleaner->sections || !blocks || !cleaner->where || !cleaner->written || !cleaner->death ||
	    !cleaner->free) {
		if (!cleaner->sections)
			free(blocks);
		lab_cleaner_fini(cleaner);
		return -1;
	}
	memset(cleaner->where, 0xff, options->logical * sizeof(*cleaner->where));
	memset(cleaner->head, 0xff, sizeof(cleaner->head));
	for (uint32_t i = 0; i < options->sections; i++) {
		cleaner->sections[i].blocks = blocks + (size_t)i * n;
		cleaner->free[i] = options->sections - 1 - i;
	}
	cleaner->free_count = options->sections;
	return 0;
}

void lab_cleaner_fini(struct lab_cleaner *cleaner)
{
	if (cleaner->sections)
		free(cleaner->sections[0].blocks);
	free(cleaner->sections);
	free(cleaner->where);
	free(cleaner->written);
	free(cleaner->death);
	free(cleaner->free);
	memset(cleaner, 0, sizeof(*cleaner));
}

/* The copy that is valid so far is not any more. */
static void invalidate(struct lab_cleaner *cleaner, uint32_t logical)
{
	const uint32_t place = cleaner->where[logical], n = cleaner->options.section_blocks;
	struct lab_section *section;

	if (place == CLEANER_NONE)
		return;
	section = &cleaner->sections[place / n];
	section->blocks[place % n] = CLEANER_NONE;
	section->valid--;
	section->write_sum -= cleaner->written[logical];
}

/* Return the section of a head, with room. */
static uint32_t section_of_head(struct lab_cleaner *cleaner, unsigned head)
{
	uint32_t *number = &cleaner->head[head];

	if (*number != CLEANER_NONE && cleaner->sections[*number].next == cleaner->options.section_blocks) {
		cleaner->sections[*number].is_full = 1;
		cleaner->sections[*number].filled = cleaner->now;
		*number = CLEANER_NONE;
	}
	if (*number == CLEANER_NONE) {
		assert(cleaner->free_count > 0);
		*number = cleaner->free[--cleaner->free_count];
	}
	return *number;
}

static void append(struct lab_cleaner *cleaner, uint32_t logical, int is_moved)
{
	const struct lab_cleaner_options *options = &cleaner->options;
	const unsigned head = options->place ? options->place(cleaner, logical, is_moved) :
			      is_moved	     ? options->heads - 1 :
					       0;
	const uint32_t number = section_of_head(cleaner, head);
	struct lab_section *section = &cleaner->sections[number];

	cleaner->where[logical] = number * options->section_blocks + section->next;
	section->blocks[section->next++] = logical;
	section->valid++;
	section->write_sum += cleaner->written[logical];
}

static struct lab_section *choose(const struct lab_cleaner *cleaner)
{
	struct lab_section *best = NULL;
	double lowest = 0;

	for (uint32_t i = 0; i < cleaner->options.sections; i++) {
		struct lab_section *section = &cleaner->sections[i];
		double cost;

		if (!section->is_full)
			continue;
		cost = cleaner->options.cost(cleaner, section);
		if (!best || cost < lowest) {
			best = section;
			lowest = cost;
		}
	}
	assert(best);
	return best;
}

static void clean_one(struct lab_cleaner *cleaner)
{
	struct lab_section *victim = choose(cleaner);

	for (uint32_t i = 0; i < cleaner->options.section_blocks; i++) {
		const uint32_t logical = victim->blocks[i];

		if (logical == CLEANER_NONE)
			continue;
		invalidate(cleaner, logical);
		append(cleaner, logical, 1);
		cleaner->moves++;
	}
	victim->is_full = 0;
	victim->next = 0;
	cleaner->free[cleaner->free_count++] = (uint32_t)(victim - cleaner->sections);
	cleaner->cleanings++;
}

void lab_cleaner_write(struct lab_cleaner *cleaner, uint32_t logical, uint64_t death)
{
	invalidate(cleaner, logical);
	cleaner->written[logical] = cleaner->now;
	cleaner->death[logical] = death;
	append(cleaner, logical, 0);
	cleaner->now++;
	while (cleaner->free_count < least_free(&cleaner->options))
		clean_one(cleaner);
}

double lab_cleaner_amplification(const struct lab_cleaner *cleaner, uint64_t user_writes)
{
	return user_writes ? 1 + (double)cleaner->moves / (double)user_writes : 0;
}

double lab_cost_fifo(const struct lab_cleaner *cleaner, const struct lab_section *section)
{
	(void)cleaner;
	return (double)section->filled;
}

double lab_cost_greedy(const struct lab_cleaner *cleaner, const struct lab_section *section)
{
	(void)cleaner;
	return section->valid;
}

double lab_cost_benefit(const struct lab_cleaner *cleaner, const struct lab_section *section)
{
	const double n = cleaner->options.section_blocks, valid = section->valid;
	const double age = valid > 0 ? (double)cleaner->now - (double)section->write_sum / valid : 1;

	return valid >= n ? 1e300 : 2 * valid / ((n - valid) * age);
}

/* A section is cleaned again after about as many writes as there are blocks beyond the logical ones. */
double lab_cost_clairvoyant(const struct lab_cleaner *cleaner, const struct lab_section *section)
{
	const struct lab_cleaner_options *options = &cleaner->options;
	const uint64_t spare = (uint64_t)options->sections * options->section_blocks - options->logical;
	uint32_t soon = 0;

	for (uint32_t i = 0; i < options->section_blocks && section->valid; i++) {
		const uint32_t logical = section->blocks[i];

		soon += logical != CLEANER_NONE && cleaner->death[logical] - cleaner->now < spare;
	}
	return (double)section->valid + soon;
}

unsigned lab_place_by_death(const struct lab_cleaner *cleaner, uint32_t logical, int is_moved)
{
	const uint64_t death = cleaner->death[logical];
	uint64_t left = death == CLEANER_NEVER ? death : death - cleaner->now;
	unsigned head = 0;

	(void)is_moved;
	for (left /= cleaner->options.section_blocks; left > 0 && head + 1 < cleaner->options.heads; left /= 4)
		head++;
	return head;
}
