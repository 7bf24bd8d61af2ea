/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look at the program that has the image. If it serves a mount, it has /dev/fuse open. Without that it starts or ends.
 * For a moment after umount(8) it still has it, so a short wait is worth it in any case.
 */

#include <dirent.h>
#include <f2fskit/device.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuse/predecessor.h"

enum { TICK_MS = 10, SERVING_TICKS = 100, ENDING_TICKS = 6000 };

/* The process that has the image, if it is one of this program; 0 otherwise. */
static long holder(struct f2fs_context *ctx, const struct cli_image *image)
{
	static const char words[] = "in use by process ", name[] = "(f2fsfuse)";
	struct f2fs_device *device;
	const char *message;
	long process = 0;
	int err = f2fs_device_open(ctx, image->path, cli_image_flags(image), &device);

	if (!err)
		f2fs_device_close(device);
	if (err != F2FS_ERR_BUSY)
		return 0;
	message = strstr(f2fs_context_error(ctx)->message, words);
	if (!message || !strstr(message, name) || sscanf(message + strlen(words), "%ld", &process) != 1)
		return 0;
	return process == (long)getpid() ? 0 : process;
}

/* Does a process have /dev/fuse open? Yes, too, where it cannot be seen. */
static int has_fuse(long process)
{
	char path[64], target[64];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%ld/fd", process);
	dir = opendir(path);
	if (!dir)
		return 1;
	while (!found && (entry = readdir(dir)) != NULL) {
		const ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		found = !strcmp(target, "/dev/fuse");
	}
	closedir(dir);
	return found;
}

void predecessor_wait(struct f2fs_context *ctx, const struct cli_image *image)
{
	const struct timespec tick = { .tv_nsec = TICK_MS * 1000000L };
	unsigned serving = 0;
	long process;

	for (unsigned i = 0; i < ENDING_TICKS && (process = holder(ctx, image)) != 0; i++) {
		if (has_fuse(process) && ++serving > SERVING_TICKS)
			return;
		nanosleep(&tick, NULL);
	}
}
