/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode flags and project ids.
 */
#ifndef F2FSKIT_SINK_HOSTFLAGS_H
#define F2FSKIT_SINK_HOSTFLAGS_H

#include "sink/hostrun.h"

int host_set_flags(int fd, uint32_t flags);
int host_set_project(int fd, uint32_t projid, uint32_t flags);

#endif
