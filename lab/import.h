/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Use traces of other programs as sources. A format turns lines into operations. The common part is here: the file is
 * read twice, first to learn which files were there before the trace began and how large they must have been (round 0
 * makes those), then for the operations (round 1).
 */
#ifndef F2FSKIT_LAB_IMPORT_H
#define F2FSKIT_LAB_IMPORT_H

#include "lab/source.h"

/* Does a source read a trace of another program? */
int lab_import_is(const struct lab_source_type *type);

#endif
