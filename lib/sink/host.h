/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A directory of the host as a sink.
 */
#ifndef F2FSKIT_SINK_HOST_H
#define F2FSKIT_SINK_HOST_H

#include "sink/sink.h"

int sink_host_open(struct sink *sink);

#endif
