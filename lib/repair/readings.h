/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other readings of the roots, tried before a repair does the same to many inodes.
 */
#ifndef F2FSKIT_REPAIR_READINGS_H
#define F2FSKIT_REPAIR_READINGS_H

#include "repair/decisions.h"

/*
 * Raise P_ROOTS_READING if one kind of damage is in more than a handful of inodes, and another reading of the roots has
 * nearly none of it. Unless that is decided, the check is frozen. Fails with NOMEM and CANCELED only.
 */
int readings_try(struct checker *c, const struct decisions *d);

#endif
