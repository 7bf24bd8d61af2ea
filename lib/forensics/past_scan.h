/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the device for old nodes.
 */
#ifndef F2FSKIT_FORENSICS_PAST_SCAN_H
#define F2FSKIT_FORENSICS_PAST_SCAN_H

#include "forensics/past.h"

/* Read what options ask for and fill nodes, not in order. */
int past_scan(struct f2fs_past *past);

#endif
