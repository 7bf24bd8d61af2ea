/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read blocks of an open volume, directly and through the cache; record blocks that break a rule, and the notes that a
 * volume keeps for its user.
 */
#define F2FSKIT_ERRORS_THEMSELVES /* volume_corrupt() is defined here */
#include "volume/volume.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "device/device.h"
#include "volume/block_read.h"

int volume_corrupt(struct f2fs_volume *vol, enum rule rule, uint64_t block, f2fs_nid_t nid, const char *format, ...)
{
	const struct f2fs_rule *row = rule_row(rule);
	struct error_where where = { .structure = row->structure, .rule = row->name, .nid = nid };
	char place[64] = "", id[32] = "", detail[200] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	if (block != F2FS_NO_BLOCK) {
		where.block_plus1 = block + 1;
		snprintf(place, sizeof(place), " at block %llu", (unsigned long long)block);
	}
	if (nid)
		snprintf(id, sizeof(id), ", node id %u", (unsigned)nid);
	return error_at(vol->ctx, F2FS_ERR_CORRUPT, &where, "%s%s%s breaks %s (%s)%s%s", row->structure, place, id,
			row->name, row->text, detail[0] ? ": " : "", detail);
}

int volume_note(struct f2fs_volume *vol, const char *format, ...)
{
	char text[400];
	va_list args;
	char **slot;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (!vol->has_rival) /* else volume_open() reports it, when it is known which copy is used */
		log_message(vol->ctx, F2FS_LOG_WARNING, "%s", text);
	slot = vec_push(&vol->notes, 1);
	if (!slot)
		return F2FS_ERR_NOMEM;
	*slot = mem_strdup(vol->ctx, text);
	if (!*slot) {
		vol->notes.count--;
		return F2FS_ERR_NOMEM;
	}
	return 0;
}

const char *f2fs_volume_note(const struct f2fs_volume *vol, unsigned index)
{
	return index < vol->notes.count ? *(char **)vec_at(&vol->notes, index) : NULL;
}

int volume_device_read(struct f2fs_volume *vol, struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	int err = device_read(dev, offset, buffer, length);

	vol->failed_reads += err != 0;
	if (err == F2FS_ERR_RANGE)
		err = vol->ctx->error.code = F2FS_ERR_IO;
	return err;
}

int volume_peek(struct f2fs_volume *vol, f2fs_blk_t addr, const uint8_t **out)
{
	const uint64_t offset = (uint64_t)addr * vol->geo.block_size;
	int err = vol->ops.running ? vol->ops.running->write_out(vol, addr, 1) : 0;

	if (err)
		return err;
	*out = device_peek(vol->cache, offset, vol->geo.block_size);
	if (*out)
		return 0;
	if (!vol->peek_block) {
		vol->peek_block = mem_alloc(vol->ctx, vol->geo.block_size);
		if (!vol->peek_block)
			return F2FS_ERR_NOMEM;
	}
	err = volume_device_read(vol, vol->cache, offset, vol->peek_block, vol->geo.block_size);
	*out = vol->peek_block;
	return err;
}

int volume_read(struct f2fs_volume *vol, f2fs_blk_t addr, uint64_t within, void *buffer, size_t length)
{
	const struct volume_running *running = vol->ops.running;
	const uint32_t bits = vol->geo.block_bits;

	if (running) {
		const bool is_one = within + length <= vol->geo.block_size;
		const uint8_t *waiting = is_one ? running->find_waiting(vol, addr) : NULL;
		int err;

		if (waiting) {
			memcpy(buffer, waiting + within, length);
			return 0;
		}
		/* no block more: a log counts on its reserved blocks staying in memory */
		err = running->write_out(vol, addr, (within + length + vol->geo.block_size - 1) >> bits);
		if (err)
			return err;
	}
	return volume_device_read(vol, vol->dev, ((uint64_t)addr << bits) + within, buffer, length);
}

int volume_read_twice(struct f2fs_volume *vol, f2fs_blk_t addr, uint32_t count, uint8_t *buffer)
{
	const uint32_t bits = vol->geo.block_bits;
	int err = volume_read(vol, addr, 0, buffer, (size_t)count << bits);

	for (uint32_t at = 0, end; at < count && !err; at = end + 1) {
		uint8_t *run = buffer + ((size_t)at << bits);

		for (end = at; end < count && is_zero(buffer + ((size_t)end << bits), vol->geo.block_size); end++)
			;
		if (end > at)
			err = volume_read(vol, addr + at, 0, run, (size_t)(end - at) << bits);
	}
	return err;
}

int f2fs_block_read(struct f2fs_volume *vol, f2fs_blk_t addr, uint32_t count, void *buffer)
{
	error_clear(vol->ctx);
	if (addr + (uint64_t)count > vol->geo.end_blkaddr)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "block %llu is beyond the end of the volume at %llu",
				 (unsigned long long)addr + count - 1, (unsigned long long)vol->geo.end_blkaddr);
	if (count > SIZE_MAX / vol->geo.block_size)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "%u blocks are more than memory can hold", (unsigned)count);
	return count ? volume_read(vol, addr, 0, buffer, (size_t)count * vol->geo.block_size) : 0;
}
