/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that commands make.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "lab/command.h"

void lab_forget_file(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		(void)unlink(path);
}
