/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change items by fs_config, file_contexts and rules of the caller.
 */
#ifndef F2FSKIT_SOURCE_RULES_H
#define F2FSKIT_SOURCE_RULES_H

#include "source/source.h"

/* Read the lists that the options name. */
int source_rules_open(struct source *src);
void source_rules_close(struct source *src);
/* The source was read to its end: warn of patterns and rules that nothing in it matched. */
void source_warn_unmet(const struct source *src);
/* Change an item of that path, and its attributes, by the rules, fs_config and file_contexts. */
int source_adjust(struct source *src, const char *path, struct source_item *item, struct vec *attributes);

#endif
