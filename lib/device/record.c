/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Record the writes to a device, with the data and the flushes between: a crash test replays prefixes of it. Only
 * successful writes are recorded. Memory grows with the writes; it is for tests.
 */
#include <string.h>

#include "base/error.h"
#include "base/vec.h"
#include "device/iov.h"
#include "device/layer.h"

struct recorder {
	struct layer layer;
	struct vec records; /* struct f2fs_record; data belongs to it */
};

/* Make room for one more, so that adding it after the operation cannot fail. */
static int prepare(struct recorder *recorder)
{
	return vec_reserve(&recorder->records, 1);
}

static void add(struct recorder *recorder, int kind, uint64_t offset, uint64_t length, const uint8_t *data)
{
	struct f2fs_record *record = vec_push(&recorder->records, 1);

	record->kind = kind;
	record->offset = offset;
	record->length = length;
	record->data = data;
}

static int write_recorder(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct recorder *recorder = self;
	const uint64_t length = iov_length_capped(iov, count);
	struct iov_cursor cursor;
	uint8_t *data;
	int rc = prepare(recorder);

	if (rc != 0)
		return rc;
	if (length > SIZE_MAX)
		return F2FS_ERR_NOMEM;
	data = mem_alloc(recorder->layer.ctx, (size_t)length);
	if (!data)
		return F2FS_ERR_NOMEM;
	iov_cursor_init(&cursor, iov, count);
	iov_copy_out(&cursor, data, (size_t)length);
	rc = device_writev_quiet(recorder->layer.inner, offset, iov, count);
	if (rc == 0)
		add(recorder, F2FS_RECORD_WRITE, offset, length, data);
	else
		mem_free(recorder->layer.ctx, data);
	return rc;
}

static int zero_recorder(void *self, uint64_t offset, uint64_t length)
{
	struct recorder *recorder = self;
	int rc = prepare(recorder);

	if (rc == 0)
		rc = device_zero_quiet(recorder->layer.inner, offset, length);
	if (rc == 0)
		add(recorder, F2FS_RECORD_ZERO, offset, length, NULL);
	return rc;
}

static int discard_recorder(void *self, uint64_t offset, uint64_t length)
{
	struct recorder *recorder = self;
	int rc = prepare(recorder);

	if (rc == 0)
		rc = device_discard_quiet(recorder->layer.inner, offset, length);
	if (rc == 0)
		add(recorder, F2FS_RECORD_DISCARD, offset, length, NULL);
	return rc;
}

static int flush_recorder(void *self)
{
	struct recorder *recorder = self;
	int rc = prepare(recorder);

	if (rc == 0)
		rc = device_flush_quiet(recorder->layer.inner);
	if (rc == 0)
		add(recorder, F2FS_RECORD_FLUSH, 0, 0, NULL);
	return rc;
}

static int read_recorder(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return layer_read(self, offset, iov, count);
}

static void forget(struct recorder *recorder)
{
	for (size_t i = 0; i < recorder->records.count; i++) {
		const struct f2fs_record *record = vec_at(&recorder->records, i);

		mem_free(recorder->layer.ctx, (void *)(uintptr_t)record->data);
	}
	vec_fini(&recorder->records);
}

static void close_recorder(void *self)
{
	forget(self);
	layer_close(self);
}

static const struct f2fs_device_ops recorder_ops = {
	.read = read_recorder,
	.write = write_recorder,
	.zero = zero_recorder,
	.discard = discard_recorder,
	.flush = flush_recorder,
	.extent = layer_extent,
	.zones = layer_zones,
	.zone_reset = layer_zone_reset,
	.zone_finish = layer_zone_finish,
	.close = close_recorder,
};

int f2fs_device_open_recorder(struct f2fs_device *inner, struct f2fs_device **out)
{
	struct recorder *recorder;
	int rc;

	error_clear(inner->ctx);
	rc = layer_make(inner, sizeof(*recorder), &recorder_ops,
			inner->info.caps & ~(uint32_t)F2FS_DEVICE_PARALLEL_WRITE, out);
	if (rc != 0)
		return rc;
	recorder = (*out)->self;
	vec_init(&recorder->records, inner->ctx, sizeof(struct f2fs_record));
	return 0;
}

uint64_t f2fs_device_record_count(const struct f2fs_device *recorder)
{
	const struct recorder *r = device_self(recorder, read_recorder);

	return r ? r->records.count : 0;
}

int f2fs_device_record_at(const struct f2fs_device *recorder, uint64_t index, struct f2fs_record *out)
{
	const struct recorder *r = device_self(recorder, read_recorder);

	error_clear(recorder->ctx);
	if (!r)
		return error_set(recorder->ctx, F2FS_ERR_INVALID, "%s is not a recorder", recorder->name);
	if (index >= r->records.count)
		return error_set(recorder->ctx, F2FS_ERR_RANGE, "there are %zu records, not %llu", r->records.count,
				 (unsigned long long)index + 1);
	*out = *(const struct f2fs_record *)vec_at(&r->records, (size_t)index);
	return 0;
}

void f2fs_device_record_clear(struct f2fs_device *recorder)
{
	struct recorder *r = device_self(recorder, read_recorder);

	if (r)
		forget(r);
}
