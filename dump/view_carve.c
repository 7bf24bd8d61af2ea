/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find files in free blocks and after the ends of other files by their signatures, list them and copy them out.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dump/past_search.h"
#include "dump/session.h"
#include "dump/view_undelete.h"
#include "dump/views.h"
#include "f2fskit_config.h"

#if HAVE_MAGIC
#include <magic.h>
#endif

enum { PIECE = 1 << 16, WORDS = 512 };

static const struct cli_column columns[] = {
	{ "kind", -8 },	  { "block", 10 },   { "size", 12 }, { "end", -7 },
	{ "pieces", 6 },  { "clusters", 8 }, { "blank", 6 }, { "nid", 10 },  { "slack_of", 8 }, { "file", -1 },
};

struct carve {
	struct dump *d;
	struct f2fs_carver *carver;
	int top; /* the directory, or -1 */
	void *magic;
	char *words[WORDS]; /* what libmagic said */
	uint8_t buffer[PIECE];
};

#if HAVE_MAGIC
/* The type as a word that stays; NULL when it is unknown. */
static const char *identify(void *user, const uint8_t *start, size_t length)
{
	struct carve *c = user;
	const char *said = magic_buffer(c->magic, start, length);
	unsigned i = 0;

	if (!said || !strcmp(said, "application/octet-stream") || strstr(said, "x-empty"))
		return NULL;
	while (i < WORDS && c->words[i] && strcmp(c->words[i], said) != 0)
		i++;
	if (i == WORDS)
		return "other";
	if (!c->words[i])
		c->words[i] = strdup(said);
	return c->words[i];
}

static int open_magic(struct carve *c)
{
	c->magic = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_TOKENS);
	if (c->magic && magic_load(c->magic, NULL) == 0)
		return 0;
	cli_error(&c->d->cli, "--magic: %s", c->magic ? magic_error(c->magic) : "out of memory");
	c->d->status |= DUMP_FAILED;
	return -1;
}

static void close_magic(struct carve *c)
{
	if (c->magic)
		magic_close(c->magic);
	for (unsigned i = 0; i < WORDS; i++)
		free(c->words[i]);
}
#else
static const char *(*const identify)(void *user, const uint8_t *start, size_t length) = NULL;

static int open_magic(struct carve *c)
{
	cli_error(&c->d->cli, "--magic: built without libmagic");
	c->d->status |= DUMP_USAGE;
	return -1;
}

static void close_magic(struct carve *c)
{
	(void)c;
}
#endif

/* A file that was found: one of the two. */
struct found {
	const struct f2fs_carved *file;
	const struct f2fs_carved_slack *slack;
};

static int read_found(struct carve *c, const struct found *found, uint64_t at, size_t *done)
{
	return found->file ? f2fs_carver_read(c->carver, found->file, at, c->buffer, sizeof(c->buffer), done) :
			     f2fs_carver_read_slack(c->carver, found->slack, at, c->buffer, sizeof(c->buffer), done);
}

/* Copy to a new file; returns 0 or -1 with errno. */
static int copy_to(struct carve *c, const struct found *found, int fd)
{
	uint64_t at = 0;
	size_t done = 0;

	do {
		ssize_t n = 0;

		if (read_found(c, found, at, &done)) {
			errno = EIO;
			return -1;
		}
		for (size_t put = 0; put < done; put += (size_t)n) {
			n = write(fd, c->buffer + put, done - put);
			if (n <= 0)
				return -1;
		}
		at += done;
	} while (done == sizeof(c->buffer) && !cli_stopped());
	return 0;
}

static void save(struct carve *c, const struct found *found, const char *name)
{
	int fd = openat(c->top, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), why = 0;

	if (fd < 0 || copy_to(c, found, fd))
		why = errno;
	if (fd >= 0 && close(fd) && !why)
		why = errno;
	if (!why)
		return;
	if (fd >= 0)
		unlinkat(c->top, name, 0);
	cli_error(&c->d->cli, "%s/%s: %s", c->d->to, name, strerror(why));
	c->d->status |= DUMP_INCOMPLETE;
}

/* The end of a record. */
static int put_name(struct carve *c, const struct found *found, const char *name)
{
	cli_print_string(c->d->out, "file", name);
	if (c->d->is_json)
		cli_print_u64(c->d->out, "offset",
			      found->slack ? found->slack->offset
					   : (uint64_t)found->file->addr * c->d->geo->block_size);
	cli_print_end(c->d->out);
	if (c->top >= 0)
		save(c, found, name);
	return cli_stopped() ? f2fs_context_fail(c->d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static int put_slack(void *user, const struct f2fs_carved_slack *file)
{
	struct carve *c = user;
	const struct found found = { .slack = file };
	struct cli_print *out = c->d->out;
	char name[80];

	snprintf(name, sizeof(name), "slack-%lu-%llu.%s", (unsigned long)file->ino, (unsigned long long)file->offset,
		 file->suffix);
	cli_print_begin(out, NULL);
	cli_print_string(out, "kind", file->kind);
	cli_print_u64(out, "block_addr", file->offset / c->d->geo->block_size);
	cli_print_u64(out, "size", file->size);
	cli_print_string(out, "end", f2fs_carved_end_name(file->end));
	cli_print_u64(out, "pieces", file->pieces);
	cli_print_u64(out, "clusters", 0);
	cli_print_u64(out, "blank", 0);
	cli_print_null(out, "nid");
	cli_print_u64(out, "slack_of", file->ino);
	return put_name(c, &found, name);
}

static int put_file(void *user, const struct f2fs_carved *file)
{
	struct carve *c = user;
	const struct found found = { .file = file };
	struct cli_print *out = c->d->out;
	char name[48];

	snprintf(name, sizeof(name), "block-%lu.%s", (unsigned long)file->addr, file->suffix);
	cli_print_begin(out, NULL);
	cli_print_string(out, "kind", file->kind);
	cli_print_u64(out, "block_addr", file->addr);
	cli_print_u64(out, "size", file->size);
	cli_print_string(out, "end", f2fs_carved_end_name(file->end));
	cli_print_u64(out, "pieces", file->pieces);
	cli_print_u64(out, "clusters", file->clusters);
	cli_print_u64(out, "blank", file->blank);
	if (file->nid)
		cli_print_u64(out, "nid", file->nid);
	else
		cli_print_null(out, "nid");
	cli_print_null(out, "slack_of");
	return put_name(c, &found, name);
}

static int run(struct carve *c, struct f2fs_past *past, const char *kinds)
{
	struct f2fs_carve_options options = { F2FS_SIZED(f2fs_carve_options),
					      .kinds = kinds, .max_size = c->d->carve_size, .user = c };
	struct f2fs_carve_stat stat = { F2FS_SIZED(f2fs_carve_stat) };
	int rc;

	if (c->d->asks_magic)
		options.identify = identify;
	rc = f2fs_carver_open(past, &options, &c->carver);
	if (rc == F2FS_ERR_INVALID) { /* a kind that there is not */
		cli_error(&c->d->cli, "--carve: %s", f2fs_context_error(c->d->ctx)->message);
		c->d->status |= DUMP_USAGE;
		return rc;
	}
	if (rc)
		return dump_fail(c->d, rc, "--carve");
	cli_print_begin_table(c->d->out, "carve", columns, sizeof(columns) / sizeof(columns[0]));
	rc = f2fs_carver_run(c->carver, put_file, c);
	if (!rc)
		rc = f2fs_carver_run_slack(c->carver, put_slack, c);
	cli_print_end_array(c->d->out);
	if (rc)
		dump_fail(c->d, rc, "--carve");
	f2fs_carver_stat(c->carver, &stat);
	if (stat.unreadable || stat.is_cut) {
		cli_error(&c->d->cli, "--carve: %llu blocks could not be read%s", (unsigned long long)stat.unreadable,
			  stat.is_cut ? "; what took too long was not followed" : "");
		c->d->status |= DUMP_INCOMPLETE;
	}
	f2fs_carver_close(c->carver);
	return rc;
}

int view_carve(struct dump *d, const char *argument)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	struct carve *c = calloc(1, sizeof(*c));
	struct f2fs_past *past;
	int rc = -1;

	if (!c)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), "--carve");
	c->d = d;
	c->top = d->to ? dump_open_to(d, "--carve") : -1;
	if ((!d->to || c->top >= 0) && (!d->asks_magic || open_magic(c) == 0))
		rc = dump_past_open(d, &options, &past);
	if (!rc) {
		rc = run(c, past, argument);
		dump_past_close(d, past);
	}
	close_magic(c);
	if (c->top >= 0)
		close(c->top);
	free(c);
	return rc;
}
