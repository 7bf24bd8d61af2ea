/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * exercise_image IMAGE...: call every reader on each image (the parts of a volume on several devices are given as
 * IMAGE,DEVICE,..) and say what came of it. Fails when a volume cannot be opened or anything on it looks damaged, so it
 * judges the readers by images that a kernel has written.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/exercise.h"
#include "common/test_host.h"

#define MAX_DEVICES 8

/* Open the comma-separated files; the number of them, negative on failure. */
static int open_devices(struct f2fs_context *ctx, char *names, struct f2fs_device **devices)
{
	int n = 0;

	for (char *name = strtok(names, ","); name && n < MAX_DEVICES; name = strtok(NULL, ","), n++) {
		if (f2fs_device_open_image(ctx, name, F2FS_OPEN_READ, &devices[n]) == 0)
			continue;
		fprintf(stderr, "%s: %s\n", name, f2fs_context_error(ctx)->message);
		while (n > 0)
			f2fs_device_close(devices[--n]);
		return -1;
	}
	return n;
}

static int exercise_names(struct f2fs_context *ctx, char *names)
{
	static const struct exercise_limits limits = {
		.entries = 100000, .table = 20000, .extents = 1000, .bytes = 1 << 20, .identities = 5000
	};
	struct f2fs_device *devices[MAX_DEVICES];
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options) };
	struct exercise_result result;
	int n = open_devices(ctx, names, devices), rc;

	if (n <= 0)
		return 1;
	options.devices = devices + 1;
	options.device_count = (unsigned)n - 1;
	rc = exercise_device(ctx, devices[0], &options, &limits, &result);
	if (rc != 0)
		fprintf(stderr, "%s: %s\n", names, f2fs_context_error(ctx)->message);
	else
		printf("%s: %u entries, %u attributes, %llu bytes, %u of damage, digest %016llx\n", names,
		       result.entries, result.xattrs, (unsigned long long)result.bytes, result.damage,
		       (unsigned long long)result.digest);
	while (n > 0)
		f2fs_device_close(devices[--n]);
	return rc != 0 || result.damage > 0;
}

int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++) {
		struct test_host host;
		struct f2fs_context *ctx;

		test_host_init(&host);
		if (f2fs_context_open(&host.host, &ctx) != 0)
			abort();
		failed |= exercise_names(ctx, argv[i]);
		f2fs_context_close(ctx);
		if (host.live) {
			fprintf(stderr, "%zu bytes were not given back\n", host.live);
			failed = 1;
		}
	}
	return failed;
}
