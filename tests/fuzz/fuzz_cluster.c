/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as compressed data: byte 0 chooses the algorithm and the size of the output, the rest is the stream. What
 * decompresses must do so again when it is compressed and decompressed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/comp.h"
#include "fuzz/fuzz.h"

static uint8_t *allocate(size_t n)
{
	uint8_t *p = malloc(n ? n : 1);

	if (!p)
		abort();
	return p;
}

static void round_trip(struct comp_state *state, unsigned algorithm, const uint8_t *plain, size_t n)
{
	size_t cap = 2 * n + 1000, length = 0;
	uint8_t *packed = allocate(cap), *again = allocate(n), *work = allocate(comp_work_size(algorithm, 0, n));

	if (comp_compress(state, algorithm, 0, plain, n, packed, cap, &length, work) != COMP_OK)
		abort();
	if (comp_decompress(state, algorithm, packed, length, again, n) != COMP_OK || memcmp(plain, again, n) != 0)
		abort();
	free(packed);
	free(again);
	free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct comp_state state;
	unsigned algorithm;
	uint8_t *out;
	size_t n;

	if (size < 1)
		return 0;
	algorithm = data[0] & 3;
	n = (size_t)16384 << (data[0] >> 2 & 3);
	if (!comp_can_decompress(algorithm))
		return 0;
	comp_init(&state);
	out = allocate(n);
	if (comp_decompress(&state, algorithm, data + 1, size - 1, out, n) == COMP_OK && comp_can_compress(algorithm))
		round_trip(&state, algorithm, out, n);
	free(out);
	comp_fini(&state);
	return 0;
}
