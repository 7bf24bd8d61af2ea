/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Descriptors of directories: few open, opened again without ever following a link.
 */
#ifndef F2FSKIT_SINK_HOSTDIR_H
#define F2FSKIT_SINK_HOSTDIR_H

#include "sink/hostrun.h"

/* Get a directory's descriptor; it stays open until the next call unless pinned. */
int host_dir_get(struct host *h, struct sink_dir *dir, struct host_dir **out);
void host_dir_close(struct host *h, struct sink_dir *dir);
/* A directory is going to be left: open its parent from it if that was closed. */
void host_dir_open_upwards(struct host *h, struct sink_dir *dir);
/* Open or make the destination and learn the host's defaults for new files in it. */
int host_open_top(struct host *h);

#endif
