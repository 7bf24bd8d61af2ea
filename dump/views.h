/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The views, as views.def lists them. Each shows one thing of the volume and notes failures in the exit status.
 * argument is the value of its option, NULL if it has none. The classic ones write the exact output of f2fs-tools; the
 * others write records by cli/print.h, as text or JSON.
 */
#ifndef F2FSKIT_DUMP_VIEWS_H
#define F2FSKIT_DUMP_VIEWS_H

#include "dump/run.h"

#define VIEW(option, member, kind, function) int function(struct dump *d, const char *argument);
#define VIEW_OF_FILES VIEW
#define VIEW_OF_DEVICE(option, member)
#include "dump/views.def"
#undef VIEW
#undef VIEW_OF_FILES
#undef VIEW_OF_DEVICE

#endif
