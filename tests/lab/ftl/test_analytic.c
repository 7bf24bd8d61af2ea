/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of write amplification by known values; the page map and the simulation of cleaning against them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analytic.h"
#include "cleaner.h"
#include "ftl.h"

static void lambert_is_an_inverse(void **state)
{
	(void)state;
	for (double w = -1; w < 3; w += 0.0625)
		assert_true(fabs(lab_lambert_w(w * exp(w)) - w) < (w < -0.99 ? 1e-6 : 1e-12));
	assert_true(fabs(lab_lambert_w(1) - 0.56714329040978387) < 1e-15);
	assert_true(isnan(lab_lambert_w(-0.4)));
}

/* u = e^(-a (1 - u)) is solved; greedy is better than FIFO, less so the larger sections are, and no better than 1. */
static void formulas_agree(void **state)
{
	(void)state;
	for (double a = 1.02; a < 4; a += 0.01) {
		const double fifo = lab_fifo_amplification(a), u = 1 - 1 / fifo;
		const double small = lab_greedy_amplification(16, a), large = lab_greedy_amplification(4096, a);

		assert_true(fabs(u - exp(-a * (1 - u))) < 1e-9);
		assert_true(small < large && large < fifo && small >= 1);
		assert_true(large > 0.9 * fifo);
	}
	/* By hand, sections of two blocks: 1.6 valid on average, so 0.6 of the sections have two and 0.4 have one.
	 * Of 1.2 that lose their first block 0.4 lose the other one before they are cleaned: 2/3 are moved. */
	assert_true(fabs(lab_greedy_amplification(2, 1.25) - 1.5) < 1e-12);
}

#define BLOCKS 2048u
#define PAGES_PER_BLOCK 64u

/* Uniform writes: in the steady state the page map has the cost of the greedy formula, within 2 %. */
static void page_map_meets_the_formula(void **state)
{
	static const unsigned percents[] = { 7, 15, 28 };
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		const uint64_t pages = (uint64_t)BLOCKS * PAGES_PER_BLOCK;
		/* two blocks are kept erased, and two are filled, which on average are half empty */
		const double a = ((double)(BLOCKS + BLOCKS * percents[i] / 100) - 3) / BLOCKS;
		const double expected = lab_greedy_amplification(PAGES_PER_BLOCK, a);
		uint64_t random = 88172645463325252u;
		char text[80];
		struct ftl *ftl;

		snprintf(text, sizeof(text), "page:superblock=256K,fill=1,op=%u%%", percents[i]);
		assert_int_equal(ftl_open(ctx, text, pages * 4096, 0, &ftl), 0);
		for (uint64_t k = 0; k < 8 * pages; k++) {
			if (k == 3 * pages)
				ftl_reset_counts(ftl);
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			ftl_write(ftl, (uint32_t)(random % pages));
		}
		print_message("op %u%%: %.4f, by the formula %.4f\n", percents[i], ftl_write_amplification(ftl),
			      expected);
		assert_true(fabs(ftl_write_amplification(ftl) / expected - 1) < 0.02);
		assert_true(fabs(ftl_wear_index(ftl) / expected - 1) < 0.02);
		ftl_close(ftl);
	}
	f2fs_context_close(ctx);
}

#define LOGICAL 65536u
#define SECTION 64u

/* The pure simulation of cleaning under uniform writes: FIFO and greedy cost what their formulas say, within 2 %. */
static void cleaner_meets_the_formulas(void **state)
{
	static const unsigned percents[] = { 10, 25, 50 };

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(percents) / sizeof(percents[0]); i++) {
		const int is_fifo = i % 2 == 0;
		const uint32_t sections = LOGICAL / SECTION * (100 + percents[i / 2]) / 100;
		/* one section is kept free beside the one that is begun, and two are filled: on average half full */
		const double a = ((double)sections - 2.5) * SECTION / LOGICAL;
		const double expected = is_fifo ? lab_fifo_amplification(a) : lab_greedy_amplification(SECTION, a);
		const struct lab_cleaner_options options = {
			.logical = LOGICAL,
			.sections = sections,
			.section_blocks = SECTION,
			.heads = 2,
			.cost = is_fifo ? lab_cost_fifo : lab_cost_greedy,
		};
		struct lab_cleaner cleaner;
		uint64_t random = 88172645463325252u;

		assert_int_equal(lab_cleaner_init(&cleaner, &options), 0);
		for (uint32_t k = 0; k < 14 * LOGICAL; k++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			lab_cleaner_write(&cleaner, (uint32_t)(k < LOGICAL ? k : random % LOGICAL), CLEANER_NEVER);
			if (k == 6 * LOGICAL)
				cleaner.moves = 0;
		}
		print_message("%s, %u%% more space: %.4f, by the formula %.4f\n", is_fifo ? "FIFO" : "greedy",
			      percents[i / 2], lab_cleaner_amplification(&cleaner, 8 * LOGICAL), expected);
		assert_true(fabs(lab_cleaner_amplification(&cleaner, 8 * LOGICAL) / expected - 1) < 0.02);
		lab_cleaner_fini(&cleaner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lambert_is_an_inverse),
		cmocka_unit_test(formulas_agree),
		cmocka_unit_test(page_map_meets_the_formula),
		cmocka_unit_test(cleaner_meets_the_formulas),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
