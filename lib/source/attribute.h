/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of items, in lists.
 */
#ifndef F2FSKIT_SOURCE_ATTRIBUTE_H
#define F2FSKIT_SOURCE_ATTRIBUTE_H

#include "source/source.h"

/* Add an attribute to the current item. */
int source_attribute_add(struct source *src, const char *name, const void *value, size_t size);
/* Add an attribute to a list, in place of one of that name. */
int source_attribute_put(struct source *src, struct vec *list, const char *name, const void *value, size_t size);
/* Find an attribute of that name in a list, and how many bytes it takes; NULL: there is none. */
uint8_t *source_attribute_find(const struct vec *list, const char *name, size_t *length);
/* Is an attribute of that name to be kept? */
bool source_attribute_is_wanted(const struct source *src, const char *name);

#endif
