/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The small volumes of the fuzz corpus (tests/fuzz/make_seeds.py has their contents) as devices in memory, for tests
 * that need a volume which a kernel has written.
 */
#ifndef F2FSKIT_TESTS_COMMON_SEED_H
#define F2FSKIT_TESTS_COMMON_SEED_H

#include <f2fskit/f2fskit.h>

/* A context of its own, a device, and the volume on it once it was opened. */
struct seed {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
};

/* Load the volume of that name ("plain"), without opening it. Ends the program when that fails. */
void seed_load(struct seed *seed, const char *name);
/* Load and open it with the options (may be NULL); returns what f2fs_volume_open returned. */
int seed_open(struct seed *seed, const char *name, const struct f2fs_open_options *options);
/* Close and free all of it. */
void seed_close(struct seed *seed);

#endif
