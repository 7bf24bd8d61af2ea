/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Call every reader of the public interface on a volume: all tables, the whole tree, names, attributes, contents up to
 * a bound. Damaged parts fail by themselves and the rest continues; each failure must keep the contract of errors (the
 * context has the returned code, says a sentence, and names an existing rule when a structure is corrupt). A breach of
 * that ends the program, so that fuzzers and tests see it.
 */
#ifndef F2FSKIT_TESTS_COMMON_EXERCISE_H
#define F2FSKIT_TESTS_COMMON_EXERCISE_H

#include <f2fskit/f2fskit.h>

struct exercise_limits {
	uint32_t entries;    /* of the tree that are visited */
	uint32_t table;	     /* entries of NAT, SIT and SSA that are looked at */
	uint32_t extents;    /* per file */
	uint64_t bytes;	     /* read per file, from its start, and again around its end */
	uint32_t identities; /* blocks whose owner is asked for */
};

struct exercise_result {
	uint32_t entries;
	uint32_t errors;    /* calls that failed, most of them because of impossible requests */
	uint32_t damage;    /* those that failed because the volume is damaged */
	uint32_t no_memory; /* those that failed for lack of memory */
	uint64_t bytes;	    /* of contents */
	uint32_t xattrs;
	uint64_t digest; /* of everything seen: the same volume gives the same */
};

/* Open the volume on dev, exercise it, close it. Returns what f2fs_volume_open returned. */
int exercise_device(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		    const struct exercise_limits *limits, struct exercise_result *result);
/* Exercise an open volume. */
void exercise_volume(struct f2fs_volume *vol, const struct exercise_limits *limits, struct exercise_result *result);

#endif
