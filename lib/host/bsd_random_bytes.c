/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random bytes under the BSDs and macOS. */
#include <stdlib.h>

#include "host/random_bytes.h"

int host_random(void *buffer, size_t size)
{
	arc4random_buf(buffer, size);
	return 0;
}
