/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure the check of volumes of empty files that no disk has to hold (plain_files.h): check_hollow FILES... A process
 * of its own measures each number. Before the check it reads all inodes once, which shows the time to make them.
 * check_hollow --image IMAGE FILES: write such a volume to a sparse file instead.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "bench/plain_files.h"

#define BLOCK 4096u
#define PIECE (256u * BLOCK)

static struct f2fs_context *ctx;
static uint8_t piece[PIECE];

static void need(int err)
{
	if (!err)
		return;
	fprintf(stderr, "check_hollow: %s\n", f2fs_context_error(ctx)->message);
	exit(1);
}

static struct f2fs_device *open_volume(const char *files, struct plain_counts *counts)
{
	struct f2fs_device *dev;

	if (f2fs_context_open(NULL, &ctx) != 0)
		exit(1);
	need(plain_files_open(ctx, strtoull(files, NULL, 10), counts, &dev));
	return dev;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void read_inodes(struct f2fs_device *dev, const struct plain_counts *counts)
{
	const uint64_t end = (counts->first_file + counts->files) * BLOCK;

	for (uint64_t at = counts->first_file * BLOCK; at < end; at += PIECE)
		need(f2fs_device_read(dev, at, piece, end - at < PIECE ? (size_t)(end - at) : PIECE));
}

/* Memory of a check by the formula of RESULTS.md, in bytes. */
static double formula(const struct plain_counts *c)
{
	return 33.0 * (double)(c->files + c->directories) + 8.0 * (double)c->large_names +
	       168.0 * (double)c->directories + 216.0 * (double)c->segments + (12 << 20);
}

static void measure(const char *files)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options) };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct plain_counts counts;
	struct f2fs_device *dev = open_volume(files, &counts);
	double start = now(CLOCK_PROCESS_CPUTIME_ID), making, wall;
	struct rusage usage;

	read_inodes(dev, &counts);
	making = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	start = now(CLOCK_PROCESS_CPUTIME_ID);
	wall = now(CLOCK_MONOTONIC);
	need(f2fs_check(ctx, dev, &options, &result));
	if (result.state != F2FS_CHECK_SOUND || result.files != counts.files ||
	    result.directories != counts.directories) {
		fprintf(stderr, "check_hollow: the volume is not sound\n");
		exit(1);
	}
	start = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	getrusage(RUSAGE_SELF, &usage);
	printf("| %llu | %llu | %.2f | %.2f | %.2f | %.0f | %.0f |\n", (unsigned long long)counts.files,
	       (unsigned long long)counts.directories, now(CLOCK_MONOTONIC) - wall, start, making,
	       (double)usage.ru_maxrss / 1024, formula(&counts) / (1 << 20));
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
}

static int measure_all(int count, char **files)
{
	printf("| files | directories | wall s | processor s | s to make the inodes | peak MiB | by the formula |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < count; i++) {
		int status = 0;

		fflush(stdout);
		if (fork() == 0) {
			measure(files[i]);
			exit(0);
		}
		if (wait(&status) < 0 || status != 0)
			return 1;
	}
	return 0;
}

static int write_image(const char *path, const char *files)
{
	struct plain_counts counts;
	struct f2fs_device *dev = open_volume(files, &counts), *image;
	const uint64_t size = f2fs_device_info(dev)->size;

	need(f2fs_device_create(ctx, path, size, F2FS_OPEN_WRITE | F2FS_OPEN_CREATE, &image));
	for (uint64_t at = 0; at < size; at += BLOCK) {
		need(f2fs_device_read(dev, at, piece, BLOCK));
		if (!is_zero(piece, BLOCK))
			need(f2fs_device_write(image, at, piece, BLOCK));
	}
	f2fs_device_close(image);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--image") == 0)
		return write_image(argv[2], argv[3]);
	if (argc < 2 || argv[1][0] == '-') {
		fprintf(stderr, "usage: check_hollow FILES... | --image IMAGE FILES\n");
		return 2;
	}
	return measure_all(argc - 1, argv + 1);
}
