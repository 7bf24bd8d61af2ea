/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZO1X and LZO-RLE. A stream is a row of instructions; each is a literal run, or
 * a match (copy of earlier output) followed by 0..3 literals. The meaning of a small
 * opcode depends on the instruction before it: that is the state, the number of
 * literals just copied (0..3), or AFTER_RUN.
 */
#include "base/lzo.h"

#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

#define AFTER_RUN 4u /* state after a literal run of four or more */

/* The first bytes of a stream with a version: 0x11 and the number. */
#define VERSION_MARK 0x11u
#define VERSION_MIN_INPUT 5u

#define ZERO_RUN_MIN 4u

struct stream {
	const uint8_t *in;
	size_t in_left;
	uint8_t *out;
	size_t made; /* bytes of output so far */
	size_t cap;
	bool has_zero_runs; /* LZO-RLE */
	bool at_end;	    /* the end marker was read */
	unsigned int state;
};

/* A match as decoded from its instruction. */
struct match {
	size_t length;
	size_t distance;
	unsigned int literals; /* that follow it, 0..3 */
};

static const uint8_t *take(struct stream *s, size_t n)
{
	const uint8_t *p = s->in;

	if (s->in_left < n)
		return NULL;
	s->in += n;
	s->in_left -= n;
	return p;
}

/*
 * Add the extension of a length to @length: 255 for each zero byte, and the first byte that is not zero. Stops early
 * when the length is beyond all output.
 */
static enum lzo_result extend_length(struct stream *s, size_t *length)
{
	const uint8_t *p;

	while ((p = take(s, 1)) != NULL) {
		if (*p != 0) {
			*length += *p;
			return LZO_OK;
		}
		*length += 255;
		if (*length > s->cap)
			return LZO_OUTPUT_OVERRUN;
	}
	return LZO_INPUT_OVERRUN;
}

static enum lzo_result copy_literals(struct stream *s, size_t n)
{
	const uint8_t *p;

	if (n > s->cap - s->made)
		return LZO_OUTPUT_OVERRUN;
	p = take(s, n);
	if (!p)
		return LZO_INPUT_OVERRUN;
	memcpy(s->out + s->made, p, n);
	s->made += n;
	return LZO_OK;
}

static enum lzo_result write_zeros(struct stream *s, size_t n)
{
	if (n > s->cap - s->made)
		return LZO_OUTPUT_OVERRUN;
	memset(s->out + s->made, 0, n);
	s->made += n;
	return LZO_OK;
}

static enum lzo_result copy_match(struct stream *s, const struct match *m)
{
	uint8_t *to = s->out + s->made;

	if (m->distance > s->made)
		return LZO_BAD_DISTANCE;
	if (m->length > s->cap - s->made)
		return LZO_OUTPUT_OVERRUN;
	s->made += m->length;
	if (m->distance >= m->length) {
		memcpy(to, to - m->distance, m->length);
	} else if (m->distance == 1) {
		memset(to, to[-1], m->length);
	} else { /* it repeats its own output */
		for (size_t i = 0; i < m->length; i++)
			to[i] = (to - m->distance)[i];
	}
	return LZO_OK;
}

/* A match, then the literals whose number becomes the state. */
static enum lzo_result finish_match(struct stream *s, const struct match *m)
{
	enum lzo_result result = copy_match(s, m);

	if (result != LZO_OK)
		return result;
	s->state = m->literals;
	return copy_literals(s, m->literals);
}

static enum lzo_result literal_run(struct stream *s, unsigned int op)
{
	size_t n = op + 3;
	enum lzo_result result = LZO_OK;

	if (op == 0) {
		n = 18;
		result = extend_length(s, &n);
	}
	s->state = AFTER_RUN;
	return result == LZO_OK ? copy_literals(s, n) : result;
}

/* Opcodes 0..15 after literals: short matches, near, or far after a literal run. */
static enum lzo_result short_match(struct stream *s, unsigned int op)
{
	const uint8_t *p = take(s, 1);
	struct match m;

	if (!p)
		return LZO_INPUT_OVERRUN;
	m.length = s->state == AFTER_RUN ? 3 : 2;
	m.distance = (op >> 2) + 4u * *p + (s->state == AFTER_RUN ? 2049 : 1);
	m.literals = op & 3;
	return finish_match(s, &m);
}

/* Opcodes 64..255: lengths 3..8 within 2 KiB. */
static enum lzo_result near_match(struct stream *s, unsigned int op)
{
	const uint8_t *p = take(s, 1);
	struct match m;

	if (!p)
		return LZO_INPUT_OVERRUN;
	m.length = (op >> 5) + 1;
	m.distance = 8u * *p + (op >> 2 & 7) + 1;
	m.literals = op & 3;
	return finish_match(s, &m);
}

/* Length of a match whose low bits of the opcode are @field, all ones in @mask if they can be. */
static enum lzo_result long_length(struct stream *s, unsigned int field, unsigned int mask, size_t *length)
{
	*length = field + 2;
	if (field != 0)
		return LZO_OK;
	*length = mask + 2;
	return extend_length(s, length);
}

/* Opcodes 32..63: any length within 16 KiB. */
static enum lzo_result middle_match(struct stream *s, unsigned int op)
{
	struct match m;
	enum lzo_result result = long_length(s, op & 31, 31, &m.length);
	const uint8_t *p;

	if (result != LZO_OK)
		return result;
	p = take(s, 2);
	if (!p)
		return LZO_INPUT_OVERRUN;
	m.distance = (get_le16(p) >> 2) + 1u;
	m.literals = get_le16(p) & 3;
	return finish_match(s, &m);
}

/* Of a version-1 stream: a match of the farthest kind at the greatest distance stands for zeros. */
static bool is_zero_run(const struct stream *s, unsigned int op)
{
	return s->has_zero_runs && (op & 0xF8) == 0x18 && s->in_left >= 2 && (get_le16(s->in) & 0xFFFC) == 0xFFFC;
}

static enum lzo_result zero_run(struct stream *s, unsigned int op)
{
	const uint8_t *p = take(s, 3);
	enum lzo_result result;

	if (!p)
		return LZO_INPUT_OVERRUN;
	result = write_zeros(s, ((op & 7) | (unsigned int)p[2] << 3) + ZERO_RUN_MIN);
	if (result != LZO_OK)
		return result;
	s->state = p[0] & 3;
	return copy_literals(s, s->state);
}

/* Opcodes 16..31: any length at 16..48 KiB, the end marker, or zeros. */
static enum lzo_result far_match(struct stream *s, unsigned int op)
{
	struct match m;
	enum lzo_result result;
	const uint8_t *p;

	if (is_zero_run(s, op))
		return zero_run(s, op);
	result = long_length(s, op & 7, 7, &m.length);
	if (result != LZO_OK)
		return result;
	p = take(s, 2);
	if (!p)
		return LZO_INPUT_OVERRUN;
	m.distance = ((op & 8) << 11) + (get_le16(p) >> 2);
	if (m.distance == 0) {
		s->at_end = true;
		return m.length == 3 && s->in_left == 0 ? LZO_OK : LZO_BAD_END;
	}
	m.distance += 16384;
	m.literals = get_le16(p) & 3;
	return finish_match(s, &m);
}

static enum lzo_result instruction(struct stream *s)
{
	const uint8_t *p = take(s, 1);

	if (!p)
		return LZO_INPUT_OVERRUN;
	if (*p >= 64)
		return near_match(s, *p);
	if (*p >= 32)
		return middle_match(s, *p);
	if (*p >= 16)
		return far_match(s, *p);
	return s->state == 0 ? literal_run(s, *p) : short_match(s, *p);
}

/* A version, if there is one, and the special form of the first literal run. */
static enum lzo_result begin(struct stream *s)
{
	size_t n;

	if (s->in_left >= VERSION_MIN_INPUT && s->in[0] == VERSION_MARK) {
		s->has_zero_runs = s->in[1] != 0;
		take(s, 2);
	}
	if (s->in_left == 0 || s->in[0] <= 17)
		return LZO_OK;
	n = *take(s, 1) - 17u;
	s->state = n < AFTER_RUN ? (unsigned int)n : AFTER_RUN;
	return copy_literals(s, n);
}

enum lzo_result lzo_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t cap, size_t *out_len)
{
	struct stream s = { .in = in, .in_left = in_len, .out = out, .cap = cap };
	enum lzo_result result = begin(&s);

	while (result == LZO_OK && !s.at_end)
		result = instruction(&s);
	if (result == LZO_OK)
		*out_len = s.made;
	return result;
}
