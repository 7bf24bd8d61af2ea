/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Damage of an undo file: a recording is made, the input changes bytes of it and cuts it, then it is played back.
 * Either the device gets exactly its old bytes or not a byte of it changes; by force each block is as it was, or as it
 * is.
 *
 * Input: a byte of flags, two bytes that say how much is cut off, then changes of four bytes: place in the file (three
 * bytes, modulo its length), value that is combined with the old byte.
 */
#include <f2fskit/device.h>

#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "fuzz/fuzz.h"

#define SIZE 300000u /* no multiple of a block */
#define LOG_SIZE (512u << 10)
#define BLOCK 4096u

enum { CLOSE = 1, FORCE = 2 };

struct play {
	struct f2fs_device *target, *log;
	uint8_t *old, *now, *after;
};

static void need(int rc)
{
	if (rc != 0)
		abort();
}

static uint64_t get(const uint8_t *data, unsigned count)
{
	uint64_t value = 0;

	while (count-- > 0)
		value = value << 8 | data[count];
	return value;
}

/* Bytes that differ from place to place. */
static void fill(uint8_t *out, size_t length, uint32_t seed)
{
	for (size_t i = 0; i < length; i++) {
		seed = seed * 1664525u + 1013904223u;
		out[i] = (uint8_t)(seed >> 24);
	}
}

/* Some bytes and some holes, then overwritten in part while that is recorded. */
static void record(struct f2fs_context *ctx, struct play *p, int closes)
{
	struct f2fs_device *undo;

	need(f2fs_device_open_memory(ctx, SIZE, &p->target));
	need(f2fs_device_open_memory(ctx, LOG_SIZE, &p->log));
	for (unsigned at = 0; at + 9000 < SIZE; at += 40000) {
		fill(p->old + at, 9000, at + 1);
		need(f2fs_device_write(p->target, at, p->old + at, 9000));
	}
	need(f2fs_device_open_undo(p->target, p->log, &undo));
	for (unsigned i = 0; i < 12; i++) {
		fill(p->now, 6000, 100 + i);
		need(f2fs_device_write(undo, i * 23000, p->now, 6000));
	}
	need(f2fs_device_zero(undo, SIZE - 5000, 5000));
	need(f2fs_device_flush(undo));
	if (closes)
		f2fs_device_close(undo);
	need(f2fs_device_read(p->target, 0, p->now, SIZE));
	if (!closes) { /* closing writes the seal: the present contents are kept for the file that was cut */
		uint8_t *file = malloc(LOG_SIZE);

		if (!file)
			abort();
		need(f2fs_device_read(p->log, 0, file, LOG_SIZE));
		f2fs_device_close(undo);
		need(f2fs_device_write(p->log, 0, file, LOG_SIZE));
		free(file);
	}
}

static void damage(struct play *p, const uint8_t *data, size_t size)
{
	const uint64_t cut = get(data, 2) % 200u == 0 ? get(data, 2) * 8 % LOG_SIZE : 0;
	struct f2fs_device *shorter;

	for (size_t at = 2; at + 4 <= size && at < 400; at += 4) {
		const uint64_t place = get(data + at, 3) % LOG_SIZE;
		uint8_t byte;

		need(f2fs_device_read(p->log, place, &byte, 1));
		byte ^= data[at + 3];
		need(f2fs_device_write(p->log, place, &byte, 1));
	}
	if (cut) {
		need(f2fs_device_open_slice(p->log, 0, LOG_SIZE - cut, &shorter));
		f2fs_device_close(p->log);
		p->log = shorter;
	}
}

/* Every block is wholly the old one or wholly the present one. */
static int is_mix(const struct play *p)
{
	for (uint32_t at = 0; at < SIZE; at += BLOCK) {
		const uint32_t n = SIZE - at < BLOCK ? SIZE - at : BLOCK;

		if (memcmp(p->after + at, p->old + at, n) != 0 && memcmp(p->after + at, p->now + at, n) != 0)
			return 0;
	}
	return 1;
}

static void play(struct f2fs_context *ctx, struct play *p, const uint8_t *data, size_t size)
{
	const int forces = data[0] & FORCE;
	struct f2fs_undo_info info = { F2FS_SIZED(f2fs_undo_info) };
	int rc;

	record(ctx, p, data[0] & CLOSE);
	damage(p, data + 1, size - 1);
	rc = f2fs_undo_play(p->log, p->target, forces, &info);
	need(f2fs_device_read(p->target, 0, p->after, SIZE));
	if (rc != 0 && memcmp(p->after, p->now, SIZE) != 0)
		abort();
	if (rc == 0 && !forces && memcmp(p->after, p->old, SIZE) != 0)
		abort();
	if (rc == 0 && forces && !is_mix(p))
		abort();
	f2fs_device_close(p->log);
	f2fs_device_close(p->target);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct play p = { .old = calloc(1, SIZE), .now = calloc(1, SIZE), .after = calloc(1, SIZE) };
	struct test_host host;
	struct f2fs_context *ctx;

	if (!p.old || !p.now || !p.after)
		abort();
	test_host_init(&host);
	if (f2fs_context_open(&host.host, &ctx) != 0)
		abort();
	if (size >= 3)
		play(ctx, &p, data, size);
	f2fs_context_close(ctx);
	if (host.live)
		abort();
	free(p.old);
	free(p.now);
	free(p.after);
	return 0;
}
