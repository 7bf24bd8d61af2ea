/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume between the steps of a resize.
 */
#ifndef F2FSKIT_RESIZE_NOW_H
#define F2FSKIT_RESIZE_NOW_H

#include "resize/run.h"

/* Look at the volume: r->now, r->usage. */
int resize_look(struct resize *r);
/* The geometry in force becomes to: superblocks, flushed; then the volume is opened again. */
int resize_switch(struct resize *r, const struct f2fs_geometry *to);
/* A commit with the numbers of the volume's size as it is now, without the flag of a resize. */
int resize_commit(struct resize *r);
int resize_report(struct resize *r, const char *phase, uint64_t done, uint64_t total, const char *unit);

#endif
