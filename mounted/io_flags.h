/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of io_flags.c, which the table of commands names. io_commands.def explains each.
 */
#ifndef F2FSKIT_MOUNTED_IO_FLAGS_H
#define F2FSKIT_MOUNTED_IO_FLAGS_H

#include "mounted/io_call.h"

int io_getflags(struct io_call *call);
int io_setflags(struct io_call *call);
int io_clearflags(struct io_call *call);
int io_pinfile(struct io_call *call);
int io_get_advise(struct io_call *call);
int io_get_fadvise(struct io_call *call);
int io_listxattr(struct io_call *call);
int io_setxattr(struct io_call *call);
int io_removexattr(struct io_call *call);

#endif
