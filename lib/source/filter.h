/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the wanted items by patterns.
 */
#ifndef F2FSKIT_SOURCE_FILTER_H
#define F2FSKIT_SOURCE_FILTER_H

#include "base/vec.h"

struct f2fs_context;
struct source;

/* Choices for the directories on the way of a path: see source_choose(). */
struct source_chooser {
	struct vec parts; /* struct source_part */
};

enum source_choice { SOURCE_EXCLUDED, SOURCE_NOT_INCLUDED, SOURCE_WANTED };

void source_chooser_init(struct source_chooser *c, struct f2fs_context *ctx);
void source_chooser_fini(struct source_chooser *c);
/*
 * Match the patterns against a path. It is changed meanwhile, and its first `same` bytes are those of the previous
 * path.
 */
int source_choose(struct source *src, struct source_chooser *c, char *path, size_t same, enum source_choice *out);
/* Match the patterns against the current item. */
int source_choose_item(struct source *src, enum source_choice *out);

#endif
