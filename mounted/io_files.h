/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of io_files.c, which the table of commands names. io_commands.def explains each.
 */
#ifndef F2FSKIT_MOUNTED_IO_FILES_H
#define F2FSKIT_MOUNTED_IO_FILES_H

#include "mounted/io_call.h"

int io_fsync(struct io_call *call);
int io_fdatasync(struct io_call *call);
int io_fadvise(struct io_call *call);
int io_fallocate(struct io_call *call);
int io_ftruncate(struct io_call *call);
int io_lseek(struct io_call *call);
int io_rename(struct io_call *call);
int io_copy(struct io_call *call);
int io_gc_urgent(struct io_call *call);

#endif
