/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Use a placement and victims that a file in Python has, in its class Policy: docs/POLICY.md. Python runs as a
 * process of its own and answers over a socket.
 */
#ifndef F2FSKIT_LAB_OWN_POLICY_H
#define F2FSKIT_LAB_OWN_POLICY_H

#include <f2fskit/gc.h>
#include <f2fskit/placement.h>

struct lab_own_policy;

/*
 * Start Python with a file. *placement and *gc get the callbacks that the file has; placement->streams is 0 when it
 * places nothing. 0, or an error that the context explains.
 */
int lab_own_policy_open(struct f2fs_context *ctx, const char *file, struct f2fs_placement *placement,
			struct f2fs_gc_options *gc, struct lab_own_policy **out);
/* Has the process ended before its time? Its message is on standard error. */
int lab_own_policy_failed(const struct lab_own_policy *policy);
/* End the process. NULL is allowed. */
void lab_own_policy_close(struct lab_own_policy *policy);

#endif
