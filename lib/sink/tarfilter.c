/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compress the tar stream by any of libarchive's filters. Without libarchive there is no compression.
 */
#include "base/error.h"
#include "f2fskit_config.h"
#include "base/part.h"
#include "sink/tarfilter.h"

static int unavailable(struct f2fs_context *ctx, const char *name)
{
	return error_set(ctx, F2FS_ERR_UNSUPPORTED, "cannot compress with %s: %s", name, part_why_not(PART_ARCHIVE));
}

#if HAVE_ARCHIVE

#include "base/late_archive.h"


struct tar_filter {
	struct f2fs_context *ctx;
	struct archive *archive;
	struct sink_stream *stream;
};

static la_ssize_t pass_on(struct archive *archive, void *user, const void *data, size_t length)
{
	struct tar_filter *filter = user;
	int sys_errno = sink_stream_put(filter->stream, data, length);

	if (!sys_errno)
		return (la_ssize_t)length;
	sym_archive_set_error(archive, sys_errno, "%s", "the stream failed");
	return -1;
}

static int filter_failed(struct tar_filter *filter)
{
	const char *text = sym_archive_error_string(filter->archive);

	if (sink_stream_put(filter->stream, NULL, 0))
		return sink_stream_report(filter->stream);
	return error_set(filter->ctx, F2FS_ERR_IO, "cannot compress the tar stream: %s",
			 text ? text : "libarchive failed");
}

/* A raw archive of one entry is nothing but its bytes, filtered. */
static int start(struct tar_filter *filter, const char *name)
{
	struct archive_entry *entry;
	int ret;

	if (sym_archive_write_add_filter_by_name(filter->archive, name) != ARCHIVE_OK)
		return error_set(filter->ctx, F2FS_ERR_UNSUPPORTED, "libarchive cannot compress with %s", name);
	if (sym_archive_write_set_format_raw(filter->archive) != ARCHIVE_OK ||
	    sym_archive_write_set_bytes_per_block(filter->archive, 0) != ARCHIVE_OK ||
	    sym_archive_write_open(filter->archive, filter, NULL, pass_on, NULL) != ARCHIVE_OK)
		return filter_failed(filter);
	entry = sym_archive_entry_new();
	if (!entry)
		return error_nomem(filter->ctx);
	sym_archive_entry_set_filetype(entry, AE_IFREG);
	ret = sym_archive_write_header(filter->archive, entry);
	sym_archive_entry_free(entry);
	return ret == ARCHIVE_OK ? 0 : filter_failed(filter);
}

int tar_filter_open(struct f2fs_context *ctx, const char *name, struct sink_stream *stream, struct tar_filter **out)
{
	struct tar_filter *filter;
	int err;

	if (!part_is_usable(PART_ARCHIVE))
		return unavailable(ctx, name);
	filter = mem_zalloc(ctx, sizeof(*filter));
	if (!filter)
		return F2FS_ERR_NOMEM;
	filter->ctx = ctx;
	filter->stream = stream;
	filter->archive = sym_archive_write_new();
	err = filter->archive ? start(filter, name) : error_nomem(ctx);
	if (err)
		tar_filter_close(filter);
	else
		*out = filter;
	return err;
}

int tar_filter_put(struct tar_filter *filter, const void *data, size_t length)
{
	while (length > 0) {
		la_ssize_t n = sym_archive_write_data(filter->archive, data, length);

		if (n <= 0)
			return filter_failed(filter);
		data = (const char *)data + n;
		length -= (size_t)n;
	}
	return 0;
}

int tar_filter_finish(struct tar_filter *filter)
{
	return sym_archive_write_close(filter->archive) == ARCHIVE_OK ? 0 : filter_failed(filter);
}

void tar_filter_close(struct tar_filter *filter)
{
	if (!filter)
		return;
	if (filter->archive) {
		sym_archive_write_fail(filter->archive); /* when it is finished there is nothing left to write */
		sym_archive_write_free(filter->archive);
	}
	mem_free(filter->ctx, filter);
}

#else

int tar_filter_open(struct f2fs_context *ctx, const char *name, struct sink_stream *stream, struct tar_filter **out)
{
	(void)stream;
	(void)out;
	return unavailable(ctx, name);
}

int tar_filter_put(struct tar_filter *filter, const void *data, size_t length)
{
	(void)filter;
	(void)data;
	(void)length;
	return F2FS_ERR_UNSUPPORTED;
}

int tar_filter_finish(struct tar_filter *filter)
{
	(void)filter;
	return F2FS_ERR_UNSUPPORTED;
}

void tar_filter_close(struct tar_filter *filter)
{
	(void)filter;
}

#endif
