/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Name the container of an image by its first bytes.
 */
#include "disk/container_names.h"

#include <stdio.h>
#include <string.h>

#include <f2fskit/base.h>

#include "base/checked.h"

#define LONGEST_MAGIC 24u

static const struct row {
	int offset;
	const char *magic;
	size_t length;
	const char *what, *before, *after;
} rows[] = {
#define CONTAINER(offset, magic, what, before, after) { offset, magic, sizeof(magic) - 1, what, before, after },
#include "disk/container_names.def"
#undef CONTAINER
};

static bool has_magic(struct f2fs_device *dev, const struct row *row)
{
	const uint64_t size = dev->info.size;
	const uint64_t back = row->offset < 0 ? (uint64_t)-row->offset : 0;
	const uint64_t at = row->offset < 0 ? size - back : (uint64_t)row->offset;
	uint8_t bytes[LONGEST_MAGIC];

	return size >= back && range_within(at, row->length, size) &&
	       device_read_quiet(dev, at, bytes, row->length) == 0 && memcmp(bytes, row->magic, row->length) == 0;
}

/* The name of a file as a shell takes it; names with quotes in them are the reader's to quote. */
static void quote(const char *name, char *out, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=@%,:";
	char shown[100];

	f2fs_text_printable(name, strlen(name), shown, sizeof(shown));
	snprintf(out, size, strspn(shown, plain) == strlen(shown) ? "%s" : "'%s'", shown);
}

bool container_describe(struct f2fs_device *dev, char *text, size_t size)
{
	char name[110];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!has_magic(dev, &rows[i]))
			continue;
		quote(dev->name, name, sizeof(name));
		snprintf(text, size, "it is %s: make a plain image of it with \"%s%s%s\"", rows[i].what, rows[i].before,
			 name, rows[i].after);
		return true;
	}
	return false;
}
