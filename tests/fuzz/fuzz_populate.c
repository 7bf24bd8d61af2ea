/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a tar archive or a manifest that fills a volume, once or twice. Two bytes choose the source, the
 * features and the treatment of existing files, or a read error of the source, which is reported. The volume stays
 * sound: whatever the source says, the checker finds nothing after a commit, no call finds damage, and memory stays
 * bounded and is given back.
 */
#include <f2fskit/f2fskit.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "fuzz/fuzz.h"

#define VOLUME_SIZE ((uint64_t)48 << 20)
#define MEMORY_LIMIT ((size_t)96 << 20)
#define MAX_INPUT 65536u

enum choice { WITH_MANIFEST = 1, WITH_DELETE = 2, WITH_COMPRESSION = 4, TWICE = 8, KEEP_LITTLE = 16, FAULT = 32 };

struct stream {
	const uint8_t *data;
	size_t left;
	size_t good;   /* bytes before reading fails */
	int has_failed;
};

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* In pieces of a size that nothing is aligned to. */
static int read_stream(void *user, void *buffer, size_t length, size_t *got)
{
	struct stream *s = user;

	*got = length < 1000 ? length : 1000;
	if (*got > s->left)
		*got = s->left;
	if (s->good == 0 && s->left > 0) {
		s->has_failed = 1;
		return EIO;
	}
	if (*got > s->good)
		*got = s->good;
	s->good -= *got;
	memcpy(buffer, s->data, *got);
	s->data += *got;
	s->left -= *got;
	return 0;
}

static int on_problem(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	fprintf(stderr, "%s: %s\n", problem->info->name, problem->message);
	return F2FS_DECIDE_SKIP;
}

static void require_clean(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .depth = F2FS_CHECK_CONTENT, .problem = on_problem, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	require(f2fs_check(ctx, dev, &options, &result) == 0 && result.found == 0, "the filled volume is not clean");
}

/* Returns 0 when the result is committed. */
static int fill(struct f2fs_context *ctx, struct f2fs_volume *vol, unsigned choice, int existing, const uint8_t *data,
		size_t size)
{
	const struct f2fs_populate_compression compression = { F2FS_SIZED(f2fs_populate_compression),
							       .how = { .algorithm = 1, .log_cluster = 2 } };
	struct stream stream = { .data = data, .left = size, .good = choice & FAULT ? size / 3 * 2 : SIZE_MAX };
	const struct f2fs_input input = { .read = read_stream, .user = &stream };
	const struct f2fs_populate_options options = {
		F2FS_SIZED(f2fs_populate_options),
		.tar = choice & WITH_MANIFEST ? NULL : &input,
		.manifest = choice & WITH_MANIFEST ? &input : NULL,
		.keep = choice & KEEP_LITTLE ? (unsigned)F2FS_KEEP_MODE : 0,
		.existing = existing,
		.flags = choice & WITH_DELETE ? F2FS_POPULATE_DELETE : F2FS_POPULATE_PACK,
		.compression = choice & WITH_COMPRESSION ? &compression : NULL,
	};
	struct f2fs_populate_result result = { F2FS_SIZED(f2fs_populate_result) };
	int err = f2fs_populate(vol, &options, &result);

	if (f2fs_context_error(ctx)->code != err)
		fprintf(stderr, "%s: the call returns %d\n", f2fs_context_error(ctx)->message, err);
	require(f2fs_context_error(ctx)->code == err, "the context has another error");
	/* anything may follow the end of an archive */
	require(err != 0 || !stream.has_failed || !(choice & WITH_MANIFEST), "it could not be read, and all went well");
	require(err != F2FS_ERR_CORRUPT && err != F2FS_ERR_NOMEM, "a new volume looks damaged, or memory ran out");
	require((err == F2FS_ERR_INCOMPLETE) == (result.problems > 0) || (err && err != F2FS_ERR_INCOMPLETE),
		"problems are not reported");
	if (err != 0 && err != F2FS_ERR_INCOMPLETE) {
		f2fs_volume_rollback(vol);
		return err;
	}
	err = f2fs_volume_commit(vol);
	require(err == 0 || err == F2FS_ERR_NOSPC, "the commit fails");
	return err;
}

static void fill_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const uint8_t *data, size_t size)
{
	static const uint32_t features[] = {
		0,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION | F2FS_FEAT_PROJECT_QUOTA,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_CASEFOLD | F2FS_FEAT_INODE_CHECKSUM,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION | F2FS_FEAT_QUOTA | F2FS_FEAT_FLEXIBLE_INLINE_XATTR |
			F2FS_FEAT_INODE_CRTIME,
	};
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = features[data[1] % 4] };
	const struct f2fs_mkfs_device device = { .device = dev };
	struct f2fs_volume *vol;
	int err;

	require(f2fs_mkfs_write(ctx, &device, 1, &options, NULL) == 0, "no volume");
	require(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "a new volume cannot be opened");
	err = fill(ctx, vol, data[0], F2FS_EXISTING_REPLACE, data + 2, size - 2);
	if (!err && data[0] & TWICE)
		fill(ctx, vol, data[0], data[1] / 4 % 4, data + 2, size - 2);
	f2fs_volume_close(vol);
	require_clean(ctx, dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;

	if (size < 2 || size > MAX_INPUT)
		return 0;
	/* a manifest may name files of the host, which are not on trial */
	for (size_t i = 2; data[0] & WITH_MANIFEST && i + 5 <= size; i++)
		if (memcmp(data + i, "ource", 5) == 0)
			return 0;
	test_host_init(&host);
	host.limit = MEMORY_LIMIT;
	require(f2fs_context_open(&host.host, &ctx) == 0, "no context");
	require(f2fs_device_open_memory(ctx, VOLUME_SIZE, &dev) == 0, "no device");
	fill_volume(ctx, dev, data, size);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	require(host.live == 0 && host.over_limit == 0, "memory was kept, or too much was asked for");
	return 0;
}
