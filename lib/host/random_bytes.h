/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Random bytes of the host.
 */
#ifndef F2FSKIT_HOST_RANDOM_BYTES_H
#define F2FSKIT_HOST_RANDOM_BYTES_H

#include <stddef.h>

/* Fill a buffer with bytes for keys. Returns 0, or -1 with errno. */
int host_random(void *buffer, size_t size);

#endif
