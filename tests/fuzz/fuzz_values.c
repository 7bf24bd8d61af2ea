/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Small values of inodes: encryption contexts, verity attributes and descriptors, device numbers, addresses of
 * clusters. The first byte chooses.
 */
#include <stdlib.h>
#include <string.h>

#include "base/devnum.h"
#include "base/bytes.h"
#include "format/cluster.h"
#include "format/fscrypt.h"
#include "format/verity_descriptor.h"
#include "fuzz/fuzz.h"

#define VALUE_MAX 4096

static void expect(int condition)
{
	if (!condition)
		abort();
}

static void try_contexts(const uint8_t *data, size_t size)
{
	struct fscrypt_context context;
	struct verity_location location;
	struct verity_params params;
	struct verity verity;
	char buf[256];
	struct text text;

	if (fscrypt_decode(data, size, &context) == RULE_NONE) {
		fscrypt_check(&context, 12);
		text_init(&text, buf, sizeof(buf));
		fscrypt_print(&context, &text);
		expect(!text.truncated);
	}
	if (verity_location_decode(data, size, 100000, (uint64_t)1 << 42, &location) == NULL)
		expect(location.descriptor >= location.tree && location.tree >= 100000);
	if (size >= 16 && verity_descriptor_decode(data, size, get_le64(data + 8), 12, &params) == NULL) {
		int result = verity_init(&verity, &params);

		expect(result == VERITY_OK || result == VERITY_UNAVAILABLE);
		if (result == VERITY_OK)
			verity_fini(&verity);
	}
}

static void try_cluster(const uint8_t *data, size_t size)
{
	static const struct f2fs_geometry geo = { .main_blkaddr = 0x20202020, .end_blkaddr = 0x70707070 };
	struct cluster_shape shape;
	struct cluster_header header;
	struct devnum dev, again;
	uint8_t words[DEVNUM_WORDS_SIZE];

	for (uint32_t blocks = 4; blocks <= 256 && 4 * (size_t)blocks <= size; blocks *= 2) {
		cluster_classify(&geo, data, blocks, &shape);
		expect((shape.kind == CLUSTER_ILLEGAL) == (shape.problem != CLUSTER_FINE));
		expect(shape.stored + shape.reserved <= blocks && shape.problem_slot < blocks);
		if (cluster_is_compressed(&shape))
			expect(shape.stored > 0 && shape.stored < blocks);
	}
	if (cluster_header_decode(data, size, &header) == RULE_NONE)
		cluster_checksum(data + size - header.length, header.length);
	if (size < sizeof(words))
		return;
	devnum_decode(data, &dev);
	expect(devnum_encode(&dev, words) == 0);
	devnum_decode(words, &again);
	expect(dev.major == again.major && dev.minor == again.minor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const uint8_t *data, size_t size) = { try_contexts, try_cluster };
	uint8_t *copy;

	if (size == 0 || size > VALUE_MAX)
		return 0;
	copy = malloc(size - 1 ? size - 1 : 1); /* of its own, so that a byte too far is seen */
	expect(copy != NULL);
	memcpy(copy, data + 1, size - 1);
	tries[data[0] % (sizeof(tries) / sizeof(tries[0]))](copy, size - 1);
	free(copy);
	return 0;
}
