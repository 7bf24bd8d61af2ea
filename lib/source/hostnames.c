/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of a directory of the host, in the order of their bytes.
 */
#include "source/hostnames.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

static int compare_names(const void *a, const void *b)
{
	const struct host_name *const *one = a, *const *other = b;

	return strcmp((*one)->name, (*other)->name);
}

void host_names_free(struct vec *names)
{
	for (size_t i = 0; i < names->count; i++)
		mem_free(names->ctx, *(struct host_name **)vec_at(names, i));
	vec_fini(names);
}

static struct host_name *make_name(struct f2fs_context *ctx, const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name) + 1;
	struct host_name *name = mem_alloc(ctx, sizeof(*name) + length);

	if (!name)
		return NULL;
	name->is_dir = entry->d_type == DT_DIR;
	name->is_file = entry->d_type == DT_REG;
	memcpy(name->name, entry->d_name, length);
	return name;
}

int host_names_read(struct f2fs_context *ctx, int fd, struct vec *names)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int err = 0;

	vec_init(names, ctx, sizeof(struct host_name *));
	if (!stream) {
		err = error_sys(ctx, errno, "cannot read the directory");
		if (copy >= 0)
			close(copy);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(stream)) != NULL) {
		struct host_name **slot;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		slot = vec_push(names, 1);
		if (slot)
			*slot = make_name(ctx, entry);
		if (!slot || !*slot) {
			names->count -= slot != NULL;
			err = F2FS_ERR_NOMEM;
		}
	}
	if (!err && errno)
		err = error_sys(ctx, errno, "cannot read the directory");
	closedir(stream);
	vec_sort(names, compare_names);
	return err;
}
