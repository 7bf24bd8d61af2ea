/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Case folding over libutf8proc. The library supplies decompositions, case
 * foldings and combining classes of single code points; the order of the
 * steps is the format's own, and differs from that of the library's functions
 * for whole strings: canonical ordering happens once, at the end.
 *
 * The library's tables may be newer than Unicode 12.1. Characters unknown to 12.1
 * are left alone (unicode_assigned.def); the properties used here never change
 * for a character that exists, so any newer library gives the same bytes.
 */
#include "base/unicode.h"

#include "base/part.h"
#include "f2fskit_config.h"

bool unicode_is_available(void)
{
	return part_is_usable(PART_CASEFOLD);
}

#if HAVE_UTF8PROC

#include <string.h>
#include <utf8proc.h>

#include "base/sorted.h"
#include "base/utf8.h"

/* No code point makes more than this in any of the three steps (12.1: 4, 3, 3). */
#define STEP_MAX 8

struct range {
	uint32_t first, last;
};

struct code_points {
	uint32_t cp[UNICODE_WHOLE_MAX];	  /* each is at least one byte long */
	uint8_t class[UNICODE_WHOLE_MAX]; /* canonical combining class of each */
	size_t count;
	size_t bytes;	  /* their length in UTF-8 */
	size_t room;	  /* and its limit */
	size_t run_start; /* marks are not moved before this one */
};

static int compare_last(const void *item, const void *key)
{
	const uint32_t x = ((const struct range *)item)->last, y = ((const struct range *)key)->last;

	return (x > y) - (x < y);
}

static bool is_in(const struct range *table, size_t count, uint32_t cp)
{
	const size_t at = sorted_first(table, count, sizeof(*table), compare_last, &(struct range){ .last = cp });

	return at < count && cp >= table[at].first;
}

static bool is_assigned(uint32_t cp)
{
#define R(first, last) { first, last },
	static const struct range assigned[] = {
#include "base/unicode_assigned.def"
	};
#undef R

	return is_in(assigned, sizeof(assigned) / sizeof(assigned[0]), cp);
}

/* Default_Ignorable_Code_Point; some of these are not assigned. */
static bool is_ignorable(uint32_t cp)
{
	static const struct range ignorable[] = {
		{ 0x00AD, 0x00AD },   { 0x034F, 0x034F }, { 0x061C, 0x061C },	{ 0x115F, 0x1160 },
		{ 0x17B4, 0x17B5 },   { 0x180B, 0x180E }, { 0x200B, 0x200F },	{ 0x202A, 0x202E },
		{ 0x2060, 0x206F },   { 0x3164, 0x3164 }, { 0xFE00, 0xFE0F },	{ 0xFEFF, 0xFEFF },
		{ 0xFFA0, 0xFFA0 },   { 0xFFF0, 0xFFF8 }, { 0x1BCA0, 0x1BCA3 }, { 0x1D173, 0x1D17A },
		{ 0xE0000, 0xE0FFF },
	};

	return is_in(ignorable, sizeof(ignorable) / sizeof(ignorable[0]), cp);
}

static uint8_t combining_class(uint32_t cp)
{
	return (uint8_t)utf8proc_get_property((utf8proc_int32_t)cp)->combining_class;
}

/*
 * Add @cp in canonical order: a mark (class not 0) goes before those marks of
 * the same run that have a higher class. False if the folded name becomes too long.
 */
static bool add_code_point(struct code_points *to, uint32_t cp, uint8_t class)
{
	uint8_t seq[UTF8_MAX];
	size_t n = utf8_encode(cp, seq);
	size_t at = to->count;

	if (n > to->room - to->bytes)
		return false;
	for (; class != 0 && at > to->run_start && to->class[at - 1] > class; at--) {
		to->cp[at] = to->cp[at - 1];
		to->class[at] = to->class[at - 1];
	}
	to->cp[at] = cp;
	to->class[at] = class;
	to->count++;
	to->bytes += n;
	return true;
}

/*
 * One step of folding on one code point: its canonical decomposition
 * (UTF8PROC_DECOMPOSE) or its full case folding (UTF8PROC_CASEFOLD).
 */
static size_t apply(uint32_t cp, utf8proc_option_t step, utf8proc_int32_t out[STEP_MAX])
{
	int last_boundclass = 0;
	utf8proc_ssize_t n;

	n = utf8proc_decompose_char((utf8proc_int32_t)cp, out, STEP_MAX, step, &last_boundclass);
	if (n < 0 || n > STEP_MAX) { /* no such code point in any table */
		out[0] = (utf8proc_int32_t)cp;
		return 1;
	}
	return (size_t)n;
}

/* Add NFD(casefold(NFD(cp))). */
static bool fold_code_point(struct code_points *to, uint32_t cp)
{
	utf8proc_int32_t parts[STEP_MAX], folded[STEP_MAX], result[STEP_MAX];
	size_t n_parts, n_folded, n_result;

	if (cp < 0x80)
		return add_code_point(to, cp >= 'A' && cp <= 'Z' ? cp - 'A' + 'a' : cp, 0);
	if (!is_assigned(cp))
		return add_code_point(to, cp, 0);
	n_parts = apply(cp, UTF8PROC_DECOMPOSE, parts);
	for (size_t i = 0; i < n_parts; i++) {
		n_folded = apply((uint32_t)parts[i], UTF8PROC_CASEFOLD, folded);
		for (size_t j = 0; j < n_folded; j++) {
			n_result = apply((uint32_t)folded[j], UTF8PROC_DECOMPOSE, result);
			for (size_t k = 0; k < n_result; k++)
				if (!add_code_point(to, (uint32_t)result[k], combining_class((uint32_t)result[k])))
					return false;
		}
	}
	return true;
}

/*
 * Fold code point by code point. One that is dropped still separates the
 * marks on its two sides: the kernel does not sort across it.
 */
static enum unicode_result fold_all(struct code_points *to, const uint8_t *in, size_t len)
{
	while (len > 0) {
		uint32_t cp = 0;
		size_t n = utf8_decode(in, len, &cp);

		if (n == 0)
			return UNICODE_INVALID;
		if (is_ignorable(cp))
			to->run_start = to->count;
		else if (!fold_code_point(to, cp))
			return UNICODE_TOO_LONG;
		in += n;
		len -= n;
	}
	return to->count > 0 ? UNICODE_OK : UNICODE_EMPTY;
}

static enum unicode_result casefold(const uint8_t *in, size_t len, size_t room, uint8_t *out, size_t *out_len)
{
	struct code_points cps;
	enum unicode_result result;
	size_t n = 0;

	cps.count = cps.bytes = cps.run_start = 0;
	cps.room = room;
	if (!utf8_is_valid(in, len))
		return UNICODE_INVALID; /* also when it is too long before the bad byte */
	result = fold_all(&cps, in, len);
	if (result != UNICODE_OK)
		return result;
	for (size_t i = 0; i < cps.count; i++) {
		uint8_t seq[UTF8_MAX];
		size_t seq_len = utf8_encode(cps.cp[i], seq);

		memcpy(out + n, seq, seq_len);
		n += seq_len;
	}
	*out_len = n;
	return UNICODE_OK;
}

enum unicode_result unicode_casefold(const uint8_t *in, size_t len, uint8_t out[UNICODE_FOLD_MAX], size_t *out_len)
{
	return casefold(in, len, UNICODE_FOLD_MAX, out, out_len);
}

enum unicode_result unicode_casefold_whole(const uint8_t *in, size_t len, uint8_t out[UNICODE_WHOLE_MAX],
					   size_t *out_len)
{
	return casefold(in, len, UNICODE_WHOLE_MAX, out, out_len);
}

#else

enum unicode_result unicode_casefold(const uint8_t *in, size_t len, uint8_t out[UNICODE_FOLD_MAX], size_t *out_len)
{
	(void)in;
	(void)len;
	(void)out;
	(void)out_len;
	return UNICODE_UNAVAILABLE;
}

enum unicode_result unicode_casefold_whole(const uint8_t *in, size_t len, uint8_t out[UNICODE_WHOLE_MAX],
					   size_t *out_len)
{
	return unicode_casefold(in, len, out, out_len);
}

#endif
