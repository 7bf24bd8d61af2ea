/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * XChaCha12. Several blocks are computed side by side, word by word, so that compilers make vectors of them.
 */
#include "base/chacha12.h"

#include <string.h>

#include "base/bytes.h"

#define WORDS 16
#define BLOCK 64
#define LANES 8
#define DOUBLE_ROUNDS 6

/* The same word of all lanes. */
typedef uint32_t lanes[LANES];

static void add(lanes a, const lanes b)
{
	for (int i = 0; i < LANES; i++)
		a[i] += b[i];
}

static void xor_rotate(lanes a, const lanes b, unsigned int by)
{
	for (int i = 0; i < LANES; i++) {
		const uint32_t x = a[i] ^ b[i];

		a[i] = x << by | x >> (32 - by);
	}
}

static void quarter(lanes x[WORDS], int a, int b, int c, int d)
{
	add(x[a], x[b]);
	xor_rotate(x[d], x[a], 16);
	add(x[c], x[d]);
	xor_rotate(x[b], x[c], 12);
	add(x[a], x[b]);
	xor_rotate(x[d], x[a], 8);
	add(x[c], x[d]);
	xor_rotate(x[b], x[c], 7);
}

static void rounds(lanes x[WORDS])
{
	for (int i = 0; i < DOUBLE_ROUNDS; i++) {
		for (int c = 0; c < 4; c++)
			quarter(x, c, 4 + c, 8 + c, 12 + c);
		for (int c = 0; c < 4; c++)
			quarter(x, c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4);
	}
}

/* The state of a block: constants, key, and the last four words. */
static void start(uint32_t state[WORDS], const uint8_t key[CHACHA_KEY_SIZE], const uint8_t tail[16])
{
	static const uint32_t constants[4] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 };

	memcpy(state, constants, sizeof(constants));
	for (int i = 0; i < 8; i++)
		state[4 + i] = get_le32(key + (size_t)i * 4);
	for (int i = 0; i < 4; i++)
		state[12 + i] = get_le32(tail + (size_t)i * 4);
}

/* LANES blocks of key stream; the counter advances. */
static void make_blocks(uint32_t state[WORDS], uint8_t out[LANES * BLOCK])
{
	const uint64_t counter = state[12] | (uint64_t)state[13] << 32;
	lanes x[WORDS], first[WORDS];

	for (int w = 0; w < WORDS; w++)
		for (int i = 0; i < LANES; i++)
			x[w][i] = state[w];
	for (int i = 0; i < LANES; i++) {
		x[12][i] = (uint32_t)(counter + (uint64_t)i);
		x[13][i] = (uint32_t)((counter + (uint64_t)i) >> 32);
	}
	memcpy(first, x, sizeof(x));
	rounds(x);
	for (int w = 0; w < WORDS; w++)
		add(x[w], first[w]);
	for (int i = 0; i < LANES; i++)
		for (int w = 0; w < WORDS; w++)
			put_le32(out + (size_t)i * BLOCK + (size_t)w * 4, x[w][i]);
	state[12] = (uint32_t)(counter + LANES);
	state[13] = (uint32_t)((counter + LANES) >> 32);
}

/* HChaCha: a key of its own for each nonce. */
static void make_subkey(const uint8_t key[CHACHA_KEY_SIZE], const uint8_t nonce[16], uint8_t subkey[CHACHA_KEY_SIZE])
{
	uint32_t state[WORDS];
	lanes x[WORDS];

	start(state, key, nonce);
	for (int w = 0; w < WORDS; w++)
		for (int i = 0; i < LANES; i++)
			x[w][i] = state[w];
	rounds(x);
	for (size_t w = 0; w < 4; w++) {
		put_le32(subkey + w * 4, x[w][0]);
		put_le32(subkey + 16 + w * 4, x[12 + w][0]);
	}
}

void xchacha12_xor(const uint8_t key[CHACHA_KEY_SIZE], const uint8_t nonce[XCHACHA_NONCE_SIZE], const uint8_t *in,
		   uint8_t *out, size_t n)
{
	uint8_t subkey[CHACHA_KEY_SIZE], tail[16] = { 0 }, stream[LANES * BLOCK];
	uint32_t state[WORDS];

	make_subkey(key, nonce, subkey);
	memcpy(tail + 8, nonce + 16, 8);
	start(state, subkey, tail);
	while (n > 0) {
		const size_t part = n < sizeof(stream) ? n : sizeof(stream);

		make_blocks(state, stream);
		for (size_t i = 0; i < part; i++)
			out[i] = (in ? in[i] : 0) ^ stream[i];
		in = in ? in + part : NULL;
		out += part;
		n -= part;
	}
}
