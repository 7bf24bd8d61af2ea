/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report the damage that keeps fsynced nodes from being recovered.
 */
#ifndef F2FSKIT_CHECK_TRY_RECOVERY_H
#define F2FSKIT_CHECK_TRY_RECOVERY_H

#include "facts/run.h"

/* Report the damage that keeps fsynced nodes from being recovered. */
int recovery_try(struct checker *c);

#endif
