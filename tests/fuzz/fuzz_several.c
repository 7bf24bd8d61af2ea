/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume on several devices: the input is cut where the device table says, the last byte makes one of
 * them shorter, longer, the same as another, or leaves it out. Named in order, asked for by path, or both, they are
 * read, checked and repaired. What holds: nothing is asked for that the table does not name, at most as many as it has
 * room for; reading writes nothing; a repair that says that nothing is left is right.
 */
#include "common/exercise.h"
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

#include <f2fskit/format.h>

#include <string.h>

#include "base/bytes.h"
#include "format/structs.h"

#define MEMORY_LIMIT ((size_t)256 << 20)
#define MOST_DEVICES 8u
#define SEGMENT ((uint64_t)2 << 20)
#define SB_OFFSET 1024u

enum { ASKED = 1, REPAIR = 2 };
enum wrong { RIGHT, SHORTER, LONGER, ANOTHER, MISSING, WRONG_KINDS };

struct row {
	struct f2fs_device *devices[MOST_DEVICES];
	unsigned count, asked;
};

/* Cut the device as the table says; where that makes no sense, into halves. */
static void cut(struct f2fs_device *dev, unsigned which, enum wrong wrong, struct row *row)
{
	const uint64_t end = f2fs_device_info(dev)->size;
	uint8_t sb[sb_SIZE];
	uint64_t at = 0;

	row->count = row->asked = 0;
	if (f2fs_device_read(dev, SB_OFFSET, sb, sizeof(sb)) != 0)
		return;
	for (unsigned i = 0; i < MOST_DEVICES && at < end; i++) {
		const uint8_t *entry = sb + sb_OFS_devs + i * sbdev_SIZE;
		uint64_t length = (uint64_t)sbdev_total_segments(entry) * SEGMENT, from = at;

		if (length == 0 && i > 0)
			break;
		if (length == 0 || length > end - at)
			length = i ? end - at : end / 2 / SEGMENT * SEGMENT;
		at += length;
		if (i == which % MOST_DEVICES) {
			if (wrong == MISSING)
				continue;
			length = wrong == SHORTER && length > SEGMENT ? length - 4096 : length;
			length = wrong == LONGER && end - from >= length + SEGMENT ? length + SEGMENT : length;
			from = wrong == ANOTHER ? 0 : from;
		}
		if (f2fs_device_open_slice(dev, from, length, &row->devices[row->count]) == 0)
			row->count++;
	}
}

static int give(void *user, const char *path, struct f2fs_device **out)
{
	struct row *row = user;

	require(path[0] != 0 && strlen(path) < 64, "a path that the table has no room for");
	require(++row->asked < MOST_DEVICES, "more are asked for than the table has room for");
	if (row->asked >= row->count)
		return F2FS_ERR_NOT_FOUND;
	*out = row->devices[row->asked]; /* the caller closes it */
	row->devices[row->asked] = NULL;
	return 0;
}

static void read_all(struct f2fs_context *ctx, struct row *row, const struct f2fs_open_options *open)
{
	static const struct exercise_limits limits = {
		.entries = 60, .table = 30, .extents = 30, .bytes = 20000, .identities = 30
	};
	struct exercise_result result;
	struct f2fs_volume *vol;

	if (f2fs_volume_open(ctx, row->devices[0], open, &vol) != 0)
		return;
	exercise_volume(vol, &limits, &result);
	f2fs_volume_close(vol);
}

static void join(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const unsigned choice = c->data[c->size - 1], which = c->data[c->size - 2];
	struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .cache_bytes = 1 << 20 };
	struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = (choice & REPAIR) != 0 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	const struct f2fs_fault_rule none = { 0 };
	uint64_t reads, writes, flushes;
	struct f2fs_device *watched;
	struct row row;

	if (c->block_bits != 12 || f2fs_device_open_fault(dev, &watched) != 0)
		return;
	f2fs_device_fault_set(watched, &none);
	cut(watched, which, choice >> 2 & 7 ? (enum wrong)((choice >> 2) % WRONG_KINDS) : RIGHT, &row);
	if (row.count > 0) {
		if (choice & ASKED) {
			open.open_device = give;
			open.user = &row;
		} else {
			open.devices = row.devices + 1;
			open.device_count = row.count - 1;
		}
		read_all(ctx, &row, &open);
		f2fs_device_fault_counts(watched, &reads, &writes, &flushes);
		require(writes == 0, "reading wrote");
		options.open = &open;
		if (!(choice & ASKED) && f2fs_check(ctx, row.devices[0], &options, &result) == 0 && options.repair &&
		    (result.state == F2FS_CHECK_SOUND || result.state == F2FS_CHECK_REPAIRED)) {
			options.repair = 0;
			memset(&result, 0, sizeof(result));
			result.struct_size = sizeof(result);
			require(f2fs_check(ctx, row.devices[0], &options, &result) == 0 && result.found == 0,
				"a repair that left nothing left something");
		}
	}
	for (unsigned i = 0; i < row.count; i++)
		f2fs_device_close(row.devices[i]);
	f2fs_device_close(watched);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, join);
}
