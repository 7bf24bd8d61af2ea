/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of io_speed.c, which the table of commands names. io_commands.def explains each.
 */
#ifndef F2FSKIT_MOUNTED_IO_SPEED_H
#define F2FSKIT_MOUNTED_IO_SPEED_H

#include "mounted/io_call.h"

int io_randread(struct io_call *call);
int io_fragread(struct io_call *call);
int io_create_perf(struct io_call *call);
int io_lookup_perf(struct io_call *call);

#endif
