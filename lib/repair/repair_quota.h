/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair usage of quotas.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_QUOTA_H
#define F2FSKIT_REPAIR_REPAIR_QUOTA_H

#include "repair/repair.h"

/* A step of a round (repair.h). */
int repair_quota(struct repair *r);

#endif
