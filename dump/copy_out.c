/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy files out: the library does the work, and this file reports problems entry by entry. Attributes that the host
 * refuses (an owner, when not run by root) would give a message for each of a hundred thousand files. So each kind of
 * problem gets one message for the first file, and a count.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/join.h"
#include "cli/size.h"
#include "dump/classic_inode.h"
#include "dump/classic_map.h"
#include "dump/copy_options.h"
#include "dump/session.h"
#include "dump/views.h"

enum { MAX_KINDS = 32 };

struct lost {
	char what[64];
	uint64_t count;
};

struct run {
	struct dump *d;
	int is_json; /* problems go into an open array */
	struct lost lost[MAX_KINDS];
	unsigned lost_count;
	uint64_t only_listed; /* entries */
	uint64_t renamed;     /* entries */
	int has_manifest;
};

/* Count a refused attribute; returns 1 for the first of its kind. */
static int is_first_of_kind(struct run *run, const char *what)
{
	unsigned i = 0;

	while (i < run->lost_count && strncmp(run->lost[i].what, what, sizeof(run->lost[i].what) - 1) != 0)
		i++;
	if (i == MAX_KINDS)
		return 0;
	if (i == run->lost_count) {
		snprintf(run->lost[i].what, sizeof(run->lost[i].what), "%s", what);
		run->lost_count++;
	}
	return ++run->lost[i].count == 1;
}

static const char *problem_kind(int kind)
{
	static const char *const names[] = { "?", "unreadable", "not_made", "encrypted", "attribute", "name" };

	return kind > 0 && kind < 6 ? names[kind] : names[0];
}

static void put_problem(struct run *run, const struct f2fs_extract_problem *p)
{
	struct cli_print *out = run->d->out;
	const struct f2fs_error_detail *e = p->detail;

	cli_print_begin(out, NULL);
	cli_print_string(out, "kind", problem_kind(p->kind));
	cli_print_bool(out, "is_counted", p->is_counted);
	cli_print_bytes(out, "path", p->path, strlen(p->path));
	cli_print_bytes(out, "what", p->what, strlen(p->what));
	cli_print_u64(out, "ino", p->ino);
	cli_print_string(out, "error", f2fs_error_name(e->code));
	cli_print_bytes(out, "message", e->message, strlen(e->message));
	cli_print_string(out, "rule", e->rule);
	if (e->block != F2FS_NO_BLOCK)
		cli_print_u64(out, "block", e->block);
	cli_print_end(out);
}

static int tell_problem(void *user, const struct f2fs_extract_problem *p)
{
	struct run *run = user;
	size_t room = 4 * strlen(p->path) + 1;
	char *path;

	if (!p->is_counted && p->kind == F2FS_PROBLEM_ATTRIBUTE && !is_first_of_kind(run, p->what))
		return 0;
	if (!p->is_counted && p->kind == F2FS_PROBLEM_NOT_MADE && run->only_listed++)
		return 0;
	if (p->kind == F2FS_PROBLEM_NAME && run->renamed++)
		return 0;
	path = malloc(room);
	if (path) {
		f2fs_text_printable(p->path, strlen(p->path), path, room);
		cli_error_detail(&run->d->cli, p->detail, path, p->what);
	}
	free(path);
	if (run->is_json)
		put_problem(run, p);
	return cli_stopped();
}

static void tell_lost(const struct run *run)
{
	const char *more = run->has_manifest ? ", but in the manifest" : "";

	for (unsigned i = 0; i < run->lost_count; i++)
		if (run->lost[i].count > 1)
			cli_warning((struct cli *)&run->d->cli,
				    "%s: not kept on %llu entries%s, the first is named above", run->lost[i].what,
				    (unsigned long long)run->lost[i].count, more);
	if (run->only_listed > 1)
		cli_warning((struct cli *)&run->d->cli,
			    "%llu entries are only in the manifest, the first is named above",
			    (unsigned long long)run->only_listed);
	if (run->renamed > 1)
		cli_warning((struct cli *)&run->d->cli,
			    "%llu entries have substitute names, which the manifest notes; the first is named above",
			    (unsigned long long)run->renamed);
}

static void put_result(struct cli_print *out, const struct f2fs_extract_result *r)
{
	cli_print_u64(out, "files", r->files);
	cli_print_u64(out, "directories", r->directories);
	cli_print_u64(out, "symlinks", r->symlinks);
	cli_print_u64(out, "specials", r->specials);
	cli_print_u64(out, "links", r->links);
	cli_print_u64(out, "bytes", r->bytes);
	cli_print_u64(out, "skipped", r->skipped);
	cli_print_u64(out, "problem_count", r->problems);
	cli_print_u64(out, "attributes_lost", r->attributes_lost);
	cli_print_u64(out, "only_listed", r->only_listed);
	cli_print_u64(out, "renamed", r->renamed);
}

/* What ended the run: a path that is not there, or the host. */
static void tell_failure(struct dump *d, int rc)
{
	int is_host = f2fs_context_error(d->ctx)->sys_errno != 0;

	cli_error_of(&d->cli, d->ctx, NULL);
	d->status |= rc == F2FS_ERR_NOT_FOUND && !is_host ? DUMP_MISSING : DUMP_FAILED;
}

/* Run with options that are complete but for what this file adds. */
static int copy_out(struct dump *d, struct f2fs_extract_options *o, struct f2fs_extract_result *result)
{
	const struct copy_options *c = d->copy;
	const struct {
		const struct f2fs_stream **stream;
		uint32_t output;
	} lists[COPY_LISTS] = {
		{ &o->manifest, F2FS_OUTPUT_MANIFEST },
		{ &o->fs_config, F2FS_OUTPUT_FS_CONFIG },
		{ &o->file_contexts, F2FS_OUTPUT_FILE_CONTEXTS },
	};
	struct f2fs_stream streams[COPY_LISTS];
	struct run run;
	int rc;

	memset(&run, 0, sizeof(run));
	run.d = d;
	run.is_json = d->is_json;
	run.has_manifest = c->list_paths[0] != NULL;
	o->include = c->include;
	o->exclude = c->exclude;
	o->uid_map = c->uid_map;
	o->gid_map = c->gid_map;
	o->problem = tell_problem;
	o->user = &run;
	memset(streams, 0, sizeof(streams));
	for (unsigned i = 0; i < COPY_LISTS; i++) {
		if (!c->list_paths[i])
			continue;
		streams[i].path = strcmp(c->list_paths[i], "-") ? c->list_paths[i] : NULL;
		streams[i].fd = STDOUT_FILENO;
		*lists[i].stream = &streams[i];
	}
	fflush(stdout);
	if (run.is_json)
		cli_print_begin_array(d->out, "problems");
	rc = f2fs_extract(d->vol, o, result);
	if (run.is_json)
		cli_print_end_array(d->out);
	tell_lost(&run);
	if (rc == F2FS_ERR_INCOMPLETE)
		d->status |= DUMP_INCOMPLETE;
	else if (rc)
		tell_failure(d, rc);
	if (result->left_in_part & F2FS_OUTPUT_TAR)
		cli_leave_part(&d->cli, o->tar->path, 0);
	for (unsigned i = 0; i < COPY_LISTS; i++)
		if (result->left_in_part & lists[i].output)
			cli_leave_part(&d->cli, streams[i].path, 0);
	return rc;
}

static void put_summary(struct dump *d, const struct f2fs_extract_result *r, int rc)
{
	char size[24];

	if (!cli_print_is_text(d->out))
		put_result(d->out, r);
	if (!cli_print_is_text(d->out) || d->is_quiet || copy_lists_to_stdout(d->copy) ||
	    (rc && rc != F2FS_ERR_INCOMPLETE))
		return;
	printf("%llu files (%s), %llu directories, %llu symbolic links, %llu special files, %llu further links",
	       (unsigned long long)r->files, cli_format_size(r->bytes, size), (unsigned long long)r->directories,
	       (unsigned long long)r->symlinks, (unsigned long long)r->specials, (unsigned long long)r->links);
	if (r->skipped)
		printf(", %llu skipped", (unsigned long long)r->skipped);
	printf(", %llu problems\n", (unsigned long long)r->problems);
}

int view_extract(struct dump *d, const char *argument)
{
	struct f2fs_extract_options o = d->copy->extract;
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };
	int rc;

	o.directory = argument;
	rc = copy_out(d, &o, &result);
	put_summary(d, &result, rc);
	return rc;
}

int view_tar(struct dump *d, const char *argument)
{
	struct f2fs_extract_options o = d->copy->extract;
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };
	struct f2fs_stream stream;
	int rc;

	memset(&stream, 0, sizeof(stream));
	stream.path = strcmp(argument, "-") ? argument : NULL;
	stream.fd = STDOUT_FILENO;
	o.tar = &stream;
	if (!o.tar_filter)
		o.tar_filter = copy_filter_of_name(argument);
	rc = copy_out(d, &o, &result);
	if (stream.path)
		put_summary(d, &result, rc);
	return rc;
}

/* ---- as f2fs-tools ---- */

enum answer { NO, YES, NO_INPUT };

/* "y" of any case on a line of its own is yes. */
static enum answer ask(struct dump *d, const char *what)
{
	const struct copy_options *c = d->copy;
	char line[80];

	if (c->force)
		return YES;
	if (c->answer_no)
		return NO;
	printf("Do you want to dump this %s into %s/? [Y/N] ", what, c->base_path);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin)) {
		putchar('\n');
		return NO_INPUT;
	}
	line[strcspn(line, " \t\r\n")] = '\0';
	return strcasecmp(line, "y") ? NO : YES;
}

/* Links, times, holes, attributes and special files are kept in any case; mode and owner with -P. */
static int copy_classic(struct dump *d, const char *path, unsigned flags)
{
	struct f2fs_extract_options o = d->copy->extract;
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };

	o.directory = d->copy->base_path;
	o.paths = &path;
	o.path_count = 1;
	o.flags |= flags;
	o.existing = F2FS_EXISTING_REPLACE;
	o.keep = F2FS_KEEP_DEFAULT;
	if (d->copy->preserve)
		o.require = F2FS_KEEP_MODE | F2FS_KEEP_OWNER;
	else
		o.keep &= ~(unsigned)(F2FS_KEEP_MODE | F2FS_KEEP_OWNER | F2FS_KEEP_ACL);
	return copy_out(d, &o, &result);
}

int classic_dump_root(struct dump *d, const char *argument)
{
	const enum answer answer = ask(d, "folder");

	(void)argument;
	if (answer == NO_INPUT) {
		cli_error(&d->cli,
			  "nobody answered whether to copy the volume: nothing was copied (-y copies, -N does not)");
		d->status |= DUMP_INCOMPLETE;
	}
	return answer == YES ? copy_classic(d, "/", d->copy->preserve ? F2FS_EXTRACT_ROOT_ATTRIBUTES : 0) : 0;
}

/* Write the contents of an inode that no directory names. */
static int write_contents(struct dump *d, struct f2fs_inode *inode, FILE *to, const char *name)
{
	enum { PIECE = 1 << 20 };
	uint8_t *buffer = malloc(PIECE);
	uint64_t at = 0;
	size_t done = 1;
	int rc = buffer ? 0 : f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");

	while (!rc && done > 0) {
		rc = f2fs_inode_read(inode, at, buffer, PIECE, &done);
		if (!rc && done > 0 && fwrite(buffer, 1, done, to) != done)
			break;
		at += done;
	}
	free(buffer);
	return rc ? dump_fail(d, rc, name) : 0;
}

/* As "ino-N" in the output directory. */
static int copy_nameless(struct dump *d, struct f2fs_inode *inode)
{
	char name[32], *path;
	FILE *to = NULL;
	int rc = 0;

	snprintf(name, sizeof(name), "ino-%u", f2fs_inode_number(inode));
	path = cli_join(d->copy->base_path, name);
	if (path && (mkdir(d->copy->base_path, 0777) == 0 || errno == EEXIST))
		to = fopen(path, "wx");
	if (to) {
		cli_warning(&d->cli, "inode %u has no name: written to %s", f2fs_inode_number(inode), path);
		rc = write_contents(d, inode, to, name);
	}
	if (!to || ferror(to) || fclose(to)) {
		cli_error(&d->cli, "%s: %s", path ? path : name, strerror(errno));
		d->status |= DUMP_FAILED;
		rc = rc ? rc : F2FS_ERR_IO;
	}
	free(path);
	return rc;
}

/* Without a key there is nothing to copy but ciphertext, which is only copied when that is asked for. */
static int is_closed(struct dump *d, const struct f2fs_stat *st)
{
	struct f2fs_key key;

	return st->is_encrypted && d->copy->extract.encrypted != F2FS_ENCRYPTED_RAW &&
	       f2fs_volume_key_at(d->vol, 0, &key) != 0;
}

static int classic_dump_inode(struct dump *d, f2fs_nid_t ino)
{
	enum { PATH_ROOM = 65536 };
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	char *path = malloc(PATH_ROOM);
	int rc = f2fs_inode_open(d->vol, ino, &inode);

	if (rc || !path) {
		free(path);
		return rc ? dump_fail(d, rc, NULL) : F2FS_ERR_NOMEM;
	}
	rc = f2fs_inode_stat(inode, &st);
	if (rc) {
		dump_fail(d, rc, NULL);
	} else if (is_closed(d, &st)) {
		puts("File is encrypted");
	} else if (ask(d, (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR ? "folder" : "file") == YES) {
		rc = f2fs_inode_path(inode, path, PATH_ROOM);
		if (!rc)
			rc = copy_classic(d, path, ino == d->geo->root_ino ? 0 : F2FS_EXTRACT_RELATIVE);
		else if ((st.mode & F2FS_MODE_TYPE) == F2FS_MODE_REG)
			rc = copy_nameless(d, inode);
		else
			dump_fail(d, rc, NULL);
	}
	f2fs_inode_close(inode);
	free(path);
	return rc;
}

/* Print the node's fields (with -f just the name), then copy it if it is an inode. */
static int show_and_copy(struct dump *d, f2fs_nid_t nid)
{
	struct f2fs_nat_info nat;
	int rc = classic_node(d, nid, d->copy->force);

	if (!rc)
		rc = f2fs_nat_lookup(d->vol, nid, &nat);
	return !rc && nat.ino == nid ? classic_dump_inode(d, nid) : rc;
}

/* -i, alone or with -M. */
int classic_copy_node(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	uint32_t nid;
	int rc = dump_parse_number(d, "-i", argument, d->geo->max_nid, &nid);

	if (rc)
		return rc;
	if (!d->as_map)
		return show_and_copy(d, nid);
	rc = f2fs_inode_open(d->vol, nid, &inode);
	if (rc)
		return dump_fail(d, rc, argument);
	rc = classic_map(d, inode, NULL);
	f2fs_inode_close(inode);
	return rc;
}
