/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure the reads of a check, and a plain read of the same bytes, which is the limit of the device:
 *
 *	check_reads IMAGE > LIST     checks, writes the ranges that were read, ascending and joined, and a summary to
 *	                             standard error
 *	check_reads IMAGE LIST       reads these ranges in requests of up to 1 MiB
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/read_log.h"

enum { REQUEST = 1 << 20 };

static int by_offset(const void *a, const void *b)
{
	const struct read_request *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Join requests that touch or overlap; returns how many are left. */
static size_t join(struct read_request *items, size_t count)
{
	size_t n = 0;

	qsort(items, count, sizeof(*items), by_offset);
	for (size_t i = 0; i < count; i++) {
		struct read_request *last = n ? &items[n - 1] : NULL;
		const uint64_t end = items[i].offset + items[i].length;

		if (!last || items[i].offset > last->offset + last->length)
			items[n++] = items[i];
		else if (end > last->offset + last->length)
			last->length = end - last->offset;
	}
	return n;
}

static uint64_t total(const struct read_request *items, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		bytes += items[i].length;
	return bytes;
}

static int list(struct f2fs_context *ctx, struct f2fs_device *file)
{
	struct read_log *log;
	struct f2fs_device *dev = read_log_open(ctx, file, &log);
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	const struct read_request *requests;
	struct read_request *ranges;
	size_t count, n;
	int rc = f2fs_check(ctx, dev, NULL, &result);

	f2fs_device_close(dev);
	requests = read_log_requests(log, &count);
	ranges = calloc(count ? count : 1, sizeof(*ranges));
	if (rc || !ranges)
		return 1;
	memcpy(ranges, requests, count * sizeof(*ranges));
	n = join(ranges, count);
	fprintf(stderr, "%zu requests, %.1f MiB; %zu ranges, %.1f MiB\n", count,
		(double)total(requests, count) / (1 << 20), n, (double)total(ranges, n) / (1 << 20));
	for (size_t i = 0; i < n; i++)
		printf("%llu %llu\n", (unsigned long long)ranges[i].offset, (unsigned long long)ranges[i].length);
	free(ranges);
	read_log_free(log);
	return 0;
}

static int read_ranges(struct f2fs_device *file, const char *path)
{
	FILE *ranges = fopen(path, "r");
	char *buffer = malloc(REQUEST);
	unsigned long long offset, length;
	int rc = !ranges || !buffer;

	while (!rc && fscanf(ranges, "%llu %llu", &offset, &length) == 2)
		for (unsigned long long at = 0; at < length && !rc; at += REQUEST)
			rc = f2fs_device_read(file, offset + at, buffer,
					      (size_t)(length - at < REQUEST ? length - at : REQUEST));
	if (ranges)
		fclose(ranges);
	free(buffer);
	return rc != 0;
}

int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *file;
	int rc;

	if (argc < 2 || argc > 3 || f2fs_context_open(NULL, &ctx) != 0)
		return 2;
	rc = f2fs_device_open(ctx, argv[1], F2FS_OPEN_READ, &file);
	if (!rc) {
		rc = argc == 3 ? read_ranges(file, argv[2]) : list(ctx, file);
		f2fs_device_close(file);
	}
	if (rc)
		fprintf(stderr, "%s\n", f2fs_context_error(ctx)->message);
	f2fs_context_close(ctx);
	return rc != 0;
}
