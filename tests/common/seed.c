/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SEED_FOLDER is where the corpus is; the build says so. */
#include "common/seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz/compact.h"

#define LARGEST (1 << 20)

static void give_up(const char *what, const char *name)
{
	fprintf(stderr, "seed %s: %s\n", name, what);
	exit(1);
}

void seed_load(struct seed *seed, const char *name)
{
	uint8_t *data = malloc(LARGEST);
	struct compact c;
	char path[4096];
	gzFile file;
	int n;

	memset(seed, 0, sizeof(*seed));
	snprintf(path, sizeof(path), "%s/seed-%s.gz", SEED_FOLDER, name);
	file = gzopen(path, "rb");
	if (!data || !file)
		give_up("cannot be opened", name);
	n = gzread(file, data, LARGEST);
	gzclose(file);
	if (n <= 0 || !compact_open(&c, data, (size_t)n))
		give_up("is no compact image", name);
	if (f2fs_context_open(NULL, &seed->ctx) != 0 ||
	    f2fs_device_open_memory(seed->ctx, (uint64_t)c.blocks << c.block_bits, &seed->dev) != 0 ||
	    compact_load(&c, seed->dev) != 0)
		give_up("cannot be loaded", name);
	free(data);
}

int seed_open(struct seed *seed, const char *name, const struct f2fs_open_options *options)
{
	seed_load(seed, name);
	return f2fs_volume_open(seed->ctx, seed->dev, options, &seed->vol);
}

void seed_close(struct seed *seed)
{
	f2fs_volume_close(seed->vol);
	f2fs_device_close(seed->dev);
	f2fs_context_close(seed->ctx);
}
