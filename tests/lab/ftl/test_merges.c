/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merges worked out by hand. Blocks have four pages; the device has four blocks, 0 to 15, and is full before counting
 * begins. Each case is a list of pages that are written, and what that must have cost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ftl_device.h"

#define COMMON "superblock=16K,superpage=4K,op=300%,fill=1"
#define END 255

struct merge_case {
	const char *what, *model;
	uint8_t pages[40]; /* END ends them */
	uint64_t full, partial, switches, copies, erases, dead;
};

static const struct merge_case cases[] = {
	/* In a block map a write waits for what may follow it. */
	{ "nothing is merged before a write goes elsewhere", "block:" COMMON, { 0, 1, 2, 3, END }, 0, 0, 0, 0, 0, 0 },
	{ "a whole block in order is a switch", "block:" COMMON, { 0, 1, 2, 3, 4, END }, 0, 0, 1, 0, 1, 0 },
	{ "its beginning leaves a tail", "block:" COMMON, { 0, 1, 4, END }, 0, 1, 0, 2, 1, 0 },
	{ "its end needs what is before", "block:" COMMON, { 2, 3, 4, END }, 1, 0, 0, 2, 1, 0 },
	{ "a gap is copied", "block:" COMMON, { 0, 2, 3, 4, END }, 1, 0, 0, 1, 1, 0 },
	{ "one page twice: three tails, and one open", "block:" COMMON, { 0, 0, 0, 0, END }, 0, 3, 0, 9, 3, 0 },
	/* BAST with two log blocks: the third block's takes that of the one not written for the longest time. */
	{ "log blocks wait", "bast:logs=2," COMMON, { 0, 1, 2, 3, 4, 5, 6, 7, END }, 0, 0, 0, 0, 0, 0 },
	{ "the oldest full one is switched", "bast:logs=2," COMMON, { 0, 1, 2, 3, 4, 5, 6, 7, 8, END },
	  0, 0, 1, 0, 1, 0 },
	{ "the oldest begun one in part", "bast:logs=2," COMMON, { 0, 1, 4, 8, END }, 0, 1, 0, 2, 1, 0 },
	{ "out of order all is copied, two blocks are erased", "bast:logs=2," COMMON, { 1, 0, 4, 8, END },
	  1, 0, 0, 4, 2, 0 },
	{ "being written again keeps it", "bast:logs=2," COMMON, { 0, 4, 1, 8, END }, 0, 1, 0, 3, 1, 0 },
	{ "one page over and over fills a log block", "bast:logs=2," COMMON, { 0, 0, 0, 0, 0, END }, 1, 0, 0, 4, 2, 0 },
	{ "random writes thrash", "bast:logs=1," COMMON, { 1, 5, 9, 13, END }, 3, 0, 0, 12, 6, 0 },
	/* FAST with a sequential one and a random one. */
	{ "the next first page closes it", "fast:logs=2," COMMON, { 0, 1, 2, 3, 4, END }, 0, 0, 1, 0, 1, 0 },
	{ "one that was begun in part", "fast:logs=2," COMMON, { 0, 1, 4, END }, 0, 1, 0, 2, 1, 0 },
	{ "random pages share a block", "fast:logs=2," COMMON, { 1, 5, 9, 13, END }, 0, 0, 0, 0, 0, 0 },
	{ "four blocks to merge when it is full", "fast:logs=2," COMMON, { 1, 5, 9, 13, 2, END }, 4, 0, 0, 16, 5, 0 },
	{ "one block to merge", "fast:logs=2," COMMON, { 1, 2, 3, 1, 2, END }, 1, 0, 0, 4, 2, 0 },
	{ "what does not go on closes the sequential one", "fast:logs=2," COMMON, { 0, 1, 3, END }, 0, 1, 0, 2, 1, 0 },
	{ "random pages do not disturb the sequential one", "fast:logs=2," COMMON, { 0, 5, 1, 9, 2, 3, 4, END },
	  0, 0, 1, 0, 1, 0 },
	/* SAST: two data blocks share two log blocks; 0 to 7 are a set, 8 to 15 another one. */
	{ "a set fills its log blocks in the order of writes", "sast:logs=4,k=2,n=2," COMMON,
	  { 0, 1, 2, 3, 4, 5, 6, 7, END }, 0, 0, 0, 0, 0, 0 },
	{ "in order they are switched", "sast:logs=4,k=2,n=2," COMMON, { 0, 1, 2, 3, 4, 5, 6, 7, 0, END },
	  0, 0, 1, 0, 1, 0 },
	{ "two sequences at once mix in one set", "sast:logs=4,k=2,n=2," COMMON, { 0, 4, 1, 5, 2, 6, 3, 7, 0, END },
	  2, 0, 0, 8, 3, 0 },
	{ "and not in two sets", "sast:logs=2,k=2,n=1," COMMON, { 0, 8, 1, 9, 2, 10, 3, 11, 0, 8, END },
	  0, 0, 2, 0, 2, 0 },
	{ "the set not written for the longest time gives", "sast:logs=1,k=2,n=1," COMMON, { 1, 5, 9, END },
	  2, 0, 0, 8, 3, 0 },
};

static void merges_as_worked_out(void **state)
{
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct merge_case *c = &cases[i];
		struct ftl_counts counts;
		struct ftl *ftl;

		assert_int_equal(ftl_open(ctx, c->model, 16 * 4096, 1, &ftl), 0);
		for (size_t k = 0; c->pages[k] != END; k++)
			ftl_write(ftl, c->pages[k]);
		ftl_count(ftl, &counts);
		if (counts.full != c->full || counts.partial != c->partial || counts.switches != c->switches ||
		    counts.copies != c->copies || counts.erases != c->erases || counts.dead != c->dead)
			fail_msg("%s (%s): full %d partial %d switches %d copies %d erases %d dead %d", c->what,
				 c->model, (int)counts.full, (int)counts.partial, (int)counts.switches,
				 (int)counts.copies, (int)counts.erases, (int)counts.dead);
		assert_null(ftl_check(ftl));
		ftl_close(ftl);
	}
	f2fs_context_close(ctx);
}

/*
 * The same device with its map in flash: four entries in a translation page, and two in the cache. The filling leaves
 * the entries of 14 and 15 there, in this order, both changed.
 */
#define ON_DEMAND "dftl:superblock=16K,superpage=4K,op=300%,fill=1,entry=1024,cache=2"

static void map_is_read_on_demand(void **state)
{
	static const struct {
		const char *what;
		uint8_t pages[8]; /* END ends them */
		uint64_t hits, reads, writes;
	} rows[] = {
		{ "a cached entry costs nothing", { 14, END }, 1, 0, 0 },
		{ "a miss reads, after a changed entry was written", { 0, END }, 0, 2, 1 },
		{ "its neighbour was written with it", { 0, 1, END }, 0, 3, 1 },
		{ "the next one is written, too", { 0, 1, 2, END }, 0, 5, 2 },
		{ "an entry that was used again stays longer", { 0, 0, 4, 5, END }, 1, 5, 2 },
		{ "and is found again", { 0, 0, 4, 5, 0, END }, 2, 5, 2 },
	};
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ftl_counts counts;
		struct ftl *ftl;
		size_t n = 0;

		assert_int_equal(ftl_open(ctx, ON_DEMAND, 16 * 4096, 1, &ftl), 0);
		for (; rows[i].pages[n] != END; n++)
			ftl_write(ftl, rows[i].pages[n]);
		ftl_count(ftl, &counts);
		if (counts.map_lookups != n || counts.map_hits != rows[i].hits || counts.map_reads != rows[i].reads ||
		    counts.map_writes != rows[i].writes || counts.programs != n + rows[i].writes)
			fail_msg("%s: %d lookups, %d hits, %d reads, %d writes, %d programs", rows[i].what,
				 (int)counts.map_lookups, (int)counts.map_hits, (int)counts.map_reads,
				 (int)counts.map_writes, (int)counts.programs);
		assert_null(ftl_check(ftl));
		ftl_close(ftl);
	}
	f2fs_context_close(ctx);
}

static uint32_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return (uint32_t)(*random >> 16);
}

/* The cache answers while it holds the working set, and less often beyond. Writing the map then costs programs. */
static void hits_fall_as_the_working_set_grows(void **state)
{
	static const uint32_t working_sets[] = { 128, 256, 512, 1024, 4096 };
	double hits = 1.01, amplification = 0.99;
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < sizeof(working_sets) / sizeof(working_sets[0]); i++) {
		uint64_t random = 88172645463325252u;
		struct ftl *ftl;

		assert_int_equal(ftl_open(ctx, "dftl:superblock=256K,op=50%,cache=256,entry=32,fill=1", 8192 * 4096, 1,
					  &ftl), 0);
		for (unsigned k = 0; k < 20000; k++)
			ftl_write(ftl, next_random(&random) % working_sets[i]);
		if (working_sets[i] <= 256)
			assert_true(ftl_hit_ratio(ftl) > 0.98);
		else
			assert_true(ftl_hit_ratio(ftl) < 0.98 * hits);
		assert_true(ftl_write_amplification(ftl) >= amplification - 0.01);
		hits = ftl_hit_ratio(ftl);
		amplification = ftl_write_amplification(ftl);
		assert_null(ftl_check(ftl));
		ftl_close(ftl);
	}
	assert_true(hits < 0.1 && amplification > 1.7);
	f2fs_context_close(ctx);
}

/* Write hot and cold pages side by side. Return the number of pages that the device copied. */
static uint64_t copies_of(struct f2fs_context *ctx, const char *model, int has_hints)
{
	uint64_t random = 88172645463325252u;
	struct ftl_counts counts;
	struct ftl *ftl;

	assert_int_equal(ftl_open(ctx, model, 4096 * 4096, 1, &ftl), 0);
	for (unsigned k = 0; k < 40000; k++) {
		const int is_hot = k % 4 != 0;

		ftl_set_stream(ftl, has_hints ? 1 + (unsigned)is_hot : 0);
		ftl_write(ftl, is_hot ? next_random(&random) % 256 : 256 + next_random(&random) % 3840);
	}
	ftl_count(ftl, &counts);
	assert_null(ftl_check(ftl));
	ftl_close(ftl);
	return counts.copies;
}

static void streams_keep_lifetimes_apart(void **state)
{
	struct f2fs_context *ctx;
	uint64_t page_map, mixed, apart;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	page_map = copies_of(ctx, "page:superblock=128K,op=10%,fill=1", 0);
	mixed = copies_of(ctx, "multi:streams=4,superblock=128K,op=10%,fill=1", 0);
	apart = copies_of(ctx, "multi:streams=4,superblock=128K,op=10%,fill=1", 1);
	assert_int_equal(mixed, page_map);
	assert_int_equal(copies_of(ctx, "multi:streams=1,superblock=128K,op=10%,fill=1", 1), page_map);
	assert_true(apart < mixed * 4 / 5);
	f2fs_context_close(ctx);
}

static const char *const hybrids[] = {
	"block:superblock=64K,op=50%,fill=1",
	"bast:superblock=64K,op=50%,logs=8,fill=1",
	"fast:superblock=64K,op=50%,logs=8,fill=1",
	"sast:superblock=64K,op=50%,logs=8,k=4,n=2,fill=1",
};

#define SWEEP_BYTES (64u * 65536)

/* Rewriting everything in order switches blocks and copies nothing, whatever the lengths of the requests. */
static void sequential_rewrites_switch(void **state)
{
	static const uint64_t lengths[] = { 4096, 12288, 65536, SWEEP_BYTES };
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < 16; i++) {
		const uint64_t length = lengths[i / 4];
		struct ftl_counts counts;
		struct ftl *ftl;

		assert_int_equal(ftl_open(ctx, hybrids[i % 4], SWEEP_BYTES, 1, &ftl), 0);
		for (unsigned round = 0; round < 3; round++)
			for (uint64_t at = 0; at < SWEEP_BYTES; at += length)
				ftl_write_bytes(ftl, at, at + length < SWEEP_BYTES ? length : SWEEP_BYTES - at);
		ftl_count(ftl, &counts);
		assert_int_equal(counts.full + counts.partial + counts.copies + counts.dead, 0);
		assert_in_range(counts.switches, 3 * 64 - 8, 3 * 64);
		assert_int_equal(counts.erases, counts.switches);
		assert_int_equal(counts.host_bytes, 3 * SWEEP_BYTES);
		ftl_close(ftl);
	}
	f2fs_context_close(ctx);
}

/* Random single pages never make a switch: whole blocks in their order do not come about. */
static void random_rewrites_do_not_switch(void **state)
{
	struct f2fs_context *ctx;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < 4; i++) {
		uint64_t random = 88172645463325252u;
		struct ftl_counts counts;
		struct ftl *ftl;

		assert_int_equal(ftl_open(ctx, hybrids[i], SWEEP_BYTES, 1, &ftl), 0);
		for (unsigned k = 0; k < 20000; k++)
			ftl_write(ftl, next_random(&random) % ftl_pages(ftl));
		ftl_count(ftl, &counts);
		assert_int_equal(counts.switches, 0);
		assert_true(counts.full > 1000);
		assert_null(ftl_check(ftl));
		ftl_close(ftl);
	}
	f2fs_context_close(ctx);
}

struct refusal {
	const char *text;
	const char *parts[3]; /* that the message must have */
};

/* A refusal names the model, the key, and the rule. */
static void refuses_by_name(void **state)
{
	static const struct refusal refusals[] = {
		{ "hast", { "page, block, bast, fast, sast, dftl or multi" } },
		{ "sast:k=0", { "sast", "k=0", "1 to 1048576" } },
		{ "bast:k=4", { "bast", "k", "no such key" } },
		{ "page:superpage=8K,superblock=20K", { "page", "superblock", "multiple of superpage" } },
		{ "page:superpage=8K,superblock=8K", { "page", "superblock", "two superpages" } },
		{ "page:superpage=1000", { "page", "superpage", "multiple of 512" } },
		{ "page:superblock=2T", { "superblock=2T", "K, M or G" } },
		{ "page:op=7", { "op=7", "needs a number and %" } },
		{ "page:op=-7%", { "op=-7%", "needs a number and %" } },
		{ "page:op", { "op", "needs = and a value" } },
		{ "fast:logs=1", { "fast", "logs", "two at least" } },
		{ "sast:logs=99", { "sast", "op: 7%", "needs 100 beyond the data" } },
		{ "page:fill=18446744073709551617", { "fill", "0 to 1" } },
		{ "page:cache=1", { "page", "cache", "no such key" } },
		{ "dftl:superpage=512,entry=513", { "dftl", "entry", "no larger than superpage" } },
		{ "dftl:op=1%", { "dftl", "op: 1%", "needs 9 beyond the data" } },
		{ "multi:streams=64,op=20%", { "multi", "op: 20%", "needs 131 beyond the data" } },
	};
	struct f2fs_context *ctx;
	struct ftl *ftl;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		assert_int_equal(ftl_open(ctx, refusals[i].text, UINT64_C(1) << 30, 0, &ftl), F2FS_ERR_INVALID);
		for (size_t k = 0; k < 3 && refusals[i].parts[k]; k++)
			if (!strstr(f2fs_context_error(ctx)->message, refusals[i].parts[k]))
				fail_msg("%s: %s", refusals[i].text, f2fs_context_error(ctx)->message);
	}
	assert_int_equal(ftl_open(ctx, "page:", 0, 0, &ftl), F2FS_ERR_INVALID);
	assert_int_equal(ftl_open(ctx, "page:", UINT64_C(1) << 60, 0, &ftl), F2FS_ERR_INVALID);
	f2fs_context_close(ctx);
}

/* As a device: contents go below, parts of pages count as parts, only whole pages are trimmed. */
static void is_a_device(void **state)
{
	struct f2fs_device *inner, *dev;
	uint8_t bytes[8192], back[8192];
	struct f2fs_context *ctx;
	struct ftl_counts counts;
	struct ftl *ftl;

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	assert_int_equal(f2fs_device_open_memory(ctx, 1 << 20, &inner), 0);
	assert_int_equal(ftl_device_open(ctx, "bast:superblock=64K,op=100%,logs=4", inner, 0, &ftl, &dev), 0);
	f2fs_device_close(inner);
	assert_int_equal(f2fs_device_info(dev)->size, 1 << 20);
	assert_int_equal(f2fs_device_write(dev, 2048, bytes, 8192), 0);
	assert_int_equal(f2fs_device_read(dev, 2048, back, 8192), 0);
	assert_memory_equal(bytes, back, sizeof(bytes));
	assert_int_equal(f2fs_device_discard(dev, 2048, 8192), 0);
	ftl_count(ftl, &counts);
	assert_int_equal(counts.host_writes, 3);
	assert_int_equal(counts.part_writes, 2);
	assert_int_equal(counts.host_bytes, 8192);
	assert_int_equal(counts.host_reads, 3);
	assert_int_equal(counts.host_trims, 1);
	f2fs_device_close(dev);
	assert_int_equal(ftl_device_open(ctx, "page:superblock=64K,op=100%", NULL, 1 << 20, &ftl, &dev), 0);
	assert_int_equal(f2fs_device_write(dev, 0, bytes, 8192), 0);
	assert_int_equal(f2fs_device_read(dev, 0, back, 8192), 0);
	assert_int_equal(back[0], 0);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges_as_worked_out),
		cmocka_unit_test(map_is_read_on_demand),
		cmocka_unit_test(hits_fall_as_the_working_set_grows),
		cmocka_unit_test(streams_keep_lifetimes_apart),
		cmocka_unit_test(sequential_rewrites_switch),
		cmocka_unit_test(random_rewrites_do_not_switch),
		cmocka_unit_test(refuses_by_name),
		cmocka_unit_test(is_a_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
