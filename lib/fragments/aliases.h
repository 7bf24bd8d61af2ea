/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that stand for a whole device: their blocks have no summaries, and stay where they are. */
#ifndef F2FSKIT_FRAGMENTS_ALIASES_H
#define F2FSKIT_FRAGMENTS_ALIASES_H

#include <f2fskit/volume.h>

struct alias {
	const char *path; /* without the slash in front */
	uint64_t first, end; /* blocks of the volume */
};

/* Call each for every alias. A result that is not 0 ends the search and is returned. */
int aliases_each(struct f2fs_volume *vol, int (*each)(void *user, const struct alias *alias), void *user);

#endif
