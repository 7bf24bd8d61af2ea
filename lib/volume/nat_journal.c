/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a NAT journal whose end is unknown, because its number of entries is more than fits. After the real end are
 * leftovers of earlier checkpoints. So an entry counts only if its node is at its address, and is not older than the
 * node of the table. A block that the SIT has in use is newer than one that it has not.
 */
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "format/node.h"
#include "volume/block_read.h"
#include "volume/nat_journal.h"
#include "volume/sit_read.h"
#include "volume/volume.h"

/* A place where a node may be. */
struct place {
	bool is_node; /* its footer says so */
	bool is_used; /* by the SIT */
	uint32_t cp_ver;
};

static int look(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_nid_t ino, f2fs_blk_t addr, struct place *out)
{
	const f2fs_seg_t segno = geometry_is_main(&vol->geo, addr) ? geometry_segment_of(&vol->geo, addr) : 0;
	struct f2fs_segment_info sit;
	const uint8_t *block, *footer;
	int err;

	memset(out, 0, sizeof(*out));
	if (!geometry_is_main(&vol->geo, addr))
		return 0;
	err = volume_peek(vol, addr, &block);
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) {
		error_clear(vol->ctx);
		return 0;
	}
	footer = node_footer(&vol->geo, block);
	out->is_node = footer_nid(footer) == nid && footer_ino(footer) == ino;
	out->cp_ver = (uint32_t)footer_cp_ver(footer);
	if (sit_lookup(vol, segno, &sit) == 0)
		out->is_used = msb_test(sit.valid_map, addr - geometry_segment_start(&vol->geo, segno));
	else
		error_clear(vol->ctx);
	return 0;
}

static int look_in_table(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_blk_t *addr, struct place *out)
{
	const uint32_t k = nid / vol->geo.nat_per_block;
	const uint8_t *raw;
	int err = volume_peek(vol, geometry_nat_block(&vol->geo, k, msb_test(vol->view->nat_bitmap, k)), &raw);

	memset(out, 0, sizeof(*out));
	*addr = F2FS_NULL_ADDR;
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) {
		error_clear(vol->ctx);
		return 0;
	}
	raw += (size_t)(nid % vol->geo.nat_per_block) * nat_SIZE;
	*addr = nat_block_addr(raw);
	return look(vol, nid, nat_ino(raw), *addr, out);
}

/* Does an entry count, against the one in the table? */
static int judge(struct f2fs_volume *vol, const uint8_t *entry, bool *counts)
{
	const f2fs_nid_t nid = natj_nid(entry);
	const f2fs_blk_t addr = natj_block_addr(entry);
	struct place here, there;
	f2fs_blk_t old;
	int err;

	*counts = false;
	if (!geometry_is_nid(&vol->geo, nid))
		return 0;
	err = look(vol, nid, natj_ino(entry), addr, &here);
	if (!err)
		err = look_in_table(vol, nid, &old, &there);
	if (err)
		return err;
	if (addr == F2FS_NULL_ADDR)
		*counts = !(there.is_node && there.is_used);
	else if (!here.is_node || !there.is_node || old == addr)
		*counts = here.is_node;
	else if (here.is_used != there.is_used)
		*counts = here.is_used;
	else
		*counts = (int32_t)(here.cp_ver - there.cp_ver) >= 0;
	return 0;
}

int nat_journal_sift(struct f2fs_volume *vol, uint8_t *journal)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < vol->geo.nat_journal_max; i++) {
		const uint8_t *entry = journal_nat_entry(journal, i);
		bool counts;
		int err = judge(vol, entry, &counts);

		if (err)
			return err;
		for (unsigned k = 0; k < kept && counts; k++)
			counts = natj_nid(journal_nat_entry(journal, k)) != natj_nid(entry);
		if (counts)
			memmove(journal + (journal_nat_entry(journal, kept++) - journal), entry, natj_SIZE);
	}
	put_le16(journal, (uint16_t)kept);
	return 0;
}
