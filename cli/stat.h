/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Words for types and modes of files, and the record of a file in listings.
 */
#ifndef F2FSKIT_CLI_STAT_H
#define F2FSKIT_CLI_STAT_H

#include <f2fskit/file.h>

#include "cli/print.h"

/* "drwxr-xr-x", as ls shows it. */
const char *cli_mode_text(uint32_t mode, char text[12]);
/* "regular", "directory", ... of an enum f2fs_file_type. */
const char *cli_type_name(unsigned type);
/* The members mode, links, uid, gid, size (devices as text: "major, minor"), mtime of the open record. */
void cli_print_stat(struct cli_print *out, const struct f2fs_stat *st);
/* The further members, which only JSON has. */
void cli_print_stat_more(struct cli_print *out, const struct f2fs_stat *st);

#endif
