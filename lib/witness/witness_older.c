/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find older copies of nodes. Each change of a node writes it to a new block, and the old block keeps its contents
 * until it is used again or discarded. A zone has no copies after its write pointer: bytes there are of no known time.
 */
#include "witness/witness_older.h"

#include "base/bitmap.h"
#include "facts/inode_mend.h"
#include "volume/zone_map.h"
#include "witness/witness.h"

void older_copies_init(struct older_copies *o, struct f2fs_context *ctx)
{
	map32_init(&o->index, ctx);
	vec_init(&o->found, ctx, sizeof(struct older_copy));
}

void older_copies_fini(struct older_copies *o)
{
	map32_fini(&o->index);
	vec_fini(&o->found);
}

int older_copies_want(struct older_copies *o, f2fs_nid_t nid, f2fs_nid_t ino)
{
	struct older_copy *copy;

	if (map32_find(&o->index, nid))
		return 0;
	copy = vec_push(&o->found, 1);
	if (!copy)
		return F2FS_ERR_NOMEM;
	*copy = (struct older_copy){ .ino = ino };
	return map32_set(&o->index, nid, o->found.count - 1);
}

f2fs_blk_t older_copies_at(const struct older_copies *o, f2fs_nid_t nid)
{
	const uint64_t *at = map32_find(&o->index, nid);

	return at ? ((const struct older_copy *)vec_at(&o->found, (size_t)*at))->addr : 0;
}

/* Is the block sound as this node of this inode? An inode without links was deleted. */
static bool is_sound(const struct checker *c, const uint8_t *block, f2fs_nid_t nid, f2fs_nid_t ino)
{
	const uint8_t *footer = node_footer(c->geo, block);

	if (footer_ino(footer) != ino)
		return false;
	if (ino != nid)
		return node_offset_of(footer) == XATTR_NODE_OFFSET;
	return inode_check(c->geo, block, nid, c->vol->checksum_seed) == RULE_NONE &&
	       inode_misread(c->geo, block) == RULE_NONE && inode_i_links(block) != 0;
}

static int look_at(struct checker *c, struct older_copies *o, f2fs_blk_t addr)
{
	const uint32_t now = (uint32_t)cp_checkpoint_ver(c->vol->view->cp);
	const uint8_t *block, *footer;
	struct older_copy *copy;
	const uint64_t *at;
	uint32_t cp_ver;
	int err = witness_peek(c, addr, &block);

	if (err || !block)
		return err;
	footer = node_footer(c->geo, block);
	at = geometry_is_nid(c->geo, footer_nid(footer)) ? map32_find(&o->index, footer_nid(footer)) : NULL;
	copy = at ? vec_at(&o->found, (size_t)*at) : NULL;
	if (!copy || !is_sound(c, block, footer_nid(footer), copy->ino))
		return 0;
	cp_ver = (uint32_t)footer_cp_ver(footer);
	if ((int32_t)(now - cp_ver) < 0 || (copy->addr && (int32_t)(cp_ver - copy->cp_ver) <= 0))
		return 0;
	copy->addr = addr;
	copy->cp_ver = cp_ver;
	return 0;
}

int older_copies_find(struct checker *c, struct older_copies *o)
{
	uint32_t last = UINT32_MAX;
	uint64_t end = 0;
	int err = 0;

	for (size_t s = 0; s < c->facts.segs.count && !err && o->found.count; s++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, s);
		const f2fs_blk_t start = geometry_segment_start(c->geo, seg->segno);
		const uint32_t section = seg->segno / c->geo->segs_per_sec;

		if (seg->sit_type < F2FS_HOT_NODE || seg->sit_type >= F2FS_LOG_COUNT)
			continue;
		if (section != last)
			err = zones_written_end(c->vol, section, &end);
		last = section;
		for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && start + i < end && !err; i++)
			if (!msb_test(seg->sit_map, i) && !msb_test(seg->node_map, i) && !msb_test(seg->data_map, i))
				err = look_at(c, o, start + i);
	}
	return err;
}
