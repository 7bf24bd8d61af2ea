/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random bytes under Windows. */
#include "host/random_bytes.h"

#include <errno.h>
#include <stdint.h>

#include <windows.h>
#include <ntsecapi.h>

#define MOST (1u << 30)

int host_random(void *buffer, size_t size)
{
	uint8_t *to = buffer;

	while (size > 0) {
		const ULONG n = size > MOST ? MOST : (ULONG)size;

		if (!RtlGenRandom(to, n)) {
			errno = EIO;
			return -1;
		}
		to += n;
		size -= n;
	}
	return 0;
}
