/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counting device.
 */
#include "lab/meter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 << 10, SMALL_DISCARD = 256 << 10 };

struct lab_meter {
	struct f2fs_device *inner;
	struct lab_meter_counts counts;
	uint64_t end; /* of the write before */
};

static uint64_t total(const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < count; i++)
		n += iov[i].length;
	return n;
}

static unsigned class_of(uint64_t length, unsigned classes)
{
	unsigned size = 0;

	while (size + 1 < classes && length > (uint64_t)4096 << size)
		size++;
	return size;
}

static int meter_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct lab_meter *m = self;

	m->counts.reads++;
	m->counts.read_bytes += total(iov, count);
	return f2fs_device_readv(m->inner, offset, iov, count);
}

static int meter_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct lab_meter *m = self;
	const uint64_t length = total(iov, count);

	m->counts.writes++;
	m->counts.written_bytes += length;
	m->counts.following += offset == m->end;
	m->counts.pieces += (length + PIECE - 1) / PIECE;
	m->counts.whole_pieces += length / PIECE;
	m->counts.sizes[class_of(length, F2FS_COUNTER_SIZES)]++;
	m->end = offset + length;
	return f2fs_device_writev(m->inner, offset, iov, count);
}

static int meter_zero(void *self, uint64_t offset, uint64_t length)
{
	struct lab_meter *m = self;

	m->counts.zeros++;
	m->counts.zero_bytes += length;
	return f2fs_device_zero(m->inner, offset, length);
}

static int meter_discard(void *self, uint64_t offset, uint64_t length)
{
	struct lab_meter *m = self;

	m->counts.discards++;
	m->counts.discard_bytes += length;
	m->counts.small_discards += length < SMALL_DISCARD;
	m->counts.discard_sizes[class_of(length, LAB_DISCARD_SIZES)]++;
	return f2fs_device_discard(m->inner, offset, length);
}

static int meter_flush(void *self)
{
	struct lab_meter *m = self;

	m->counts.flushes++;
	return f2fs_device_flush(m->inner);
}

static int meter_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	return f2fs_device_extent(((struct lab_meter *)self)->inner, offset, length, is_hole);
}

static int meter_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	return f2fs_device_zones(((struct lab_meter *)self)->inner, first, zones, count, found);
}

static int meter_zone_reset(void *self, uint64_t offset)
{
	return f2fs_device_zone_reset(((struct lab_meter *)self)->inner, offset);
}

static int meter_zone_finish(void *self, uint64_t offset)
{
	return f2fs_device_zone_finish(((struct lab_meter *)self)->inner, offset);
}

static void meter_close(void *self)
{
	struct lab_meter *m = self;

	f2fs_device_close(m->inner);
	free(m);
}

int lab_meter_open(struct f2fs_context *ctx, struct f2fs_device *inner, struct f2fs_device **out,
		   struct lab_meter **meter)
{
	static const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = meter_read,
						    .write = meter_write,
						    .zero = meter_zero,
						    .discard = meter_discard,
						    .flush = meter_flush,
						    .extent = meter_extent,
						    .zones = meter_zones,
						    .zone_reset = meter_zone_reset,
						    .zone_finish = meter_zone_finish,
						    .close = meter_close };
	struct f2fs_device_info info = *f2fs_device_info(inner);
	struct lab_meter *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a meter");
	/* one write after the other, so that counts repeat; count discards even if the device ignores them */
	info.caps &= ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE);
	info.caps |= F2FS_DEVICE_DISCARD;
	m->inner = f2fs_device_ref(inner);
	err = f2fs_device_open_custom(ctx, &ops, m, &info, out);
	if (err)
		meter_close(m);
	else
		*meter = m;
	return err;
}

const struct lab_meter_counts *lab_meter_counts(const struct lab_meter *meter)
{
	return &meter->counts;
}

void lab_meter_reset(struct lab_meter *meter)
{
	memset(&meter->counts, 0, sizeof(meter->counts));
}

const char *lab_meter_compare(const struct lab_meter_counts *seen, const struct f2fs_counters *said, char buffer[160])
{
	uint64_t bytes = 0, requests = 0;

	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++) {
		bytes += said->bytes[i];
		requests += said->requests[i];
	}
	const struct {
		const char *what;
		uint64_t seen, said;
	} rows[] = { { "bytes written", seen->written_bytes, bytes },
		     { "writes", seen->writes, requests },
		     { "bytes zeroed", seen->zero_bytes, said->zero_bytes },
		     { "bytes discarded", seen->discard_bytes, said->discard_bytes },
		     { "discards", seen->discards, said->discards },
		     { "flushes", seen->flushes, said->flushes } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].seen != rows[i].said) {
			snprintf(buffer, 160, "%s: the device saw %" PRIu64 ", the library counted %" PRIu64,
				 rows[i].what, rows[i].seen, rows[i].said);
			return buffer;
		}
	}
	if (memcmp(seen->sizes, said->sizes, sizeof(seen->sizes)) == 0)
		return NULL;
	snprintf(buffer, 160, "the device saw writes of other lengths than the library counted");
	return buffer;
}
