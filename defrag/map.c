/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The map of the segments: on the terminal, or as a picture in a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "defrag/defrag.h"

static int put(void *user, const void *data, size_t length)
{
	return fwrite(data, 1, length, user) != length;
}

int defrag_map(struct defrag *d)
{
	const char *no_colour = getenv("NO_COLOR");
	const int has_colours = isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]);
	int rc = f2fs_segment_map(d->vol, has_colours ? F2FS_MAP_COLOUR : F2FS_MAP_TEXT, put, stdout);

	if (rc)
		cli_error_of(d->cli, d->ctx, d->a->image.path);
	return rc;
}

int defrag_svg(struct defrag *d)
{
	const int is_stdout = strcmp(d->a->svg, "-") == 0;
	FILE *to = is_stdout ? stdout : fopen(d->a->svg, "w");
	int rc;

	if (!to) {
		cli_error(d->cli, "%s: %s", d->a->svg, strerror(errno));
		return -1;
	}
	rc = f2fs_segment_map(d->vol, F2FS_MAP_SVG, put, to);
	if (rc)
		cli_error_of(d->cli, d->ctx, d->a->image.path);
	if (!is_stdout && fclose(to) != 0 && !rc) {
		cli_error(d->cli, "%s: %s", d->a->svg, strerror(errno));
		rc = -1;
	}
	return rc;
}
