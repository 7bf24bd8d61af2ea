/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers and sizes of the command line.
 */
#include "cli/size.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char not_a_number[] = "is not a number";
static const char too_large[] = "is too large";
static const char not_a_size[] = "is not a size (a number with s, B, K, M, G, T, P, KiB ... or kB, MB ...)";

static int digit_of(char c, unsigned base)
{
	int d;

	if (c >= '0' && c <= '9')
		d = c - '0';
	else if (c >= 'a' && c <= 'f')
		d = c - 'a' + 10;
	else if (c >= 'A' && c <= 'F')
		d = c - 'A' + 10;
	else
		return -1;
	return d < (int)base ? d : -1;
}

/* Read digits at *text and move it past them; 0 digits, or a number above 64 bits, is an error. */
static const char *read_digits(const char **text, unsigned base, uint64_t *value)
{
	const char *p = *text;
	uint64_t v = 0;
	int d;

	if (digit_of(*p, base) < 0)
		return not_a_number;
	for (; (d = digit_of(*p, base)) >= 0; p++) {
		if (v > (UINT64_MAX - (uint64_t)d) / base)
			return too_large;
		v = v * base + (uint64_t)d;
	}
	*text = p;
	*value = v;
	return NULL;
}

const char *cli_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	unsigned base = 10;
	const char *why;
	uint64_t v = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		base = 16;
		text += 2;
	}
	why = read_digits(&text, base, &v);
	if (!why && *text)
		why = not_a_number;
	if (!why && v < min)
		why = "is too small";
	if (!why && v > max)
		why = too_large;
	if (!why)
		*value = v;
	return why;
}

const char *cli_parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	uint64_t v;
	const char *why = cli_parse_u64(text, min, max, &v);

	if (!why)
		*value = (uint32_t)v;
	return why;
}

const char *cli_parse_s64(const char *text, int64_t *value)
{
	int negative = *text == '-';
	uint64_t v = 0;
	const char *why;

	if (*text == '-' || *text == '+')
		text++;
	why = read_digits(&text, 10, &v);
	if (!why && *text)
		why = not_a_number;
	if (!why && v > (uint64_t)INT64_MAX)
		why = too_large;
	if (!why)
		*value = negative ? -(int64_t)v : (int64_t)v;
	return why;
}

const char *cli_parse_fraction(const char *text, double *value)
{
	char *end;
	double v;

	if (!*text || text[strspn(text, "0123456789.")])
		return not_a_number;
	v = strtod(text, &end);
	if (*end || v == HUGE_VAL)
		return not_a_number;
	*value = v;
	return NULL;
}

/* The factor of a suffix; 0: unknown. */
static uint64_t factor_of(const char *suffix, uint64_t unit, uint64_t sector)
{
	static const char letters[] = "KMGTP";
	const char *at;
	uint64_t base = 1024, factor = 1;

	if (!*suffix)
		return unit;
	if (!strcasecmp(suffix, "s"))
		return sector;
	if (!strcasecmp(suffix, "b"))
		return 1;
	at = strchr(letters, *suffix >= 'a' ? *suffix - 'a' + 'A' : *suffix);
	if (!at)
		return 0;
	if (!strcasecmp(suffix + 1, "b"))
		base = 1000;
	else if (suffix[1] && strcasecmp(suffix + 1, "ib") != 0)
		return 0;
	for (long i = 0; i <= at - letters; i++)
		factor *= base;
	return factor;
}

/* ".digits" as part of factor, rounded down; nothing there is 0. */
static const char *read_fraction(const char **text, uint64_t *part, uint64_t *scale)
{
	const char *p = *text;

	*part = 0;
	*scale = 1;
	if (*p != '.')
		return NULL;
	if (digit_of(*++p, 10) < 0)
		return not_a_size;
	for (; digit_of(*p, 10) >= 0; p++) {
		if (*scale == 1000000000)
			return "has more than nine decimals";
		*part = *part * 10 + (uint64_t)digit_of(*p, 10);
		*scale *= 10;
	}
	*text = p;
	return NULL;
}

static const char *parse_suffixed(const char *text, uint64_t unit, uint64_t sector, uint64_t *bytes)
{
	uint64_t whole, part, scale, factor;
	const char *why = read_digits(&text, 10, &whole);

	if (why)
		return why == not_a_number ? not_a_size : why;
	why = read_fraction(&text, &part, &scale);
	if (why)
		return why;
	factor = factor_of(text, unit, sector);
	if (factor == 0 || (scale > 1 && (!*text || strchr("sSbB", *text))))
		return not_a_size;
	part = factor / scale * part + factor % scale * part / scale;
	if (whole > (UINT64_MAX - part) / factor)
		return too_large;
	*bytes = whole * factor + part;
	return NULL;
}

const char *cli_parse_size(const char *text, uint64_t unit, uint64_t sector, uint64_t *bytes)
{
	uint64_t number;
	const char *why;

	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
		return parse_suffixed(text, unit, sector, bytes);
	why = cli_parse_u64(text, 0, UINT64_MAX, &number);
	if (why)
		return why == not_a_number ? not_a_size : why;
	if (unit != 0 && number > UINT64_MAX / unit)
		return too_large;
	*bytes = number * unit;
	return NULL;
}

char *cli_format_size(uint64_t bytes, char buffer[24])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	unsigned u = 0;
	uint64_t unit = 1;

	while (u < 6 && bytes / unit >= 1024) {
		unit *= 1024;
		u++;
	}
	if (bytes % unit == 0)
		snprintf(buffer, 24, "%llu %s", (unsigned long long)(bytes / unit), units[u]);
	else
		snprintf(buffer, 24, "%.1f %s", (double)bytes / (double)unit, units[u]);
	return buffer;
}
