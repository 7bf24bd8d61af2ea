/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draw the segments.
 */
#ifndef F2FSKIT_DEFRAG_MAP_H
#define F2FSKIT_DEFRAG_MAP_H

#include "defrag/run.h"

/* Write the map to stdout, or as SVG to the file of the options. Return 0, or non-zero with a message written. */
int defrag_map(struct defrag *d);
int defrag_svg(struct defrag *d);

#endif
