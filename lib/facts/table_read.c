/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read NAT and SIT: consecutive blocks of one copy with one request, holes of image files not at all. An empty volume
 * of any size costs a few requests to the host.
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "facts/finding.h"
#include "facts/table_read.h"
#include "volume/block_read.h"

#define REQUEST_BYTES (1u << 20)

struct reader {
	struct checker *c;
	const struct table *table;
	uint8_t *buffer;
	uint8_t *zero;
};

/* How many blocks from k on follow each other on the device. */
static uint32_t run_length(const struct reader *r, uint32_t k, uint32_t most)
{
	f2fs_blk_t first = r->table->addr(r->c, k);
	uint32_t n = 1;

	while (n < most && k + n < r->table->blocks && r->table->addr(r->c, k + n) == first + n)
		n++;
	return n;
}

/* How many of the n blocks at addr are a hole, or are before the next one. */
static uint32_t extent_blocks(const struct reader *r, f2fs_blk_t addr, uint32_t n, int *is_hole)
{
	const uint32_t bs = r->c->geo->block_size;
	const uint64_t at = (uint64_t)addr * bs;
	uint64_t length = 0;

	*is_hole = 0;
	if (device_extent(r->c->vol->dev, at, &length, is_hole) != 0) {
		error_clear(r->c->ctx);
		return n;
	}
	if (*is_hole && length < bs) {
		*is_hole = 0;
		return 1;
	}
	length = *is_hole ? length / bs : (length + bs - 1) / bs;
	return length < n ? (uint32_t)length : n;
}

static int take_hole(struct reader *r, uint32_t k, uint32_t n)
{
	int err = 0;

	if (!r->table->needs_zero)
		return 0;
	for (uint32_t i = 0; i < n && !err; i++)
		if (r->table->needs_zero(r->c, k + i))
			err = r->table->take(r->c, k + i, r->zero);
	return err;
}

static int lose_blocks(struct reader *r, f2fs_blk_t addr, uint32_t n)
{
	return problem_raise(r->c, &(struct finding){ .problem = (uint16_t)r->table->lost,
						      .has_block = 1,
						      .block = addr,
						      .has_values = 1,
						      .found = n });
}

/* Take n adjacent blocks. A request that fails is split. */
static int take_blocks(struct reader *r, uint32_t k, uint32_t n)
{
	struct checker *c = r->c;
	const uint32_t bs = c->geo->block_size;
	const f2fs_blk_t addr = r->table->addr(c, k);
	int err = volume_device_read(c->vol, c->vol->dev, (uint64_t)addr * bs, r->buffer, (size_t)n * bs);
	const bool is_split = err == F2FS_ERR_IO;

	if (err && !is_split)
		return err;
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *block = r->buffer + (is_split ? 0 : (size_t)i * bs);

		err = 0;
		if (is_split) {
			error_clear(c->ctx);
			err = volume_device_read(c->vol, c->vol->dev, (uint64_t)(addr + i) * bs, r->buffer, bs);
		}
		if (err == F2FS_ERR_IO) {
			error_clear(c->ctx);
			err = lose_blocks(r, addr + i, 1);
		} else if (!err) {
			err = r->table->take(c, k + i, block);
		}
		if (err)
			return err;
	}
	return 0;
}

static int read_all(struct reader *r)
{
	const uint32_t most = REQUEST_BYTES / r->c->geo->block_size;
	int err = 0;

	for (uint32_t k = 0; k < r->table->blocks && !err;) {
		const struct f2fs_progress progress = { .task = "check",
							.phase = r->table->phase,
							.unit = "blocks",
							.done = k,
							.total = r->table->blocks };
		const f2fs_blk_t addr = r->table->addr(r->c, k);
		uint32_t n = run_length(r, k, r->table->blocks);
		int is_hole = 0;
		const bool is_beyond = (uint64_t)addr * r->c->geo->block_size >= f2fs_device_info(r->c->vol->dev)->size;

		if (!is_beyond)
			n = extent_blocks(r, addr, n, &is_hole);
		if (is_beyond) {
			err = lose_blocks(r, addr, n);
		} else if (is_hole) {
			err = take_hole(r, k, n);
		} else {
			n = n < most ? n : most;
			err = take_blocks(r, k, n);
		}
		k += n;
		if (!err)
			err = progress_report(r->c->ctx, &progress);
	}
	return err;
}

int table_read(struct checker *c, const struct table *table)
{
	struct reader r = { .c = c, .table = table };
	int err;

	r.buffer = mem_alloc(c->ctx, REQUEST_BYTES);
	r.zero = mem_zalloc(c->ctx, c->geo->block_size);
	err = r.buffer && r.zero ? read_all(&r) : F2FS_ERR_NOMEM;
	mem_free(c->ctx, r.buffer);
	mem_free(c->ctx, r.zero);
	return err;
}
