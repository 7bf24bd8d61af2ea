/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open any bytes as an image by its path: a container of evidence or of a virtual machine, a zstd file, a sparse file,
 * parts of a raw or of a sparse one. What opens reads the same twice, and no further than its size.
 *
 * The last four bytes of the input choose the names of the files, and where the first two parts end. An input in the
 * form of compact.h becomes one sparse file: some containers begin with megabytes of nothing.
 */
#define _XOPEN_SOURCE 700
#include <f2fskit/device.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/test_host.h"
#include "fuzz/compact.h"
#include "fuzz/fuzz.h"
#include "fuzz/read_twice.h"

enum { FORMS = 5, PARTS = 3, CHOICES = 4, MOST_BLOCKS = 4096 };

static const char *const names[FORMS][PARTS] = {
	{ "image.img", NULL, NULL },
	{ "image.001", "image.002", "image.003" },
	{ "image.aa", "image.ab", "image.ac" },
	{ "image.E01", NULL, NULL },
	{ "userdata_1.img", "userdata_2.img", "userdata_3.img" },
};

static void require(int holds)
{
	if (!holds)
		abort();
}

static void write_part(const char *folder, const char *name, const uint8_t *bytes, size_t size)
{
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	require(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
}

/* Write the parts; an even last byte leaves the second one out when it is empty. */
static void write_parts(const char *folder, unsigned form, const uint8_t *data, size_t size, const uint8_t *choices)
{
	size_t first = size * choices[1] / 256, second = size * choices[2] / 256;

	if (!names[form][1])
		first = second = size;
	if (second < first)
		second = first;
	write_part(folder, names[form][0], data, first);
	if (names[form][1] && (second > first || choices[3] % 2))
		write_part(folder, names[form][1], data + first, second - first);
	if (names[form][1])
		write_part(folder, names[form][2], data + second, size - second);
}

static void write_sparse(const char *folder, const char *name, const struct compact *c)
{
	const uint32_t blocks = c->blocks < MOST_BLOCKS ? c->blocks : MOST_BLOCKS;
	struct compact_piece piece;
	size_t at = COMPACT_HEADER;
	char path[160];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	require(fd >= 0 && ftruncate(fd, (off_t)blocks << c->block_bits) == 0);
	while (compact_next(c, &at, &piece))
		if (piece.block < blocks)
			require(pwrite(fd, piece.bytes, piece.length,
				       ((off_t)piece.block << c->block_bits) + (off_t)piece.offset) ==
				(ssize_t)piece.length);
	require(close(fd) == 0);
}

static void remove_parts(const char *folder, unsigned form)
{
	char path[160];

	for (unsigned i = 0; i < PARTS && names[form][i]; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[form][i]);
		unlink(path);
	}
	require(rmdir(folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *top = getenv("TMPDIR");
	char folder[100], path[160];
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct compact spread;
	unsigned form;

	if (size < CHOICES)
		return 0;
	size -= CHOICES;
	form = data[size] % FORMS;
	snprintf(folder, sizeof(folder), "%.50s/fuzz-container-XXXXXX", top ? top : "/tmp");
	require(mkdtemp(folder) != NULL);
	if (compact_open(&spread, data, size)) {
		form = 0;
		write_sparse(folder, names[form][0], &spread);
	} else {
		write_parts(folder, form, data, size, data + size);
	}
	snprintf(path, sizeof(path), "%s/%s", folder, names[form][0]);
	test_host_init(&host);
	host.limit = ((size_t)32 << 20) + 4 * size;
	require(f2fs_context_open(&host.host, &ctx) == 0);
	if (f2fs_device_open_image(ctx, path, F2FS_OPEN_READ, &dev) == 0) {
		read_twice(dev);
		f2fs_device_close(dev);
	}
	f2fs_context_close(ctx);
	remove_parts(folder, form);
	if (host.live || host.over_limit)
		abort();
	return 0;
}
