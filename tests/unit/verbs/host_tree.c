/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fixture of extraction tests, and assertions about directories of the host.
 */
#include "host_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

int fixture_setup(void **state)
{
	struct fixture *t = calloc(1, sizeof(*t));
	const char *dir = getenv("TMPDIR");

	snprintf(t->base, sizeof(t->base), "%.40s/extract-XXXXXX", dir ? dir : "/tmp");
	if (!mkdtemp(t->base))
		return -1;
	snprintf(t->out, sizeof(t->out), "%s/out", t->base);
	t->result.struct_size = sizeof(t->result);
	forge_open(&t->forge, NULL);
	*state = t;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

/* Too deep for one path: in steps, from the inside. */
static void remove_tree(const char *top)
{
	char command[200];

	if (nftw(top, remove_one, 32, FTW_DEPTH | FTW_PHYS) == 0 || access(top, F_OK))
		return;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	if (system(command))
		print_error("%s stays\n", top);
}

int fixture_teardown(void **state)
{
	struct fixture *t = *state;

	forge_close(&t->forge);
	remove_tree(t->base);
	free(t);
	return 0;
}

int note_problem(void *user, const struct f2fs_extract_problem *problem)
{
	struct fixture *t = user;

	t->problems++;
	t->problem = *problem;
	t->detail = *problem->detail;
	snprintf(t->problem_path, sizeof(t->problem_path), "%s", problem->path);
	snprintf(t->problem_what, sizeof(t->problem_what), "%s", problem->what);
	return 0;
}

void clear_out(struct fixture *t)
{
	remove_tree(t->out);
}

static const char *full(struct fixture *t, const char *path, char *buffer, size_t size)
{
	snprintf(buffer, size, "%s/%s", t->out, path);
	return buffer;
}

void stat_of(struct fixture *t, const char *path, struct stat *out)
{
	char buffer[4096];

	if (lstat(full(t, path, buffer, sizeof(buffer)), out))
		fail_msg("%s: %s", buffer, strerror(errno));
}

void assert_file(struct fixture *t, const char *path, const void *expected, size_t length)
{
	char buffer[4096];
	uint8_t *found = calloc(1, length + 1);
	FILE *file = fopen(full(t, path, buffer, sizeof(buffer)), "rb");

	if (!file)
		fail_msg("%s: %s", buffer, strerror(errno));
	assert_int_equal(fread(found, 1, length + 1, file), length);
	assert_memory_equal(found, expected, length);
	fclose(file);
	free(found);
}

/* ---- listings */

struct listing {
	char *paths[1000];
	unsigned count;
};

static void list(struct listing *l, const char *top, const char *below)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", top, below);
	dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		assert_true(l->count < 1000);
		snprintf(path, sizeof(path), "%s%s%s", below, *below ? "/" : "", entry->d_name);
		l->paths[l->count++] = strdup(path);
		if (entry->d_type == DT_DIR)
			list(l, top, path);
	}
	closedir(dir);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void assert_listing(struct fixture *t, const char *expected)
{
	struct listing l = { .count = 0 };
	char text[8192] = "";

	list(&l, t->out, "");
	qsort(l.paths, l.count, sizeof(l.paths[0]), compare);
	for (unsigned i = 0; i < l.count; i++) {
		strcat(text, i ? " " : "");
		strcat(text, l.paths[i]);
		free(l.paths[i]);
	}
	assert_string_equal(text, expected);
}

/* ---- preparations */

void make_dir_in(struct fixture *t, const char *path, unsigned mode)
{
	char buffer[4096];

	assert_int_equal(mkdir(full(t, path, buffer, sizeof(buffer)), 0700), 0);
	assert_int_equal(chmod(buffer, (mode_t)mode), 0);
}

void write_in(struct fixture *t, const char *path, const char *text)
{
	char buffer[4096];
	FILE *file = fopen(full(t, path, buffer, sizeof(buffer)), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

void make_link_in(struct fixture *t, const char *path, const char *target)
{
	char buffer[4096];

	assert_int_equal(symlink(target, full(t, path, buffer, sizeof(buffer))), 0);
}

void chmod_in(struct fixture *t, const char *path, unsigned mode)
{
	char buffer[4096];

	assert_int_equal(chmod(full(t, path, buffer, sizeof(buffer)), (mode_t)mode), 0);
}

int collect(void *user, const void *data, size_t length)
{
	struct collected *c = user;

	if (c->limit && c->length + length > c->limit)
		return ENOSPC;
	c->bytes = realloc(c->bytes, c->length + length + 1);
	memcpy(c->bytes + c->length, data, length);
	c->length += length;
	c->bytes[c->length] = '\0';
	return 0;
}
