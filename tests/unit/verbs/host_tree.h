/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared parts of tests of extraction: a forged volume, a fresh directory of the host to extract to, and ways to look
 * at and prepare files in that directory. Paths are relative to it.
 */
#ifndef F2FSKIT_TESTS_UNIT_HOST_TREE_H
#define F2FSKIT_TESTS_UNIT_HOST_TREE_H

#include <sys/stat.h>

#include "forge.h"

struct fixture {
	struct forge forge;
	struct f2fs_extract_result result;
	char base[64]; /* made for the test, removed with all that is in it */
	char out[80];  /* base/out: not made */
	/* the last problem reported, and their number */
	unsigned problems;
	struct f2fs_extract_problem problem;
	struct f2fs_error_detail detail;
	char problem_path[1024], problem_what[300];
};

int fixture_setup(void **state);
int fixture_teardown(void **state);
/* Members of the options that note problems in the fixture. */
#define COUNT_PROBLEMS(t) .problem = note_problem, .user = (t)
int note_problem(void *user, const struct f2fs_extract_problem *problem);

/* Remove the extracted files. */
void clear_out(struct fixture *t);
void stat_of(struct fixture *t, const char *path, struct stat *out);
void assert_file(struct fixture *t, const char *path, const void *expected, size_t length);
/* All paths, sorted, with spaces between them. */
void assert_listing(struct fixture *t, const char *expected);
void make_dir_in(struct fixture *t, const char *path, unsigned mode);
void write_in(struct fixture *t, const char *path, const char *text);
void make_link_in(struct fixture *t, const char *path, const char *target);
void chmod_in(struct fixture *t, const char *path, unsigned mode);

/* A stream's bytes, NUL-terminated; free bytes. */
struct collected {
	char *bytes;
	size_t length;
	size_t limit; /* fail with ENOSPC beyond, 0: none */
};
int collect(void *user, const void *data, size_t length);

#endif
