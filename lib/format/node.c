/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Node tree arithmetic (FORMAT files 1.4, 1.5).
 */
#include "format/node.h"

bool node_path_of(const struct f2fs_geometry *geo, uint32_t ai, uint32_t ab, uint64_t b, struct node_path *out)
{
	const uint64_t n = geo->nids_per_block;
	const uint32_t n32 = geo->nids_per_block;

	out->depth = 0;
	out->node_offset[0] = 0;
	if (b < ai) {
		out->index[0] = (uint32_t)b;
		return true;
	}
	b -= ai;
	for (unsigned i = 0; i < 2; i++, b -= ab) {
		if (b >= ab)
			continue;
		out->depth = 1;
		out->index[0] = i;
		out->node_offset[1] = 1 + i;
		out->index[1] = (uint32_t)b;
		return true;
	}
	for (unsigned i = 0; i < 2; i++, b -= ab * n) {
		if (b >= ab * n)
			continue;
		out->depth = 2;
		out->index[0] = 2 + i;
		out->node_offset[1] = 3 + i * (n32 + 1);
		out->index[1] = (uint32_t)(b / ab);
		out->node_offset[2] = out->node_offset[1] + 1 + out->index[1];
		out->index[2] = (uint32_t)(b % ab);
		return true;
	}
	if (b >= ab * n * n)
		return false;
	out->depth = 3;
	out->index[0] = 4;
	out->node_offset[1] = 5 + 2 * n32;
	out->index[1] = (uint32_t)(b / (ab * n));
	out->node_offset[2] = 6 + 2 * n32 + out->index[1] * (n32 + 1);
	out->index[2] = (uint32_t)(b / ab % n);
	out->node_offset[3] = out->node_offset[2] + 1 + out->index[2];
	out->index[3] = (uint32_t)(b % ab);
	return true;
}

uint64_t node_path_rest(const struct f2fs_geometry *geo, uint32_t ab, const struct node_path *path, unsigned level)
{
	uint64_t size = ab, at = path->index[path->depth];

	for (unsigned l = path->depth - 1; l >= level; l--) {
		at += path->index[l] * size;
		size *= geo->nids_per_block;
	}
	return size - at;
}

uint32_t node_offset_below_inode(const struct f2fs_geometry *geo, unsigned i)
{
	const uint32_t n = geo->nids_per_block, offsets[INODE_NIDS] = { 1, 2, 3, 4 + n, 5 + 2 * n };

	return offsets[i];
}

uint32_t node_offset_below(const struct f2fs_geometry *geo, uint32_t offset, uint32_t k)
{
	const uint32_t n = geo->nids_per_block;

	return offset + 1 + k * (offset == 5 + 2 * n ? n + 1 : 1);
}

bool node_offset_is_direct(const struct f2fs_geometry *geo, uint32_t ofs)
{
	const uint32_t n = geo->nids_per_block;

	if (ofs == XATTR_NODE_OFFSET || ofs == 3 || ofs == 4 + n || ofs == 5 + 2 * n)
		return false;
	return ofs < 6 + 2 * n || (ofs - 6 - 2 * n) % (n + 1) != 0;
}

uint64_t node_first_block(const struct f2fs_geometry *geo, uint32_t ai, uint32_t ab, uint32_t ofs)
{
	const uint32_t n = geo->nids_per_block;
	uint64_t nodes;

	if (ofs == 0)
		return 0;
	if (ofs <= 2)
		nodes = ofs - 1;
	else if (ofs <= 2 * n + 4)
		nodes = ofs - 2 - (ofs - 4) / (n + 1);
	else
		nodes = ofs - 5 - (uint64_t)((ofs - 2 * n - 7) / (n + 1));
	return ai + nodes * ab;
}

uint64_t node_max_file_blocks(const struct f2fs_geometry *geo, uint32_t ab)
{
	const uint64_t n = geo->nids_per_block;
	uint64_t blocks = ab * (2 + 2 * n + n * n);
	uint64_t limit = ((uint64_t)1 << 32) * 4096 / geo->block_size;

	return blocks < limit ? blocks : limit;
}
