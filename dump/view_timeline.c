/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times of all inodes: as a bodyfile, which mactime of the Sleuth Kit reads, as CSV, or as records.
 */
#include <stdio.h>
#include <string.h>

#include "dump/past_search.h"
#include "dump/session.h"
#include "dump/view_deleted.h"
#include "dump/views.h"

struct timeline {
	struct dump *d;
	int (*put)(struct dump *d, const struct f2fs_moment *moment);
};

static const char *state_name(int state)
{
	static const char *const names[] = { "live", "old", "deleted" };

	return state >= 0 && state <= F2FS_MOMENT_DELETED ? names[state] : "?";
}

/* A path for one line with a separator: what could be mistaken is escaped. */
static void put_path(const char *path, char separator)
{
	char shown[4 * 5000];
	const size_t n = strlen(path);

	f2fs_text_printable(path, n < 4999 ? n : 4999, shown, sizeof(shown));
	for (const char *c = shown; *c; c++) {
		if (*c == separator && separator == '|')
			fputs("\\x7c", stdout);
		else if (*c == '"' && separator == ',')
			fputs("\"\"", stdout);
		else
			putchar(*c);
	}
}

/* MD5|name|inode|mode|UID|GID|size|atime|mtime|ctime|crtime; no digest is made. */
static int put_body(struct dump *d, const struct f2fs_moment *m)
{
	const struct f2fs_stat *st = &m->stat;
	char mode[12];

	(void)d;
	fputs("0|", stdout);
	put_path(m->path, '|');
	if (m->state == F2FS_MOMENT_OLD)
		printf(" (old, checkpoint %lu)", (unsigned long)m->cp_ver);
	else if (m->state == F2FS_MOMENT_DELETED)
		printf(m->confidence == F2FS_CONFIDENCE_BLANK ? " (deleted, blank, checkpoint %lu)"
							      : " (deleted, checkpoint %lu)",
		       (unsigned long)m->cp_ver);
	printf("|%lu|%s|%lu|%lu|%llu|%lld|%lld|%lld|%lld\n", (unsigned long)m->ino, cli_mode_text(st->mode, mode),
	       (unsigned long)st->uid, (unsigned long)st->gid, (unsigned long long)st->size,
	       (long long)st->atime.seconds, (long long)st->mtime.seconds, (long long)st->ctime.seconds,
	       (long long)(st->has_crtime ? st->crtime.seconds : 0));
	return 0;
}

static void put_csv_time(const struct f2fs_time *time)
{
	printf(",%lld.%09lu", (long long)time->seconds, (unsigned long)(time->nanoseconds % 1000000000u));
}

static int put_csv(struct dump *d, const struct f2fs_moment *m)
{
	const struct f2fs_stat *st = &m->stat;

	(void)d;
	printf("%s,%lu,%lu,%lu,%lu,%07lo,%lu,%lu,%llu", state_name(m->state), (unsigned long)m->ino,
	       (unsigned long)m->addr, (unsigned long)m->cp_ver, (unsigned long)m->age, (unsigned long)st->mode,
	       (unsigned long)st->uid, (unsigned long)st->gid, (unsigned long long)st->size);
	put_csv_time(&st->mtime);
	put_csv_time(&st->atime);
	put_csv_time(&st->ctime);
	if (st->has_crtime)
		put_csv_time(&st->crtime);
	else
		putchar(',');
	printf(",%s,\"", dump_path_state_name(m->path_state));
	put_path(m->path, ',');
	fputs("\"\n", stdout);
	return 0;
}

static void put_time(struct dump *d, const char *name, const struct f2fs_time *time)
{
	char nanoseconds[24];

	cli_print_s64(d->out, name, time->seconds);
	snprintf(nanoseconds, sizeof(nanoseconds), "%s_ns", name);
	cli_print_u64(d->out, nanoseconds, time->nanoseconds);
}

static int put_record(struct dump *d, const struct f2fs_moment *m)
{
	const struct f2fs_stat *st = &m->stat;

	cli_print_begin(d->out, NULL);
	cli_print_string(d->out, "state", state_name(m->state));
	cli_print_u64(d->out, "ino", m->ino);
	cli_print_u64(d->out, "block_addr", m->addr);
	cli_print_u64(d->out, "cp_ver", m->cp_ver);
	cli_print_u64(d->out, "age", m->age);
	cli_print_octal(d->out, "mode", st->mode);
	cli_print_u64(d->out, "uid", st->uid);
	cli_print_u64(d->out, "gid", st->gid);
	cli_print_u64(d->out, "size", st->size);
	put_time(d, "mtime", &st->mtime);
	put_time(d, "atime", &st->atime);
	put_time(d, "ctime", &st->ctime);
	if (st->has_crtime)
		put_time(d, "crtime", &st->crtime);
	if (m->confidence >= 0)
		cli_print_string(d->out, "left", f2fs_confidence_name(m->confidence));
	else
		cli_print_null(d->out, "left");
	cli_print_string(d->out, "path_state", dump_path_state_name(m->path_state));
	cli_print_bytes(d->out, "path", m->path, strlen(m->path));
	cli_print_end(d->out);
	return 0;
}

static int put_moment(void *user, const struct f2fs_moment *moment)
{
	struct timeline *t = user;

	if (cli_stopped())
		return f2fs_context_fail(t->d->ctx, F2FS_ERR_CANCELED, "stopped");
	return t->put(t->d, moment);
}

int view_timeline(struct dump *d, const char *argument)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	const int is_csv = argument && !strcmp(argument, "csv");
	struct timeline t = { d, d->is_json ? put_record : is_csv ? put_csv : put_body };
	struct f2fs_past *past;
	int rc;

	if (argument && !is_csv && strcmp(argument, "body")) {
		cli_usage_error(&d->cli, "--timeline", argument, "is neither body nor csv");
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	rc = dump_past_open(d, &options, &past);
	if (rc)
		return rc;
	if (d->is_json)
		cli_print_begin_table(d->out, "timeline", NULL, 0);
	else if (is_csv)
		puts("state,ino,block,cp_ver,age,mode,uid,gid,size,mtime,atime,ctime,crtime,path_state,path");
	rc = f2fs_past_list_times(past, put_moment, &t);
	if (d->is_json)
		cli_print_end_array(d->out);
	if (rc)
		dump_fail(d, rc, "--timeline");
	dump_past_close(d, past);
	return rc;
}
