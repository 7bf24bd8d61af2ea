/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse the operands of views, open the inodes that they name, and report failures.
 */
#ifndef F2FSKIT_DUMP_SESSION_H
#define F2FSKIT_DUMP_SESSION_H

#include "dump/run.h"

/*
 * Report the context's last error (code rc) on stderr, what in front of it unless NULL, and note it in the exit status.
 * Returns rc.
 */
int dump_fail(struct dump *d, int rc, const char *what);
/* The same for damage that a walk from start found. */
int dump_fail_below(struct dump *d, int rc, const char *start, const char *path);
/* Report damage found by the program itself. */
void dump_damage(struct dump *d, const char *format, ...) CLI_PRINTF(2, 3);

/* Parse "A~B", "A" (A~end), "-1" as B for the end; clamp to [0, limit). Returns NULL, or an error text. */
const char *dump_parse_range(const char *text, uint64_t limit, struct dump_range *out);
/* The same for a view: NULL text is everything, a single number just that one. Errors are reported. */
int dump_view_range(struct dump *d, const char *what, const char *text, uint64_t limit, struct dump_range *out);
/* Parse a block address or node id below limit, decimal or 0x; errors are reported. Returns 0, INVALID or RANGE. */
int dump_parse_number(struct dump *d, const char *what, const char *text, uint64_t limit, uint32_t *out);

/* Open the inode that an operand names: a number (decimal, 0x), @ADDR (the inode at a block address) or a path. Failure
 * is reported. */
int dump_open_inode(struct dump *d, const char *operand, unsigned lookup_flags, struct f2fs_inode **out);

/* The inode number that an operand names: a number, also of an inode that is not in use, or a path. */
int dump_find_ino(struct dump *d, const char *what, const char *operand, uint32_t *out);

#endif
