/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Invariants of volumes whose blocks are moved.
 */
#ifndef F2FSKIT_TESTS_FUZZ_UNCHANGED_H
#define F2FSKIT_TESTS_FUZZ_UNCHANGED_H

#include <f2fskit/f2fskit.h>

/* Abort with what went wrong. */
void require(int condition, const char *what);
/* How many problems the checker finds; UINT64_MAX: it could not check. */
uint64_t problems(struct f2fs_context *ctx, struct f2fs_device *dev);
/*
 * Does the checker find nothing after the recovery of fsynced data? It looks at the checkpoint, and a chain after that
 * may hold inodes with any damage.
 */
int is_sound_recovered(struct f2fs_context *ctx, struct f2fs_device *dev);
/* A digest of paths, and of the start and the end of each file; never 0 for a volume that can be walked. */
uint64_t contents(struct f2fs_volume *vol);

#endif
