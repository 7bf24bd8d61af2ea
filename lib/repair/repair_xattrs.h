/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair lists of extended attributes.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_XATTRS_H
#define F2FSKIT_REPAIR_REPAIR_XATTRS_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_xattrs(struct repair *r);

#endif
