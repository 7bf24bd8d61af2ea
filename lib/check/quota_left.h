/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the readable rest of a damaged quota file.
 */
#ifndef F2FSKIT_CHECK_QUOTA_LEFT_H
#define F2FSKIT_CHECK_QUOTA_LEFT_H

#include "facts/run.h"
#include "format/quota_rescue.h"

/*
 * Read the rest of the quota file of a kind (quota_rescue_fini() always). Unreadable blocks hold nothing. Fails with
 * NOMEM and CANCELED.
 */
int quota_read_left(struct checker *c, unsigned kind, struct quota_rescue *out);

#endif
