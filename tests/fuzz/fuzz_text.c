/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a name, a label, a no-key name: folding, conversion, safe display, hashing. */
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/namehash.h"
#include "base/nokey.h"
#include "base/text.h"
#include "base/unicode.h"
#include "base/utf16.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"

#define LONGEST 2048

static void expect(int holds)
{
	if (!holds)
		abort();
}

/*
 * Marks that a dropped character had kept apart are sorted when the folded name is folded again; apart from that,
 * folding is idempotent.
 */
static void check_folding(const uint8_t *data, size_t n)
{
	uint8_t fold[UNICODE_FOLD_MAX], again[UNICODE_FOLD_MAX];
	size_t len, len2;
	uint32_t hash;

	namehash_plain(data, n);
	namehash_casefold(data, n, &hash);
	if (unicode_casefold(data, n, fold, &len) != UNICODE_OK)
		return;
	expect(len > 0 && len <= UNICODE_FOLD_MAX && utf8_is_valid(fold, len));
	expect(unicode_casefold(fold, len, again, &len2) == UNICODE_OK && len == len2);
	expect(unicode_casefold(again, len, fold, &len2) == UNICODE_OK);
	expect(len == len2 && memcmp(fold, again, len) == 0);
}

/* Displayed text is valid and on one line. */
static void check_display(const uint8_t *data, size_t n)
{
	static char shown[TEXT_PRINTABLE_SIZE(LONGEST) + 1];
	struct text text;

	text_init(&text, shown, sizeof(shown));
	text_add_printable(&text, data, n);
	expect(!text.truncated && utf8_is_valid((const uint8_t *)shown, text.len));
	for (size_t i = 0; i < text.len; i++)
		expect((unsigned char)shown[i] >= 0x20 && shown[i] != 0x7f);
}

static void check_utf16(const uint8_t *data, size_t n)
{
	static char text[UTF16_UTF8_SIZE(LONGEST)];
	static uint8_t raw[2 * LONGEST];
	size_t units = n / 2, len;

	utf16_decode_lossy(data, units, text, sizeof(text), NULL);
	if (utf16_decode(data, units, text, sizeof(text), &len) != UTF16_OK)
		return;
	expect(utf8_is_valid((const uint8_t *)text, len));
	expect(utf16_encode(text, len, raw, units) == UTF16_OK);
	for (size_t i = 0; i < units && (data[2 * i] || data[2 * i + 1]); i++)
		expect(memcmp(raw + 2 * i, data + 2 * i, 2) == 0);
}

static void check_nokey(const uint8_t *data, size_t n)
{
	char name[NOKEY_TEXT_MAX];
	struct nokey_name parts;
	size_t length;

	if (nokey_decode((const char *)data, n, &parts) == 0)
		nokey_matches(&parts, data, n);
	if (n == 0)
		return;
	length = nokey_encode(0x12345678, 0, data, n, name);
	expect(length > 0 && length <= sizeof(name));
	expect(nokey_decode(name, length, &parts) == 0 && parts.hash == 0x12345678);
	expect(nokey_matches(&parts, data, n) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > LONGEST)
		size = LONGEST;
	check_folding(data, size);
	check_display(data, size);
	check_utf16(data, size);
	check_nokey(data, size);
	return 0;
}
