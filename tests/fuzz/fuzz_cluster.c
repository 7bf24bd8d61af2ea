/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as compressed data: byte 0 chooses the algorithm and the size of the output, the rest is the stream.
 * Decompressed bytes must survive compression and decompression; plain LZO must decode as liblzo2 does it, where that
 * is installed. Our own encoder also compresses the same bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/comp.h"
#include "base/lzo.h"
#include "base/lzo_encode.h"
#include "common/lzo_peer.h"
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
	const size_t cap = 2 * n + 1000;
	uint8_t *packed = allocate(cap), *again = allocate(n), *work = allocate(comp_work_size(algorithm, 0, n));
	struct comp_job job = { .in = plain, .in_len = n, .out = packed, .cap = cap, .work = work };

	if (comp_compress(state, algorithm, 0, &job) != COMP_OK)
		abort();
	if (comp_decompress(state, algorithm, packed, job.out_len, again, n) != COMP_OK || memcmp(plain, again, n) != 0)
		abort();
	free(packed);
	free(again);
	free(work);
}

/* A length that is more than the output can hold: ours ends there, the library looks on, and may see an end marker. */
static int has_endless_length(const uint8_t *in, size_t n, size_t cap)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n && zeros < cap / 255; i++)
		zeros = in[i] ? 0 : zeros + 1;
	return zeros >= cap / 255;
}

static void compare_lzo(const uint8_t *in, size_t n, size_t cap)
{
	uint8_t *ours = allocate(cap), *theirs = allocate(cap);
	size_t ours_len = 0, theirs_len = 0;
	enum lzo_result result = lzo_decompress(in, n, ours, cap, &ours_len);
	int is_good = result == LZO_OK;

	/*
	 * Five bytes that start with 0x11 have a version, which the library does not know; and it takes an end marker
	 * of any length, where the kernel wants 3.
	 */
	if (n > 0 && !(n >= 5 && in[0] == 0x11) && result != LZO_BAD_END &&
	    !(result == LZO_OUTPUT_OVERRUN && has_endless_length(in, n, cap))) {
		if (is_good != lzo_peer_decompress(in, n, theirs, cap, &theirs_len))
			abort();
		if (is_good && (ours_len != theirs_len || memcmp(ours, theirs, ours_len) != 0))
			abort();
	}
	free(ours);
	free(theirs);
}

/* Compress the bytes: within the bound, and in exactly the room needed, not in less. */
static void make_lzo(const uint8_t *plain, size_t n, int has_zero_runs)
{
	size_t cap = lzo_bound(n), length = 0, made = 0;
	uint8_t *packed = allocate(cap), *again = allocate(n), *exact;
	struct lzo_input in = { plain, n, has_zero_runs };
	void *work = allocate(lzo_work_size());

	if (!lzo_compress(&in, packed, cap, &length, work))
		abort();
	if (lzo_decompress(packed, length, again, n, &made) != LZO_OK || made != n || memcmp(plain, again, n) != 0)
		abort();
	if (!has_zero_runs && lzo_peer_load() &&
	    (!lzo_peer_decompress(packed, length, again, n, &made) || made != n || memcmp(plain, again, n) != 0))
		abort();
	exact = allocate(length);
	if (!lzo_compress(&in, exact, length, &made, work) || made != length || memcmp(packed, exact, length) != 0)
		abort();
	if (lzo_compress(&in, exact, length - 1, &made, work))
		abort();
	free(packed);
	free(again);
	free(exact);
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
	if (algorithm == COMP_LZO || algorithm == COMP_LZORLE)
		make_lzo(data + 1, size - 1, algorithm == COMP_LZORLE);
	if (algorithm == COMP_LZO && lzo_peer_load())
		compare_lzo(data + 1, size - 1, n);
	free(out);
	comp_fini(&state);
	return 0;
}
