/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask the hash of an entry for its name. Some names differ from the stored one in one bit, or have another length. At
 * most one of these has the stored hash of 32 bits, except for a chance of one in a million, and for pairs of bits that
 * the hash does not distinguish: the highest bits of bytes 0 and 4, and of bytes 8 and 12. Of two such names the one
 * that is UTF-8 is believed. No other witness is needed.
 */
#include <string.h>

#include "base/namehash.h"
#include "base/utf8.h"
#include "facts/dir_judge.h"
#include "witness/witness.h"
#include "witness/witness_hashes.h"
#include "witness/witness_own.h"

struct search {
	const struct inode_fact *dir;
	uint32_t hash;	/* as stored */
	uint32_t found; /* names that have it */
	uint32_t texts; /* of these, names in UTF-8 */
	uint32_t dots;	/* how many of them are a name here: those of the slot, if any */
	struct own_name *out;
};

static bool has_hash(const struct search *s, const uint8_t *bytes, uint32_t length)
{
	const struct dentry_ref ref = { .name = bytes, .name_len = (uint16_t)length };
	uint32_t hash;

	return dir_expected_hash(s->dir, &ref, &hash) && hash == s->hash;
}

static bool is_usable(const struct search *s, const uint8_t *bytes, uint32_t length)
{
	const struct dentry_ref ref = { .name = bytes, .name_len = (uint16_t)length };

	if (name_is_dots(&ref) && length != s->dots)
		return false;
	return (s->dir->advise & FLAG_i_advise_encrypt) || (!memchr(bytes, '/', length) && !memchr(bytes, 0, length));
}

static void try_name(struct search *s, const uint8_t *bytes, uint32_t length)
{
	if (!is_usable(s, bytes, length) || !has_hash(s, bytes, length))
		return;
	s->found++;
	if (utf8_is_valid(bytes, length))
		s->texts++;
	else if (s->texts)
		return;
	memcpy(s->out->bytes, bytes, length);
	s->out->length = length;
}

static bool is_one_bit(uint32_t x)
{
	return x != 0 && (x & (x - 1)) == 0;
}

/* Count the names near to that of a slot which have its hash. None are sought when one bit of the hash is wrong. */
static void search_names(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot, struct search *s)
{
	const uint8_t *raw = area->entries + (size_t)slot * dentry_SIZE;
	const uint8_t *stored = area->names + (size_t)slot * DENTRY_SLOT_BYTES;
	const uint32_t room = (area->slots - slot) * DENTRY_SLOT_BYTES, length = dentry_name_len(raw);
	const uint32_t most = room < NAME_MAX_BYTES ? room : NAME_MAX_BYTES;
	const struct dentry_ref ref = { .name = stored, .name_len = (uint16_t)length };
	uint8_t bytes[NAME_MAX_BYTES];
	uint32_t expected;

	s->dir = dir;
	s->hash = dentry_hash_code(raw);
	s->dots = slot < 2 ? slot + 1 : 0;
	if (length > 0 && length <= most && dir_expected_hash(dir, &ref, &expected) && is_one_bit(expected ^ s->hash))
		return;
	memcpy(bytes, stored, most);
	for (uint32_t n = 1; n <= most; n++)
		try_name(s, bytes, n);
	for (uint32_t bit = 0; length <= most && bit < length * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		try_name(s, bytes, length);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

bool hash_solve(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot, struct own_name *out)
{
	struct search s = { .out = out };

	search_names(dir, area, slot, &s);
	return s.found == 1 || s.texts == 1;
}

bool hash_is_near(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot)
{
	struct own_name name;
	struct search s = { .out = &name };

	search_names(dir, area, slot, &s);
	return s.found > 0;
}
