/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The commands of io_ask.c, which the table of commands names. io_commands.def explains each.
 */
#ifndef F2FSKIT_MOUNTED_IO_ASK_H
#define F2FSKIT_MOUNTED_IO_ASK_H

#include "mounted/io_call.h"

int io_plain(struct io_call *call);
int io_count(struct io_call *call);
int io_shutdown(struct io_call *call);
int io_gc(struct io_call *call);
int io_gc_range(struct io_call *call);
int io_get_coption(struct io_call *call);
int io_set_coption(struct io_call *call);
int io_defrag_file(struct io_call *call);
int io_move_range(struct io_call *call);
int io_ioprio(struct io_call *call);
int io_fiemap(struct io_call *call);
int io_set_verity(struct io_call *call);
int io_encrypt_mode(struct io_call *call);
int io_erase(struct io_call *call);

#endif
