/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as an Android sparse file: opened, it reads the same twice, and no further than its size. */
#include <f2fskit/device.h>

#include <stdlib.h>

#include "common/test_host.h"
#include "fuzz/fuzz.h"
#include "fuzz/read_twice.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *memory, *sparse;

	test_host_init(&host);
	host.limit = ((size_t)16 << 20) + 4 * size;
	if (f2fs_context_open(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_open_memory(ctx, size, &memory) == 0) {
		if ((size == 0 || f2fs_device_write(memory, 0, data, size) == 0) &&
		    f2fs_device_open_sparse(memory, &sparse) == 0) {
			read_twice(sparse);
			f2fs_device_close(sparse);
		}
		f2fs_device_close(memory);
	}
	f2fs_context_close(ctx);
	if (host.live || host.over_limit)
		abort();
	return 0;
}
