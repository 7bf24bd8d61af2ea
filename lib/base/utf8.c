/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-8 coding. The decoder looks at the first two bytes as table 3-7 of the
 * Unicode standard does: the lead byte narrows the range of the second one,
 * which rules out overlong forms, surrogates and everything above U+10FFFF.
 */
#include "base/utf8.h"

#include <assert.h>

static bool is_continuation(uint8_t c)
{
	return (c & 0xC0) == 0x80;
}

/* Return the length of the sequence that a byte begins, 0 for none, and the range of its second byte. */
static size_t classify(uint8_t lead, uint8_t *low, uint8_t *high)
{
	*low = 0x80;
	*high = 0xBF;
	if (lead < 0x80)
		return 1;
	if (lead < 0xC2)
		return 0;
	if (lead < 0xE0)
		return 2;
	if (lead < 0xF0) {
		if (lead == 0xE0)
			*low = 0xA0;
		else if (lead == 0xED)
			*high = 0x9F;
		return 3;
	}
	if (lead < 0xF5) {
		if (lead == 0xF0)
			*low = 0x90;
		else if (lead == 0xF4)
			*high = 0x8F;
		return 4;
	}
	return 0;
}

size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp)
{
	uint8_t low, high;
	uint32_t value;
	size_t len;

	if (n == 0)
		return 0;
	len = classify(p[0], &low, &high);
	if (len == 0 || len > n)
		return 0;
	if (len == 1) {
		*cp = p[0];
		return 1;
	}
	if (p[1] < low || p[1] > high)
		return 0;
	value = p[0] & (0x7Fu >> len);
	for (size_t i = 1; i < len; i++) {
		if (!is_continuation(p[i]))
			return 0;
		value = value << 6 | (p[i] & 0x3Fu);
	}
	*cp = value;
	return len;
}

size_t utf8_encode(uint32_t cp, uint8_t out[UTF8_MAX])
{
	static const uint8_t lead[UTF8_MAX + 1] = { 0, 0x00, 0xC0, 0xE0, 0xF0 };
	size_t len = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	assert(cp <= 0x10FFFF && (cp < 0xD800 || cp > 0xDFFF));
	for (size_t i = len - 1; i > 0; i--) {
		out[i] = (uint8_t)(0x80 | (cp & 0x3F));
		cp >>= 6;
	}
	out[0] = (uint8_t)(lead[len] | cp);
	return len;
}

bool utf8_is_valid(const uint8_t *p, size_t n)
{
	uint32_t cp;

	while (n > 0) {
		size_t len = utf8_decode(p, n, &cp);

		if (len == 0)
			return false;
		p += len;
		n -= len;
	}
	return true;
}
