/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of io_transfer.c, which the table of commands names. io_commands.def explains each.
 */
#ifndef F2FSKIT_MOUNTED_IO_TRANSFER_H
#define F2FSKIT_MOUNTED_IO_TRANSFER_H

#include "mounted/io_call.h"

int io_write(struct io_call *call);
int io_write_advice(struct io_call *call);
int io_read(struct io_call *call);

#endif
