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

#include "source/host.h"
#include "source/input.h"

#define LINE_LIMIT (16u << 20)
#define READ_SIZE 65536u

struct manifest_source {
	struct populate_input input;
	int base;	 /* directory of contents, -1: none */
	struct vec text; /* char: what was read and not taken yet, from start on */
	size_t start;
	bool at_end;
	bool has_entries; /* or it was told that there are none */
	uint64_t line; /* number of the line taken last */
	struct manifest_entry entry;
	struct vec clean, link; /* char */
	struct host_file file;
};

static struct manifest_source *source_of(const struct populate *p)
{
	return p->source;
}

static int broken(struct populate *p, int err)
{
	struct f2fs_error_detail detail = p->ctx->error;

	p->is_broken = true;
	if (err == F2FS_ERR_NOMEM)
		return err;
	return error_set(p->ctx, err, "the manifest, line %llu: %s", (unsigned long long)source_of(p)->line,
			 detail.message);
}

/* Read more text behind what there is. */
static int read_more(struct populate *p, struct manifest_source *s)
{
	size_t got;
	int sys_errno;

	if (s->start > 0) {
		memmove(s->text.items, (char *)s->text.items + s->start, s->text.count - s->start);
		s->text.count -= s->start;
		s->start = 0;
	}
	if (s->text.count > LINE_LIMIT)
		return error_set(p->ctx, F2FS_ERR_TOO_BIG, "the line is too long");
	if (vec_reserve(&s->text, READ_SIZE + 1) != 0)
		return F2FS_ERR_NOMEM;
	sys_errno = populate_input_read(&s->input, (char *)s->text.items + s->text.count, READ_SIZE, &got);
	if (sys_errno)
		return error_sys(p->ctx, sys_errno, "cannot read");
	s->text.count += got;
	s->at_end = got == 0;
	return 0;
}

/* Take the next line, without its end; *line is NULL behind the last one. */
static int take_line(struct populate *p, char **line, size_t *length)
{
	struct manifest_source *s = source_of(p);
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
		err = read_more(p, s);
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

static int take_entry(struct populate *p, struct populate_item *item)
{
	struct manifest_source *s = source_of(p);
	struct manifest_entry *entry = &s->entry;
	int err = populate_clean_path(p, entry->path, &s->clean);

	if (!err)
		err = populate_set_path(p, 0, s->clean.items);
	if (!err && entry->is_link)
		err = populate_clean_path(p, entry->item.target, &s->link);
	if (err)
		return err;
	*item = entry->item;
	if (entry->is_link) {
		item->target = NULL;
		item->link = s->link.items;
	}
	if (p->path.count == 0 && (item->mode & MODE_TYPE) != MODE_DIR)
		err = error_set(p->ctx, F2FS_ERR_INVALID, "the top of the tree is not a directory");
	return err;
}

/* There is no more. A manifest of nothing is what is left of a command that failed. */
static int end(struct populate *p)
{
	struct manifest_source *s = source_of(p);
	int err;

	if (s->has_entries || !p->needs_end)
		return POPULATE_END;
	s->has_entries = true;
	err = populate_set_path(p, 0, "");
	return err ? err : error_set(p->ctx, F2FS_ERR_INVALID,
				     "the manifest is empty: what it does not have is not taken for absent");
}

static int next(struct populate *p, struct populate_item *item)
{
	struct manifest_source *s = source_of(p);
	size_t length = 0;
	char *line;
	int err;

	host_file_close(&s->file);
	do {
		err = take_line(p, &line, &length);
		if (err)
			return broken(p, err);
		if (!line)
			return end(p);
	} while (is_blank(line, length));
	s->has_entries = true;
	err = manifest_parse(p->ctx, line, length, &s->entry);
	if (!err)
		err = take_entry(p, item);
	return err ? broken(p, err) : 0;
}

static int open_contents(struct populate *p, struct populate_item *item)
{
	struct manifest_source *s = source_of(p);
	const char *name = s->entry.source;
	struct stat st;
	int err;

	if (!name && s->base < 0 && p->only_describes) {
		item->has_no_contents = true;
		return 0;
	}
	if (!name && s->base < 0) {
		const uint64_t size = item->size;

		item->size = 0;
		return size ? error_set(p->ctx, F2FS_ERR_INVALID, "it has no source, and no directory was given") : 0;
	}
	err = host_file_open(p, &s->file, s->base >= 0 ? s->base : AT_FDCWD, name ? name : populate_path(p),
			     name ? 0 : O_NOFOLLOW);
	if (err)
		return err;
	if (fstat(s->file.fd, &st) != 0)
		return error_sys(p->ctx, errno, "cannot look at its source");
	if (!S_ISREG(st.st_mode))
		return error_set(p->ctx, F2FS_ERR_INVALID, "its source is not a regular file");
	item->size = (uint64_t)st.st_size;
	host_file_holes(p, &s->file, &st);
	item->has_holes = s->file.has_holes;
	return 0;
}

static int prepare(struct populate *p, struct populate_item *item)
{
	const struct vec *list = &source_of(p)->entry.attributes;

	for (size_t i = 0; i < list->count; i++) {
		const struct manifest_attribute *attribute = vec_at(list, i);
		int err;

		if (!populate_attribute_is_wanted(p, attribute->name))
			continue;
		err = populate_attribute_add(p, attribute->name, attribute->value, attribute->size);
		if (err)
			return err;
	}
	if ((item->mode & MODE_TYPE) != MODE_REG || item->link || populate_link_find(p, item) != F2FS_NO_NID)
		return 0;
	return open_contents(p, item);
}

static int read_contents(struct populate *p, struct populate_item *item, struct populate_chunk *chunk)
{
	chunk->length = 0;
	return source_of(p)->file.fd < 0 ? 0 : host_file_read(p, &source_of(p)->file, item, chunk);
}

static void again(struct populate *p)
{
	host_file_again(&source_of(p)->file);
}

static void close_source(struct populate *p)
{
	struct manifest_source *s = source_of(p);

	host_file_close(&s->file);
	if (s->base >= 0)
		close(s->base);
	populate_input_close(&s->input);
	vec_fini(&s->text);
	vec_fini(&s->clean);
	vec_fini(&s->link);
	vec_fini(&s->entry.attributes);
	mem_free(p->ctx, s);
}

int populate_manifest_open(struct populate *p, const struct f2fs_input *input)
{
	static const struct populate_source_ops ops = {
		.next = next, .prepare = prepare, .read = read_contents, .again = again, .close = close_source
	};
	struct manifest_source *s = mem_zalloc(p->ctx, sizeof(*s));

	if (!s)
		return F2FS_ERR_NOMEM;
	s->base = s->file.fd = -1;
	vec_init(&s->text, p->ctx, 1);
	vec_init(&s->clean, p->ctx, 1);
	vec_init(&s->link, p->ctx, 1);
	vec_init(&s->entry.attributes, p->ctx, sizeof(struct manifest_attribute));
	p->source = s;
	p->ops = &ops;
	p->may_repeat = true;
	if (p->opt.directory) {
		s->base = open(p->opt.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (s->base < 0)
			return error_sys(p->ctx, errno, "cannot open the directory %s", p->opt.directory);
	}
	return populate_input_open(&s->input, p->ctx, input);
}
