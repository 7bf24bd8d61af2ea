/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the blocks of a metadata image. Nodes are found as a search of the past finds them, and by the NAT. The slots
 * of nodes lead to blocks of directories, symlinks and quota files. Other tables do not count, because most such images
 * are of damaged volumes. But a slot may be wrong, and contents must not get out. So a block that something else claims
 * counts as a directory's only if it looks like one.
 */
#include <string.h>

#include "base/error.h"
#include "base/namehash.h"
#include "device/device.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "file/object.h"
#include "file/xattr_read.h"
#include "forensics/meta.h"
#include "forensics/meta_choose.h"
#include "forensics/meta_scrub.h"
#include "forensics/past.h"
#include "format/verity_descriptor.h"
#include "format/xattr.h"
#include "volume/nat_read.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"

/* A node that was found. */
struct found_node {
	f2fs_blk_t addr;
	f2fs_nid_t ino;
	f2fs_nid_t nid; /* ino: an inode */
};

/* A block that a slot names as part of something that belongs into the image. */
struct claim {
	f2fs_blk_t addr;
	f2fs_nid_t ino, nid;
	uint16_t slot; /* of the node */
	uint8_t kind;  /* enum meta_kind */
	uint8_t is_current;
};

#define MOST_BITS 16u /* of a hash */

/* The kinds of the files of an inode number, as values of a map. */
enum { FILE_OTHER = 0x80, FILE_CURRENT = 0x100 }; /* else enum meta_kind */

struct chooser {
	struct meta_plan *plan;
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	struct vec nodes;   /* struct found_node, by address */
	struct vec claims;  /* struct claim, by address */
	struct map32 files; /* enum meta_kind of an inode's data, and FILE_CURRENT */
	uint8_t *contents;  /* blocks that current files have; a bit for each, MSB-first */
	uint8_t *block;
};

/* Read a block. An unreadable one is counted, because all blocks below it are missing. */
static int load(struct chooser *c, f2fs_blk_t addr)
{
	const uint32_t bs = c->geo->block_size;
	const int rc = device_read_quiet(c->vol->dev, (uint64_t)addr * bs, c->block, bs);

	if (rc != 0)
		meta_note_unreadable(c->plan, addr);
	return rc;
}

/* A call that reads tables returned err: count a read error; the table entries it hides are missing from the image. */
static int count_failure(struct chooser *c, int err, uint64_t addr)
{
	if (err == F2FS_ERR_IO)
		meta_note_unreadable(c->plan, addr);
	return err;
}

static bool is_kept(const struct chooser *c, f2fs_blk_t addr)
{
	return msb_test(c->plan->kept, addr - c->geo->main_blkaddr);
}

static void keep(struct chooser *c, f2fs_blk_t addr)
{
	msb_set(c->plan->kept, addr - c->geo->main_blkaddr);
}

static int add_node(struct chooser *c, f2fs_blk_t addr, f2fs_nid_t nid, f2fs_nid_t ino)
{
	struct found_node *node = vec_push(&c->nodes, 1);

	if (!node)
		return F2FS_ERR_NOMEM;
	*node = (struct found_node){ .addr = addr, .nid = nid, .ino = ino };
	keep(c, addr);
	c->plan->stat.nodes++;
	return 0;
}

/* ---- nodes ---- */

static int add_past(struct chooser *c)
{
	struct f2fs_past *past;
	int err = past_open(c->vol, NULL, &past);

	if (err)
		return err;
	for (size_t i = 0; i < past->nodes.count && !err; i++) {
		const struct past_node *node = vec_at(&past->nodes, i);

		err = add_node(c, node->addr, node->nid, node->ino);
	}
	for (uint64_t i = 0; i < past->stat.unreadable; i++)
		meta_note_unreadable(c->plan, F2FS_NO_BLOCK);
	f2fs_past_close(past);
	return err;
}

/* Does anything except the NAT show that a node is here? */
static bool is_node_place(struct chooser *c, const struct f2fs_nat_info *nat)
{
	const f2fs_seg_t segno = geometry_segment_of(c->geo, nat->block_addr);
	const uint8_t *footer = node_footer(c->geo, c->block);
	struct f2fs_segment_info sit;

	if (load(c, nat->block_addr) != 0)
		return true; /* of which nothing is there to be kept */
	if (footer_nid(footer) == nat->nid && footer_ino(footer) == nat->ino)
		return true;
	return count_failure(c, sit_lookup(c->vol, segno, &sit), nat->block_addr) == 0 &&
	       sit.type >= F2FS_HOT_NODE && sit.type < F2FS_HOT_NODE + 3;
}

static int add_nat_entry(struct chooser *c, const struct f2fs_nat_info *nat)
{
	if (!geometry_is_main(c->geo, nat->block_addr) || is_kept(c, nat->block_addr))
		return 0;
	if (is_node_place(c, nat))
		return add_node(c, nat->block_addr, nat->nid, nat->ino);
	keep(c, nat->block_addr);
	return map32_set(&c->plan->kinds, nat->block_addr, META_FOOTER);
}

static int add_nat(struct chooser *c)
{
	struct f2fs_nat_info nat;
	f2fs_nid_t nid = 1;
	int err;

	for (;;) {
		err = nat_next(c->vol, nid, &nat);
		if (err == F2FS_ERR_NOT_FOUND)
			return 0;
		if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
			return err;
		if (err) { /* a block of the table: the next one */
			count_failure(c, err, F2FS_NO_BLOCK);
			nid = (nid / c->geo->nat_per_block + 1) * c->geo->nat_per_block;
			if (nid >= c->geo->max_nid)
				return 0;
			continue;
		}
		err = add_nat_entry(c, &nat);
		if (!err)
			err = progress_tick(c->vol->ctx, "metadata image", 64);
		if (err)
			return err;
		nid = nat.nid + 1;
	}
}

static int compare_nodes(const void *a, const void *b)
{
	const struct found_node *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* ---- what inodes are ---- */

/* Of what kind are the blocks of an inode, which is in c->block? */
static unsigned kind_of(const struct chooser *c, f2fs_nid_t ino)
{
	const unsigned type = inode_i_mode(c->block) & MODE_TYPE;
	const uint32_t depth = inode_i_current_depth(c->block);

	if (meta_is_quota(c->plan, ino))
		return META_RAW;
	if (type == MODE_DIR || ino == c->geo->root_ino)
		return META_DIR;
	if (meta_is_link(c->block))
		return META_LINK;
	/* a directory whose mode is damaged, as the check would find out */
	if (depth > 0 && depth <= DIR_MAX_DEPTH && (inode_i_flags(c->block) & FLAG_i_flags_index) &&
	    !inode_has_inline(c->block, FLAG_i_inline_inline_data))
		return META_DIR;
	return type == MODE_REG || type == 0 ? FILE_OTHER : META_DIR;
}

/* How many low bits of a hash choose the bucket in a directory: for as many levels as its size and its depth show, but
 * no more buckets than the volume has blocks. */
static uint32_t bucket_bits(const struct chooser *c)
{
	const uint64_t blocks = inode_i_size(c->block) >> c->geo->block_bits;
	const uint32_t depth = inode_i_current_depth(c->block), dir_level = inode_i_dir_level(c->block);
	uint32_t level = 0, bits;
	uint64_t end = 0;

	if (inode_has_inline(c->block, FLAG_i_inline_inline_dentry))
		return 0;
	for (; level < MOST_BITS; level++) {
		end += dentry_buckets(level, dir_level) * dentry_bucket_blocks(level);
		if (end >= blocks)
			break;
	}
	if (depth > level + 1 && depth <= DIR_MAX_DEPTH)
		level = depth - 1;
	bits = level + dir_level < MOST_BITS ? level + dir_level : MOST_BITS;
	while (bits > 0 && (uint64_t)1 << bits > (uint64_t)c->geo->segment_count_main * F2FS_SEGMENT_BLOCKS)
		bits--;
	return bits;
}

static int note_dir(struct chooser *c, f2fs_nid_t ino)
{
	uint32_t flags = bucket_bits(c) << META_DIR_BITS;

	if (inode_i_flags(c->block) & FLAG_i_flags_casefold)
		flags |= META_DIR_FOLDED;
	if (inode_i_advise(c->block) & FLAG_i_advise_encrypt)
		flags |= META_DIR_CIPHER;
	return map32_set(&c->plan->dirs, ino, flags);
}

/* Remember the kind of an inode number. The inode in use decides; an old version only where there is none in use. */
static int note_file(struct chooser *c, f2fs_nid_t ino, unsigned kind, bool is_current)
{
	const uint64_t *known = map32_find(&c->files, ino);
	int err = 0;

	if (known && (*known & FILE_CURRENT) && !is_current)
		return 0;
	if (kind == META_DIR)
		err = note_dir(c, ino);
	return err ? err : map32_set(&c->files, ino, kind | (is_current ? FILE_CURRENT : 0));
}

static bool is_current(struct chooser *c, const struct found_node *node)
{
	struct f2fs_nat_info nat;

	return count_failure(c, nat_get(c->vol, node->nid, &nat), node->addr) == 0 && nat.block_addr == node->addr;
}

/* ---- slots ---- */

static int take_slots(struct chooser *c, const struct found_node *node, const uint8_t *slots, uint32_t count,
		      unsigned file)
{
	const bool current = (file & FILE_CURRENT) != 0;

	for (uint32_t i = 0; i < count; i++) {
		const f2fs_blk_t addr = get_le32(slots + (size_t)i * 4);
		struct claim *claim;

		if (!geometry_is_main(c->geo, addr))
			continue;
		if ((file & 0xFF) == FILE_OTHER) {
			if (current)
				msb_set(c->contents, addr - c->geo->main_blkaddr);
			continue;
		}
		claim = vec_push(&c->claims, 1);
		if (!claim)
			return F2FS_ERR_NOMEM;
		*claim = (struct claim){ .addr = addr,
					 .ino = node->ino,
					 .nid = node->nid,
					 .slot = (uint16_t)i,
					 .kind = file & 0xFF,
					 .is_current = current };
	}
	return 0;
}

#define VERITY_MOST 16384u /* bytes of a descriptor with its signature */

/* Keep the blocks of a range of a file's bytes. */
static int keep_range(struct chooser *c, struct f2fs_inode *inode, uint64_t offset, uint32_t length)
{
	const uint64_t end = (offset + length - 1) >> c->geo->block_bits;
	int err = 0;

	for (uint64_t block = offset >> c->geo->block_bits; length && block <= end && !err; block++) {
		struct map_run run = { 0 };

		err = map_find(inode, block, &run);
		if (err || !run.slots || !geometry_is_main(c->geo, get_le32(run.slots)))
			continue;
		keep(c, get_le32(run.slots));
		c->plan->stat.others++;
		err = map32_set(&c->plan->kinds, get_le32(run.slots), META_RAW);
	}
	return err;
}

/* Keep the descriptor of fs-verity. */
static int take_verity(struct chooser *c, f2fs_nid_t ino)
{
	struct verity_location at;
	struct f2fs_inode *inode;
	const uint8_t *value;
	uint64_t max_size;
	size_t size;
	int err = inode_open(c->vol, ino, &inode);

	if (count_failure(c, err, F2FS_NO_BLOCK))
		return err == F2FS_ERR_NOMEM ? err : 0;
	max_size = node_max_file_blocks(c->geo, inode->layout.node_slots) << c->geo->block_bits;
	err = xattr_find_stored(inode, XATTR_VERITY, "v", &value, &size);
	if (!err && !verity_location_decode(value, size, inode_i_size(inode->block), max_size, &at))
		err = keep_range(c, inode, at.descriptor,
				 at.descriptor_size < VERITY_MOST ? at.descriptor_size : VERITY_MOST);
	f2fs_inode_close(inode);
	count_failure(c, err, F2FS_NO_BLOCK);
	return err == F2FS_ERR_NOMEM ? err : 0;
}

/* An inode block is in c->block. */
static int take_inode(struct chooser *c, const struct found_node *node)
{
	const bool current = is_current(c, node);
	const unsigned kind = kind_of(c, node->ino);
	struct inode_layout layout;
	int err = note_file(c, node->ino, kind, current);

	inode_layout(c->geo, c->block, &layout);
	c->plan->stat.inline_zeroed += meta_has_contents(c->plan, c->block);
	if (!err && !inode_has_inline(c->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry))
		err = take_slots(c, node, c->block + layout.slot_offset, layout.slots,
				 kind | (current ? FILE_CURRENT : 0u));
	if (!err && current && (inode_i_advise(c->block) & FLAG_i_advise_verity))
		err = take_verity(c, node->ino);
	return err;
}

/* Take the slots of a node that is no inode. The kind of its owner is known, since inodes were read first. */
static int take_below(struct chooser *c, const struct found_node *node)
{
	const uint64_t *file = map32_find(&c->files, node->ino);
	const uint32_t place = node_offset_of(node_footer(c->geo, c->block));
	unsigned kind = file ? (unsigned)*file & 0xFF : FILE_OTHER;

	if (place == XATTR_NODE_OFFSET || !node_offset_is_direct(c->geo, place))
		return 0;
	return take_slots(c, node, c->block, c->geo->addrs_per_block,
			  kind | (is_current(c, node) ? FILE_CURRENT : 0u));
}

static int take_nodes(struct chooser *c, bool inodes)
{
	struct f2fs_progress progress = { .task = "metadata image", .phase = inodes ? "inodes" : "nodes",
					  .unit = "nodes", .total = c->nodes.count };
	int err = 0;

	for (size_t i = 0; i < c->nodes.count && !err; i++) {
		const struct found_node *node = vec_at(&c->nodes, i);

		progress.done = i;
		if (i % 1024 == 0)
			err = progress_report(c->vol->ctx, &progress);
		if (err || (node->nid == node->ino) != inodes || load(c, node->addr) != 0)
			continue;
		err = inodes ? take_inode(c, node) : take_below(c, node);
	}
	return err;
}

/* ---- decisions ---- */

/* Are the entries of c->block such as a directory has? */
static bool looks_like_dir(const struct chooser *c, uint32_t dir_flags)
{
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0, count = 0, hash = 0;
	enum dentry_scan found;

	dentry_area_of_block(c->geo, c->block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		if (found == DENTRY_BAD || ref.type >= F2FS_TYPE_END || !geometry_is_nid(c->geo, ref.ino))
			return false;
		if (dir_flags & META_DIR_FOLDED)
			namehash_casefold(ref.name, ref.name_len, &hash);
		else
			hash = namehash_plain(ref.name, ref.name_len);
		if (hash != ref.hash && (dir_flags & (META_DIR_FOLDED | META_DIR_CIPHER)) !=
						(META_DIR_FOLDED | META_DIR_CIPHER))
			return false;
		count++;
	}
	return count > 0;
}

/* Does the summary name the slot as the owner? */
static bool is_owned(struct chooser *c, const struct claim *claim)
{
	const f2fs_seg_t segno = geometry_segment_of(c->geo, claim->addr);
	const uint32_t offset = geometry_offset_of(c->geo, claim->addr);
	struct f2fs_block_owner summary;

	return count_failure(c, ssa_lookup(c->vol, segno, offset, &summary), claim->addr) == 0 &&
	       !summary.is_node && summary.nid == claim->nid && summary.ofs_in_node == claim->slot;
}

static bool is_believed(struct chooser *c, const struct claim *claim)
{
	const uint64_t *flags = map32_find(&c->plan->dirs, claim->ino);
	const bool is_contents = msb_test(c->contents, claim->addr - c->geo->main_blkaddr);

	if (claim->is_current && !is_contents && is_owned(c, claim))
		return true;
	if (claim->kind != META_DIR)
		return claim->is_current && !is_contents;
	return load(c, claim->addr) == 0 && looks_like_dir(c, flags ? (uint32_t)*flags : 0);
}

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->is_current != y->is_current)
		return x->is_current ? -1 : 1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

static int decide(struct chooser *c)
{
	f2fs_blk_t refused = 0;
	int err = 0;

	vec_sort(&c->claims, compare_claims);
	for (size_t i = 0; i < c->claims.count && !err; i++) {
		const struct claim *claim = vec_at(&c->claims, i);

		if (is_kept(c, claim->addr))
			continue;
		err = progress_tick(c->vol->ctx, "metadata image", 64);
		if (err)
			break;
		if (!is_believed(c, claim)) {
			c->plan->stat.refused += claim->is_current && claim->addr != refused;
			refused = claim->addr;
			continue;
		}
		keep(c, claim->addr);
		c->plan->stat.directories += claim->kind == META_DIR;
		c->plan->stat.others += claim->kind != META_DIR;
		err = map32_set(&c->plan->kinds, claim->addr, claim->kind | (uint64_t)claim->ino << 8);
	}
	return err;
}

/* Add all blocks in use: by the SIT or a current file. */
static int add_used(struct chooser *c)
{
	int err = 0;

	for (f2fs_seg_t segno = 0; segno < c->geo->segment_count_main && !err; segno++) {
		const size_t first = (size_t)segno * F2FS_SEGMENT_BLOCKS;
		struct f2fs_segment_info sit;
		const bool is_known = sit_lookup(c->vol, segno, &sit) == 0;

		for (size_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
			if (msb_test(c->plan->kept, first + i) ||
			    !((is_known && msb_test(sit.valid_map, i)) || msb_test(c->contents, first + i)))
				continue;
			msb_set(c->plan->kept, first + i);
			c->plan->stat.used++;
		}
		err = progress_tick(c->vol->ctx, "metadata image", 4096);
	}
	return err;
}

static int choose(struct chooser *c)
{
	int err = add_past(c);

	if (!err)
		err = add_nat(c);
	if (err)
		return err;
	vec_sort(&c->nodes, compare_nodes);
	err = take_nodes(c, true);
	if (!err)
		err = take_nodes(c, false);
	if (!err)
		err = decide(c);
	if (!err && c->plan->options.content == F2FS_METADATA_USED)
		err = add_used(c);
	return err;
}

int meta_choose(struct meta_plan *plan, struct f2fs_volume *vol)
{
	struct chooser c = { .plan = plan, .vol = vol, .geo = &vol->geo };
	const size_t bytes = (size_t)vol->geo.segment_count_main * F2FS_SEGMENT_BLOCKS / 8;
	int err = F2FS_ERR_NOMEM;

	vec_init(&c.nodes, vol->ctx, sizeof(struct found_node));
	vec_init(&c.claims, vol->ctx, sizeof(struct claim));
	map32_init(&c.files, vol->ctx);
	c.block = mem_alloc(vol->ctx, vol->geo.block_size);
	c.contents = mem_zalloc(vol->ctx, bytes);
	plan->kept = mem_zalloc(vol->ctx, bytes);
	if (c.block && c.contents && plan->kept)
		err = choose(&c);
	mem_free(vol->ctx, c.contents);
	mem_free(vol->ctx, c.block);
	map32_fini(&c.files);
	vec_fini(&c.claims);
	vec_fini(&c.nodes);
	if (!err)
		error_clear(vol->ctx);
	return err;
}
