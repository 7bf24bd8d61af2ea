/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device that passes reads on and keeps a list of them: which blocks a task needs, how often, in which order.
 */
#ifndef F2FSKIT_TESTS_COMMON_READ_LOG_H
#define F2FSKIT_TESTS_COMMON_READ_LOG_H

#include <f2fskit/device.h>

struct read_request {
	uint64_t offset, length; /* bytes */
};

struct read_log;

/* Wrap inner, which the caller keeps open as long as the new device. Programs that use it end when memory does. */
struct f2fs_device *read_log_open(struct f2fs_context *ctx, struct f2fs_device *inner, struct read_log **log);
/* The requests so far, in the order in which they began; valid until the next one. */
const struct read_request *read_log_requests(struct read_log *log, size_t *count);
/* After the device is closed. */
void read_log_free(struct read_log *log);

#endif
