/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One line of a manifest.
 */
#ifndef F2FSKIT_SOURCE_MANIFESTLINE_H
#define F2FSKIT_SOURCE_MANIFESTLINE_H

#include "base/vec.h"
#include "source/item.h"

struct f2fs_context;

struct manifest_attribute {
	const char *name;
	const uint8_t *value;
	size_t size;
};

/* Data of a line. Pointers lead into its text. */
struct manifest_entry {
	struct source_item item;
	const char *path;   /* never NULL */
	const char *source; /* NULL: not given */
	bool is_link;	    /* a further name of the file whose path is the target */
	uint32_t nlink;
	bool has_ino;
	struct vec attributes; /* struct manifest_attribute */
};

/*
 * Parse a line. The text is changed, and one byte after it must be writable. entry->attributes is initialized before
 * the first call. Fails with INVALID and a message about the fault.
 */
int manifest_parse(struct f2fs_context *ctx, char *text, size_t length, struct manifest_entry *entry);

#endif
