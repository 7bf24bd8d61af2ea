/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lines of f2fs-tools around the results.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_H
#define F2FSKIT_DUMP_CLASSIC_H

#include "dump/run.h"

/* "name		[0x  2a : 42]" */
void classic_number(const char *name, uint64_t value);

/* Lines before and after the results. */
void classic_banner(struct dump *d);
/* "Info: checkpoint state = c5 :  nat_bits crc unmount" */
void classic_state(struct dump *d);
void classic_footer(struct dump *d, double seconds);

#endif
