/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Join the parts of a raw image. All but the last have the size of the first one: a part of another size was not copied
 * to its end.
 */
#include "device/split_raw.h"

#include "base/bytes.h"
#include "base/context.h"
#include "base/error.h"
#include "base/vec.h"
#include "device/multi.h"
#include "device/split_name.h"

/* Places in the first superblock. */
enum { SUPERBLOCK = 1024, BLOCK_BITS = 16, BLOCKS = 36, HEAD = 44 };

/* Does a file begin with an F2FS volume that ends within it? */
static bool has_whole_volume(struct f2fs_device *file)
{
	uint8_t sb[HEAD];

	return file->info.size >= SUPERBLOCK + HEAD && device_read_quiet(file, SUPERBLOCK, sb, sizeof(sb)) == 0 &&
	       get_le32(sb) == 0xF2F52010u && get_le32(sb + BLOCK_BITS) <= 16 &&
	       get_le64(sb + BLOCKS) <= file->info.size >> get_le32(sb + BLOCK_BITS);
}

/* Open the parts after the first one, and append them to parts. */
static int open_parts(struct f2fs_context *ctx, const char *path, struct split_number number, struct vec *parts)
{
	char *name = mem_strdup(ctx, path), *next;
	int err = name ? 0 : F2FS_ERR_NOMEM;

	while (!err) {
		struct f2fs_device_part *part;
		struct f2fs_device *dev;

		next = split_name_next(ctx, name, &number);
		mem_free(ctx, name);
		name = next;
		if (!name) {
			err = ctx->error.code == F2FS_ERR_NOMEM ? F2FS_ERR_NOMEM : F2FS_ERR_NOT_FOUND;
			break;
		}
		err = split_name_open(ctx, name, &number, &dev);
		if (err)
			break;
		part = vec_push(parts, 1);
		if (part)
			*part = (struct f2fs_device_part){ dev, 0, dev->info.size };
		else
			f2fs_device_close(dev);
		err = part ? 0 : F2FS_ERR_NOMEM;
	}
	mem_free(ctx, name);
	return err == F2FS_ERR_NOT_FOUND ? 0 : err;
}

static int check_sizes(struct f2fs_context *ctx, const struct vec *parts)
{
	const struct f2fs_device_part *first = vec_at(parts, 0);

	for (size_t i = 1; i < parts->count; i++) {
		const struct f2fs_device_part *part = vec_at(parts, i);

		if (part->length == 0 || part->length > first->length ||
		    (part->length < first->length && i + 1 < parts->count))
			return error_set(ctx, F2FS_ERR_INVALID,
					 "the part %s has %llu bytes, and the first one has %llu: it is incomplete, or "
					 "belongs to another image",
					 part->device->name, (unsigned long long)part->length,
					 (unsigned long long)first->length);
	}
	return 0;
}

/* The parts are known: *file becomes all of them. */
static int join(struct f2fs_device **file, const struct vec *parts, unsigned flags)
{
	struct f2fs_context *ctx = (*file)->ctx;
	struct f2fs_device *whole;
	char *name;
	int err;

	if (flags & F2FS_OPEN_WRITE)
		return error_set(ctx, F2FS_ERR_UNSUPPORTED,
				 "%s is the first of %zu parts, which can only be read: join them with cat to change "
				 "them",
				 (*file)->name, parts->count);
	err = check_sizes(ctx, parts);
	if (!err)
		err = device_new_multi(ctx, parts->items, (unsigned)parts->count, &whole);
	if (err)
		return err;
	name = mem_strdup(ctx, (*file)->name);
	if (!name) {
		f2fs_device_close(whole);
		return F2FS_ERR_NOMEM;
	}
	log_message(ctx, F2FS_LOG_INFO, "%s: %zu parts are joined", name, parts->count);
	mem_free(ctx, whole->name);
	whole->name = name;
	f2fs_device_close(*file);
	*file = whole;
	return 0;
}

int split_raw_join(struct f2fs_device **file, const char *path, unsigned flags)
{
	struct f2fs_context *ctx = (*file)->ctx;
	struct f2fs_device_part *first;
	struct split_number number;
	struct vec parts;
	int err;

	if (!split_name_is_raw(path, &number) || ((*file)->info.caps & F2FS_DEVICE_BLOCK) || has_whole_volume(*file))
		return 0;
	vec_init(&parts, ctx, sizeof(struct f2fs_device_part));
	first = vec_push(&parts, 1);
	err = first ? 0 : F2FS_ERR_NOMEM;
	if (first)
		*first = (struct f2fs_device_part){ *file, 0, (*file)->info.size };
	if (!err)
		err = open_parts(ctx, path, number, &parts);
	if (!err && parts.count > 1)
		err = join(file, &parts, flags);
	for (size_t i = 1; i < parts.count; i++)
		f2fs_device_close(((struct f2fs_device_part *)vec_at(&parts, i))->device);
	vec_fini(&parts);
	if (err) {
		f2fs_device_close(*file);
		*file = NULL;
	}
	return err;
}
