/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values as people write them: numbers, flags by name, changes of the old value, texts, UUIDs, bytes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf16.h"
#include "inject/run.h"
#include "inject/value.h"

uint64_t spot_get(const struct spot *spot, const uint8_t *bytes)
{
	uint64_t value;

	if (spot->field.type == F2FS_FIELD_BYTES)
		return bytes[spot->field.offset + spot->index];
	value = f2fs_field_get(&spot->field, bytes, spot->index);
	return spot->bits ? value >> spot->shift & ((1ULL << spot->bits) - 1) : value;
}

static void store(const struct spot *spot, uint64_t value, uint8_t *bytes)
{
	if (spot->field.type == F2FS_FIELD_BYTES) {
		bytes[spot->field.offset + spot->index] = (uint8_t)value;
		return;
	}
	if (spot->bits) {
		uint64_t mask = ((1ULL << spot->bits) - 1) << spot->shift;

		value = (f2fs_field_get(&spot->field, bytes, spot->index) & ~mask) | value << spot->shift;
	}
	f2fs_field_set(&spot->field, bytes, spot->index, value);
}

/* ---- numbers ---- */

/* The bit of a flag's name, of n characters. */
static bool find_flag(const char *field, const char *name, size_t n, uint64_t *bit)
{
	unsigned count = 0;
	const struct f2fs_flag *flags = f2fs_flags_find(field, &count);

	for (unsigned i = 0; flags && i < count; i++)
		if (strlen(flags[i].name) == n && memcmp(flags[i].name, name, n) == 0) {
			*bit = flags[i].mask;
			return true;
		}
	return false;
}

static int not_a_value(struct f2fs_context *ctx, const struct spot *spot, const char *value)
{
	return error_set(ctx, F2FS_ERR_INVALID, "'%.100s' is not a value of %s", value, spot->field.name);
}

/* Numbers and names of flags, joined by |. */
static int parse_number(struct f2fs_context *ctx, const struct spot *spot, const char *text, uint64_t *out)
{
	const char *at = text;

	*out = 0;
	do {
		size_t n = strcspn(at, "|");
		uint64_t bit = 0;
		char *end;

		if (!find_flag(spot->field.name, at, n, &bit)) {
			if (!(at[0] >= '0' && at[0] <= '9') && !(at[0] == '-' && at[1] >= '0' && at[1] <= '9'))
				return not_a_value(ctx, spot, text);
			errno = 0;
			bit = strtoull(at, &end, 0);
			if (end != at + n || errno)
				return not_a_value(ctx, spot, text);
		}
		*out |= bit;
		at += n;
	} while (*at++ == '|');
	return 0;
}

/* All ones of the number's width. */
static uint64_t largest(const struct spot *spot)
{
	unsigned bits = spot->bits ? spot->bits : 8 * f2fs_field_width(&spot->field);

	return bits >= 64 ? UINT64_MAX : (1ULL << bits) - 1;
}

static int put_number(struct f2fs_context *ctx, const struct spot *spot, const char *text, uint8_t *bytes)
{
	const bool is_change = text[0] && strchr("+-|&^", text[0]) && text[1] == '=';
	const uint64_t old = spot_get(spot, bytes), max = largest(spot);
	uint64_t value;
	int err = parse_number(ctx, spot, is_change ? text + 2 : text, &value);

	if (err)
		return err;
	if (is_change) {
		switch (text[0]) {
		case '+':
			value = old + value;
			break;
		case '-':
			value = old - value;
			break;
		case '|':
			value |= old;
			break;
		case '&':
			value &= old;
			break;
		default:
			value ^= old;
			break;
		}
		value &= max; /* counts wrap as they would on disk */
	} else if (text[0] == '-' && value > max && ~value <= max >> 1) {
		value &= max;
	}
	if (value > max)
		return error_set(ctx, F2FS_ERR_RANGE, "'%.100s' does not fit into %s, whose largest value is %llu",
				 text, spot->field.name, (unsigned long long)max);
	store(spot, value, bytes);
	return 0;
}

/* ---- bytes ---- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Put digits in pairs, with the dashes of a UUID. Bytes after the last pair stay. */
static int put_digits(struct f2fs_context *ctx, const struct spot *spot, const char *text, uint8_t *to)
{
	uint32_t n = 0;

	for (const char *c = text; *c; c += 2, n++) {
		if (*c == '-' && spot->field.show == F2FS_SHOW_UUID)
			c++;
		if (hex_digit(c[0]) < 0 || hex_digit(c[1]) < 0)
			return not_a_value(ctx, spot, text);
		if (n >= spot->field.count)
			return error_set(ctx, F2FS_ERR_RANGE, "%s has %u bytes", spot->field.name,
					 (unsigned)spot->field.count);
		to[n] = (uint8_t)(hex_digit(c[0]) * 16 + hex_digit(c[1]));
	}
	if (spot->field.show == F2FS_SHOW_UUID && n != spot->field.count)
		return not_a_value(ctx, spot, text);
	return 0;
}

int spot_put(struct f2fs_context *ctx, const struct spot *spot, const char *value, uint8_t *bytes)
{
	const size_t length = strlen(value);
	uint8_t *to = bytes + spot->field.offset;

	if (!spot->is_bytes)
		return put_number(ctx, spot, value, bytes);
	if (!strncmp(value, "hex:", 4))
		return put_digits(ctx, spot, value + 4, to);
	switch (spot->field.show) {
	case F2FS_SHOW_TEXT:
		if (length > spot->field.count)
			return error_set(ctx, F2FS_ERR_RANGE, "%s has %u bytes", spot->field.name,
					 (unsigned)spot->field.count);
		memset(to, 0, spot->field.count);
		memcpy(to, value, length);
		return 0;
	case F2FS_SHOW_UTF16:
		if (utf16_encode(value, length, to, spot->field.count / 2) != UTF16_OK)
			return not_a_value(ctx, spot, value);
		return 0;
	default:
		return put_digits(ctx, spot, value, to);
	}
}
