/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of writing: checked once, kept with the volume.
 */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "file/compress_mark.h"
#include "file/write.h"

static int check_options(struct f2fs_volume *vol, const struct f2fs_write_options *o)
{
	if (o->logs != 0 && o->logs != 2 && o->logs != 4 && o->logs != 6)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there are 2, 4 or 6 active logs, not %u", o->logs);
	if (o->low_sections > 100)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "%u percent of the sections are more than there are",
				 o->low_sections);
	if (o->in_place > F2FS_IN_PLACE_ALWAYS)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no way %u of writing in place", o->in_place);
	if (o->in_place != F2FS_IN_PLACE_NEVER && geometry_has(&vol->geo, F2FS_FEAT_BLKZONED))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "nothing of a zoned volume is written in place");
	if (o->commit_when_full > 1)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "commit_when_full is 0 or 1, not %u", o->commit_when_full);
	if (o->clock_stands > 1)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "clock_stands is 0 or 1, not %u", o->clock_stands);
	if (!f2fs_logging_name(o->logging))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no way %u of logging", o->logging);
	if (o->logging == F2FS_LOGGING_THREADED && geometry_has(&vol->geo, F2FS_FEAT_BLKZONED))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "holes of a zoned volume cannot be filled");
	if (o->low_is_exact > 1)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "low_is_exact is 0 or 1, not %u", o->low_is_exact);
	if (!f2fs_temperature_name(o->temperature))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no rule %u of temperatures", o->temperature);
	if (o->cold_apart > 1)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "cold_apart is 0 or 1, not %u", o->cold_apart);
	if (o->at_once > 1)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "at_once is 0 or 1, not %u", o->at_once);
	if (!f2fs_fsync_mode_name(o->fsync_mode))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no mode %u of fsync", o->fsync_mode);
	if (!f2fs_discard_unit_name(o->discard_unit))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no unit %u of discards", o->discard_unit);
	return o->has_compression ? compress_check(vol, &o->compression) : 0;
}

static const char *const loggings[] = { [F2FS_LOGGING_ADAPTIVE] = "adaptive",
					 [F2FS_LOGGING_NORMAL] = "normal",
					 [F2FS_LOGGING_THREADED] = "threaded" };
static const char *const temperatures[] = { [F2FS_TEMPERATURE_TABLE] = "table",
					     [F2FS_TEMPERATURE_SLIDES] = "slides",
					     [F2FS_TEMPERATURE_KERNEL] = "kernel" };
static const char *const fsync_modes[] = { [F2FS_FSYNC_MODE_STRICT] = "strict", [F2FS_FSYNC_MODE_POSIX] = "posix" };
static const char *const discard_units[] = { [F2FS_DISCARD_UNIT_BLOCK] = "block",
					      [F2FS_DISCARD_UNIT_SEGMENT] = "segment",
					      [F2FS_DISCARD_UNIT_SECTION] = "section" };
#define LENGTH(list) (sizeof(list) / sizeof((list)[0]))

static int find_name(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return (int)i;
	return -1;
}

int f2fs_logging_find(const char *name)
{
	return find_name(loggings, LENGTH(loggings), name);
}

const char *f2fs_logging_name(unsigned logging)
{
	return logging < LENGTH(loggings) ? loggings[logging] : NULL;
}

int f2fs_temperature_find(const char *name)
{
	return find_name(temperatures, LENGTH(temperatures), name);
}

const char *f2fs_temperature_name(unsigned temperature)
{
	return temperature < LENGTH(temperatures) ? temperatures[temperature] : NULL;
}

int f2fs_fsync_mode_find(const char *name)
{
	return find_name(fsync_modes, LENGTH(fsync_modes), name);
}

const char *f2fs_fsync_mode_name(unsigned mode)
{
	return mode < LENGTH(fsync_modes) ? fsync_modes[mode] : NULL;
}

int f2fs_discard_unit_find(const char *name)
{
	return find_name(discard_units, LENGTH(discard_units), name);
}

const char *f2fs_discard_unit_name(unsigned unit)
{
	return unit < LENGTH(discard_units) ? discard_units[unit] : NULL;
}

static int copy_text(struct f2fs_context *ctx, const char *text, char **out)
{
	*out = text ? mem_strdup(ctx, text) : NULL;
	return text && !*out ? F2FS_ERR_NOMEM : 0;
}

int f2fs_volume_configure(struct f2fs_volume *vol, const struct f2fs_write_options *options)
{
	struct f2fs_write_options o;
	char *compress, *plain;
	int err;

	error_clear(vol->ctx);
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	err = sized_take(vol->ctx, &o, sizeof(o), options);
	if (!err)
		err = check_options(vol, &o);
	if (err)
		return err;
	err = copy_text(vol->ctx, o.compress_names, &compress);
	if (err)
		return err;
	err = copy_text(vol->ctx, o.plain_names, &plain);
	if (err) {
		mem_free(vol->ctx, compress);
		return err;
	}
	volume_forget_options(vol);
	vol->write = o;
	vol->write.compress_names = vol->compress_names = compress;
	vol->write.plain_names = vol->plain_names = plain;
	return 0;
}
