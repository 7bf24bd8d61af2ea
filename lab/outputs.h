/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that commands make.
 */
#ifndef F2FSKIT_LAB_OUTPUTS_H
#define F2FSKIT_LAB_OUTPUTS_H

#include <stdio.h>

#include "lab/command.h"

/* Remove a file that was written in part; a device stays. */
void lab_forget_file(const char *path);
/* Where a listing goes: the file of --json, or the standard output. NULL after a message. */
FILE *lab_open_listing(struct cli *cli, const struct lab_arguments *a);
/* End it; rc: that of writing. A file that could not be written is removed. Returns 0, or -1 after a message. */
int lab_close_listing(struct cli *cli, const struct lab_arguments *a, FILE *to, int rc);

#endif
