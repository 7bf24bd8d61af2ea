/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-16LE <-> UTF-8. Code points above U+FFFF are two units, a high
 * surrogate (D800..DBFF) and a low one (DC00..DFFF), ten bits each.
 */
#include "base/utf16.h"

#include <string.h>

#include <f2fskit/base.h>

#include "base/bytes.h"
#include "base/utf8.h"

static bool is_high(uint32_t unit)
{
	return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(uint32_t unit)
{
	return unit >= 0xDC00 && unit <= 0xDFFF;
}

/*
 * Take one code point from the units at @raw (at least one). Returns how many
 * units it took; @lone says that it is half a pair, which takes one.
 */
static size_t next_code_point(const uint8_t *raw, size_t units, uint32_t *cp, bool *lone)
{
	uint32_t unit = get_le16(raw);

	*lone = false;
	*cp = unit;
	if (is_high(unit) && units > 1) {
		uint32_t second = get_le16(raw + 2);

		if (is_low(second)) {
			*cp = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
			return 2;
		}
	}
	*lone = is_high(unit) || is_low(unit);
	return 1;
}

size_t utf16_decode_lossy(const uint8_t *raw, size_t units, char *out, size_t cap, bool *clean)
{
	size_t used = 0, i = 0;
	bool whole = true;

	while (i < units && get_le16(raw + 2 * i) != 0) {
		uint8_t seq[UTF8_MAX];
		uint32_t cp;
		bool lone;
		size_t n;

		i += next_code_point(raw + 2 * i, units - i, &cp, &lone);
		if (lone) {
			cp = UTF8_REPLACEMENT;
			whole = false;
		}
		n = utf8_encode(cp, seq);
		if (n > cap - used) {
			whole = false;
			break;
		}
		memcpy(out + used, seq, n);
		used += n;
	}
	if (clean)
		*clean = whole;
	return used;
}

enum utf16_result utf16_decode(const uint8_t *raw, size_t units, char *out, size_t cap, size_t *len)
{
	size_t end = 0;
	bool clean;
	size_t n;

	while (end < units && get_le16(raw + 2 * end) != 0) {
		uint32_t cp;
		bool lone;

		end += next_code_point(raw + 2 * end, units - end, &cp, &lone);
		if (lone)
			return UTF16_INVALID;
	}
	n = utf16_decode_lossy(raw, end, out, cap, &clean);
	if (!clean)
		return UTF16_NO_ROOM;
	*len = n;
	return UTF16_OK;
}

/* Count the units that valid UTF-8 without NULs needs. */
static enum utf16_result count_units(const uint8_t *p, size_t len, size_t *count)
{
	*count = 0;
	while (len > 0) {
		uint32_t cp;
		size_t n = utf8_decode(p, len, &cp);

		if (n == 0 || cp == 0)
			return UTF16_INVALID;
		*count += cp > 0xFFFF ? 2 : 1;
		p += n;
		len -= n;
	}
	return UTF16_OK;
}

enum utf16_result utf16_encode(const char *text, size_t len, uint8_t *raw, size_t units)
{
	const uint8_t *p = (const uint8_t *)text;
	size_t count;
	enum utf16_result result = count_units(p, len, &count);

	if (result != UTF16_OK)
		return result;
	if (count > units)
		return UTF16_NO_ROOM;
	memset(raw, 0, 2 * units);
	while (len > 0) {
		uint32_t cp = 0;
		size_t n = utf8_decode(p, len, &cp);

		if (cp > 0xFFFF) {
			cp -= 0x10000;
			put_le16(raw, (uint16_t)(0xD800 + (cp >> 10)));
			put_le16(raw + 2, (uint16_t)(0xDC00 + (cp & 0x3FF)));
			raw += 4;
		} else {
			put_le16(raw, (uint16_t)cp);
			raw += 2;
		}
		p += n;
		len -= n;
	}
	return UTF16_OK;
}

size_t f2fs_text_from_utf16(const uint8_t *units, size_t count, char *out, size_t cap)
{
	size_t n;

	if (cap == 0)
		return 0;
	n = utf16_decode_lossy(units, count, out, cap - 1, NULL);
	out[n] = '\0';
	return n;
}
