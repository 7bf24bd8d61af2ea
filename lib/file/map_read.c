/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From file blocks to slots, through the node tree; extents; the nodes of a file (FORMAT files 1.5).
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_past.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/page_store.h"
#include "file/write.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

/*
 * Read the node of a level into the inode's cache. Its footer must name the place where the tree refers to it. So no
 * node can appear twice, and a hostile tree is no larger than the nodes that exist.
 */
static int need_node(struct f2fs_inode *inode, unsigned level, f2fs_nid_t nid, uint32_t offset)
{
	struct f2fs_volume *vol = inode->vol;
	uint32_t found;
	int err;

	if (inode->node_nid[level] == nid && inode->node_offset[level] == offset &&
	    inode->node_generation[level] == vol->generation)
		return 0;
	if (nid == inode->ino || !geometry_is_nid(&vol->geo, nid))
		return inode_corrupt(inode, RULE_NODE_CHILD, "child %u", (unsigned)nid);
	if (!inode->node[level]) {
		inode->node[level] = mem_alloc(vol->ctx, vol->geo.block_size);
		if (!inode->node[level])
			return F2FS_ERR_NOMEM;
	}
	inode->node_nid[level] = 0;
	err = inode_load_node(inode, nid, offset, inode->node[level], &inode->node_addr[level]);
	if (err)
		return err;
	found = node_offset_of(node_footer(&vol->geo, inode->node[level]));
	if (found != offset)
		return volume_corrupt(vol, RULE_NODE_OFFSET, inode->node_addr[level], nid, "it is %u, not %u",
				      (unsigned)found, (unsigned)offset);
	inode->node_nid[level] = nid;
	inode->node_offset[level] = offset;
	inode->node_generation[level] = vol->generation;
	return 0;
}

int map_find(struct f2fs_inode *inode, uint64_t file_block, struct map_run *out)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;
	struct node_path path;
	f2fs_nid_t nid;

	work_note(inode->vol->ctx);
	if (!node_path_of(geo, inode->layout.slots, inode->layout.node_slots, file_block, &path))
		return error_set(inode->vol->ctx, F2FS_ERR_NOT_FOUND, "file block %llu is beyond the largest file",
				 (unsigned long long)file_block);
	out->ofs_in_node = path.index[path.depth];
	if (path.depth == 0) {
		out->slots = inode->block + inode->layout.slot_offset + (size_t)path.index[0] * 4;
		out->count = inode->layout.slots - path.index[0];
		out->nid = inode->ino;
		return 0;
	}
	nid = inode_nid(geo, inode->block, path.index[0]);
	for (unsigned level = 1;; level++) {
		int err;

		if (nid == 0) {
			out->slots = NULL;
			out->nid = 0;
			out->count = node_path_rest(geo, inode->layout.node_slots, &path, level);
			return 0;
		}
		err = need_node(inode, level, nid, path.node_offset[level]);
		if (err) {
			out->slots = NULL;
			out->count = node_path_rest(geo, inode->layout.node_slots, &path, level);
			return err;
		}
		if (level == path.depth)
			break;
		nid = get_le32(inode->node[level] + (size_t)path.index[level] * 4);
	}
	out->slots = inode->node[path.depth] + (size_t)path.index[path.depth] * 4;
	out->count = inode->layout.node_slots - path.index[path.depth];
	out->nid = nid;
	return 0;
}

/* Kinds of slots that form runs. */
static int kind_of(const struct f2fs_inode *inode, uint32_t slot)
{
	switch (slot) {
	case F2FS_NULL_ADDR:
		return F2FS_EXTENT_HOLE;
	case F2FS_NEW_ADDR:
		return F2FS_EXTENT_RESERVED;
	case F2FS_COMPRESS_ADDR:
		return inode->layout.is_compressed ? F2FS_EXTENT_COMPRESSED : F2FS_EXTENT_DATA;
	default:
		return F2FS_EXTENT_DATA;
	}
}

/* Fill in one cluster: the slots after its head that hold blocks. */
static void fill_cluster(const struct f2fs_inode *inode, const struct map_run *run, struct f2fs_file_extent *out)
{
	uint32_t blocks = inode->layout.cluster_blocks;

	out->count = blocks;
	for (uint32_t i = 1; i < blocks && i < run->count; i++) {
		uint32_t addr = get_le32(run->slots + (size_t)i * 4);

		if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR)
			break;
		if (out->stored++ == 0)
			out->addr = addr;
	}
}

/*
 * Extend a run of holes, reserved or data blocks over the slots of one node, up to the wanted number of blocks; true
 * when it ends before.
 */
static bool extend_run(const struct f2fs_inode *inode, const struct map_run *run, uint64_t wanted,
		       struct f2fs_file_extent *out)
{
	const uint64_t room = wanted - out->count, count = run->count < room ? run->count : room;
	uint64_t i;

	if (!run->slots) {
		if (out->kind != F2FS_EXTENT_HOLE)
			return true;
		out->count += run->count;
		return false;
	}
	for (i = 0; i < count; i++) {
		uint32_t slot = get_le32(run->slots + i * 4);

		if (kind_of(inode, slot) != out->kind)
			break;
		if (out->kind == F2FS_EXTENT_DATA && slot != out->addr + out->count + i)
			break;
	}
	out->count += i;
	return i < count;
}

/* Find the extent from a file block on; it may end early once it has the wanted number of blocks. */
static int find_extent(struct f2fs_inode *inode, uint64_t file_block, uint64_t wanted, struct f2fs_file_extent *out)
{
	struct map_run run;
	uint32_t slot;
	int err;

	memset(out, 0, sizeof(*out));
	memset(&run, 0, sizeof(run));
	out->file_block = file_block;
	err = map_find(inode, file_block, &run);
	if (err) {
		out->count = run.count;
		return err;
	}
	slot = run.slots ? get_le32(run.slots) : F2FS_NULL_ADDR;
	out->kind = kind_of(inode, slot);
	if (out->kind == F2FS_EXTENT_COMPRESSED) {
		fill_cluster(inode, &run, out);
		return 0;
	}
	if (out->kind == F2FS_EXTENT_DATA)
		out->addr = slot;
	while (!extend_run(inode, &run, wanted, out) && out->count < wanted) {
		err = map_find(inode, file_block + out->count, &run);
		if (err) { /* the end of the tree, or damage that the next call meets */
			error_clear(inode->vol->ctx);
			break;
		}
	}
	return 0;
}

/* Inline contents and device aliases have no slots. */
static int find_special_extent(struct f2fs_inode *inode, uint64_t file_block, struct f2fs_file_extent *out)
{
	const uint8_t *raw = inode->block;
	uint64_t blocks = (inode_i_size(raw) + inode->vol->geo.block_size - 1) / inode->vol->geo.block_size;

	memset(out, 0, sizeof(*out));
	if (inode_is_alias(inode)) {
		blocks = inode_i_ext_len(raw);
		out->kind = F2FS_EXTENT_DATA;
		out->addr = inode_i_ext_blk(raw) + (uint32_t)file_block;
	} else {
		out->kind = F2FS_EXTENT_INLINE;
	}
	if (file_block >= blocks)
		return error_set(inode->vol->ctx, F2FS_ERR_NOT_FOUND, "no extent at file block %llu",
				 (unsigned long long)file_block);
	out->file_block = file_block;
	out->count = blocks - file_block;
	return 0;
}

static bool has_slots(const struct f2fs_inode *inode)
{
	unsigned type = inode_type(inode);

	return (type == MODE_REG || type == MODE_DIR || type == MODE_LNK) && !inode_is_alias(inode) &&
	       !inode_has_inline(inode->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry);
}

/* Blocks from file_block on that wait in memory. */
static void find_waiting(const struct f2fs_inode *inode, uint64_t file_block, uint64_t wanted,
			 struct f2fs_file_extent *out)
{
	memset(out, 0, sizeof(*out));
	out->file_block = file_block;
	out->kind = F2FS_EXTENT_WAITING;
	while (out->count < wanted && inode_page(inode, file_block + out->count))
		out->count++;
}

/*
 * Is a file block within a compressed cluster, but not its first? Then the rest of the cluster is the extent: its slots
 * say nothing about single blocks.
 */
static bool is_in_cluster(struct f2fs_inode *inode, uint64_t file_block, struct f2fs_file_extent *out)
{
	const uint64_t within = inode->layout.is_compressed ? file_block % inode->layout.cluster_blocks : 0;

	if (within == 0)
		return false;
	if (find_extent(inode, file_block - within, 1, out) != 0) {
		error_clear(inode->vol->ctx); /* the block itself meets it again */
		return false;
	}
	out->file_block = file_block;
	out->count -= out->kind == F2FS_EXTENT_COMPRESSED ? within : 0;
	return out->kind == F2FS_EXTENT_COMPRESSED;
}

int map_extent(struct f2fs_inode *inode, uint64_t file_block, uint64_t wanted, struct f2fs_file_extent *out)
{
	uint64_t size_blocks, end;
	int err;

	out->count = 0;
	err = inode_sync(inode);
	if (err)
		return err;
	if (!has_slots(inode))
		return find_special_extent(inode, file_block, out);
	if (inode_page(inode, file_block)) {
		find_waiting(inode, file_block, wanted, out);
		return 0;
	}
	if (is_in_cluster(inode, file_block, out))
		return 0;
	err = find_extent(inode, file_block, wanted, out);
	if (err)
		return err;
	/* a cluster is either stored or waiting, never partly both */
	if (out->kind != F2FS_EXTENT_COMPRESSED && !inode->is_past)
		out->count = pages_gap(inode->vol, inode->ino, file_block, out->count);
	if (out->kind != F2FS_EXTENT_HOLE)
		return 0;
	/* a hole that runs to the end of the tree ends with the file */
	size_blocks = (inode_i_size(inode->block) + inode->vol->geo.block_size - 1) / inode->vol->geo.block_size;
	end = file_block + out->count;
	if (end < node_max_file_blocks(&inode->vol->geo, inode->layout.node_slots))
		return 0;
	if (file_block >= size_blocks)
		return error_set(inode->vol->ctx, F2FS_ERR_NOT_FOUND, "no extent at file block %llu",
				 (unsigned long long)file_block);
	out->count = size_blocks - file_block;
	return 0;
}

int f2fs_inode_extent(struct f2fs_inode *inode, uint64_t file_block, struct f2fs_file_extent *out)
{
	struct f2fs_file_extent found;
	int err;

	error_clear(inode->vol->ctx);
	err = map_extent(inode, file_block, UINT64_MAX, &found);
	if (!err)
		*out = found;
	return err;
}

int f2fs_inode_block(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t *addr)
{
	struct f2fs_file_extent extent;
	struct map_run run;
	int err;

	error_clear(inode->vol->ctx);
	err = inode_sync(inode);
	if (err)
		return err;
	if (!has_slots(inode)) {
		err = find_special_extent(inode, file_block, &extent);
		if (!err)
			*addr = extent.addr;
		return err;
	}
	err = map_find(inode, file_block, &run);
	if (err)
		return err;
	*addr = run.slots ? get_le32(run.slots) : F2FS_NULL_ADDR;
	if (inode_page(inode, file_block))
		*addr = F2FS_NEW_ADDR;
	return 0;
}

struct node_visit {
	int (*visit)(void *user, const struct f2fs_node_info *node);
	void *user;
};

static int visit_node(struct f2fs_inode *inode, const struct node_visit *v, unsigned level, f2fs_nid_t nid,
		      uint32_t offset)
{
	struct f2fs_node_info info = { .nid = nid, .node_offset = offset };
	int err = need_node(inode, level, nid, offset);

	if (err)
		return err;
	info.addr = inode->node_addr[level];
	return v->visit(v->user, &info);
}

/* Visit the subtree below i_nid[i], which is height levels high; children by place, a path instead of recursion. */
static int visit_subtree(struct f2fs_inode *inode, const struct node_visit *v, f2fs_nid_t root, uint32_t offset,
			 unsigned height)
{
	const uint32_t n = inode->vol->geo.nids_per_block;
	uint32_t index[NODE_LEVELS] = { 0 }, at[NODE_LEVELS] = { 0, offset };
	f2fs_nid_t nid[NODE_LEVELS] = { 0, root };
	unsigned level = 1;
	int err = visit_node(inode, v, 1, root, offset);

	while (!err && level >= 1) {
		f2fs_nid_t child;

		if (level >= height || index[level] >= n) {
			level--;
			continue;
		}
		err = need_node(inode, level, nid[level], at[level]); /* visit may have read the file meanwhile */
		if (err)
			break;
		child = get_le32(inode->node[level] + (size_t)index[level] * 4);
		/* children of the double indirect node are n + 1 apart, those of an indirect one follow each other */
		at[level + 1] = at[level] + 1 + index[level] * (height - level == 2 ? n + 1 : 1);
		index[level]++;
		if (child == 0)
			continue;
		nid[level + 1] = child;
		err = visit_node(inode, v, level + 1, child, at[level + 1]);
		level++;
		index[level] = 0;
	}
	return err;
}

static int find_xattr_node(const struct f2fs_inode *inode, f2fs_nid_t nid, f2fs_blk_t *addr)
{
	struct f2fs_nat_info entry;
	uint8_t *block;
	int err;

	if (!inode->is_past) {
		err = nat_get(inode->vol, nid, &entry);
		if (!err)
			*addr = entry.block_addr;
		return err;
	}
	block = mem_alloc(inode->vol->ctx, inode->vol->geo.block_size);
	if (!block)
		return F2FS_ERR_NOMEM;
	err = inode_load_node(inode, nid, XATTR_NODE_OFFSET, block, addr);
	mem_free(inode->vol->ctx, block);
	return err;
}

int f2fs_inode_list_nodes(struct f2fs_inode *inode, int (*visit)(void *user, const struct f2fs_node_info *node),
			  void *user)
{
	static const uint8_t heights[5] = { 1, 1, 2, 2, 3 };
	const struct f2fs_geometry *geo = &inode->vol->geo;
	const struct node_visit v = { visit, user };
	struct f2fs_node_info info = { .nid = inode->ino };
	f2fs_nid_t xattr_nid;
	int err;

	error_clear(inode->vol->ctx);
	err = inode_sync(inode);
	if (err)
		return err;
	info.addr = inode->addr;
	xattr_nid = inode_i_xattr_nid(inode->block);
	err = visit(user, &info);
	for (unsigned i = 0; i < 5 && !err; i++) {
		f2fs_nid_t nid = inode_nid(geo, inode->block, i);

		if (nid)
			err = visit_subtree(inode, &v, nid, node_offset_below_inode(geo, i), heights[i]);
	}
	if (err || !xattr_nid)
		return err;
	err = find_xattr_node(inode, xattr_nid, &info.addr);
	if (err)
		return err;
	info.nid = xattr_nid;
	info.node_offset = XATTR_NODE_OFFSET;
	return visit(user, &info);
}

int inode_judge(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t count)
{
	int err = 0;

	if (inode->is_past && inode_is_alias(inode))
		return error_set(inode->vol->ctx, F2FS_ERR_OVERWRITTEN,
				 "the later use of the device range of inode %u is not known",
				 (unsigned)inode->ino);
	for (uint64_t i = 0; inode->is_past && i < count && !err;) {
		struct map_run run;

		err = map_find(inode, file_block + i, &run);
		for (uint64_t k = 0; !err && k < run.count && i < count; k++, i++)
			err = inode->past.judge(inode->past.user, inode, run.nid, run.ofs_in_node + (uint32_t)k,
						addr + (f2fs_blk_t)i);
		if (!err && run.count == 0)
			break;
	}
	return err;
}
