/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams under Windows: of bytes, by names in UTF-8. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/temporary.h"
#include "host/windows/wide.h"

#include <winternl.h>

#define LINE_ROOM 256u

/* The C library's own, which ours hide. */
int host_fclose(FILE *f) __asm__("fclose");

/* The mode for bytes; the C library does not know 'e', and our descriptors are closed for children anyway. */
static void write_mode(const char *mode, char to[4])
{
	const bool is_both = strchr(mode, '+') != NULL;

	to[0] = mode[0];
	to[1] = 'b';
	to[2] = is_both ? '+' : 0;
	to[3] = 0;
}

FILE *fdopen(int fd, const char *mode)
{
	char own[4];

	write_mode(mode, own);
	return _fdopen(fd, own);
}

FILE *fopen(const char *path, const char *mode)
{
	const int way = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;
	const int more = mode[0] == 'r' ? 0 : mode[0] == 'w' ? O_CREAT | O_TRUNC : O_CREAT | O_APPEND;
	const int fd = open(path, way | more, 0666);
	FILE *const f = fd < 0 ? NULL : fdopen(fd, mode);

	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* A file that goes with its last handle. */
FILE *tmpfile(void)
{
	const char *const folder = host_temporary_directory();
	const size_t room = strlen(folder) + 32;
	char *const path = malloc(room);
	FILE *f = NULL;
	int fd = -1;

	if (path) {
		snprintf(path, room, "%s/f2fskit-XXXXXX", folder);
		fd = mkstemp(path);
	}
	if (fd >= 0) {
		unlink(path);
		f = fdopen(fd, "w+");
	}
	if (!f && fd >= 0)
		close(fd);
	free(path);
	return f;
}

/* ---- streams in memory: files until they are closed */

struct memory_stream {
	struct memory_stream *next;
	FILE *f;
	char **text;
	size_t *length;
};

static struct memory_stream *memory_streams; /* of the one thread that writes pages */

FILE *open_memstream(char **text, size_t *length)
{
	struct memory_stream *const s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = (struct memory_stream){ .next = memory_streams, .f = tmpfile(), .text = text, .length = length };
	if (!s->f) {
		free(s);
		return NULL;
	}
	*text = NULL;
	*length = 0;
	memory_streams = s;
	return s->f;
}

static int take_text(const struct memory_stream *s)
{
	const long long size = fseeko(s->f, 0, SEEK_END) == 0 ? ftello(s->f) : -1;

	if (size < 0)
		return -1;
	*s->text = malloc((size_t)size + 1);
	if (!*s->text)
		return -1;
	rewind(s->f);
	*s->length = fread(*s->text, 1, (size_t)size, s->f);
	(*s->text)[*s->length] = 0;
	return *s->length == (size_t)size ? 0 : -1;
}

int fclose(FILE *f)
{
	struct memory_stream **at = &memory_streams;
	int failed = 0;

	while (*at && (*at)->f != f)
		at = &(*at)->next;
	if (*at) {
		struct memory_stream *const s = *at;

		failed = ferror(f) || fflush(f) != 0 || take_text(s) != 0;
		*at = s->next;
		free(s);
	}
	return host_fclose(f) != 0 || failed ? EOF : 0;
}

/* ---- lines */

ssize_t getline(char **line, size_t *room, FILE *f)
{
	size_t used = 0;
	int c;

	while ((c = getc(f)) != EOF) {
		if (used + 2 > *room || !*line) {
			const size_t more = *line ? 2 * *room : LINE_ROOM;
			char *const grown = realloc(*line, more);

			if (!grown)
				return -1;
			*line = grown;
			*room = more;
		}
		(*line)[used++] = (char)c;
		if (c == '\n')
			break;
	}
	if (used == 0)
		return -1;
	(*line)[used] = 0;
	return (ssize_t)used;
}

int dprintf(int fd, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (n >= 0 && (size_t)n < sizeof(text))
		return (int)write(fd, text, (size_t)n);
	errno = EOVERFLOW;
	return -1;
}
