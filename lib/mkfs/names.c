/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check and encode the texts of a new volume: label, version stamp, alias names, and the lists of file name extensions
 * for the cold and the hot log (FORMAT volume 2.5).
 */
#include <string.h>

#include "base/error.h"
#include "base/utf16.h"
#include "base/utf8.h"
#include "file/inode_attr.h"
#include "file/write.h"
#include "mkfs/names.h"
#include "mkfs/run.h"
#include "tune/label.h"

#define EXTENSIONS 64u
#define EXTENSION_BYTES 8u
#define LABEL_UNITS (sb_SIZE_volume_name / 2)
#define STAMP_BYTES 251u
#define PATH_BYTES 63u

/* Prefixes: "mp" stands for mp3, mp4, mpeg, ... */
static const char *const cold_extensions[] = {
	"mp",  "wm",   "og",   "jp",  "avi", "m4v", "m4p",  "mkv", "mov", "webm", "wav",  "m4a",
	"3gp", "opus", "flac", "gif", "png", "svg", "webp", "jar", "deb", "iso",  "gz",	  "xz",
	"zst", "pdf",  "pyc",  "ttc", "ttf", "exe", "apk",  "cnt", "exo", "odex", "vdex", "so",
};
static const char *const hot_extensions[] = { "db", "vmdk", "vdi", "qcow2" };

struct extension_list {
	uint8_t (*entries)[EXTENSION_BYTES]; /* NULL: only count */
	unsigned count;
};

static bool has_extension(const struct extension_list *list, const char *text, size_t n)
{
	char padded[EXTENSION_BYTES] = { 0 };

	memcpy(padded, text, n);
	for (unsigned i = 0; i < list->count; i++)
		if (memcmp(list->entries[i], padded, EXTENSION_BYTES) == 0)
			return true;
	return false;
}

static int add_extension(struct f2fs_context *ctx, struct extension_list *list, const char *text, size_t n)
{
	if (n >= EXTENSION_BYTES)
		return error_set(ctx, F2FS_ERR_INVALID, "extension '%.*s' is longer than %u bytes",
				 (int)(n < 100 ? n : 100), text, EXTENSION_BYTES - 1);
	if (has_extension(list, text, n))
		return 0;
	if (list->count == EXTENSIONS)
		return error_set(ctx, F2FS_ERR_INVALID, "more than %u file name extensions", EXTENSIONS);
	memcpy(list->entries[list->count++], text, n);
	return 0;
}

static int add_words(struct f2fs_context *ctx, struct extension_list *list, const char *words)
{
	static const char separators[] = ", ";

	while (words && *(words += strspn(words, separators))) {
		size_t n = strcspn(words, separators);
		int err = add_extension(ctx, list, words, n);

		if (err)
			return err;
		words += n;
	}
	return 0;
}

/* All extensions, cold ones first; EXTENSIONS zeroed entries. */
static int list_extensions(struct f2fs_context *ctx, const struct f2fs_mkfs_options *o,
			   uint8_t (*entries)[EXTENSION_BYTES], unsigned *cold, unsigned *hot)
{
	struct extension_list list = { .entries = entries };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(cold_extensions) / sizeof(cold_extensions[0]); i++)
		err = add_extension(ctx, &list, cold_extensions[i], strlen(cold_extensions[i]));
	if (!err)
		err = add_words(ctx, &list, o->cold_extensions);
	*cold = list.count;
	for (size_t i = 0; !err && i < sizeof(hot_extensions) / sizeof(hot_extensions[0]); i++)
		err = add_extension(ctx, &list, hot_extensions[i], strlen(hot_extensions[i]));
	if (!err)
		err = add_words(ctx, &list, o->hot_extensions);
	*hot = list.count - *cold;
	return err;
}

static int check_label(struct f2fs_context *ctx, const char *label)
{
	uint8_t units[2 * LABEL_UNITS];

	return label ? label_encode(ctx, label, units) : 0;
}

static int check_alias(struct f2fs_context *ctx, const char *alias, uint32_t feature)
{
	size_t n = strlen(alias);

	if (n == 0 || n > PATH_BYTES || strchr(alias, '/') || !strcmp(alias, ".") || !strcmp(alias, ".."))
		return error_set(ctx, F2FS_ERR_INVALID,
				 "'%.80s' is no name for a device's file (1 to %u bytes, no '/')", alias, PATH_BYTES);
	if ((feature & F2FS_FEAT_LOST_FOUND) && !strcmp(alias, "lost+found"))
		return error_set(ctx, F2FS_ERR_EXISTS, "'lost+found' is the name of the directory");
	return 0;
}

static int check_devices(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
			 uint32_t feature)
{
	for (unsigned i = 0; i < count && i < F2FS_MAX_DEVICES; i++) {
		const char *path = devices[i].path, *alias = devices[i].alias;
		int err;

		if (count > 1 && (!path || !*path || strlen(path) > PATH_BYTES))
			return error_set(ctx, F2FS_ERR_INVALID,
					 "the path of each of several devices must have 1 to %u "
					 "bytes",
					 PATH_BYTES);
		if (!alias)
			continue;
		err = check_alias(ctx, alias, feature);
		if (err)
			return err;
		for (unsigned j = 0; j < i; j++)
			if (devices[j].alias && !strcmp(devices[j].alias, alias))
				return error_set(ctx, F2FS_ERR_EXISTS, "two devices have the alias '%s'", alias);
	}
	return 0;
}

int mkfs_check_names(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
		     const struct f2fs_mkfs_options *options)
{
	uint8_t entries[EXTENSIONS][EXTENSION_BYTES] = { { 0 } };
	unsigned cold, hot;
	int err = check_label(ctx, options->label);

	if (!err)
		err = owner_check(ctx, options->root_uid, options->root_gid, 0);
	if (!err && options->stamp && strlen(options->stamp) > STAMP_BYTES)
		err = error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "the version stamp is longer than %u bytes", STAMP_BYTES);
	if (!err)
		err = check_devices(ctx, devices, count, options->feature);
	return err ? err : list_extensions(ctx, options, entries, &cold, &hot);
}

int mkfs_fill_names(struct mkfs *m)
{
	uint8_t entries[EXTENSIONS][EXTENSION_BYTES] = { { 0 } };
	const char *label = m->options->label, *stamp = m->options->stamp ? m->options->stamp : "f2fskit";
	unsigned cold, hot;
	int err = list_extensions(m->ctx, m->options, entries, &cold, &hot);

	if (err)
		return err;
	memcpy(sb_extension_list_w(m->sb), entries, sizeof(entries));
	sb_set_extension_count(m->sb, cold);
	sb_set_hot_ext_count(m->sb, (uint8_t)hot);
	memcpy(sb_version_w(m->sb), stamp, strlen(stamp));
	memcpy(sb_init_version_w(m->sb), stamp, strlen(stamp));
	if (label)
		utf16_encode(label, strlen(label), sb_volume_name_w(m->sb), LABEL_UNITS);
	for (unsigned i = 0; m->device_count > 1 && i < m->device_count; i++) {
		uint8_t *dev = sb_devs_w(m->sb) + (size_t)i * sbdev_SIZE;

		memcpy(sbdev_path_w(dev), m->devices[i].path, strlen(m->devices[i].path));
		sbdev_set_total_segments(dev, m->layout->devices[i].segments);
	}
	return 0;
}
