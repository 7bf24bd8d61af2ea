/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that commands make.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/outputs.h"

void lab_forget_file(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		(void)unlink(path);
}

static int is_stdout(const struct lab_arguments *a)
{
	return !a->json || strcmp(a->json, "-") == 0;
}

FILE *lab_open_listing(struct cli *cli, const struct lab_arguments *a)
{
	FILE *to = is_stdout(a) ? stdout : fopen(a->json, "w");

	if (!to)
		cli_error(cli, "%s: %s", a->json, strerror(errno));
	return to;
}

int lab_close_listing(struct cli *cli, const struct lab_arguments *a, FILE *to, int rc)
{
	if (is_stdout(a))
		return rc;
	if (ferror(to) + fclose(to) != 0) {
		cli_error(cli, "%s: %s", a->json, strerror(errno));
		rc = -1;
	}
	if (rc)
		lab_forget_file(a->json);
	return rc;
}
