/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tar archive as a source, read by libarchive: compression, ustar, pax and GNU headers, sparse files. Names are used
 * as raw bytes. libarchive converts them to the locale's encoding, so it works under the C locale, where it does not
 * change bytes outside ASCII. Contents are gathered into large aligned pieces, which the volume writes fastest.
 */
#include "source/tar.h"

#include "base/error.h"
#include "base/part.h"
#include "f2fskit_config.h"

static int unavailable(const struct source *src)
{
	return error_set(src->ctx, F2FS_ERR_UNSUPPORTED, "cannot read tar archives: %s", part_why_not(PART_ARCHIVE));
}

#if HAVE_ARCHIVE

#include <errno.h>
#include <locale.h>
#include <string.h>

#include "base/late_archive.h"
#include "source/path.h"
#include "source/tarentry.h"
#include "source/tarstream.h"

struct tar_source {
	struct source *src;
	struct archive *archive;
	struct archive_entry *entry; /* the one given last */
	struct tar_stream stream;
	locale_t plain;	  /* the C locale */
	struct vec clean; /* char: path of the entry, then that of a link's target */
	struct vec link;
	uint8_t *gathered;   /* SOURCE_BUFFER bytes */
	const uint8_t *rest; /* bytes from libarchive that are not gathered yet */
	size_t rest_length;
	uint64_t rest_offset;
	bool at_end; /* of the entry's contents */
	bool has_ended; /* there are no more entries */
};

static struct tar_source *source_of(const struct source *src)
{
	return src->own;
}

/* The archive cannot be read on: without the rest the tree would be a part of itself. */
static int broken_by(struct source *src, struct archive *archive)
{
	const char *text = sym_archive_error_string(archive);
	const char *after = src->path.count ? " after " : "";

	src->is_broken = true;
	if (sym_archive_errno(archive) == ENOMEM)
		return error_nomem(src->ctx);
	if (sym_archive_errno(archive) == ECANCELED)
		return error_set(src->ctx, F2FS_ERR_CANCELED, "populate was stopped");
	if (!src->path.count && text && strstr(text, "Unrecognized archive format"))
		return error_set(src->ctx, F2FS_ERR_IO,
				 "it is neither a directory nor an archive, or the archive is damaged or cut short");
	return error_set(src->ctx, F2FS_ERR_IO, "the archive is damaged or cut short%s%.200s: %s", after,
			 source_path(src), text ? text : "libarchive failed");
}

static int broken(struct source *src)
{
	return broken_by(src, source_of(src)->archive);
}

static la_ssize_t read_stream(struct archive *archive, void *user, const void **data)
{
	struct tar_source *s = user;
	long long got = tar_stream_next(&s->stream, data);

	if (got < 0) {
		const char *text = sym_archive_error_string(s->stream.plain);

		sym_archive_set_error(archive, sym_archive_errno(s->stream.plain), "%s",
				      text ? text : "libarchive failed");
	}
	return (la_ssize_t)got;
}

static int next_header(struct tar_source *s)
{
	const locale_t old = uselocale(s->plain);
	int ret;

	do
		ret = sym_archive_read_next_header(s->archive, &s->entry);
	while (ret == ARCHIVE_RETRY);
	uselocale(old);
	return ret;
}

/* Restore times of the last second before 1970, whose sign libarchive drops. */
static void restore_signs(const struct tar_source *s, struct source_item *item)
{
	struct f2fs_time *const times[] = { &item->mtime, &item->atime, &item->ctime, &item->crtime };
	static const unsigned bits[] = { GIVEN_MTIME, GIVEN_ATIME, GIVEN_CTIME, GIVEN_CRTIME };
	const unsigned signs = tar_stream_signs(&s->stream, (uint64_t)sym_archive_read_header_position(s->archive));

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		struct f2fs_time *t = times[i];

		if (!(signs & item->given & bits[i]) || t->seconds != 0 || t->nanoseconds == 0)
			continue;
		t->seconds = -1;
		t->nanoseconds = 1000000000 - t->nanoseconds;
	}
}

/*
 * End the source. An archive that was cut between two entries lacks the zeros at its end. That is reported if missing
 * entries matter.
 */
static int end(struct source *src, struct tar_source *s)
{
	int err;

	if (s->has_ended || !src->opt.needs_end ||
	    tar_stream_has_end(&s->stream, (uint64_t)sym_archive_read_header_position(s->archive)))
		return SOURCE_END;
	s->has_ended = true;
	err = source_set_path(src, 0, "");
	return err ? err
		   : error_set(src->ctx, F2FS_ERR_INVALID,
			       "the archive has no mark of its end and may have been cut short: "
			       "refusing to treat all other files as missing");
}

static int next(struct source *src, struct source_item *item)
{
	struct tar_source *s = source_of(src);
	const char *name;
	int ret = s->has_ended ? ARCHIVE_EOF : next_header(s), err;

	if (ret == ARCHIVE_EOF)
		return end(src, s);
	if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN)
		return broken(src);
	name = sym_archive_entry_pathname(s->entry);
	err = source_set_path(src, 0, name ? name : "");
	if (!err && !name)
		err = error_set(src->ctx, F2FS_ERR_INVALID, "an entry has no name");
	if (!err)
		err = source_clean_path(src, name, &s->clean);
	if (!err)
		err = source_set_path(src, 0, s->clean.items);
	if (!err)
		err = tar_describe(src, s->entry, &s->link, item);
	if (!err)
		restore_signs(s, item);
	if (!err && src->path.count == 0 && (item->mode & MODE_TYPE) != MODE_DIR)
		err = error_set(src->ctx, F2FS_ERR_INVALID, "the top of the tree is not a directory");
	s->at_end = false;
	s->rest_length = 0;
	return err;
}

static int prepare(struct source *src, struct source_item *item)
{
	return tar_attributes(src, source_of(src)->entry, item);
}

/* Get the next bytes of the entry's contents, unless it ends. */
static int need_rest(struct source *src)
{
	struct tar_source *s = source_of(src);

	while (s->rest_length == 0 && !s->at_end) {
		const void *data;
		int64_t offset;
		int ret = sym_archive_read_data_block(s->archive, &data, &s->rest_length, &offset);

		if (ret == ARCHIVE_EOF) {
			s->at_end = true;
			s->rest_length = 0;
		} else if (ret != ARCHIVE_OK && ret != ARCHIVE_WARN) {
			return broken(src);
		}
		s->rest = data;
		s->rest_offset = (uint64_t)offset;
	}
	return 0;
}

static int read_contents(struct source *src, struct source_item *item, struct source_chunk *chunk)
{
	struct tar_source *s = source_of(src);
	int err;

	(void)item;
	chunk->length = 0;
	chunk->data = s->gathered;
	while ((err = need_rest(src)) == 0 && s->rest_length > 0) {
		size_t n = SOURCE_BUFFER - chunk->length;

		if (chunk->length == 0)
			chunk->offset = s->rest_offset;
		else if (n == 0 || s->rest_offset != chunk->offset + chunk->length)
			break;
		if (n > s->rest_length)
			n = s->rest_length;
		memcpy(s->gathered + chunk->length, s->rest, n);
		chunk->length += n;
		s->rest += n;
		s->rest_length -= n;
		s->rest_offset += n;
	}
	return err;
}

static void close_source(struct source *src)
{
	struct tar_source *s = source_of(src);

	if (s->archive)
		sym_archive_read_free(s->archive);
	tar_stream_close(&s->stream);
	if (s->plain)
		freelocale(s->plain);
	vec_fini(&s->clean);
	vec_fini(&s->link);
	mem_free(src->ctx, s->gathered);
	mem_free(src->ctx, s);
}

static int start(struct source *src, struct tar_source *s, const struct f2fs_input *input)
{
	int err = tar_stream_open(&s->stream, src->ctx, input, src->buffer);

	if (err)
		return s->stream.plain ? broken_by(src, s->stream.plain) : err;
	s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	s->archive = sym_archive_read_new();
	if (!s->archive || !s->plain || sym_archive_read_support_format_tar(s->archive) != ARCHIVE_OK)
		return error_nomem(src->ctx);
	return sym_archive_read_open(s->archive, s, NULL, read_stream, NULL) == ARCHIVE_OK ? 0 : broken(src);
}

int source_tar_open(struct source *src, const struct f2fs_input *input)
{
	static const struct source_ops ops = {
		.next = next, .prepare = prepare, .read = read_contents, .close = close_source
	};
	struct tar_source *s;

	if (!part_is_usable(PART_ARCHIVE))
		return unavailable(src);
	s = mem_zalloc(src->ctx, sizeof(*s));
	if (!s)
		return F2FS_ERR_NOMEM;
	s->src = src;
	vec_init(&s->clean, src->ctx, 1);
	vec_init(&s->link, src->ctx, 1);
	src->own = s;
	src->ops = &ops;
	src->may_repeat = true;
	s->stream.input.ctx = src->ctx;
	s->gathered = mem_alloc(src->ctx, SOURCE_BUFFER);
	return s->gathered ? start(src, s, input) : F2FS_ERR_NOMEM;
}

#else

int source_tar_open(struct source *src, const struct f2fs_input *input)
{
	(void)input;
	return unavailable(src);
}

#endif
