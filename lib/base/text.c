/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bounded text. Invariant: buf[len] == 0 and len < cap; once truncated, the
 * builder takes nothing more, so a string never continues after a gap.
 */
#include "base/text.h"

#include <assert.h>
#include <f2fskit/base.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define MARK "..."
#define MARK_LEN (sizeof(MARK) - 1)

void text_init(struct text *t, char *buf, size_t cap)
{
	assert(cap > 0);
	t->buf = buf;
	t->cap = cap;
	t->len = 0;
	t->truncated = false;
	buf[0] = '\0';
}

/* Length of the first @len bytes at @s without a UTF-8 sequence cut short at the end. */
static size_t whole_characters(const char *s, size_t len)
{
	const uint8_t *p = (const uint8_t *)s;
	size_t lead = len;
	uint32_t cp;

	while (lead > 0 && len - lead < UTF8_MAX - 1 && (p[lead - 1] & 0xC0) == 0x80)
		lead--;
	if (lead == 0 || p[lead - 1] < 0xC0)
		return len;
	lead--;
	return utf8_decode(p + lead, len - lead, &cp) == len - lead ? len : lead;
}

/* The buffer is full of what came first: end it with the mark. */
static void mark_truncated(struct text *t)
{
	bool has_room = t->cap > MARK_LEN;
	size_t end = t->len;

	if (has_room && end > t->cap - 1 - MARK_LEN)
		end = t->cap - 1 - MARK_LEN;
	end = whole_characters(t->buf, end);
	t->buf[end] = '\0';
	if (has_room) {
		memcpy(t->buf + end, MARK, MARK_LEN + 1);
		end += MARK_LEN;
	}
	t->len = end;
	t->truncated = true;
}

void text_add_bytes(struct text *t, const char *bytes, size_t n)
{
	size_t room = t->cap - 1 - t->len;
	size_t part = n < room ? n : room;

	if (t->truncated)
		return;
	if (part > 0)
		memcpy(t->buf + t->len, bytes, part);
	t->len += part;
	t->buf[t->len] = '\0';
	if (part < n)
		mark_truncated(t);
}

void text_add(struct text *t, const char *string)
{
	text_add_bytes(t, string, strlen(string));
}

static void add_formatted(struct text *t, const char *format, va_list args)
{
	size_t room = t->cap - t->len; /* with the NUL */
	int n;

	if (t->truncated)
		return;
	n = vsnprintf(t->buf + t->len, room, format, args);
	if (n >= 0 && (size_t)n < room) {
		t->len += (size_t)n;
		return;
	}
	if (n >= 0)
		t->len = t->cap - 1;
	mark_truncated(t);
}

void text_printf(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_formatted(t, format, args);
	va_end(args);
}

/*
 * Characters that must not reach a terminal or a log as they are: controls,
 * invisible and direction-changing format characters, line separators,
 * noncharacters. The joiners U+200C and U+200D and the variation selectors
 * are part of correct spelling in some scripts and of many emoji: they stay.
 */
static bool is_hidden(uint32_t cp)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0x0000, 0x001F }, { 0x007F, 0x009F },	  { 0x00AD, 0x00AD },	{ 0x034F, 0x034F },
		{ 0x061C, 0x061C }, { 0x115F, 0x1160 },	  { 0x17B4, 0x17B5 },	{ 0x180B, 0x180F },
		{ 0x200B, 0x200B }, { 0x200E, 0x200F },	  { 0x2028, 0x202E },	{ 0x2060, 0x206F },
		{ 0x3164, 0x3164 }, { 0xFDD0, 0xFDEF },	  { 0xFEFF, 0xFEFF },	{ 0xFFA0, 0xFFA0 },
		{ 0xFFF0, 0xFFFB }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
	};

	if ((cp & 0xFFFE) == 0xFFFE)
		return true;
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return true;
	return false;
}

static void add_escaped(struct text *t, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		static const char digit[] = "0123456789abcdef";
		char esc[4] = { '\\', 'x', digit[p[i] >> 4], digit[p[i] & 15] };

		text_add_bytes(t, esc, sizeof(esc));
	}
}

/* How many characters at the start are shown as they are, and take a byte each. */
static size_t count_plain(const uint8_t *p, size_t n)
{
	size_t count = 0;

	while (count < n && p[count] >= ' ' && p[count] < 0x7F && p[count] != '\\')
		count++;
	return count;
}

void text_add_printable(struct text *t, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	while (n > 0 && !t->truncated) {
		uint32_t cp;
		size_t len = count_plain(p, n);

		if (len > 0) {
			text_add_bytes(t, (const char *)p, len);
			p += len;
			n -= len;
			continue;
		}
		len = utf8_decode(p, n, &cp);
		if (len == 0) {
			len = 1;
			add_escaped(t, p, 1);
		} else if (cp == '\\') {
			text_add_bytes(t, "\\\\", 2);
		} else if (is_hidden(cp)) {
			add_escaped(t, p, len);
		} else {
			text_add_bytes(t, (const char *)p, len);
		}
		p += len;
		n -= len;
	}
}

size_t f2fs_text_printable(const void *bytes, size_t n, char *out, size_t cap)
{
	struct text t;

	if (cap == 0)
		return 0;
	text_init(&t, out, cap);
	text_add_printable(&t, bytes, n);
	return t.len;
}

int f2fs_text_is_utf8(const void *bytes, size_t n)
{
	return utf8_is_valid(bytes, n);
}
