/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The access list: lines of "path" or "path offset length", read as a whole, since a signal may end it.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/size.h"
#include "defrag/access_list.h"

enum { PIECE = 65536 };

static int complain(struct defrag *d, const char *what)
{
	cli_error(d->cli, "%s: %s", d->a->order_file, what);
	return -1;
}

/* Read until the end, and append a zero. */
static int read_text(struct defrag *d, int fd, struct access_list *list)
{
	size_t room = 0, length = 0;
	ssize_t n = 1;

	while (n > 0) {
		if (room - length < PIECE) {
			char *text = realloc(list->text, room = room * 2 + PIECE);

			if (!text)
				return complain(d, "out of memory");
			list->text = text;
		}
		n = cli_read(fd, list->text + length, room - length - 1);
		length += n > 0 ? (size_t)n : 0;
	}
	list->text[length] = '\0';
	if (n < 0)
		return complain(d, cli_stopped() ? "stopped; nothing was changed" : strerror(errno));
	if (memchr(list->text, '\0', length))
		return complain(d, "is no list of paths: it has a byte 0");
	return 0;
}

/* Take the last word of a line when it is a number; NULL: it is none. */
static char *take_number(char *line, uint64_t *value)
{
	char *space = strrchr(line, ' ');

	if (!space || !isdigit((unsigned char)space[1]) || cli_parse_u64(space + 1, 0, UINT64_MAX, value))
		return NULL;
	*space = '\0';
	return space;
}

/* A path may have spaces, and end in one number. */
static struct f2fs_defrag_part parse_line(char *line)
{
	struct f2fs_defrag_part part = { .path = line };
	char *last = take_number(line, &part.length);

	if (last && !take_number(line, &part.offset)) {
		*last = ' ';
		part.length = 0;
	}
	return part;
}

static int parse_text(struct defrag *d, struct access_list *list)
{
	char *line = list->text, *next;
	size_t lines = 1;

	for (const char *p = line; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	list->parts = calloc(lines, sizeof(*list->parts));
	if (!list->parts)
		return complain(d, "out of memory");
	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (line[0] != '\0' && line[0] != '#')
			list->parts[list->count++] = parse_line(line);
	}
	return list->count ? 0 : complain(d, "the list is empty");
}

int access_list_read(struct defrag *d, struct access_list *list)
{
	const int is_stdin = strcmp(d->a->order_file, "-") == 0;
	const int fd = is_stdin ? STDIN_FILENO : open(d->a->order_file, O_RDONLY);
	int rc;

	if (fd < 0)
		return complain(d, strerror(errno));
	rc = read_text(d, fd, list);
	if (!is_stdin)
		close(fd);
	return rc ? rc : parse_text(d, list);
}

void access_list_free(struct access_list *list)
{
	free(list->parts);
	free(list->text);
}
