/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Standard input, output and error.
 */
#ifndef F2FSKIT_CLI_STANDARD_H
#define F2FSKIT_CLI_STANDARD_H

/* Open standard input, output and error where they are closed, so that no image gets their numbers. */
void cli_take_standard(void);

#endif
