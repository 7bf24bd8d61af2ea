/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write the first checkpoint (FORMAT volume 4, 7.5, 11): the contents of a new volume, in the form that the writer of
 * packs takes (log/pack.h), go into both packs. The second pack is as complete as the first and one version older: when
 * the first is lost, the volume is still whole. (f2fs-tools leaves a second pack that is valid but has no summaries. It
 * makes a volume with a damaged first pack unmountable.)
 */
#include <string.h>

#include "base/bitmap.h"
#include "log/nat_write.h"
#include "log/pack.h"
#include "log/run.h"
#include "log/sit_write.h"
#include "mkfs/checkpoint.h"
#include "mkfs/run.h"

/* Contents of the packs. */
struct first {
	struct pack pack;
	uint8_t *cp, *journals, *nat_maps;
};

static void fill_flags(const struct mkfs *m, struct pack *pack)
{
	pack->flags = FLAG_ckpt_flags_unmount;
	if (m->layout->large_nat)
		pack->flags |= FLAG_ckpt_flags_large_nat_bitmap;
	if (m->result.trimmed)
		pack->flags |= FLAG_ckpt_flags_trimmed;
}

static void fill_logs(const struct mkfs *m, struct pack *pack)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		pack->logs[i] = (struct pack_log){ .segno = m->layout->logs[i],
						   .blkoff = (uint16_t)m->logs[i].count,
						   .sums = m->logs[i].summaries,
						   .sum_count = m->logs[i].count,
						   .entries = m->logs[i].count };
}

/* The version bitmaps stay zero: the first copies are in force. */
static void fill_checkpoint(const struct mkfs *m, uint8_t *cp)
{
	cp_set_user_block_count(cp, m->layout->user_blocks);
	cp_set_valid_block_count(cp, m->result.valid_blocks);
	cp_set_rsvd_segment_count(cp, m->layout->reserved_segments);
	cp_set_overprov_segment_count(cp, m->layout->overprovision_segments);
	cp_set_free_segment_count(cp, m->layout->free_segments);
	for (unsigned i = 3; i < cp_COUNT_cur_node_segno; i++) { /* there are no further logs */
		cp_set_cur_node_segno(cp, i, NULL_SEGNO);
		cp_set_cur_data_segno(cp, i, NULL_SEGNO);
	}
	cp_set_valid_node_count(cp, m->result.valid_nodes);
	cp_set_valid_inode_count(cp, m->result.valid_nodes);
	cp_set_next_free_nid(cp, m->next_nid);
	cp_set_sit_ver_bitmap_bytesize(cp, m->layout->sit_bitmap_bytes);
	cp_set_nat_ver_bitmap_bytesize(cp, m->layout->nat_bitmap_bytes);
	cp_set_checksum_offset(cp, m->layout->checksum_offset);
}

static void fill_nat_journal(const struct mkfs *m, uint8_t *journal)
{
	for (unsigned i = 0; i < m->node_count; i++) {
		const struct f2fs_nat_info entry = { .nid = m->nodes[i].nid,
						     .ino = m->nodes[i].nid,
						     .block_addr = m->nodes[i].addr };

		journal_add_nat(journal, &entry);
	}
}

/* One entry per log; a read-only volume has two. */
static void fill_sit_journal(const struct mkfs *m, uint8_t *journal)
{
	const bool is_ro = geometry_has(m->geo, F2FS_FEAT_RO);

	for (unsigned log = 0; log < F2FS_LOG_COUNT; log++) {
		struct segment s = { .valid = (uint16_t)m->logs[log].count, .type = (uint8_t)log };

		if (is_ro && log != F2FS_HOT_DATA && log != F2FS_HOT_NODE)
			continue;
		for (uint32_t i = 0; i < s.valid; i++)
			msb_set(s.cur, i);
		journal_add_sit(journal, m->layout->logs[log], &s);
	}
}

/* No NAT block is full. All but the first are empty, where node id 0 counts as used (FORMAT volume 4.8). */
static void fill_nat_maps(const struct mkfs *m, uint8_t *maps)
{
	const uint32_t bytes = m->geo->nat_blocks / 8;

	memset(maps + bytes, 0xFF, bytes);
	lsb_clear(maps + bytes, 0);
}

static int compose(const struct mkfs *m, struct first *f)
{
	struct pack *pack = &f->pack;

	pack->ctx = m->ctx;
	pack->geo = m->geo;
	pack->cp = f->cp = mem_calloc(m->ctx, 1 + m->geo->cp_payload, m->geo->block_size);
	f->journals = mem_calloc(m->ctx, 2, m->geo->journal_size);
	f->nat_maps = m->layout->nat_bits ? mem_calloc(m->ctx, m->geo->nat_blocks / 8, 2) : NULL;
	if (!f->cp || !f->journals || (m->layout->nat_bits && !f->nat_maps))
		return F2FS_ERR_NOMEM;
	fill_flags(m, pack);
	fill_logs(m, pack);
	fill_checkpoint(m, f->cp);
	fill_nat_journal(m, f->journals);
	fill_sit_journal(m, f->journals + m->geo->journal_size);
	pack->nat_journal = f->journals;
	pack->sit_journal = f->journals + m->geo->journal_size;
	if (f->nat_maps)
		fill_nat_maps(m, f->nat_maps);
	pack->nat_maps = f->nat_maps;
	return 0;
}

static int write_pack(struct mkfs *m, struct pack *pack, unsigned number, uint64_t version)
{
	const f2fs_blk_t start = m->geo->cp_blkaddr + (number - 1) * F2FS_SEGMENT_BLOCKS;
	int err;

	pack->version = version;
	err = pack_build(pack);
	if (!err)
		err = pack_write(pack, m->whole, start);
	if (!err)
		err = pack_seal(pack, m->whole, start);
	pack_free(pack);
	return err;
}

int mkfs_write_packs(struct mkfs *m)
{
	const uint64_t version = m->result.checkpoint_version;
	struct first f = { 0 };
	int err = compose(m, &f);

	if (!err)
		err = write_pack(m, &f.pack, 2, version - 1);
	if (!err)
		err = write_pack(m, &f.pack, 1, version);
	mem_free(m->ctx, f.cp);
	mem_free(m->ctx, f.journals);
	mem_free(m->ctx, f.nat_maps);
	return err;
}
