/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT and SIT are tables of the same kind: entries in blocks of which one of two copies counts. nat_read.c and
 * sit_read.c apply the journal.
 */
#include "volume/table_entries.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "volume/block_read.h"

int table_check_range(const struct f2fs_volume *vol, const struct table_kind *kind, uint32_t first, uint32_t count)
{
	if (range_within(first, count, kind->count))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_RANGE, "%s %u to %llu are not below %u", kind->noun, (unsigned)first,
			 (unsigned long long)first + count, (unsigned)kind->count);
}

int table_copy(struct f2fs_volume *vol, const struct table_kind *kind, uint32_t first, uint32_t count, uint8_t *entries)
{
	for (uint32_t done = 0; done < count;) {
		const uint32_t k = (first + done) / kind->per_block, i = (first + done) % kind->per_block;
		const uint32_t left = count - done, n = kind->per_block - i < left ? kind->per_block - i : left;
		const uint8_t *block;
		unsigned copy;
		int err = volume_peek(vol, kind->current_block(vol, k, &copy), &block);

		if (err)
			return err;
		memcpy(entries + (size_t)done * kind->entry_size, block + (size_t)i * kind->entry_size,
		       (size_t)n * kind->entry_size);
		done += n;
	}
	return 0;
}
