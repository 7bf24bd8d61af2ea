/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The map of the segments: on the terminal, or as a picture in a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "defrag/map.h"

static int put(void *user, const void *data, size_t length)
{
	return fwrite(data, 1, length, user) != length;
}

int defrag_map(struct defrag *d)
{
	const char *no_colour = getenv("NO_COLOR");
	const int has_colours = isatty(STDOUT_FILENO) && !(no_colour && no_colour[0]);
	int rc = f2fs_segment_map_draw(d->vol, has_colours ? F2FS_MAP_COLOUR : F2FS_MAP_TEXT, put, stdout);

	if (rc)
		cli_error_of(d->cli, d->ctx, d->a->image.path);
	return rc;
}

/* Draw it in memory; free *svg. Nothing of the host is touched before the picture is whole. */
static int draw(struct defrag *d, char **svg, size_t *length)
{
	FILE *memory = open_memstream(svg, length);
	int rc = memory ? f2fs_segment_map_draw(d->vol, F2FS_MAP_SVG, put, memory) : 0;

	if (rc)
		cli_error_of(d->cli, d->ctx, d->a->image.path);
	if (memory && fclose(memory) == 0)
		return rc;
	cli_error(d->cli, "out of memory");
	return -1;
}

static int save(struct defrag *d, const char *svg, size_t length)
{
	const char *path = d->a->svg;
	int is_new, fd = cli_create(d->cli, d->ctx, path, 0666, &is_new), rc;

	if (fd < 0)
		return -1;
	rc = cli_write_fd(&fd, svg, length);
	if (close(fd) != 0)
		rc = -1;
	if (rc) {
		cli_error(d->cli, "%s: %s", path, cli_stopped() ? "stopped" : strerror(errno));
		cli_leave_part(d->cli, path, is_new);
	}
	return rc;
}

int defrag_svg(struct defrag *d)
{
	char *svg = NULL;
	size_t length = 0;
	int rc = draw(d, &svg, &length);

	if (!rc && strcmp(d->a->svg, "-") == 0)
		rc = put(stdout, svg, length);
	else if (!rc)
		rc = save(d, svg, length);
	free(svg);
	return rc;
}
