/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the notes of opening the volume.
 */
#ifndef F2FSKIT_DUMP_VIEW_VOLUME_H
#define F2FSKIT_DUMP_VIEW_VOLUME_H

#include "dump/run.h"

/* The notes of opening the volume, as an array of the open record. */
void dump_notes(struct dump *d);

#endif
