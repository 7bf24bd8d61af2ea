/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a volume. Everything that can be refused is refused before the first write. Then present superblocks are
 * cleared, so that from here on nothing mounts. Contents are discarded, tables and first blocks written, then the
 * packs. When all that is durable, the superblocks follow. If interrupted at any point, the device holds no volume or
 * the new one.
 */
#include "mkfs/run.h"
#include "base/sized.h"
#include "mkfs/areas.h"
#include "mkfs/checkpoint.h"
#include "mkfs/names.h"
#include "mkfs/plan.h"
#include "mkfs/superblock.h"
#include "mkfs/tree.h"

#include <string.h>

#include "base/error.h"
#include "device/device.h"

/* A random UUID, version 4 (RFC 4122). */
static int choose_uuid(struct mkfs *m)
{
	uint8_t *uuid = m->result.uuid;
	int err;

	if (m->options->uuid) {
		memcpy(uuid, m->options->uuid, sizeof(m->result.uuid));
		return 0;
	}
	err = random_fill(m->ctx, uuid, sizeof(m->result.uuid));
	uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40);
	uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
	return err;
}

/*
 * Choose a random version, so that nodes of an older volume are not taken for this one's. It is far from wrapping
 * around.
 */
static int choose_version(struct mkfs *m)
{
	uint8_t bytes[4];
	int err = 0;

	m->result.checkpoint_version = m->options->checkpoint_version;
	if (m->options->checkpoint_version == 0) {
		err = random_fill(m->ctx, bytes, sizeof(bytes));
		m->result.checkpoint_version = (get_le32(bytes) & 0x7FFFFFFF) | 1;
	}
	return err;
}

static int choose(struct mkfs *m)
{
	int err = choose_uuid(m);

	if (!err)
		err = choose_version(m);
	m->result.time = m->options->has_time ? m->options->time : clock_now(m->ctx) / 1000000000;
	return err;
}

/* All devices in a row, so that a block address is a place on one. */
static int join_devices(struct mkfs *m)
{
	struct f2fs_device_part parts[F2FS_MAX_DEVICES];

	if (m->device_count == 1) {
		m->whole = f2fs_device_ref(m->devices[0].device);
		return 0;
	}
	for (unsigned i = 0; i < m->device_count; i++) {
		const struct f2fs_layout_device *place = &m->layout->devices[i];

		parts[i].device = m->devices[i].device;
		parts[i].offset = 0;
		parts[i].length = mkfs_byte(m, place->end - place->start);
	}
	return f2fs_device_open_multi(m->ctx, parts, m->device_count, &m->whole);
}

static void count_blocks(struct mkfs *m)
{
	m->result.valid_nodes = m->node_count;
	m->result.valid_blocks = (uint64_t)m->layout->alias_segments * F2FS_SEGMENT_BLOCKS;
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		m->result.valid_blocks += m->logs[i].count;
}

static int prepare(struct mkfs *m)
{
	int err = mkfs_check_names(m->ctx, m->devices, m->device_count, m->options);

	if (!err)
		err = mkfs_plan(m->ctx, m->devices, m->device_count, m->options, &m->result.layout);
	for (unsigned i = 0; !err && i < m->device_count; i++)
		if (!(f2fs_device_info(m->devices[i].device)->caps & F2FS_DEVICE_WRITE))
			err = error_set(m->ctx, F2FS_ERR_READ_ONLY, "device %u of the volume cannot be written", i);
	if (!err)
		err = choose(m);
	if (!err)
		err = join_devices(m);
	if (!err)
		err = mkfs_build_tree(m);
	if (!err)
		err = mkfs_fill_superblock(m);
	count_blocks(m);
	return err;
}

static int flush_all(struct mkfs *m)
{
	return device_flush(m->whole);
}

static int write_all(struct mkfs *m)
{
	static int (*const steps[])(struct mkfs * m) = {
		mkfs_clear_superblocks, mkfs_discard, mkfs_write_areas,	      mkfs_write_logs,
		mkfs_write_packs,	flush_all,    mkfs_write_superblocks,
	};

	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		int err = steps[i](m);

		if (err)
			return err;
	}
	return 0;
}

int f2fs_mkfs_write(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
		    const struct f2fs_mkfs_options *options, struct f2fs_mkfs_result *out)
{
	struct f2fs_mkfs_options own;
	struct mkfs m;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(ctx, out, sizeof(m.result));
	if (err)
		return err;
	memset(&m, 0, sizeof(m));
	m.ctx = ctx;
	m.options = &own;
	m.devices = devices;
	m.device_count = count;
	m.layout = &m.result.layout;
	m.geo = &m.layout->geometry;
	err = prepare(&m);
	if (!err)
		err = write_all(&m);
	if (!err)
		sized_give(out, &m.result, sizeof(m.result));
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		mem_free(ctx, m.logs[i].blocks);
	f2fs_device_close(m.whole);
	return err;
}
