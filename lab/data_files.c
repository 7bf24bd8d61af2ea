/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the files that come with f2fs-lab.
 */
#include "lab/data_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char suffix[] = ".toml";

void lab_data_folder(const char *program, const char *kind, char path[LAB_PATH])
{
	const char *slash = strrchr(program, '/');

	if (slash) {
		snprintf(path, LAB_PATH, "%.*s/%s", (int)(slash - program), program, kind);
		if (access(path, F_OK) == 0)
			return;
	}
	snprintf(path, LAB_PATH, "%s/%s", F2FS_LAB_DATA, kind);
}

void lab_data_file(const char *program, const char *kind, const char *name, char path[LAB_PATH])
{
	char folder[LAB_PATH];

	snprintf(path, LAB_PATH, "%s", name);
	if (strchr(name, '/') || access(name, F_OK) == 0)
		return;
	lab_data_folder(program, kind, folder);
	if ((size_t)snprintf(path, LAB_PATH, "%s/%s%s", folder, name, suffix) >= LAB_PATH || access(path, F_OK) != 0)
		snprintf(path, LAB_PATH, "%s", name);
}

static int add(struct lab_names *names, const char *file)
{
	const size_t n = strlen(file), end = sizeof(suffix) - 1;
	char **more;

	if (n <= end || strcmp(file + n - end, suffix) != 0)
		return 0;
	more = realloc(names->items, (names->count + 1) * sizeof(*more));
	if (!more)
		return -1;
	names->items = more;
	more[names->count] = strndup(file, n - end);
	return more[names->count] ? (names->count++, 0) : -1;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int lab_data_names(const char *folder, struct lab_names *out)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	int rc = 0;

	*out = (struct lab_names){ 0 };
	if (!dir)
		return -1;
	while (!rc && (entry = readdir(dir)) != NULL)
		rc = add(out, entry->d_name);
	closedir(dir);
	if (out->count > 1)
		qsort(out->items, out->count, sizeof(*out->items), by_name);
	return rc;
}

void lab_names_free(struct lab_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
}
