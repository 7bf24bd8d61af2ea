/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths put together.
 */
#ifndef F2FSKIT_CLI_JOIN_H
#define F2FSKIT_CLI_JOIN_H

/* The path of an entry below a start; free it. NULL when memory is short. */
char *cli_join(const char *start, const char *rest);

#endif
