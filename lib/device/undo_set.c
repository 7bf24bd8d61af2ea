/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One undo file for all devices of a volume: the devices, each whole, are joined in a row, the recording is laid over
 * the row, and each device is given back as a window of it. So one order of writes holds for all of them, and the file
 * differs from that of one device only in its header, which lists the devices.
 */
#include "base/error.h"
#include "device/multi.h"
#include "device/slice.h"
#include "device/undo.h"
#include "device/undo_play.h"

#include <unistd.h>

/* Join devices in a row; *starts: where each begins. */
static int join(struct f2fs_device *const *devices, unsigned count, uint64_t *starts, struct f2fs_device **out)
{
	struct f2fs_device_part parts[UNDO_MAX_PARTS];
	uint64_t at = 0;

	if (count == 0)
		return F2FS_ERR_INVALID;
	if (count > UNDO_MAX_PARTS)
		return error_set(devices[0]->ctx, F2FS_ERR_INVALID, "a volume has at most %u devices", UNDO_MAX_PARTS);
	for (unsigned i = 0; i < count; i++) {
		parts[i] = (struct f2fs_device_part){ devices[i], 0, devices[i]->info.size };
		starts[i] = at;
		at += devices[i]->info.size;
	}
	return device_new_multi(devices[0]->ctx, parts, count, out);
}

/* Give each device back as a window of the row. */
static int divide(struct f2fs_device *row, struct f2fs_device *const *devices, unsigned count, const uint64_t *starts,
		  struct f2fs_device **out)
{
	for (unsigned i = 0; i < count; i++) {
		int err = device_new_slice(row, starts[i], devices[i]->info.size, &out[i]);

		if (err) {
			while (i-- > 0)
				f2fs_device_close(out[i]);
			return err;
		}
	}
	return 0;
}

int f2fs_undo_record(struct f2fs_device *const *devices, unsigned count, const char *path, struct f2fs_device **out)
{
	struct f2fs_device *row = NULL, *log = NULL, *undo = NULL;
	uint64_t starts[UNDO_MAX_PARTS];
	int err = join(devices, count, starts, &row);

	if (!err)
		err = f2fs_undo_create(row, path, &log);
	if (!err) {
		err = undo_make(row, log, devices, count, &undo);
		if (err)
			unlink(path); /* made just now */
		else
			undo_own(undo);
	}
	if (!err)
		err = divide(undo, devices, count, starts, out);
	f2fs_device_close(undo);
	f2fs_device_close(log);
	f2fs_device_close(row);
	return err;
}

int f2fs_undo_restore(struct f2fs_device *log, struct f2fs_device *const *targets, unsigned count, int force,
		      struct f2fs_undo_info *info)
{
	struct f2fs_device *row = NULL;
	uint64_t starts[UNDO_MAX_PARTS];
	int err = join(targets, count, starts, &row);

	if (!err)
		err = undo_play(log, row, targets, count, force, info);
	f2fs_device_close(row);
	return err;
}
