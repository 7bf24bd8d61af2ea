/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure the speed of the laboratory's devices: flash_rate. Prints requests per second of processor time; for flash
 * models the pages that the host writes, and the pages programmed for them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hollow.h"
#include "ftl.h"

#define BLOCK 4096u

static struct f2fs_context *ctx;

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "flash_rate: %s\n", f2fs_context_error(ctx)->message);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Write count blocks at random places of the device, each with that many non-zero bytes. */
static void hollow_writes(struct f2fs_device *dev, uint64_t count, size_t filled, const char *what)
{
	const uint64_t blocks = f2fs_device_info(dev)->size / BLOCK;
	uint64_t state = 1;
	uint8_t block[BLOCK];
	double began = now();

	memset(block, 0, sizeof(block));
	for (size_t i = 0; i < filled; i++)
		block[i] = (uint8_t)(i + 1);
	for (uint64_t i = 0; i < count; i++)
		check(f2fs_device_write(dev, next_random(&state) % blocks * BLOCK, block, BLOCK));
	printf("hollow, %-28s %6.2f million writes/s\n", what, (double)count / (now() - began) / 1e6);
}

/* Write count pages of a device, in order or at random. */
static void model_writes(const char *text, uint64_t bytes, uint32_t count, int at_random)
{
	uint64_t state = 1;
	struct ftl_counts counts;
	struct ftl *ftl;
	double seconds, began;

	check(ftl_open(ctx, text, bytes, 0, &ftl));
	began = now();
	for (uint32_t i = 0; i < count; i++)
		ftl_write(ftl, (uint32_t)((at_random ? next_random(&state) : i) % ftl_pages(ftl)));
	seconds = now() - began;
	ftl_count(ftl, &counts);
	printf("%-34s %3llu GiB, %-10s %7.2f million writes/s, %7.2f million programs/s, WA %.2f\n", text,
	       (unsigned long long)(bytes >> 30), at_random ? "random" : "sequential", (double)count / seconds / 1e6,
	       (double)counts.programs / seconds / 1e6, ftl_write_amplification(ftl));
	ftl_close(ftl);
}

static void all_models(void)
{
	static const char *const models[] = { "page:fill=1", "page:streams=6,fill=1", "block:fill=1",
					      "bast:logs=64,fill=1", "fast:logs=64,fill=1",
					      "sast:logs=64,k=8,n=4,fill=1", "dftl:cache=65536,fill=1",
					      "multi:streams=6,fill=1" };
	const uint64_t size = UINT64_C(4) << 30;

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		model_writes(models[i], size, 20000000, 0);
		model_writes(models[i], size, i < 2 || i > 5 ? 10000000 : 100000, 1);
	}
	model_writes("page:op=28%,fill=1", UINT64_C(120) << 30, 40000000, 1);
}

int main(void)
{
	struct f2fs_device *dev;

	check(f2fs_context_open(NULL, &ctx));
	check(lab_hollow_open(ctx, UINT64_C(4) << 40, &dev));
	hollow_writes(dev, 10000000, 0, "zeros, 4 TiB");
	f2fs_device_close(dev);
	check(lab_hollow_open(ctx, UINT64_C(64) << 20, &dev));
	hollow_writes(dev, 5000000, 512, "512 bytes each, 64 MiB");
	hollow_writes(dev, 5000000, 0, "zeros over them");
	f2fs_device_close(dev);
	all_models();
	f2fs_context_close(ctx);
	return 0;
}
