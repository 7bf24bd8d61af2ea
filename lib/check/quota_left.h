/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What can still be read of a quota file that is damaged.
 */
#ifndef F2FSKIT_CHECK_QUOTA_LEFT_H
#define F2FSKIT_CHECK_QUOTA_LEFT_H

#include "check/checker.h"
#include "format/quota_rescue.h"

/* Read what is left of the quota file of a kind (quota_rescue_fini() always); blocks that cannot be read hold nothing.
 * Fails with NOMEM and CANCELED. */
int quota_read_left(struct checker *c, unsigned kind, struct quota_rescue *out);

#endif
