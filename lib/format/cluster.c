/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patterns of a cluster's slots (FORMAT files 8.1).
 */
#include "format/cluster.h"

#include <string.h>

#include "base/bytes.h"

static void set_bad(struct cluster_shape *out, uint32_t slot)
{
	out->kind = CLUSTER_BAD;
	out->bad_slot = slot;
}

/* Behind the head: stored blocks, then reserved slots only or empty ones only. */
static void classify_compressed(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks,
				struct cluster_shape *out)
{
	uint32_t i = 1, tail;

	while (i < blocks && geometry_is_main(geo, get_le32(slots + (size_t)i * 4)))
		i++;
	out->kind = CLUSTER_COMPRESSED;
	out->stored = i - 1;
	if (out->stored == 0) {
		set_bad(out, 1);
		return;
	}
	if (i == blocks)
		return;
	tail = get_le32(slots + (size_t)i * 4);
	if (tail == F2FS_NEW_ADDR)
		out->reserved = blocks - i;
	else if (tail != F2FS_NULL_ADDR)
		set_bad(out, i);
	for (; i < blocks && out->kind != CLUSTER_BAD; i++)
		if (get_le32(slots + (size_t)i * 4) != tail)
			set_bad(out, i);
}

void cluster_classify(const struct f2fs_geometry *geo, const uint8_t *slots, uint32_t blocks, struct cluster_shape *out)
{
	memset(out, 0, sizeof(*out));
	if (get_le32(slots) == F2FS_COMPRESS_ADDR) {
		classify_compressed(geo, slots, blocks, out);
		return;
	}
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t slot = get_le32(slots + (size_t)i * 4);

		if (slot == F2FS_NULL_ADDR || slot == F2FS_NEW_ADDR || geometry_is_main(geo, slot))
			continue;
		set_bad(out, i);
		return;
	}
}
