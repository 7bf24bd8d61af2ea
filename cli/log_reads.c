/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads as lines: byte offset, length, whether it worked, and the device.
 */
#include "cli/log_reads.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/host.h"

/* A device whose reads are in the log. */
struct watched {
	struct read_log *log;
	char *path;
	struct watched *next;
};

struct read_log {
	FILE *to;
	const char *path;
	struct watched *first;
};

int read_log_open(struct cli *cli, const char *path, struct read_log **out)
{
	struct read_log *log = calloc(1, sizeof(*log));
	/* a file that is there may be the image itself */
	const int fd = log ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;

	if (log)
		log->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (!log || !log->to) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		free(log);
		return -1;
	}
	log->path = path;
	fputs("# offset\tlength\tresult\tdevice\n", log->to);
	*out = log;
	return 0;
}

static void put_line(void *user, uint64_t offset, uint64_t length, int failed)
{
	const struct watched *watched = user;

	fprintf(watched->log->to, "%llu\t%llu\t%s\t", (unsigned long long)offset, (unsigned long long)length,
		failed ? "failed" : "read");
	cli_put_text(watched->log->to, watched->path);
	putc('\n', watched->log->to);
}

int read_log_add(struct read_log *log, struct f2fs_device **device, const char *path)
{
	struct watched *watched = calloc(1, sizeof(*watched));
	struct f2fs_device *over;
	int rc;

	if (!watched)
		return F2FS_ERR_NOMEM;
	*watched = (struct watched){ .log = log, .path = strdup(path), .next = log->first };
	log->first = watched;
	if (!watched->path)
		return F2FS_ERR_NOMEM;
	rc = f2fs_device_open_watch(*device, put_line, watched, &over);
	if (rc)
		return rc;
	f2fs_device_close(*device);
	*device = over;
	return 0;
}

int read_log_close(struct read_log *log, struct cli *cli)
{
	int rc;

	if (!log)
		return 0;
	rc = ferror(log->to) | fclose(log->to);
	if (rc)
		cli_error(cli, "%s: the log of reads could not be written", log->path);
	for (struct watched *watched = log->first, *next; watched; watched = next) {
		next = watched->next;
		free(watched->path);
		free(watched);
	}
	free(log);
	return rc ? -1 : 0;
}
