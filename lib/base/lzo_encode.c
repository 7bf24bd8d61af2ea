/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZO1X and LZO-RLE, written from the table of instructions in FORMAT files 8.3.
 *
 * The search is greedy. A table holds, for each hash of four bytes, where they were seen last within the current
 * window; the window is as long as the farthest match, so whatever the table says is within reach. The longer nothing
 * was found, the fewer positions are tried.
 */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "base/lzo.h"
#include "base/lzo_encode.h"

#define HASH_BITS 13
#define TABLE_BYTES (sizeof(uint16_t) << HASH_BITS)

/* One less than the farthest distance of the format, which means zeros in LZO-RLE. */
#define WINDOW 49150u

#define MATCH_MIN 4u
#define STEP_SHIFT 5	/* one more position is left out after each 32 without a match */
#define TAIL 20u	/* this many bytes at the end are not searched: reads and copies may be longer than needed */
#define COPY_CHUNK 16u	/* short runs of literals are copied in one piece of this size */
#define ZERO_RUN_MIN 32 /* shorter ones are smaller as matches */
#define ZERO_RUN_MAX 2051

/* Least lengths that need an extension, by the kind of instruction. */
#define LITERALS_EXTENDED 19u
#define MIDDLE_EXTENDED 34u
#define FAR_EXTENDED 10u

#define NEAR_LENGTH_MAX 8u
#define NEAR_DISTANCE_MAX 2048u
#define MIDDLE_DISTANCE_MAX 16384u

struct encoder {
	const uint8_t *told; /* the input before this is in the stream */
	const uint8_t *end;
	uint8_t *out;
	uint8_t *out_end;
	uint8_t *count; /* the byte of the last instruction that counts up to three literals; NULL: none yet */
	bool has_zero_runs;
};

static size_t extension_size(size_t length, size_t least)
{
	return length < least ? 0 : (length - least) / 255 + 1;
}

static uint8_t *put_extension(uint8_t *out, size_t length, size_t least)
{
	size_t left = length - least + 1;

	for (; left > 255; left -= 255)
		*out++ = 0;
	*out++ = (uint8_t)left;
	return out;
}

/*
 * Is there room for @literals and a match of @length? There mostly is, so a rough estimate is tried first. The exact
 * one asks for at most three bytes too many: the end marker, which must follow, takes as many.
 */
static inline bool has_room(const struct encoder *e, size_t literals, size_t length)
{
	size_t room = (size_t)(e->out_end - e->out);

	if (room >= literals + (literals + length) / 128 + 2 * COPY_CHUNK)
		return true;
	return room >= literals + (literals > 3 || (literals && !e->count)) +
			       extension_size(literals, LITERALS_EXTENDED) + 3 +
			       extension_size(length, FAR_EXTENDED);
}

/* Write all bytes up to @to that are not yet written as literals. The caller has made sure that there is room. */
static inline void put_literals(struct encoder *e, const uint8_t *to)
{
	size_t n = (size_t)(to - e->told);
	uint8_t *out = e->out;

	if (n >= LITERALS_EXTENDED) {
		*out++ = 0;
		out = put_extension(out, n, LITERALS_EXTENDED);
	} else if (n > 3) {
		*out++ = (uint8_t)(n - 3);
	} else if (e->count) {
		*e->count |= (uint8_t)n;
	} else if (n) {
		*out++ = (uint8_t)(n + 17);
	}
	if (n <= COPY_CHUNK && (size_t)(e->out_end - out) >= COPY_CHUNK && (size_t)(e->end - e->told) >= COPY_CHUNK)
		memcpy(out, e->told, COPY_CHUNK);
	else
		memcpy(out, e->told, n);
	e->out = out + n;
	e->told = to;
}

/* Write a match. The caller has made sure that there is room. */
static void put_match(struct encoder *e, size_t length, size_t distance)
{
	uint8_t *out = e->out;
	size_t offset = distance - 1;

	e->told += length;
	if (length <= NEAR_LENGTH_MAX && distance <= NEAR_DISTANCE_MAX) {
		e->count = out;
		out[0] = (uint8_t)((length - 1) << 5 | (offset & 7) << 2);
		out[1] = (uint8_t)(offset >> 3);
		e->out = out + 2;
		return;
	}
	if (distance <= MIDDLE_DISTANCE_MAX) {
		*out++ = (uint8_t)(0x20 | (length < MIDDLE_EXTENDED ? length - 2 : 0));
		if (length >= MIDDLE_EXTENDED)
			out = put_extension(out, length, MIDDLE_EXTENDED);
	} else {
		offset = distance - MIDDLE_DISTANCE_MAX;
		*out++ = (uint8_t)(0x10 | offset >> 14 << 3 | (length < FAR_EXTENDED ? length - 2 : 0));
		if (length >= FAR_EXTENDED)
			out = put_extension(out, length, FAR_EXTENDED);
	}
	e->count = out;
	put_le16(out, (uint16_t)(offset << 2));
	e->out = out + 2;
}

static uint32_t hash(uint32_t four_bytes)
{
	return four_bytes * 0x9E3779B1u >> (32 - HASH_BITS);
}

/* Number of bytes from the lowest one on that are 0; at least one is not. */
static size_t low_zero_bytes(uint64_t word)
{
	uint64_t below = ~word & (word - 1); /* all bits below the lowest one that is set */

	return (size_t)(((below & 0x8080808080808080u) >> 7) * 0x0101010101010101u >> 56);
}

static size_t same_bytes(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
	const uint8_t *start = a;

	for (; end - a >= 8; a += 8, b += 8) {
		uint64_t difference = get_le64(a) ^ get_le64(b);

		if (difference)
			return (size_t)(a - start) + low_zero_bytes(difference);
	}
	while (a < end && *a == *b)
		a++, b++;
	return (size_t)(a - start);
}

static size_t count_zeros(const uint8_t *at, size_t max)
{
	size_t n = 0;

	while (n < max && at[n] == 0)
		n++;
	return n;
}

/* Write a run of @n zeros. The caller has made sure that there is room. */
static void put_zeros(struct encoder *e, size_t n)
{
	uint8_t *out = e->out;

	e->told += n;
	n -= 4;
	out[0] = (uint8_t)(0x18 | (n & 7));
	out[1] = 0xFC;
	out[2] = 0xFF;
	out[3] = (uint8_t)(n >> 3);
	e->count = out + 1;
	e->out = out + 4;
}

/* Write the zeros around @at as a run, when they are enough for one. Returns false when there is no room. */
static bool make_zero_run(struct encoder *e, const uint8_t *at)
{
	/* the first instruction is never a run of zeros: its byte would count literals */
	const uint8_t *least = e->count ? e->told : e->told + 1;
	size_t left = (size_t)(e->end - at), n = count_zeros(at, left < ZERO_RUN_MAX ? left : ZERO_RUN_MAX);

	if (n < ZERO_RUN_MIN)
		return true;
	for (; at > least && n < ZERO_RUN_MAX && at[-1] == 0; at--)
		n++;
	if (!has_room(e, (size_t)(at - e->told), FAR_EXTENDED))
		return false;
	put_literals(e, at);
	put_zeros(e, n);
	return true;
}

/* Write the match of @at with @from, which is at least MATCH_MIN bytes long. Returns false when there is no room. */
static bool make_match(struct encoder *e, const uint8_t *base, const uint8_t *at, const uint8_t *from)
{
	size_t distance = (size_t)(at - from);
	size_t length = MATCH_MIN + same_bytes(at + MATCH_MIN, from + MATCH_MIN, e->end);

	/* the search skipped positions in front of it, which may match as well */
	if (at - e->told >= 1 << STEP_SHIFT) {
		for (; at > e->told && from > base && at[-1] == from[-1]; length++)
			at--, from--;
	}
	/* at this distance a length of 261 to 264 would be read as a run of zeros */
	if (e->has_zero_runs && distance >= 2 * MIDDLE_DISTANCE_MAX && length > 260 && length < 265)
		length = 260;
	if (!has_room(e, (size_t)(at - e->told), length))
		return false;
	put_literals(e, at);
	put_match(e, length, distance);
	return true;
}

/* Search from @base to @last, all of which a match can reach, and write the matches. */
static bool encode_window(struct encoder *encoder, uint16_t *table, const uint8_t *base, const uint8_t *last)
{
	struct encoder e = *encoder; /* a copy whose members can be kept in registers */
	const uint8_t *at = base + 1, *found = base; /* where the last match ended */
	bool fits = true;

	memset(table, 0, TABLE_BYTES);
	while (at <= last && fits) {
		uint32_t bytes = get_le32(at);
		uint16_t *entry = &table[hash(bytes)];
		const uint8_t *from = base + *entry;

		*entry = (uint16_t)(at - base);
		if (get_le32(from) != bytes) {
			at += 1 + ((size_t)(at - found) >> STEP_SHIFT);
			continue;
		}
		if (bytes == 0 && e.has_zero_runs) {
			const uint8_t *before = e.told;

			fits = make_zero_run(&e, at);
			if (e.told != before) {
				at = found = e.told;
				continue;
			}
		}
		fits = fits && make_match(&e, base, at, from);
		at = found = e.told;
	}
	*encoder = e;
	return fits;
}

size_t lzo_bound(size_t in_len)
{
	return in_len + in_len / 16 + 64;
}

size_t lzo_work_size(void)
{
	return TABLE_BYTES;
}

bool lzo_compress(const struct lzo_input *in, uint8_t *out, size_t cap, size_t *out_len, void *work)
{
	static const uint8_t version[] = { 0x11, 1 }, end[] = { 0x11, 0, 0 };
	struct encoder e = { in->bytes, in->bytes + in->len, out, out + cap, NULL, in->has_zero_runs };
	const uint8_t *base = in->bytes, *stop = in->len > TAIL ? e.end - TAIL : base;

	if (in->has_zero_runs) {
		if (cap < sizeof(version))
			return false;
		memcpy(out, version, sizeof(version));
		e.out += sizeof(version);
	}
	while (base < stop) {
		const uint8_t *last = (size_t)(stop - base) > WINDOW ? base + WINDOW : stop;

		if (!encode_window(&e, work, base, last))
			return false;
		base = e.told > last ? e.told : last + 1;
	}
	if (!has_room(&e, (size_t)(e.end - e.told), 0))
		return false;
	put_literals(&e, e.end);
	if (e.out_end - e.out < (ptrdiff_t)sizeof(end))
		return false;
	memcpy(e.out, end, sizeof(end));
	*out_len = (size_t)(e.out - out) + sizeof(end);
	return true;
}
