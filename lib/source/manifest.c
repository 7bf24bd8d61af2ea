/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A manifest as a source: lines as extraction writes them, contents from files of the host. Anything wrong with a line
 * ends the run.
 */
#include "source/manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "source/attribute.h"
#include "source/hostfile.h"
#include "source/input.h"
#include "source/manifestline.h"
#include "source/path.h"

#define LINE_LIMIT (16u << 20)
#define READ_SIZE 65536u

struct manifest_source {
	struct source_input input;
	int base;	 /* directory of contents, -1: none */
	struct vec text; /* char: text that was read and not taken yet, from start on */
	size_t start;
	bool at_end;
	bool has_entries; /* or the manifest states that there are none */
	uint64_t line; /* number of the line taken last */
	struct manifest_entry entry;
	struct vec clean, link; /* char */
	struct host_file file;
};

static struct manifest_source *source_of(const struct source *src)
{
	return src->own;
}

static int broken(struct source *src, int err)
{
	struct f2fs_error_detail detail = src->ctx->error;

	src->is_broken = true;
	if (err == F2FS_ERR_NOMEM)
		return err;
	return error_set(src->ctx, err, "the manifest, line %llu: %s", (unsigned long long)source_of(src)->line,
			 detail.message);
}

/* Read more text after the present text. */
static int read_more(struct source *src, struct manifest_source *s)
{
	size_t got;
	int sys_errno;

	if (s->start > 0) {
		memmove(s->text.items, (char *)s->text.items + s->start, s->text.count - s->start);
		s->text.count -= s->start;
		s->start = 0;
	}
	if (s->text.count > LINE_LIMIT)
		return error_set(src->ctx, F2FS_ERR_TOO_BIG, "the line is too long");
	if (vec_reserve(&s->text, READ_SIZE + 1) != 0)
		return F2FS_ERR_NOMEM;
	sys_errno = source_input_read(&s->input, (char *)s->text.items + s->text.count, READ_SIZE, &got);
	if (sys_errno)
		return error_sys(src->ctx, sys_errno, "cannot read");
	s->text.count += got;
	s->at_end = got == 0;
	return 0;
}

/* Take the next line, without its end. *line is NULL after the last one. */
static int take_line(struct source *src, char **line, size_t *length)
{
	struct manifest_source *s = source_of(src);
	size_t searched = 0;

	for (;;) {
		char *text = s->text.items ? (char *)s->text.items + s->start : NULL, *end;
		const size_t n = s->text.count - s->start;
		int err;

		end = text && n > searched ? memchr(text + searched, '\n', n - searched) : NULL;
		if (end || (s->at_end && n > 0)) {
			*line = text;
			*length = end ? (size_t)(end - text) : n;
			s->start += *length + (end != NULL);
			s->line++;
			return 0;
		}
		searched = n;
		*line = NULL;
		if (s->at_end)
			return 0;
		err = read_more(src, s);
		if (err)
			return err;
	}
}

static bool is_blank(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!strchr(" \t\r", line[i]))
			return false;
	return true;
}

static int take_entry(struct source *src, struct source_item *item)
{
	struct manifest_source *s = source_of(src);
	struct manifest_entry *entry = &s->entry;
	int err = source_clean_path(src, entry->path, &s->clean);

	if (!err)
		err = source_set_path(src, 0, s->clean.items);
	if (!err && entry->is_link)
		err = source_clean_path(src, entry->item.target, &s->link);
	if (err)
		return err;
	*item = entry->item;
	if (entry->is_link) {
		item->target = NULL;
		item->link = s->link.items;
	}
	if (src->path.count == 0 && (item->mode & MODE_TYPE) != MODE_DIR)
		err = error_set(src->ctx, F2FS_ERR_INVALID, "the top of the tree is not a directory");
	return err;
}

/* End the source. An empty manifest may be the output of a command that failed. */
static int end(struct source *src)
{
	struct manifest_source *s = source_of(src);
	int err;

	if (s->has_entries || !src->opt.needs_end)
		return SOURCE_END;
	s->has_entries = true;
	err = source_set_path(src, 0, "");
	return err ? err
		   : error_set(src->ctx, F2FS_ERR_INVALID,
			       "the manifest is empty: refusing to treat all other files as missing");
}

static int next(struct source *src, struct source_item *item)
{
	struct manifest_source *s = source_of(src);
	size_t length = 0;
	char *line;
	int err;

	host_file_close(&s->file);
	do {
		err = take_line(src, &line, &length);
		if (err)
			return broken(src, err);
		if (!line)
			return end(src);
	} while (is_blank(line, length));
	s->has_entries = true;
	err = manifest_parse(src->ctx, line, length, &s->entry);
	if (!err)
		err = take_entry(src, item);
	return err ? broken(src, err) : 0;
}

static int open_contents(struct source *src, struct source_item *item)
{
	struct manifest_source *s = source_of(src);
	const char *name = s->entry.source;
	struct stat st;
	int err;

	/* without their directory, only sources with a whole path can be meant */
	if ((!name || name[0] != '/') && s->base < 0 && src->opt.only_describes) {
		item->has_no_contents = true;
		return 0;
	}
	if (!name && s->base < 0) {
		const uint64_t size = item->size;

		item->size = 0;
		return size ? error_set(src->ctx, F2FS_ERR_INVALID, "it has no source, and no directory was given") : 0;
	}
	err = host_file_open(src, &s->file, s->base >= 0 ? s->base : AT_FDCWD, name ? name : source_path(src),
			     name ? 0 : O_NOFOLLOW);
	if (err)
		return err;
	if (fstat(s->file.fd, &st) != 0)
		return error_sys(src->ctx, errno, "cannot look at its source");
	if (!S_ISREG(st.st_mode))
		return error_set(src->ctx, F2FS_ERR_INVALID, "its source is not a regular file");
	item->size = (uint64_t)st.st_size;
	host_file_holes(src, &s->file, &st);
	item->has_holes = s->file.has_holes;
	return 0;
}

static int prepare(struct source *src, struct source_item *item)
{
	const struct vec *list = &source_of(src)->entry.attributes;

	for (size_t i = 0; i < list->count; i++) {
		const struct manifest_attribute *attribute = vec_at(list, i);
		int err;

		if (!source_attribute_is_wanted(src, attribute->name))
			continue;
		err = source_attribute_add(src, attribute->name, attribute->value, attribute->size);
		if (err)
			return err;
	}
	if ((item->mode & MODE_TYPE) != MODE_REG || item->link || item->is_known)
		return 0;
	return open_contents(src, item);
}

static int read_contents(struct source *src, struct source_item *item, struct source_chunk *chunk)
{
	chunk->length = 0;
	return source_of(src)->file.fd < 0 ? 0 : host_file_read(src, &source_of(src)->file, item, chunk);
}

static void again(struct source *src)
{
	host_file_again(&source_of(src)->file);
}

static void close_source(struct source *src)
{
	struct manifest_source *s = source_of(src);

	host_file_close(&s->file);
	if (s->base >= 0)
		close(s->base);
	source_input_close(&s->input);
	vec_fini(&s->text);
	vec_fini(&s->clean);
	vec_fini(&s->link);
	vec_fini(&s->entry.attributes);
	mem_free(src->ctx, s);
}

int source_manifest_open(struct source *src, const struct f2fs_input *input)
{
	static const struct source_ops ops = {
		.next = next, .prepare = prepare, .read = read_contents, .again = again, .close = close_source
	};
	struct manifest_source *s = mem_zalloc(src->ctx, sizeof(*s));

	if (!s)
		return F2FS_ERR_NOMEM;
	s->base = s->file.fd = -1;
	vec_init(&s->text, src->ctx, 1);
	vec_init(&s->clean, src->ctx, 1);
	vec_init(&s->link, src->ctx, 1);
	vec_init(&s->entry.attributes, src->ctx, sizeof(struct manifest_attribute));
	src->own = s;
	src->ops = &ops;
	src->may_repeat = true;
	if (src->opt.directory) {
		s->base = open(src->opt.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (s->base < 0)
			return error_sys(src->ctx, errno, "cannot open the directory %s", src->opt.directory);
	}
	return source_input_open(&s->input, src->ctx, input);
}
