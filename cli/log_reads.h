/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Log each read of an image: offset, length, device (the --read-log audit trail).
 */
#ifndef F2FSKIT_CLI_LOG_READS_H
#define F2FSKIT_CLI_LOG_READS_H

#include <f2fskit/device.h>

struct cli;
struct read_log;

/* Begin a log in a new file; returns 0, or -1 after a message, also when there is such a file. */
int read_log_open(struct cli *cli, const char *path, struct read_log **out);
/* Have the reads of a device, which is replaced, in the log. Returns an enum f2fs_error. */
int read_log_add(struct read_log *log, struct f2fs_device **device, const char *path);
/* End it, after all devices were closed; NULL is allowed. Returns 0, or -1 after a message. */
int read_log_close(struct read_log *log, struct cli *cli);

#endif
