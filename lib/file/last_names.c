/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Greatest names of directories, in the order of their bytes. A copy of a tree gives names in this order, so no lookup
 * in a growing directory is needed. Only directories that were made since the volume was opened are known, and of those
 * the last few that were used: a copy comes back to the directories above. Removed names may stay, because a bound that
 * is too high costs a search and nothing else.
 */
#include "file/last_names.h"

#include <string.h>

#include "format/dentry.h"

#define MAX_DIRS 16u

struct last_names {
	uint64_t clock;
	struct last_name {
		f2fs_nid_t dir; /* 0: none */
		uint32_t length;
		uint64_t used; /* the clock when it was used last */
		uint8_t bytes[NAME_MAX_BYTES];
	} dirs[MAX_DIRS];
};

static struct last_name *find(const struct f2fs_volume *vol, f2fs_nid_t dir)
{
	struct last_names *all = vol->files.filing.last;

	for (unsigned i = 0; all && i < MAX_DIRS; i++)
		if (all->dirs[i].dir == dir) {
			all->dirs[i].used = ++all->clock;
			return &all->dirs[i];
		}
	return NULL;
}

static void set_name(struct last_name *last, const uint8_t *name, size_t length)
{
	memcpy(last->bytes, name, length);
	last->length = (uint32_t)length;
}

static bool is_before(const struct last_name *last, const uint8_t *name, size_t length)
{
	const int order = memcmp(last->bytes, name, length < last->length ? length : last->length);

	return order < 0 || (order == 0 && last->length < length);
}

/* Choose the place of another directory: that of the one used longest ago. */
static struct last_name *oldest(struct last_names *all)
{
	struct last_name *found = &all->dirs[0];

	for (unsigned i = 1; i < MAX_DIRS; i++)
		if (all->dirs[i].used < found->used)
			found = &all->dirs[i];
	found->used = ++all->clock;
	return found;
}

int last_names_begin(struct f2fs_volume *vol, f2fs_nid_t dir)
{
	struct last_names **all = &vol->files.filing.last;
	struct last_name *last = find(vol, dir);

	if (!*all)
		*all = mem_zalloc(vol->ctx, sizeof(**all));
	if (!*all)
		return F2FS_ERR_NOMEM;
	if (!last)
		last = oldest(*all);
	last->dir = dir;
	set_name(last, (const uint8_t *)"..", 2);
	return 0;
}

void last_names_add(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length)
{
	struct last_name *last = find(vol, dir);

	if (last && is_before(last, name, length))
		set_name(last, name, length);
}

bool last_names_are_before(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length)
{
	const struct last_name *last = find(vol, dir);

	return last && is_before(last, name, length);
}

void last_names_forget(struct f2fs_volume *vol, f2fs_nid_t dir)
{
	struct last_name *last = find(vol, dir);

	if (last)
		*last = (struct last_name){ .dir = 0 };
}
