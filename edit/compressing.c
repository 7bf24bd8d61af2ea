/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands compress and release: files that are there, marks for files to come, and the saved blocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compression.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "edit/storage.h"

enum { LEFT_REASONS = 16, MOST_PATTERNS = 64, MOST_WARNINGS = 20 };

/* Files whose contents have to be rewritten, and what became of them. */
struct rewriting {
	struct edit *e;
	struct cli_print *out;
	struct f2fs_compress_files_options options;
	char **paths; /* of options; room for all operands */
	const char *include[MOST_PATTERNS], *exclude[MOST_PATTERNS];
	char *text; /* that the patterns are in */
	uint64_t left[LEFT_REASONS];
	uint64_t failures; /* files among these that are a failure */
};

/* Is it a matter of the volume that a file stays, and not what anybody would expect? */
static int is_failure(int left)
{
	return left == F2FS_COMPRESS_LEFT_ROOM || left == F2FS_COMPRESS_LEFT_UNREADABLE;
}

static int note_file(void *user, const struct f2fs_compress_file *file)
{
	struct rewriting *r = user;
	const char *why = f2fs_compress_left_text(file->left);

	r->left[file->left < LEFT_REASONS ? file->left : 0]++;
	if (!file->left)
		return 0;
	if (is_failure(file->left)) {
		if (r->failures++ < MOST_WARNINGS)
			cli_warning(&r->e->cli, "%s stays as it is: %s", file->path, why);
		edit_note(r->e, EDIT_INCOMPLETE);
	}
	if (r->out) {
		cli_print_begin(r->out, NULL);
		cli_print_bytes(r->out, "path", file->path, strlen(file->path));
		cli_print_string(r->out, "reason", why);
		cli_print_end(r->out);
	}
	return 0;
}

static void print_text(const struct rewriting *r, const struct f2fs_compress_files_result *result)
{
	const struct f2fs_compress_files_options *o = &r->options;
	const long long won = (long long)(result->blocks_before - result->blocks_after);

	printf("%s%s %llu of %llu files: %llu blocks instead of %llu", o->dry_run ? "would have " : "",
	       o->how ? "compressed" : "decompressed", (unsigned long long)result->changed,
	       (unsigned long long)result->files, (unsigned long long)result->blocks_after,
	       (unsigned long long)result->blocks_before);
	if (o->how && won > 0)
		printf(o->release ? "; the saved blocks are free" : "; the saved blocks stay reserved (-R frees them)");
	printf("\n");
	if (result->directories)
		printf("%s: %llu\n", o->how ? "directories that compress new files" : "directories unmarked",
		       (unsigned long long)result->directories);
	for (int i = 1; i < LEFT_REASONS; i++)
		if (r->left[i])
			printf("left as is: %llu (%s)\n", (unsigned long long)r->left[i], f2fs_compress_left_text(i));
}

static int print_json(struct rewriting *r, const struct f2fs_compress_files_result *result)
{
	cli_print_end_array(r->out);
	cli_print_bool(r->out, "dry_run", r->options.dry_run);
	cli_print_u64(r->out, "files", result->files);
	cli_print_u64(r->out, "changed", result->changed);
	cli_print_u64(r->out, "directories", result->directories);
	cli_print_u64(r->out, "unreadable", result->unreadable);
	cli_print_u64(r->out, "blocks_before", result->blocks_before);
	cli_print_u64(r->out, "blocks_after", result->blocks_after);
	cli_print_bool(r->out, "released", r->options.how && r->options.release);
	cli_print_end(r->out);
	return edit_print_close(r->e, r->out);
}

static int rewrite(struct rewriting *r)
{
	static const struct cli_column columns[] = { { "path", -40 }, { "reason", -1 } };
	struct f2fs_compress_files_result result = { F2FS_SIZED(f2fs_compress_files_result) };
	struct edit *e = r->e;
	int rc = edit_commit(e), shown;

	if (rc)
		return rc;
	if (e->is_json) {
		r->out = edit_print_open(e);
		if (!r->out)
			return edit_no_memory(e);
		cli_print_begin(r->out, NULL);
		cli_print_begin_table(r->out, "left", columns, 2);
	}
	r->options.file = note_file;
	r->options.user = r;
	rc = f2fs_compress_files(e->vol, &r->options, &result);
	if (rc)
		edit_fail(e, rc, "compress");
	if (r->failures > MOST_WARNINGS)
		cli_warning(&e->cli, "%llu further files stay as they are (--json lists them)",
			    (unsigned long long)(r->failures - MOST_WARNINGS));
	if (result.unreadable) {
		cli_warning(&e->cli, "%llu names could not be looked at: see fsck.f2fs",
			    (unsigned long long)result.unreadable);
		edit_note(e, EDIT_INCOMPLETE);
	}
	if (!r->out && (!rc || result.files))
		print_text(r, &result);
	shown = r->out ? print_json(r, &result) : 0;
	fflush(stdout); /* a program that was stopped ends without it */
	return rc ? rc : shown;
}

/* A directory gets its mark, an empty file as well; everything else is for later. */
static int take_operand(struct rewriting *r, const struct edit_call *call, const char *operand)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc = edit_open_stat(r->e, operand, F2FS_LOOKUP_FOLLOW, &inode, &st);
	const int is_dir = !rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR;

	if (rc)
		return rc;
	if (!r->options.dry_run && ((is_dir && !edit_has(call, 'r')) ||
				    ((st.mode & F2FS_MODE_TYPE) == F2FS_MODE_REG && st.size == 0))) {
		rc = f2fs_compress_set(inode, r->options.how);
		r->e->is_changed |= !rc;
	} else if (!is_dir && (st.mode & F2FS_MODE_TYPE) != F2FS_MODE_REG) {
		rc = edit_usage(r->e, "compress", operand, "is no file and no directory");
		f2fs_inode_close(inode);
		return rc;
	} else if (!is_dir || edit_has(call, 'r')) {
		r->paths[r->options.path_count] = edit_path(r->e, operand);
		if (!r->paths[r->options.path_count++])
			rc = edit_no_memory(r->e);
	}
	f2fs_inode_close(inode);
	return rc ? edit_fail(r->e, rc, operand) : 0;
}

/* Take patterns apart that commas separate. */
static int take_patterns(struct rewriting *r, const char *value, const char **patterns, uint32_t *count, char *text)
{
	strcpy(text, value);
	for (char *at = strtok(text, ","); at; at = strtok(NULL, ",")) {
		if (*count == MOST_PATTERNS)
			return edit_usage(r->e, "compress", value, "are too many patterns");
		patterns[(*count)++] = at;
	}
	return 0;
}

static int take_all_patterns(struct rewriting *r, const struct edit_call *call)
{
	const char *include = call->options['i'], *exclude = call->options['x'];
	const size_t first = include ? strlen(include) + 1 : 0;
	int rc = 0;

	r->text = malloc(first + (exclude ? strlen(exclude) : 0) + 1);
	if (!r->text)
		return edit_no_memory(r->e);
	if (include)
		rc = take_patterns(r, include, r->include, &r->options.include_count, r->text);
	if (!rc && exclude)
		rc = take_patterns(r, exclude, r->exclude, &r->options.exclude_count, r->text + first);
	r->options.include = r->include;
	r->options.exclude = r->exclude;
	return rc;
}

static int take_way(struct edit *e, const struct edit_call *call, struct f2fs_compression *how)
{
	const char *why = edit_has(call, 'a') ? cli_parse_compression(call->options['a'], how) : NULL;
	uint32_t log = 2;

	if (why)
		return edit_usage(e, "compress -a", call->options['a'], why);
	if (edit_has(call, 'L'))
		why = cli_parse_u32(call->options['L'], 2, 8, &log);
	if (why)
		return edit_usage(e, "compress -L", call->options['L'], why);
	how->log_cluster = (uint8_t)log;
	how->checksum = (uint8_t)edit_has(call, 'k');
	return 0;
}

int do_compress(struct edit *e, const struct edit_call *call)
{
	struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZ4 };
	struct rewriting r = { .e = e, .options = { F2FS_SIZED(f2fs_compress_files_options) } };
	static const char of_packing[] = "aLkR";
	int rc = take_way(e, call, &how);

	for (const char *letter = of_packing; *letter && !rc && edit_has(call, 'n'); letter++)
		if (edit_has(call, *letter)) {
			const char option[] = { '-', *letter, 0 };

			rc = edit_usage(e, "compress", option, "does not go with -n, which makes files uncompressed");
		}
	r.options.how = edit_has(call, 'n') ? NULL : &how;
	r.options.release = (uint8_t)edit_has(call, 'R');
	r.options.dry_run = (uint8_t)edit_has(call, 'd');
	r.options.directories = (uint8_t)(edit_has(call, 'r') && !edit_has(call, 'i') && !edit_has(call, 'x'));
	if (!rc && !r.options.dry_run)
		rc = edit_need_write(e, "compress");
	if (!rc && (edit_has(call, 'i') || edit_has(call, 'x')) && !edit_has(call, 'r'))
		rc = edit_usage(e, "compress", edit_has(call, 'i') ? "-i" : "-x", "goes with -r");
	for (int i = 0; i < call->count && !rc; i++)
		if (call->operands[i][0] == '<')
			rc = edit_usage(e, "compress", call->operands[i], "is no path");
	if (!rc)
		rc = take_all_patterns(&r, call);
	r.paths = calloc((size_t)call->count + 1, sizeof(*r.paths));
	if (!rc && !r.paths)
		rc = edit_no_memory(e);
	r.options.paths = (const char *const *)r.paths;
	for (int i = 0; i < call->count && !rc; i++)
		rc = take_operand(&r, call, call->operands[i]);
	if (!rc && r.options.path_count)
		rc = rewrite(&r);
	for (uint32_t i = 0; i < r.options.path_count; i++)
		free(r.paths[i]);
	free(r.paths);
	free(r.text);
	return rc;
}

static int report_blocks(struct edit *e, const char *name, const char *what, uint64_t blocks)
{
	struct cli_print *out;

	if (!e->is_json) {
		edit_put_name(name, strlen(name));
		printf(": %llu blocks %s\n", (unsigned long long)blocks, what);
		return 0;
	}
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "name", name, strlen(name));
	cli_print_u64(out, what, blocks);
	cli_print_end(out);
	return edit_print_close(e, out);
}

static int release(struct edit *e, struct f2fs_inode *inode, const char *name, void *user)
{
	uint64_t blocks = 0;
	int rc = user ? f2fs_compress_reserve(inode, &blocks) : f2fs_compress_release(inode, &blocks);

	return rc ? rc : report_blocks(e, name, user ? "reserved" : "released", blocks);
}

int do_release(struct edit *e, const struct edit_call *call)
{
	return edit_on_each(e, call, release, edit_has(call, 'u') ? e : NULL);
}
