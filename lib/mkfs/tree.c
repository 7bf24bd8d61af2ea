/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make the files of a new volume: the root directory, quota files, lost+found, and device aliases (FORMAT volume 3.9
 * item 3, 9.4; files 2, 5, 14). Inode numbers go up from 3 in this order. A directory here has one block of entries, a
 * quota file one or two blocks.
 */
#include <string.h>

#include "base/checked.h"
#include "base/crc.h"
#include "base/error.h"
#include "base/namehash.h"
#include "device/device.h"
#include "format/dentry.h"
#include "format/inode.h"
#include "mkfs/quota.h"
#include "mkfs/run.h"
#include "mkfs/tree.h"

#define FIRST_NODE_VERSION 1u /* cp_ver of nodes that no checkpoint precedes */
#define MODE_ROOT 0040755
#define MODE_LOST_FOUND 0040700
#define MODE_QUOTA 0100600
#define MODE_ALIAS 0100700

static const char lost_found[] = "lost+found";

/*
 * Append a zeroed block to a log: its address, and its memory until the logs are written. owner is the node id for the
 * summary, slot the index there (nodes: 0).
 */
static int append(struct mkfs *m, unsigned log, f2fs_nid_t owner, uint16_t slot, f2fs_blk_t *addr, uint8_t **block)
{
	struct mkfs_log *l = &m->logs[log];
	uint8_t *summary;

	if (!l->blocks)
		l->blocks = mem_calloc(m->ctx, MKFS_LOG_BLOCKS, m->geo->block_size);
	if (!l->blocks)
		return F2FS_ERR_NOMEM;
	if (l->count == MKFS_LOG_BLOCKS)
		return error_set(m->ctx, F2FS_ERR_STATE, "too many blocks in a new volume's %s log",
				 f2fs_log_type_name(log));
	summary = l->summaries + (size_t)l->count * sum_SIZE;
	sum_set_nid(summary, owner);
	sum_set_ofs_in_node(summary, slot);
	*addr = geometry_segment_start(m->geo, m->layout->logs[log]) + l->count;
	*block = l->blocks + (size_t)l->count * m->geo->block_size;
	l->count++;
	return 0;
}

/* Bytes of extra attributes: up to the last that a feature needs (FORMAT files 2.2). */
static uint16_t extra_size(uint32_t feature)
{
	if (feature & F2FS_FEAT_COMPRESSION)
		return extra_SIZE;
	if (feature & F2FS_FEAT_INODE_CRTIME)
		return extra_OFS_i_compr_blocks;
	if (feature & F2FS_FEAT_INODE_CHECKSUM)
		return extra_OFS_i_crtime;
	if (feature & F2FS_FEAT_PROJECT_QUOTA)
		return extra_OFS_i_inode_checksum;
	return extra_OFS_i_projid;
}

static void fill_times(struct mkfs *m, uint8_t *inode)
{
	inode_set_i_atime(inode, m->result.time);
	inode_set_i_ctime(inode, m->result.time);
	inode_set_i_mtime(inode, m->result.time);
	if (geometry_has(m->geo, F2FS_FEAT_INODE_CRTIME))
		extra_set_i_crtime(inode + INODE_ADDR_OFFSET, m->result.time);
}

/* Append an inode and fill in the fields that all have in common. */
static int new_inode(struct mkfs *m, unsigned log, f2fs_nid_t ino, uint16_t mode, uint8_t **inode)
{
	uint8_t *block, *footer;
	f2fs_blk_t addr;
	int err = append(m, log, ino, 0, &addr, &block);

	if (err)
		return err;
	m->nodes[m->node_count].nid = ino;
	m->nodes[m->node_count++].addr = addr;
	inode_set_i_mode(block, mode);
	inode_set_i_uid(block, m->options->root_uid);
	inode_set_i_gid(block, m->options->root_gid);
	inode_set_i_links(block, (mode & MODE_TYPE) == MODE_DIR ? 2 : 1);
	inode_set_i_current_depth(block, (mode & MODE_TYPE) == MODE_DIR);
	if (geometry_has(m->geo, F2FS_FEAT_EXTRA_ATTR)) {
		inode_set_i_inline(block, (uint8_t)FLAG_i_inline_extra_attr);
		extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, extra_size(m->geo->feature));
	}
	fill_times(m, block);
	footer = node_footer_w(m->geo, block);
	footer_set_nid(footer, ino);
	footer_set_ino(footer, ino);
	footer_set_cp_ver(footer, FIRST_NODE_VERSION);
	footer_set_next_blkaddr(footer, addr + 1);
	*inode = block;
	return 0;
}

static void fill_name(uint8_t *inode, const char *name)
{
	size_t n = strlen(name);

	inode_set_i_pino(inode, ROOT_INO);
	inode_set_i_namelen(inode, (uint32_t)n);
	memcpy(inode_i_name_w(inode), name, n);
}

/* Append a data block to an inode made here: block number index of the file. */
static int add_data_block(struct mkfs *m, f2fs_nid_t ino, uint8_t *inode, uint16_t index, uint8_t **block)
{
	struct inode_layout layout;
	f2fs_blk_t addr;
	int err = append(m, F2FS_HOT_DATA, ino, index, &addr, block);

	if (err)
		return err;
	inode_layout(m->geo, inode, &layout);
	put_le32(inode + layout.slot_offset + 4 * (size_t)index, addr);
	return 0;
}

/* Put an entry into the next free slots. */
static void add_entry(struct mkfs *m, uint8_t *block, uint32_t *slot, const char *name, f2fs_nid_t ino, unsigned type)
{
	uint8_t *entry = block + m->geo->dentry_offset + (size_t)*slot * dentry_SIZE;
	size_t n = strlen(name);

	dentry_set_hash_code(entry, namehash_plain((const uint8_t *)name, n));
	dentry_set_ino(entry, ino);
	dentry_set_name_len(entry, (uint16_t)n);
	dentry_set_file_type(entry, (uint8_t)type);
	memcpy(block + m->geo->dentry_name_offset + (size_t)*slot * DENTRY_SLOT_BYTES, name, n);
	for (uint32_t i = 0; i < dentry_slots_of((uint32_t)n); i++)
		lsb_set(block, (*slot)++);
}

/* A directory with its block of entries, "." and ".." in it. */
static int new_directory(struct mkfs *m, f2fs_nid_t ino, f2fs_nid_t parent, uint16_t mode, uint8_t **inode,
			 uint8_t **entries, uint32_t *slot)
{
	int err = new_inode(m, F2FS_HOT_NODE, ino, mode, inode);

	if (!err)
		err = add_data_block(m, ino, *inode, 0, entries);
	if (err)
		return err;
	inode_set_i_size(*inode, m->geo->block_size);
	inode_set_i_blocks(*inode, 2);
	*slot = 0;
	add_entry(m, *entries, slot, ".", ino, f2fs_type_of_mode(mode));
	add_entry(m, *entries, slot, "..", parent, f2fs_type_of_mode(mode));
	return 0;
}

static int make_root(struct mkfs *m)
{
	uint8_t *inode, *entries;
	uint32_t slot;
	f2fs_nid_t alias_ino;
	int err = new_directory(m, ROOT_INO, ROOT_INO, MODE_ROOT, &inode, &entries, &slot);

	if (err)
		return err;
	alias_ino = ROOT_INO + 1;
	for (unsigned i = 0; i < 3; i++)
		alias_ino += m->result.quota_ino[i] != 0;
	if (m->result.lost_found_ino) {
		add_entry(m, entries, &slot, lost_found, m->result.lost_found_ino, f2fs_type_of_mode(MODE_DIR));
		inode_set_i_links(inode, 3);
		alias_ino++;
	}
	for (unsigned i = 1; i < m->device_count; i++)
		if (m->devices[i].alias)
			add_entry(m, entries, &slot, m->devices[i].alias, alias_ino++, f2fs_type_of_mode(MODE_REG));
	return 0;
}

static int make_lost_found(struct mkfs *m)
{
	uint8_t *inode, *entries;
	uint32_t slot;
	int err = new_directory(m, m->result.lost_found_ino, ROOT_INO, MODE_LOST_FOUND, &inode, &entries, &slot);

	if (!err)
		fill_name(inode, lost_found);
	return err;
}

/* Count the usage of the owner of all files. Quota files do not count. */
static void count_usage(const struct mkfs *m, uint64_t *inodes, uint64_t *blocks)
{
	*inodes = 1;
	*blocks = 1;
	if (m->result.lost_found_ino) {
		*inodes += 1;
		*blocks += 1;
	}
	for (unsigned i = 1; i < m->device_count; i++)
		*inodes += m->devices[i].alias != NULL;
	*blocks += (uint64_t)m->layout->alias_segments * F2FS_SEGMENT_BLOCKS;
}

static int make_quota(struct mkfs *m, unsigned kind)
{
	const f2fs_nid_t ino = m->result.quota_ino[kind];
	const uint32_t ids[] = { m->options->root_uid, m->options->root_gid, 0 };
	const uint32_t bs = m->geo->block_size, blocks = div_ceil32(MKFS_QUOTA_BYTES, bs);
	uint8_t file[MKFS_QUOTA_BYTES] = { 0 };
	uint64_t inodes, used;
	uint8_t *inode, *block;
	int err = new_inode(m, F2FS_HOT_NODE, ino, MODE_QUOTA, &inode);

	if (err)
		return err;
	inode_set_i_size(inode, MKFS_QUOTA_BYTES);
	inode_set_i_blocks(inode, 1 + blocks);
	inode_set_i_flags(inode, FLAG_i_flags_immutable | FLAG_i_flags_noatime);
	count_usage(m, &inodes, &used);
	mkfs_fill_quota(file, kind, ids[kind], inodes, used << m->geo->block_bits);
	for (uint32_t i = 0; i < blocks; i++) {
		size_t done = (size_t)i * bs;

		err = add_data_block(m, ino, inode, (uint16_t)i, &block);
		if (err)
			return err;
		memcpy(block, file + done, sizeof(file) - done < bs ? sizeof(file) - done : bs);
	}
	return 0;
}

/* A file that is a whole device: one extent, no block pointers. */
static int make_alias(struct mkfs *m, unsigned i, f2fs_nid_t ino)
{
	const struct f2fs_layout_device *place = &m->layout->devices[i];
	uint64_t blocks = (uint64_t)place->segments * F2FS_SEGMENT_BLOCKS;
	uint8_t *inode;
	int err = new_inode(m, F2FS_COLD_NODE, ino, MODE_ALIAS, &inode);

	if (err)
		return err;
	inode_set_i_flags(inode, FLAG_i_flags_device_alias);
	inode_set_i_inline(inode, (uint8_t)(inode_i_inline(inode) | FLAG_i_inline_pin_file));
	inode_set_i_size(inode, blocks << m->geo->block_bits);
	inode_set_i_blocks(inode, blocks + 1);
	inode_set_i_ext_blk(inode, place->start);
	inode_set_i_ext_len(inode, (uint32_t)blocks);
	fill_name(inode, m->devices[i].alias);
	return 0;
}

/*
 * Hand out inode numbers: directory entries name inodes made later. The feature quota that only project_quota brought
 * along means a file for projects alone.
 */
static void number_inodes(struct mkfs *m)
{
	const uint32_t asked = m->options->feature;
	const uint32_t features[] = { F2FS_FEAT_QUOTA, F2FS_FEAT_QUOTA, F2FS_FEAT_PROJECT_QUOTA };

	m->next_nid = ROOT_INO + 1;
	for (unsigned i = 0; i < 3; i++)
		if (asked & features[i])
			m->result.quota_ino[i] = m->next_nid++;
	if (asked & F2FS_FEAT_LOST_FOUND)
		m->result.lost_found_ino = m->next_nid++;
}

/* Checksums last, when nothing changes any more. */
static void seal_inodes(struct mkfs *m)
{
	static const unsigned node_logs[] = { F2FS_HOT_NODE, F2FS_COLD_NODE };
	uint32_t seed = crc_f2fs(UINT32_MAX, m->result.uuid, sizeof(m->result.uuid));

	for (unsigned k = 0; k < 2; k++) {
		const struct mkfs_log *log = &m->logs[node_logs[k]];

		for (uint32_t i = 0; i < log->count; i++) {
			uint8_t *block = log->blocks + (size_t)i * m->geo->block_size;

			if (inode_has_checksum(m->geo, block))
				extra_set_i_inode_checksum(block + INODE_ADDR_OFFSET,
							   inode_checksum(m->geo, block, seed));
		}
	}
}

int mkfs_build_tree(struct mkfs *m)
{
	int err;

	number_inodes(m);
	err = make_root(m);
	for (unsigned kind = 0; !err && kind < 3; kind++)
		if (m->result.quota_ino[kind])
			err = make_quota(m, kind);
	if (!err && m->result.lost_found_ino)
		err = make_lost_found(m);
	for (unsigned i = 1; !err && i < m->device_count; i++)
		if (m->devices[i].alias)
			err = make_alias(m, i, m->next_nid++);
	if (!err)
		seal_inodes(m);
	return err;
}

int mkfs_write_logs(struct mkfs *m)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		const struct mkfs_log *log = &m->logs[i];
		f2fs_blk_t addr = geometry_segment_start(m->geo, m->layout->logs[i]);
		int err;

		if (log->count == 0)
			continue;
		err = device_write(m->whole, mkfs_byte(m, addr), log->blocks, (size_t)log->count * m->geo->block_size);
		if (err)
			return err;
	}
	return 0;
}
