/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the bytes of a tar archive. One reader of libarchive decompresses and gives blocks of a fixed size to another
 * one, which reads entries. The block before the current one stays in memory, so that the headers of an entry can still
 * be examined after the entry was read: they are at most as long as a block.
 */
#include "base/error.h"
#include "f2fskit_config.h"
#include "source/tarstream.h"

#if HAVE_ARCHIVE

#include <errno.h>
#include <string.h>

#include "base/bytes.h"
#include "base/late_archive.h"
#include "source/source.h"

#define TAR_BLOCK 512u
#define SIZE_AT 124u
#define SIZE_DIGITS 11u
#define TYPE_AT 156u

static la_ssize_t read_input(struct archive *archive, void *user, const void **data)
{
	struct tar_stream *s = user;
	size_t got;
	int sys_errno = source_input_read(&s->input, s->given, SOURCE_BUFFER, &got);

	*data = s->given;
	if (!sys_errno)
		return (la_ssize_t)got;
	sym_archive_set_error(archive, sys_errno, "cannot read: %s", strerror(sys_errno));
	return -1;
}

int tar_stream_open(struct tar_stream *s, struct f2fs_context *ctx, const struct f2fs_input *from, char *given)
{
	int (*const filters[])(struct archive *) = {
		sym_archive_read_support_filter_gzip, sym_archive_read_support_filter_bzip2,
		sym_archive_read_support_filter_xz,   sym_archive_read_support_filter_lzma,
		sym_archive_read_support_filter_zstd, sym_archive_read_support_filter_lz4,
	};
	struct archive_entry *whole;
	int err, ret;

	s->given = given;
	s->bytes = mem_alloc(ctx, (size_t)2 * SOURCE_BUFFER);
	err = s->bytes ? source_input_open(&s->input, ctx, from) : F2FS_ERR_NOMEM;
	if (err)
		return err;
	s->plain = sym_archive_read_new();
	if (!s->plain || sym_archive_read_support_format_raw(s->plain) != ARCHIVE_OK ||
	    sym_archive_read_support_format_empty(s->plain) != ARCHIVE_OK)
		return error_nomem(ctx);
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		filters[i](s->plain); /* libarchive names a filter that it was built without when it meets one */
	ret = sym_archive_read_open(s->plain, s, NULL, read_input, NULL);
	if (ret == ARCHIVE_OK)
		ret = sym_archive_read_next_header(s->plain, &whole);
	s->is_empty = ret == ARCHIVE_EOF;
	return ret == ARCHIVE_OK || s->is_empty ? 0 : F2FS_ERR_IO;
}

void tar_stream_close(struct tar_stream *s)
{
	if (s->plain)
		sym_archive_read_free(s->plain);
	source_input_close(&s->input);
	mem_free(s->input.ctx, s->bytes);
}

/* Get the next bytes. Returns ARCHIVE_EOF if there are none. */
static int need_rest(struct tar_stream *s)
{
	int ret = s->is_empty ? ARCHIVE_EOF : ARCHIVE_OK;

	while (ret == ARCHIVE_OK && s->rest_length == 0) {
		const void *data = NULL;
		la_int64_t at;

		ret = sym_archive_read_data_block(s->plain, &data, &s->rest_length, &at);
		s->rest = data;
		if (ret != ARCHIVE_OK)
			s->rest_length = 0;
	}
	return ret;
}

long long tar_stream_next(struct tar_stream *s, const void **data)
{
	uint8_t *block = s->bytes + SOURCE_BUFFER;
	int ret = need_rest(s);

	if (ret != ARCHIVE_OK)
		return ret == ARCHIVE_EOF ? 0 : -1;
	memcpy(s->bytes, block, s->length);
	s->offset += s->length;
	s->before = s->length;
	/* an error counts once the bytes before it were given: the next call meets it again */
	for (s->length = 0; s->length < SOURCE_BUFFER && need_rest(s) == ARCHIVE_OK;) {
		const size_t room = SOURCE_BUFFER - s->length, n = s->rest_length < room ? s->rest_length : room;

		memcpy(block + s->length, s->rest, n);
		s->rest += n;
		s->rest_length -= n;
		s->length += n;
	}
	*data = block;
	return (long long)s->length;
}

/* ---- headers */

/*
 * Find bytes of the archive. Blocks are full except the last one, so that two adjacent ones are adjacent in memory.
 * NULL: the bytes are not available.
 */
static const uint8_t *find(const struct tar_stream *s, uint64_t at, uint64_t length)
{
	const uint64_t end = s->offset + s->length;

	if (at < s->offset - s->before || at > end || length > end - at)
		return NULL;
	return s->bytes + SOURCE_BUFFER - s->before + (size_t)(at - (s->offset - s->before));
}

/* Parse one record of a pax header, "LENGTH KEY=VALUE\n". Returns its length, 0 if it is none. */
static size_t take_record(const char *text, size_t room, unsigned *signs)
{
	static const struct {
		const char *key;
		unsigned bit;
	} times[] = {
		{ "mtime", GIVEN_MTIME },
		{ "atime", GIVEN_ATIME },
		{ "ctime", GIVEN_CTIME },
		{ "LIBARCHIVE.creationtime", GIVEN_CRTIME },
	};
	size_t length = 0, at = 0;

	for (; at < room && text[at] >= '0' && text[at] <= '9' && length <= room; at++)
		length = length * 10 + (size_t)(text[at] - '0');
	if (at >= room || text[at] != ' ' || length > room || length <= at + 1)
		return 0;
	at++;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		const size_t n = strlen(times[i].key);

		if (length - at < n + 2 || memcmp(text + at, times[i].key, n) != 0 || text[at + n] != '=')
			continue;
		*signs &= ~times[i].bit; /* the later of two counts */
		if (text[at + n + 1] == '-')
			*signs |= times[i].bit;
	}
	return length;
}

bool tar_stream_has_end(const struct tar_stream *s, uint64_t at)
{
	const uint8_t *block = find(s, at, TAR_BLOCK);

	return block && is_zero(block, TAR_BLOCK);
}

static uint64_t size_of(const uint8_t *header)
{
	uint64_t size = 0;

	for (unsigned i = 0; i < SIZE_DIGITS; i++)
		if (header[SIZE_AT + i] >= '0' && header[SIZE_AT + i] <= '7')
			size = size << 3 | (uint64_t)(header[SIZE_AT + i] - '0');
	return size;
}

unsigned tar_stream_signs(const struct tar_stream *s, uint64_t at)
{
	const uint8_t *header;
	unsigned signs = 0;

	/* the headers that come before an entry's own: pax records, global ones, long names */
	while ((header = find(s, at, TAR_BLOCK)) != NULL && memchr("xXgLK", header[TYPE_AT], 5)) {
		const uint64_t size = size_of(header);
		const char *text = (const char *)find(s, at + TAR_BLOCK, size);
		size_t n;

		if (!text)
			break;
		if (header[TYPE_AT] == 'x' || header[TYPE_AT] == 'X')
			for (size_t done = 0; (n = take_record(text + done, (size_t)size - done, &signs)) > 0;)
				done += n;
		at += TAR_BLOCK + ((size + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1));
	}
	return signs;
}

#endif
