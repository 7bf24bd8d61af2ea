/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The pen that writes PNG: an image with a palette, and letters of its own (glyphs.def) in twice their size, small ones
 * as large ones. What is outside of ASCII is drawn as a question mark.
 */
#include "lab/lab_pen.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { GLYPH_WIDTH = 6, GLYPH_HEIGHT = 7, DOT = 3 };

static const uint8_t palette[] = { 0xff, 0xff, 0xff,
#define COLOUR(r, g, b) r, g, b,
				   LAB_COLOURS(COLOUR)
#undef COLOUR
};

static const uint8_t glyphs[128][GLYPH_HEIGHT] = {
#define GLYPH(character, ...) [character] = { __VA_ARGS__ },
#include "lab/glyphs.def"
#undef GLYPH
};

static int begin(struct lab_pen *pen)
{
	pen->pixels = calloc(pen->height, (size_t)pen->width + 1); /* each row begins with its filter: 0, none */
	return pen->pixels ? 0 : -1;
}

static void set(struct lab_pen *pen, long x, long y, unsigned colour)
{
	if (x >= 0 && y >= 0 && x < (long)pen->width && y < (long)pen->height)
		pen->pixels[(size_t)y * (pen->width + 1) + 1 + (size_t)x] = (uint8_t)(colour + 1);
}

static void square(struct lab_pen *pen, unsigned colour, struct lab_point at, long size)
{
	const long x = lround(at.x) - size / 2, y = lround(at.y) - size / 2;

	for (long i = 0; i < size * size; i++)
		set(pen, x + i % size, y + i / size, colour);
}

static void line(struct lab_pen *pen, unsigned colour, unsigned width, struct lab_point from, struct lab_point to)
{
	const double across = to.x - from.x, down = to.y - from.y;
	const unsigned steps = (unsigned)ceil(fmax(fabs(across), fabs(down))) + 1;

	for (unsigned i = 0; i <= steps; i++)
		square(pen, colour, (struct lab_point){ from.x + across * i / steps, from.y + down * i / steps },
		       (long)width);
}

static void dot(struct lab_pen *pen, unsigned colour, struct lab_point at)
{
	for (int y = -DOT; y <= DOT; y++)
		for (int x = -DOT; x <= DOT; x++)
			if (x * x + y * y <= DOT * DOT)
				set(pen, lround(at.x) + x, lround(at.y) + y, colour);
}

/* at is where the baseline begins, ends or has its middle. */
static void text(struct lab_pen *pen, struct lab_point at, enum lab_anchor anchor, unsigned size, const char *words)
{
	const long scale = size > 13 ? 2 : 1;
	long left, count = 0;

	for (const char *c = words; *c; c++)
		count += (*c & 0xc0) != 0x80; /* not the rest of a character of UTF-8 */
	left = lround(at.x) - count * GLYPH_WIDTH * scale * (long)anchor / 2;
	for (; *words; words++) {
		const unsigned char c = (unsigned char)*words;
		const uint8_t *glyph = glyphs[c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c < 128 ? c : '?'];

		if ((c & 0xc0) == 0x80)
			continue;
		for (long y = 0; y < GLYPH_HEIGHT * scale; y++)
			for (long x = 0; x < GLYPH_WIDTH * scale; x++)
				if (glyph[y / scale] << 1 >> (GLYPH_WIDTH - 1 - x / scale) & 1)
					set(pen, left + x, lround(at.y) - GLYPH_HEIGHT * scale + y, LAB_COLOUR_TEXT);
		left += GLYPH_WIDTH * scale;
	}
}

static void put_be32(uint8_t *to, size_t value)
{
	for (unsigned i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A chunk: its length, name and contents, and a checksum of these two. */
static void put_chunk(FILE *to, const char *name, const uint8_t *data, size_t n)
{
	uint8_t number[4];
	uLong crc = crc32(0, (const Bytef *)name, 4);

	if (n > 0) /* zlib gives another answer to a null pointer */
		crc = crc32(crc, data, (uInt)n);
	put_be32(number, n);
	fwrite(number, 1, 4, to);
	fwrite(name, 1, 4, to);
	fwrite(data, 1, n, to);
	put_be32(number, crc);
	fwrite(number, 1, 4, to);
}

static int end(struct lab_pen *pen)
{
	static const uint8_t magic[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
	const uLong bytes = (uLong)pen->height * (pen->width + 1);
	uint8_t head[13] = { [8] = 8, [9] = 3 }; /* 8 bits that are numbers in a palette */
	uLongf packed = compressBound(bytes);
	uint8_t *out = malloc(packed);
	int rc = out && compress2(out, &packed, pen->pixels, bytes, 9) == Z_OK ? 0 : -1;

	if (rc)
		errno = ENOMEM;
	put_be32(head, pen->width);
	put_be32(head + 4, pen->height);
	if (!rc) {
		fwrite(magic, 1, sizeof(magic), pen->to);
		put_chunk(pen->to, "IHDR", head, sizeof(head));
		put_chunk(pen->to, "PLTE", palette, sizeof(palette));
		put_chunk(pen->to, "IDAT", out, packed);
		put_chunk(pen->to, "IEND", head, 0);
		rc = ferror(pen->to) ? -1 : 0;
	}
	free(out);
	free(pen->pixels);
	return rc;
}

const struct lab_pen lab_pen_png = { .begin = begin, .line = line, .dot = dot, .text = text, .end = end };
