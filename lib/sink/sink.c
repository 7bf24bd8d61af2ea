/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a sink with the outputs that its options name, and close it.
 */
#include "sink/sink.h"

#include "sink/host.h"
#include "sink/lists.h"
#include "sink/owner.h"
#include "sink/tar.h"

void sink_init(struct sink *sink)
{
	sink_own(sink);
	vec_init(&sink->way, sink->ctx, 1);
	vec_init(&sink->report_path, sink->ctx, 1);
	vec_init(&sink->entry_path, sink->ctx, 1);
	vec_init(&sink->mounted, sink->ctx, 1);
	vec_init(&sink->host_path, sink->ctx, 1);
}

int sink_open(struct sink *sink)
{
	int err = sink->opt.tar ? sink_tar_open(sink) : sink_host_open(sink);

	return err ? err : sink_lists_open(sink);
}

int sink_close(struct sink *sink, int err)
{
	err = sink_lists_close(sink, err);
	if (sink->ops)
		sink->ops->close(sink);
	return err;
}

void sink_fini(struct sink *sink)
{
	vec_fini(&sink->host_path);
	vec_fini(&sink->mounted);
	vec_fini(&sink->entry_path);
	vec_fini(&sink->report_path);
	vec_fini(&sink->way);
}
