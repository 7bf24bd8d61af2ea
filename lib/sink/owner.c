/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remember the process.
 */
#include "sink/owner.h"

#include <unistd.h>

#include "base/error.h"

void sink_own(struct sink *sink)
{
	sink->owner = (long)getpid();
}

bool sink_is_owner(const struct sink *sink)
{
	return sink->owner == (long)getpid();
}

int sink_check_owner(const struct sink *sink)
{
	if (sink_is_owner(sink))
		return 0;
	return error_set(sink->ctx, F2FS_ERR_STATE,
			 "process %ld began to extract: a process that was forked cannot go on with it", sink->owner);
}
