/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the newest version of each node in one sequential pass over the main area. A node block has no magic number. It
 * is recognised by a footer whose numbers fit, and contents that fit its place in a file (rescue_is_node). Newest
 * means: blocks that the SIT has before those it has not, then the higher checkpoint version, then the later block of a
 * log. The block that the NAT names wins over all when it agrees: NAT and footer are two witnesses against the SIT.
 * Holes of the image are skipped; where the SIT can be trusted, segments without nodes are skipped, too, unless the NAT
 * names a block there.
 *
 * When no pack is left, the last changes of the SIT were in its journal and are lost with it: then a second pass takes
 * newer nodes that the SIT does not have, unless they are too new: those are of a volume that was here before, for each
 * begins with a version at random.
 */
#include <string.h>

#include "base/bitmap.h"
#include "format/inode.h"
#include "volume/main_reader.h"
#include "volume/nat_read.h"
#include "volume/rescue.h"
#include "volume/rescue_idle.h"
#include "volume/rescue_nat.h"
#include "volume/scan_nodes.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"

#define VERSION_WINDOW 1024 /* checkpoints that may have come after the last one whose nodes the SIT has */

struct scan {
	struct f2fs_volume *vol;
	struct rescue *r;
	struct main_reader reader;
	bool has_sit; /* sit is the entry of the segment at hand */
	struct f2fs_segment_info sit;
	bool is_second; /* the pass that looks for the entries of the SIT's journal */
	uint32_t known; /* highest version of a node that the SIT has */
	f2fs_seg_t segno; /* at hand */
	uint8_t *named;	  /* segments that the NAT names blocks in, a bit each */
};

static bool all_addresses_fit(const struct f2fs_volume *vol, const uint8_t *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		f2fs_blk_t addr = get_le32(at + (size_t)i * 4);

		if (addr != F2FS_NULL_ADDR && addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR &&
		    !geometry_is_main(&vol->geo, addr))
			return false;
	}
	return true;
}

static bool all_nids_fit(const struct f2fs_volume *vol, const uint8_t *at, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		f2fs_nid_t nid = get_le32(at + (size_t)i * 4);

		if (nid != 0 && !geometry_is_nid(&vol->geo, nid))
			return false;
	}
	return true;
}

static bool is_inode(const struct f2fs_volume *vol, const uint8_t *block, f2fs_nid_t nid)
{
	enum rule rule = inode_check(&vol->geo, block, nid, vol->checksum_seed);

	if (rule == RULE_INODE_CHECKSUM && !vol->rescue->has_seed)
		rule = RULE_NONE;
	return !rule && inode_i_namelen(block) <= 255 && all_nids_fit(vol, node_footer(&vol->geo, block) - 20, 5);
}

/* Is this block a node of this volume, judged from the block alone? */
static bool rescue_is_node(const struct f2fs_volume *vol, const uint8_t *block)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const uint8_t *footer = node_footer(geo, block);
	const f2fs_nid_t nid = footer_nid(footer), ino = footer_ino(footer);
	const uint32_t offset = node_offset_of(footer);

	if (!geometry_is_nid(geo, nid) || !geometry_is_nid(geo, ino) || (nid == ino) != (offset == 0))
		return false;
	/* each node names the next block of its log; only the newest one may name a block that is not written yet */
	if (footer_next_blkaddr(footer) < geo->main_blkaddr)
		return false;
	if (vol->rescue->has_limit && (int32_t)(footer_cp_ver(footer) - vol->rescue->limit) > 0)
		return false;
	if (offset == 0)
		return is_inode(vol, block, nid);
	if (offset == XATTR_NODE_OFFSET) /* continues the list in the inode: it has no header to be recognised by */
		return true;
	if (node_offset_is_direct(geo, offset))
		return all_addresses_fit(vol, block, geo->addrs_per_block);
	return all_nids_fit(vol, block, geo->nids_per_block);
}

/* Is the node at addr newer than the known one? */
static bool is_newer(const struct scan *s, const struct rescue_node *old, uint32_t cp_ver, f2fs_blk_t addr,
		     bool is_sit_valid, bool is_recent)
{
	if (old->addr == 0)
		return true;
	if (s->is_second)
		return (int32_t)(cp_ver - old->cp_ver) > 0 && (int32_t)(cp_ver - s->known) <= VERSION_WINDOW;
	if (is_recent != ((old->flags & RESCUE_RECENT) != 0))
		return is_recent;
	if (is_recent && cp_ver == old->cp_ver && (addr == old->idle_addr || old->addr == old->idle_addr))
		return addr == old->idle_addr;
	if (!is_recent && is_sit_valid != (bool)old->is_sit_valid)
		return is_sit_valid;
	if (cp_ver != old->cp_ver)
		return (int32_t)(cp_ver - old->cp_ver) > 0;
	return addr > old->addr;
}

/* Was the node freed by the checkpoint that is lost, and not taken again after it? */
static bool is_gone(const struct scan *s, const struct rescue_node *node, uint32_t cp_ver)
{
	return (node->flags & RESCUE_FREED) && cp_ver != s->r->limit;
}

static int look_at(struct scan *s, const uint8_t *block, f2fs_blk_t addr, bool is_sit_valid)
{
	const uint8_t *footer = node_footer(&s->vol->geo, block);
	const f2fs_nid_t nid = footer_nid(footer);
	const uint32_t cp_ver = (uint32_t)footer_cp_ver(footer);
	const bool is_recent = rescue_is_recent(s->vol, footer);
	struct rescue_node *node;
	uint64_t *at;
	bool agrees;
	int err;

	if (nid == 0)
		return 0;
	at = map32_find(&s->r->index, nid);
	node = at ? vec_at(&s->r->nodes, (size_t)*at) : NULL;
	/* The NAT and the footer are two witnesses: then the contents may be damaged, it is the node all the same. */
	agrees = node && node->nat_addr == addr && node->ino == footer_ino(footer);
	if (!agrees && s->r->sit_trusted && !is_sit_valid && !is_recent)
		return 0;
	if (!agrees && (!rescue_is_node(s->vol, block) || (node && node->is_in_nat && !is_recent)))
		return 0;
	if (node && is_gone(s, node, cp_ver))
		return 0;
	if (agrees && (node->flags & RESCUE_RECENT) && !is_recent)
		return 0;
	if (!node) {
		err = rescue_entry(s->r, nid, &node);
		if (err)
			return err;
	}
	if (!(agrees && !is_recent) && !is_newer(s, node, cp_ver, addr, is_sit_valid, is_recent))
		return 0;
	node->ino = footer_ino(footer);
	node->addr = addr;
	node->cp_ver = cp_ver;
	node->is_in_nat = agrees;
	node->is_sit_valid = is_sit_valid;
	node->flags = (uint8_t)(is_recent ? node->flags | RESCUE_RECENT : node->flags & ~RESCUE_RECENT);
	return 0;
}

/*
 * Was a block that cannot be read data, so that no node is lost with it? Two witnesses must say so: the segment's entry
 * in the SIT of a whole checkpoint, in use and of a data log, and the block's summary, which names an owner. A node log
 * does not enter a segment that data is in, so nothing newer can be there either.
 */
static bool is_surely_data(struct scan *s, f2fs_blk_t addr)
{
	const uint32_t offset = addr - geometry_segment_start(&s->vol->geo, s->segno);
	struct f2fs_block_owner sum;

	return s->r->root == RESCUE_ROOT_WHOLE && s->has_sit && s->sit.valid_blocks > 0 &&
	       s->sit.type < F2FS_HOT_NODE && ssa_lookup(s->vol, s->segno, offset, &sum) == 0 && !sum.is_node &&
	       geometry_is_nid(&s->vol->geo, sum.nid);
}

static void note_unread(void *user, f2fs_blk_t addr)
{
	struct scan *s = user;

	const uint64_t size = f2fs_device_info(s->vol->dev)->size;

	if (is_surely_data(s, addr))
		return;
	if (s->r->unread++ == 0)
		s->r->first_unread = addr;
	s->r->beyond += ((uint64_t)addr + 1) * s->vol->geo.block_size > size;
}

static int take_block(void *user, const uint8_t *block, f2fs_blk_t addr)
{
	const struct scan *s = user;
	const uint32_t offset = addr - geometry_segment_start(&s->vol->geo, s->segno);
	const bool valid = s->has_sit && s->sit.type >= F2FS_HOT_NODE && s->sit.type < F2FS_LOG_COUNT &&
			   msb_test(s->sit.valid_map, offset);

	return look_at(user, block, addr, valid);
}

static int scan_segment(void *user, f2fs_seg_t segno)
{
	struct scan *s = user;

	if (main_reader_is_hole(&s->reader, segno))
		return 0;
	s->segno = segno;
	s->has_sit = sit_lookup(s->vol, segno, &s->sit) == 0;
	if (s->r->sit_trusted && s->r->root != RESCUE_ROOT_OLDER && s->has_sit && !lsb_test(s->named, segno) &&
	    (s->sit.valid_blocks == 0 || s->sit.type < F2FS_HOT_NODE))
		return 0;
	return main_reader_range(&s->reader, segno, 0, F2FS_SEGMENT_BLOCKS);
}

bool rescue_sit_agrees(struct f2fs_volume *vol)
{
	uint64_t blocks = 0, nodes = 0;

	for (f2fs_seg_t i = 0; i < vol->geo.segment_count_main; i++) {
		struct f2fs_segment_info e;

		if (sit_lookup(vol, i, &e) != 0 || e.type >= F2FS_LOG_COUNT ||
		    bitmap_popcount(e.valid_map, 64) != e.valid_blocks)
			return false;
		blocks += e.valid_blocks;
		nodes += e.type >= F2FS_HOT_NODE ? e.valid_blocks : 0;
	}
	return nodes == cp_valid_node_count(vol->view->cp) && blocks <= cp_valid_block_count(vol->view->cp);
}

/* Take the entries of a NAT block that can be true. A block with impossible entries is left out. */
static int take_nat_block(struct scan *s, uint32_t k, const uint8_t *entries, uint32_t count)
{
	const struct f2fs_geometry *geo = &s->vol->geo;

	if (!rescue_trusts_nat(geo, k * geo->nat_per_block, entries, count))
		return 0;
	for (uint32_t i = k == 0 ? geo->root_ino : 0; i < count; i++) {
		const uint8_t *raw = entries + (size_t)i * nat_SIZE;
		struct rescue_node *node;
		int err;

		if (!geometry_is_main(geo, nat_block_addr(raw)) || !geometry_is_nid(geo, nat_ino(raw)))
			continue;
		err = rescue_entry(s->r, k * geo->nat_per_block + i, &node);
		if (err)
			return err;
		node->nat_addr = nat_block_addr(raw);
		lsb_set(s->named, geometry_segment_of(geo, node->nat_addr));
		node->ino = nat_ino(raw);
		node->nat_version = nat_version(raw);
	}
	return 0;
}

static int take_nat(struct scan *s)
{
	const struct f2fs_geometry *geo = &s->vol->geo;
	uint8_t *entries;
	int err = 0;

	if (s->r->root == RESCUE_ROOT_MADE) /* the current copy is unknown: the nodes' footers decide */
		return 0;
	entries = mem_alloc(s->vol->ctx, (size_t)geo->nat_per_block * nat_SIZE);
	if (!entries)
		return F2FS_ERR_NOMEM;
	for (uint32_t k = 0; k < geo->nat_blocks && !err; k++) {
		f2fs_nid_t first = k * geo->nat_per_block;
		uint32_t count = geo->nat_per_block;

		if (first >= geo->max_nid)
			break;
		if (count > geo->max_nid - first)
			count = geo->max_nid - first;
		if (nat_read(s->vol, first, count, entries) == 0)
			err = take_nat_block(s, k, entries, count);
		else if (s->vol->ctx->error.code == F2FS_ERR_NOMEM)
			err = F2FS_ERR_NOMEM;
	}
	mem_free(s->vol->ctx, entries);
	return err;
}

/* Did the SIT decide anything, and up to which version? */
static bool find_known(struct scan *s)
{
	bool any = false;

	for (size_t i = 0; i < s->r->nodes.count; i++) {
		const struct rescue_node *node = vec_at(&s->r->nodes, i);

		if (!node->is_sit_valid || (any && (int32_t)(node->cp_ver - s->known) <= 0))
			continue;
		s->known = node->cp_ver;
		any = true;
	}
	return any;
}

int rescue_scan(struct f2fs_volume *vol)
{
	struct scan s = { .vol = vol, .r = vol->rescue };
	int err;

	s.reader = (struct main_reader){ .vol = vol, .user = &s, .take = take_block, .unread = note_unread };
	err = main_reader_init(&s.reader);
	if (err)
		return err;
	s.named = mem_zalloc(vol->ctx, vol->geo.segment_count_main / 8 + 1);
	if (!s.named)
		err = F2FS_ERR_NOMEM;
	vol->rescue->sit_trusted = vol->rescue->root != RESCUE_ROOT_MADE && rescue_sit_agrees(vol);
	if (!err)
		err = take_nat(&s);
	if (!err)
		err = rescue_take_idle(vol);
	if (!err)
		err = main_reader_walk(&s.reader, "rescue", "scan", scan_segment);
	if (!err && vol->rescue->root == RESCUE_ROOT_MADE && find_known(&s)) {
		s.is_second = true;
		err = main_reader_walk(&s.reader, "rescue", "compare", scan_segment);
	}
	mem_free(vol->ctx, s.named);
	main_reader_fini(&s.reader);
	return err;
}
