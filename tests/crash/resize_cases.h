/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes that tests of power cuts and faults resize: how they are made, and their contents.
 */
#ifndef F2FSKIT_TESTS_CRASH_RESIZE_CASES_H
#define F2FSKIT_TESTS_CRASH_RESIZE_CASES_H

#include <f2fskit/f2fskit.h>

struct resize_case {
	const char *name;
	uint64_t device, size, target; /* bytes */
	unsigned files, kept;	       /* number of files: how many of four stay */
	struct f2fs_mkfs_options format;
	int reduce_moves; /* smaller areas need main segments that are emptied */
	unsigned kinds; /* bits of enum f2fs_resize_kind that the steps must have */
};

#define RESIZE_BIT(kind) (1u << F2FS_RESIZE_##kind)

enum { RESIZE_CASES = 8 };
extern const struct resize_case resize_cases[RESIZE_CASES];

/* Ends the program with a message unless good. */
void resize_require(int good, const char *what);
/* Make and fill the volume of a case in memory. */
struct f2fs_device *resize_make(struct f2fs_context *ctx, const struct resize_case *test);
/* A number for all files, 0 when the volume contradicts itself; and its segments. */
int resize_digest(struct f2fs_context *ctx, struct f2fs_device *dev, uint64_t *tree, uint32_t *segments);
/* The findings of a check. */
struct resize_found {
	uint64_t found;
	const char *last;	/* problem that was named; NULL: none */
	const char *unexpected; /* one that no stopped resize explains; NULL: none */
};
int resize_case_check(struct f2fs_context *ctx, struct f2fs_device *dev, struct resize_found *out);

#endif
