/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directory entry hashes. The cipher is the Tiny Encryption Algorithm, 16
 * rounds, run over 16 bytes of the name at a time as its key; the first half
 * of the running state is the hash (FORMAT files 5.7).
 */
#include "base/namehash.h"

#include <stdbool.h>

#define CHUNK 16u

/*
 * Pack the next four key words. Missing bytes are filled with @left, the
 * number of bytes that remained before this chunk (its low byte, repeated).
 */
static void load_words(const uint8_t *p, size_t left, uint32_t word[4])
{
	uint32_t low = (uint32_t)left;
	uint32_t pad = low | low << 8;
	size_t n = left < CHUNK ? left : CHUNK;

	pad |= pad << 16;
	for (size_t j = 0; j < 4; j++) {
		word[j] = pad;
		for (size_t i = 4 * j; i < 4 * j + 4 && i < n; i++)
			word[j] = (word[j] << 8) + p[i];
	}
}

static void mix(uint32_t state[2], const uint32_t key[4])
{
	uint32_t x = state[0], y = state[1], sum = 0;

	for (int round = 0; round < 16; round++) {
		sum += 0x9E3779B9u;
		x += ((y << 4) + key[0]) ^ (y + sum) ^ ((y >> 5) + key[1]);
		y += ((x << 4) + key[2]) ^ (x + sum) ^ ((x >> 5) + key[3]);
	}
	state[0] += x;
	state[1] += y;
}

static uint32_t hash_bytes(const uint8_t *p, size_t len)
{
	uint32_t state[2] = { 0x67452301u, 0xEFCDAB89u };
	uint32_t word[4];

	for (;;) {
		load_words(p, len, word);
		mix(state, word);
		if (len <= CHUNK)
			return state[0];
		p += CHUNK;
		len -= CHUNK;
	}
}

static bool is_dots(const uint8_t *name, size_t len)
{
	return (len == 1 && name[0] == '.') || (len == 2 && name[0] == '.' && name[1] == '.');
}

uint32_t namehash_plain(const uint8_t *name, size_t len)
{
	return is_dots(name, len) ? 0 : hash_bytes(name, len);
}

enum unicode_result namehash_casefold(const uint8_t *name, size_t len, uint32_t *hash)
{
	uint8_t folded[UNICODE_FOLD_MAX];
	size_t folded_len;
	enum unicode_result result;

	if (is_dots(name, len)) {
		*hash = 0;
		return UNICODE_OK;
	}
	result = unicode_casefold(name, len, folded, &folded_len);
	if (result == UNICODE_OK)
		*hash = hash_bytes(folded, folded_len);
	else if (result != UNICODE_UNAVAILABLE)
		*hash = hash_bytes(name, len);
	return result;
}
