/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Search the past, for the views of old versions and deleted files.
 */
#ifndef F2FSKIT_DUMP_PAST_SEARCH_H
#define F2FSKIT_DUMP_PAST_SEARCH_H

#include "dump/run.h"

/* The columns blocks .. lost of the open record. */
void dump_put_remains(struct dump *d, const struct f2fs_remains *remains);
/* What only JSON has of a version. */
void dump_put_version_more(struct dump *d, const struct f2fs_version *version);
/* Search for old nodes; failure is reported. */
int dump_past_open(struct dump *d, const struct f2fs_past_options *options, struct f2fs_past **out);
/* End the search, and report its unreadable blocks. */
void dump_past_close(struct dump *d, struct f2fs_past *past);
/* A search over everything that the volume remembers, and its table of results. */
struct dump_search {
	const char *name, *option;
	const struct cli_column *columns;
	unsigned column_count;
	int (*run)(struct f2fs_past *past, struct dump *d);
};
/* Open the past, run the search, report failure and what could not be read. */
int dump_search(struct dump *d, const struct dump_search *search);

#endif
