/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A directory of the host as a source.
 */
#ifndef F2FSKIT_SOURCE_HOST_H
#define F2FSKIT_SOURCE_HOST_H

#include "source/source.h"

int source_host_open(struct source *src, const char *directory);

#endif
