/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Aliases: names that take the place of the real ones. A keyed permutation of all names of the same pattern (letters,
 * digits, others) is applied again and again until it gives a name that belongs into the same hash bucket of the
 * directory. This maps the names of a bucket one to one onto themselves: two aliases are equal only if the names were,
 * and no table of names is needed.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/namehash.h"
#include "forensics/meta.h"
#include "forensics/meta_alias.h"

#define STEP_WORK 2000u /* bytes that could be copied while a name is tried */
#define ROUNDS 4u /* of the Feistel network: two for each half */

/* The characters of a name that change, as numbers below their radix. */
struct symbols {
	uint8_t value[256], radix[256], place[256];
	uint8_t first[256]; /* the character of value 0 */
	unsigned count;
};

static void take(struct symbols *s, size_t place, uint8_t c, uint8_t first, uint8_t radix)
{
	s->value[s->count] = (uint8_t)(c - first);
	s->first[s->count] = first;
	s->radix[s->count] = radix;
	s->place[s->count++] = (uint8_t)place;
}

static void split(struct symbols *s, const uint8_t *name, size_t length, bool is_folded)
{
	s->count = 0;
	for (size_t i = 0; i < length; i++) {
		const uint8_t c = name[i];

		if (c >= 'a' && c <= 'z')
			take(s, i, c, 'a', 26);
		else if (c >= 'A' && c <= 'Z')
			take(s, i, c, 'A', 26);
		else if (c >= '0' && c <= '9')
			take(s, i, c, '0', 10);
		else if (c >= 0x80 && c <= 0xBF && !is_folded) /* the further bytes of UTF-8 */
			take(s, i, c, 0x80, 64);
	}
}

static void join(const struct symbols *s, uint8_t *name)
{
	for (unsigned i = 0; i < s->count; i++)
		name[s->place[i]] = (uint8_t)(s->first[i] + s->value[i]);
}

/* Add to the symbols of one half a number that depends on the other half and the key. */
static void mix(const struct meta_plan *plan, struct symbols *s, unsigned round)
{
	const unsigned half = s->count / 2;
	const unsigned from = round % 2 ? half : 0, from_end = round % 2 ? s->count : half;
	const unsigned to = round % 2 ? 0 : half, to_end = round % 2 ? half : s->count;
	uint8_t text[4 + 256];
	uint64_t number = 0;

	memcpy(text + 4, s->value + from, from_end - from);
	for (unsigned i = to; i < to_end; i++) {
		if ((i - to) % 8 == 0) {
			put_le32(text, round << 16 | (i - to));
			number = siphash24(plan->key, text, 4 + from_end - from);
		}
		s->value[i] = (uint8_t)((s->value[i] + (number & 0xFF)) % s->radix[i]);
		number >>= 8;
	}
}

static uint32_t hash_of(bool is_folded, const uint8_t *name, size_t length)
{
	uint32_t hash = 0;

	if (!is_folded || namehash_casefold(name, length, &hash) == UNICODE_UNAVAILABLE)
		return namehash_plain(name, length);
	return hash;
}

/* The one name that means something to a check. */
static bool is_fixed(const uint8_t *name, size_t length)
{
	static const char lost[] = "lost+found";

	return length == sizeof(lost) - 1 && memcmp(name, lost, length) == 0;
}

int meta_alias(const struct meta_plan *plan, uint32_t dir_flags, uint8_t *name, size_t length)
{
	const bool is_folded = (dir_flags & META_DIR_FOLDED) != 0;
	const uint32_t mask = (1u << (dir_flags >> META_DIR_BITS)) - 1;
	struct symbols s;
	uint32_t bucket;
	int err;

	if (length == 0 || length > 255 || (dir_flags & META_DIR_CIPHER) ||
	    (name[0] == '.' && (length == 1 || (length == 2 && name[1] == '.'))) ||
	    is_fixed(name, length))
		return 0;
	split(&s, name, length, is_folded);
	if (s.count == 0)
		return 0;
	bucket = hash_of(is_folded, name, length) & mask;
	do {
		for (unsigned round = 0; round < ROUNDS; round++)
			mix(plan, &s, round);
		join(&s, name);
		err = progress_tick(plan->ctx, "metadata image", STEP_WORK);
		/* this ends: at the latest, the cycle of the permutation returns to the old name */
	} while (!err && (is_fixed(name, length) || (hash_of(is_folded, name, length) & mask) != bucket));
	return err;
}
