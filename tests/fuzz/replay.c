/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs a fuzz target over files and folders of a corpus (gzip or plain), without libFuzzer. Says how many inputs there
 * were, and fails when there was none.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "fuzz/fuzz.h"

#define REPLAY_LIMIT (16u << 20)

static int run_file(const char *path)
{
	uint8_t *data = malloc(REPLAY_LIMIT), *input;
	gzFile file = gzopen(path, "rb");
	int n = -1;

	if (data && file)
		n = gzread(file, data, REPLAY_LIMIT);
	if (file)
		gzclose(file);
	if (n < 0) {
		fprintf(stderr, "cannot read %s\n", path);
		free(data);
		return -1;
	}
	/* exactly as long as the input, so that a sanitizer sees a read past it */
	input = malloc(n ? (size_t)n : 1);
	if (!input)
		abort();
	memcpy(input, data, (size_t)n);
	free(data);
	if (getenv("REPLAY_VERBOSE"))
		fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(input, (size_t)n);
	free(input);
	return 0;
}

static long run_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	long count = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)) != NULL) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (run_file(name) != 0) {
			count = -1;
			break;
		}
		count++;
	}
	closedir(dir);
	return count;
}

int main(int argc, char **argv)
{
	long total = 0;

	for (int i = 1; i < argc; i++) {
		struct stat st;
		long count;

		if (stat(argv[i], &st) != 0) {
			perror(argv[i]);
			return 1;
		}
		count = S_ISDIR(st.st_mode) ? run_folder(argv[i]) : run_file(argv[i]) == 0 ? 1 : -1;
		if (count < 0)
			return 1;
		total += count;
	}
	printf("%ld inputs\n", total);
	return total > 0 ? 0 : 1;
}
