/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tar stream as a sink.
 */
#ifndef F2FSKIT_SINK_TAR_H
#define F2FSKIT_SINK_TAR_H

#include "sink/sink.h"

int sink_tar_open(struct sink *sink);

#endif
