/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the writes to a volume, by cause. All writes of the write side go through here, so that the sum is that of the
 * device. Readers of earlier states (beside.h) learn of each write before it happens.
 */
#include <f2fskit/engine.h>

#include "base/sized.h"
#include "device/device.h"
#include "volume/beside.h"
#include "volume/counters.h"

static const char *const causes[] = {
#define CAUSE(id, number, name, text) [number] = name,
	F2FS_WRITE_CAUSE_TABLE(CAUSE)
#undef CAUSE
};

static const char *const texts[] = {
#define CAUSE(id, number, name, text) [number] = text,
	F2FS_WRITE_CAUSE_TABLE(CAUSE)
#undef CAUSE
};

const char *f2fs_write_cause_name(unsigned cause)
{
	return cause < F2FS_WRITE_CAUSES ? causes[cause] : NULL;
}

const char *f2fs_write_cause_text(unsigned cause)
{
	return cause < F2FS_WRITE_CAUSES ? texts[cause] : NULL;
}

void f2fs_volume_counters(const struct f2fs_volume *vol, struct f2fs_counters *out)
{
	sized_give(out, &vol->counters, sizeof(vol->counters));
}

/* Bytes are about to be overwritten. */
static void will_write(struct f2fs_volume *vol, uint64_t offset, uint64_t length)
{
	const uint32_t bits = vol->geo.block_bits;
	const uint64_t first = offset >> bits, end = (offset + length + vol->geo.block_size - 1) >> bits;

	if (first >= vol->geo.main_blkaddr && end <= vol->geo.end_blkaddr)
		marks_add(&vol->written, &vol->geo, (f2fs_blk_t)first, end - first);
	beside_note(vol, offset, length);
}

void counters_add(struct f2fs_volume *vol, unsigned cause, uint64_t offset, uint64_t length)
{
	unsigned size = 0;

	will_write(vol, offset, length);

	vol->counters.bytes[cause] += length;
	vol->counters.requests[cause]++;
	while (size + 1 < F2FS_COUNTER_SIZES && length > (uint64_t)4096 << size)
		size++;
	vol->counters.sizes[size]++;
}

int volume_write(struct f2fs_volume *vol, unsigned cause, uint64_t offset, const void *data, size_t length)
{
	counters_add(vol, cause, offset, length);
	return device_write(vol->cache, offset, data, length);
}

int volume_zero(struct f2fs_volume *vol, uint64_t offset, uint64_t length)
{
	vol->counters.zero_bytes += length;
	vol->counters.zero_requests++;
	will_write(vol, offset, length);
	return device_zero(vol->cache, offset, length);
}

int volume_discard(struct f2fs_volume *vol, uint64_t offset, uint64_t length)
{
	vol->counters.discard_bytes += length;
	vol->counters.discards++;
	beside_note(vol, offset, length);
	return device_discard(vol->cache, offset, length);
}

int volume_flush_once(struct f2fs_volume *vol)
{
	int err = vol->is_flushed ? 0 : volume_flush(vol);

	vol->is_flushed = !err;
	return err;
}

int volume_flush(struct f2fs_volume *vol)
{
	vol->counters.flushes++;
	return device_flush(vol->cache);
}
