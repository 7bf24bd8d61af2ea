/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Join the contents of sparse files, one after the other: each gives the bytes from the end of the data of the file
 * before to the end of its own data.
 */
#include "device/split_sparse.h"

#include "base/context.h"
#include "base/error.h"
#include "base/vec.h"
#include "device/multi.h"
#include "device/sparse.h"
#include "device/split_name.h"

struct joining {
	struct f2fs_context *ctx;
	struct vec parts; /* struct f2fs_device_part: the contents of the files */
	uint64_t end;	  /* of the data of all parts so far */
};

/* Find the first byte with data, and the end of the last one; both are 0 when there is none. */
static int find_data(struct f2fs_device *dev, uint64_t *first, uint64_t *end)
{
	int err = 0;

	*first = *end = 0;
	for (uint64_t at = 0, n; at < dev->info.size && !err; at += n) {
		int is_hole = 1;

		err = device_extent(dev, at, &n, &is_hole);
		if (err || is_hole)
			continue;
		if (*end == 0)
			*first = at;
		*end = at + n;
	}
	return err;
}

/* Add the contents of a sparse file; F2FS_ERR_NOT_FOUND without a record when it does not continue the parts before. */
static int add_contents(struct joining *j, struct f2fs_device *contents)
{
	struct f2fs_device_part *part;
	uint64_t first, end;
	int err = find_data(contents, &first, &end);

	if (err)
		return err;
	if (end == 0) /* a part without data */
		first = end = j->end;
	if (j->parts.count > 1 && first < j->end)
		return error_set(j->ctx, F2FS_ERR_INVALID, "the part %s has data where a part before it has some",
				 contents->name);
	if (j->parts.count > 0 && first < j->end)
		return F2FS_ERR_NOT_FOUND;
	part = vec_push(&j->parts, 1);
	if (!part)
		return F2FS_ERR_NOMEM;
	*part = (struct f2fs_device_part){ f2fs_device_ref(contents), j->end, end - j->end };
	j->end = end;
	return 0;
}

static int add_file(struct joining *j, struct f2fs_device *file)
{
	struct f2fs_device *contents;
	int err = sparse_is(file) ? sparse_make(file, &contents) : F2FS_ERR_NOT_FOUND;

	if (err)
		return err;
	err = add_contents(j, contents);
	f2fs_device_close(contents);
	return err;
}

/* Add the files after the first one. */
static int add_files(struct joining *j, const char *path, struct split_number number)
{
	char *name = mem_strdup(j->ctx, path), *next;
	int err = name ? 0 : F2FS_ERR_NOMEM;

	while (!err) {
		struct f2fs_device *file;

		next = split_name_next(j->ctx, name, &number);
		mem_free(j->ctx, name);
		name = next;
		if (!name) {
			err = F2FS_ERR_NOMEM; /* numbers never end */
			break;
		}
		err = split_name_open(j->ctx, name, &number, &file);
		if (err)
			break;
		err = add_file(j, file);
		f2fs_device_close(file);
	}
	mem_free(j->ctx, name);
	return err == F2FS_ERR_NOT_FOUND ? 0 : err;
}

/* Make one device of the parts. The bytes after the data of all are holes of the largest one. */
static int join(struct joining *j, struct f2fs_device **file)
{
	const struct f2fs_device_part *largest = vec_at(&j->parts, 0);
	struct f2fs_device_part *parts = j->parts.items;
	struct f2fs_device *whole;
	unsigned count = 0;
	int err;

	for (size_t i = 1; i < j->parts.count; i++)
		if (parts[i].device->info.size > largest->device->info.size)
			largest = &parts[i];
	if (largest->device->info.size > j->end) {
		struct f2fs_device *rest = f2fs_device_ref(largest->device);
		struct f2fs_device_part *last = vec_push(&j->parts, 1);

		if (!last) {
			f2fs_device_close(rest);
			return F2FS_ERR_NOMEM;
		}
		*last = (struct f2fs_device_part){ rest, j->end, rest->info.size - j->end };
	}
	parts = mem_calloc(j->ctx, j->parts.count, sizeof(*parts));
	if (!parts)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < j->parts.count; i++) {
		const struct f2fs_device_part *part = vec_at(&j->parts, i);

		if (part->length > 0)
			parts[count++] = *part;
	}
	err = device_new_multi(j->ctx, parts, count, &whole);
	mem_free(j->ctx, parts);
	if (err)
		return err;
	log_message(j->ctx, F2FS_LOG_INFO, "%s: the sparse files of this number and the next ones are joined",
		    (*file)->name);
	f2fs_device_close(*file);
	*file = whole;
	return 0;
}

int split_sparse_join(struct f2fs_device **file, const char *path, unsigned flags)
{
	struct joining j = { .ctx = (*file)->ctx };
	struct split_number number;
	int err;

	if (!split_name_is_sparse(path, &number))
		return SPLIT_SPARSE_SINGLE;
	vec_init(&j.parts, j.ctx, sizeof(struct f2fs_device_part));
	err = add_file(&j, *file);
	if (!err)
		err = add_files(&j, path, number);
	if (!err && j.parts.count < 2)
		err = SPLIT_SPARSE_SINGLE;
	else if (!err && (flags & F2FS_OPEN_WRITE))
		err = error_set(j.ctx, F2FS_ERR_UNSUPPORTED,
				"%s is the first of %zu sparse files, which can only be read: join them with simg2img "
				"to change them",
				(*file)->name, j.parts.count);
	else if (!err)
		err = join(&j, file);
	for (size_t i = 0; i < j.parts.count; i++)
		f2fs_device_close(((struct f2fs_device_part *)vec_at(&j.parts, i))->device);
	vec_fini(&j.parts);
	if (err < 0) {
		f2fs_device_close(*file);
		*file = NULL;
	}
	return err;
}
