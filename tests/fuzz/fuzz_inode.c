/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as an inode, a directory block, attributes and a cluster's slots: the first 8 bytes choose block size and
 * features. Each scan ends, and its results are inside the block.
 */
#include <stdlib.h>
#include <string.h>

#include "format/cluster.h"
#include "format/dentry.h"
#include "format/flags.h"
#include "format/fscrypt.h"
#include "format/inode.h"
#include "format/xattr.h"
#include "fuzz/fuzz.h"

static void expect(int holds)
{
	if (!holds)
		abort();
}

static void make_geometry(struct f2fs_geometry *geo, const uint8_t *choice)
{
	memset(geo, 0, sizeof(*geo));
	geo->segment_count = 31;
	geo->segment_count_ckpt = geo->segment_count_sit = geo->segment_count_nat = 2;
	geo->segment_count_ssa = 1;
	geo->segment_count_main = 24;
	geo->segment0_blkaddr = 512;
	geo->main_blkaddr = 4096;
	geo->root_ino = ROOT_INO;
	geometry_set_block_size(geo, (choice[0] & 1) ? 14 : 12, get_le32(choice + 4));
	geometry_derive(geo);
}

static void scan_area(const struct dentry_area *area, const uint8_t *block, uint32_t block_size)
{
	struct dentry_ref ref;
	uint32_t slot = 0, before = 0, steps = 0;
	enum dentry_scan found;

	while ((found = dentry_next(area, &slot, &ref)) != DENTRY_END) {
		expect(slot > before && slot <= area->slots && ++steps <= area->slots);
		before = slot;
		if (found == DENTRY_FOUND)
			expect(ref.name >= block && ref.name + ref.name_len <= block + block_size &&
			       ref.name_len <= 255);
	}
}

static void scan_attributes(const uint8_t *area, uint32_t size)
{
	struct xattr_ref ref;
	uint32_t at = 0, steps = 0;

	while (xattr_next(area, size, &at, &ref) == XATTR_FOUND) {
		struct fscrypt_context context;

		expect(at <= size && ++steps <= size / 4);
		expect((size_t)(ref.value - area) + ref.value_size <= size);
		xattr_prefix(ref.index);
		fscrypt_decode(ref.value, ref.value_size, &context);
	}
}

static void check_inode(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout l;
	struct dentry_area area;

	inode_check(geo, block, footer_nid(node_footer(geo, block)), 0);
	inode_check(geo, block, ROOT_INO, 0);
	inode_layout(geo, block, &l);
	expect(l.slot_offset + 4 * l.slots <= geo->block_size - 44);
	expect(l.inline_offset + l.inline_size <= l.xattr_offset);
	expect(l.xattr_offset + l.xattr_size <= geo->block_size - 44);
	dentry_area_of_inode(block, &l, &area);
	scan_area(&area, block, geo->block_size);
	scan_attributes(block + l.xattr_offset, l.xattr_size);
	if (l.is_compressed) {
		struct cluster_shape shape;

		for (uint32_t i = 0; i + l.cluster_blocks <= l.slots; i += l.cluster_blocks) {
			cluster_classify(geo, block + l.slot_offset + (size_t)i * 4, l.cluster_blocks, &shape);
			expect(shape.kind != CLUSTER_COMPRESSED ||
			       (shape.stored >= 1 && shape.stored < l.cluster_blocks));
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct f2fs_geometry geo;
	struct dentry_area area;
	uint8_t *block;

	if (size < 8)
		return 0;
	make_geometry(&geo, data);
	block = calloc(1, geo.block_size);
	if (!block)
		abort();
	memcpy(block, data + 8, size - 8 < geo.block_size ? size - 8 : geo.block_size);
	check_inode(&geo, block);
	dentry_area_of_block(&geo, block, &area);
	scan_area(&area, block, geo.block_size);
	scan_attributes(block, geo.block_size);
	free(block);
	return 0;
}
