/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 2, the tables: journals, NAT, orphan list, logs. Needs the roots. Leaves a nid_fact for each node id in use
 * (kind FACT_UNSEEN). Leaves a seg_fact for each segment that the SIT has in use or a log writes to. Tables are read in
 * large requests. Holes of an image file are not read.
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "check/passes.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/table_read.h"
#include "facts/table_rules.h"
#include "volume/nat_read.h"
#include "witness/witness.h"

static int raise_entry(struct checker *c, enum problem problem, f2fs_nid_t nid, uint64_t found, uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = nid,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

/* Add a node id in use, and check its entry by itself. */
static int add_nid(struct checker *c, f2fs_nid_t nid, const uint8_t *raw)
{
	const bool is_main = geometry_is_main(c->geo, nat_block_addr(raw));
	int err = facts_add_nid(&c->facts, &(struct nid_fact){ .nid = nid,
							       .ino = nat_ino(raw),
							       .addr = is_main ? nat_block_addr(raw) : 0,
							       .version = nat_version(raw),
							       .place = NO_PLACE,
							       .inode = NO_INODE,
							       .kind = is_main ? FACT_UNSEEN : FACT_BAD });

	if (err || is_main)
		return err;
	if (cut_is_lost(c, nat_block_addr(raw)))
		return cut_take_node(c, nat_ino(raw));
	return raise_entry(c, P_NAT_ADDRESS, nid, nat_block_addr(raw), 0);
}

/* Entries 1 and 2 stand for the file system's own inodes, 0 for nothing (FORMAT volume 5.4). */
static int check_reserved(struct checker *c, f2fs_nid_t nid, const uint8_t *raw)
{
	const uint32_t expected = nid == 0 ? 0 : 1;

	return nat_block_addr(raw) == expected ? 0 : raise_entry(c, P_NAT_RESERVED, nid, nat_block_addr(raw), expected);
}

static int take_nat_entry(struct checker *c, f2fs_nid_t nid, const uint8_t *raw)
{
	if (nid < c->geo->root_ino)
		return check_reserved(c, nid, raw);
	return nat_block_addr(raw) ? add_nid(c, nid, raw) : 0;
}

/* Does the kernel refuse an entry of a block even where the journal has another? */
static int check_replaced_nat(struct checker *c, f2fs_nid_t nid, const uint8_t *raw)
{
	const uint32_t addr = nat_block_addr(raw);
	const bool is_reserved = nid != 0 && nid < c->geo->root_ino;

	if (addr != F2FS_NEW_ADDR && (addr != F2FS_NULL_ADDR || !is_reserved))
		return 0;
	return raise_entry(c, P_NAT_REPLACED, nid, addr, 0);
}

/* Take the entries of a NAT block; those in the journal are overridden there. */
static int take_nat_block(struct checker *c, uint32_t k, const uint8_t *block)
{
	const uint32_t per_block = c->geo->nat_per_block;
	unsigned used = 0;
	int err = 0;

	if (c->vol->view->nat_journal_index.count == 0 && k > 0 && is_zero(block, c->geo->block_size))
		return tables_check_nat_bits(c, k, 0, per_block);
	for (uint32_t i = 0; i < per_block && !err; i++) {
		const uint8_t *raw = block + (size_t)i * nat_SIZE;
		const uint64_t nid = (uint64_t)k * per_block + i;
		uint64_t *journal;

		if (nid >= c->geo->max_nid)
			break;
		used += nat_block_addr(raw) != 0 || nid == 0;
		if (nat_block_addr(raw) == 0 && nid >= c->geo->root_ino && c->vol->view->nat_journal_index.count == 0)
			continue;
		if (witness_amends_entry(c, (f2fs_nid_t)nid)) /* added by add_amended() */
			continue;
		journal = map32_find(&c->vol->view->nat_journal_index, (uint32_t)nid);
		if (journal) {
			err = check_replaced_nat(c, (f2fs_nid_t)nid, raw);
			raw = journal_nat_entry(c->vol->view->nat_journal, (unsigned)*journal) + natj_OFS_version;
		}
		if (!err)
			err = take_nat_entry(c, (f2fs_nid_t)nid, raw);
	}
	return err ? err : tables_check_nat_bits(c, k, used, per_block);
}

/* Does an unread block of zeros matter? It does with entries in the journal, or against the maps. */
static bool needs_zero_nat(const struct checker *c, uint32_t k)
{
	if (k == 0 || tables_nat_bits_differ(c, k, 0, c->geo->nat_per_block))
		return true;
	for (unsigned i = 0; i < journal_count(c->vol->view->nat_journal); i++)
		if (natj_nid(journal_nat_entry(c->vol->view->nat_journal, i)) / c->geo->nat_per_block == k)
			return true;
	return false;
}

static f2fs_blk_t nat_addr(const struct checker *c, uint32_t k)
{
	return geometry_nat_block(c->geo, k, msb_test(c->vol->view->nat_bitmap, k));
}

static f2fs_blk_t sit_addr(const struct checker *c, uint32_t k)
{
	return geometry_sit_block(c->geo, k, msb_test(c->vol->view->sit_bitmap, k));
}

static int take_sit_entry(struct checker *c, f2fs_seg_t segno, const uint8_t *raw)
{
	static const uint8_t zero[sit_SIZE];
	const uint64_t now = cp_elapsed_time(c->vol->view->cp);
	struct seg_fact *seg;

	/* the mtime of a segment without blocks means nothing */
	if (memcmp(raw, zero, sit_OFS_mtime) == 0)
		return 0;
	seg = facts_seg_add(&c->facts, segno);
	if (!seg)
		return F2FS_ERR_NOMEM;
	seg->sit_count = sit_vblocks(raw) & 0x3ff;
	seg->sit_type = (uint8_t)(sit_vblocks(raw) >> 10);
	memcpy(seg->sit_map, sit_valid_map(raw), sizeof(seg->sit_map));
	if (sit_mtime(raw) <= now)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = P_SIT_MTIME,
						   .has_segno = 1,
						   .segno = segno,
						   .has_values = 1,
						   .found = sit_mtime(raw),
						   .expected = now });
}

static int take_sit_block(struct checker *c, uint32_t k, const uint8_t *block)
{
	const uint32_t per_block = c->geo->sit_per_block;
	int err = 0;

	if (is_zero(block, c->geo->block_size))
		return 0;
	for (uint32_t i = 0; i < per_block && !err; i++)
		if (k * per_block + i < c->geo->segment_count_main)
			err = take_sit_entry(c, k * per_block + i, block + (size_t)i * sit_SIZE);
	return err;
}

/* The kernel judges the entries of a block even where the journal has others. */
static int check_replaced_sit(struct checker *c, const struct seg_fact *seg)
{
	const uint32_t bits = bitmap_popcount(seg->sit_map, sizeof(seg->sit_map));
	const bool is_type = seg->sit_type >= F2FS_LOG_COUNT;

	if (bits == seg->sit_count && !is_type)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = is_type ? P_SIT_TYPE : P_SIT_COUNT,
						   .has_segno = 1,
						   .segno = seg->segno,
						   .has_values = 1,
						   .found = is_type ? seg->sit_type : seg->sit_count,
						   .expected = is_type ? 0 : bits });
}

/* Take the SIT journal: its entries replace those of the blocks. */
static int take_sit_journal(struct checker *c)
{
	int err = 0;

	for (unsigned i = 0; i < journal_count(c->vol->view->sit_journal) && !err; i++) {
		const uint8_t *raw = journal_sit_entry(c->vol->view->sit_journal, i);
		struct seg_fact *seg = facts_seg(&c->facts, sitj_segno(raw));

		if (seg) {
			err = check_replaced_sit(c, seg);
			seg->sit_count = 0;
			seg->sit_type = 0;
			memset(seg->sit_map, 0, sizeof(seg->sit_map));
		}
		if (!err)
			err = take_sit_entry(c, sitj_segno(raw), raw + sitj_OFS_vblocks);
	}
	return err;
}

/* Add the node ids whose entries are amended; the table may have them free. */
static int add_amended(struct checker *c)
{
	const struct vec *entries = &c->book->amends.entries;
	int err = 0;

	for (size_t i = 0; i < entries->count && !err; i++) {
		const struct f2fs_nat_info *entry = vec_at(entries, i);
		uint8_t raw[nat_SIZE] = { 0 };

		nat_set_version(raw, entry->version);
		nat_set_ino(raw, entry->ino);
		nat_set_block_addr(raw, entry->block_addr);
		if (entry->block_addr)
			err = add_nid(c, entry->nid, raw);
	}
	return err;
}

/* In rescue mode the nodes' own footers give their places. */
static int take_rescued(struct checker *c)
{
	struct f2fs_nat_info entry = { .nid = c->geo->root_ino - 1 };
	int err = 0;

	while (!err) {
		err = nat_next(c->vol, entry.nid + 1, &entry);
		if (!err)
			err = facts_add_nid(&c->facts, &(struct nid_fact){ .nid = entry.nid,
									   .ino = entry.ino,
									   .addr = entry.block_addr,
									   .version = entry.version,
									   .place = NO_PLACE,
									   .inode = NO_INODE });
	}
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(c->ctx);
	return 0;
}

/* Read the NAT, or its reconstruction from a search. */
static int take_nat(struct checker *c, const struct table *nat)
{
	int err = c->vol->rescue ? take_rescued(c) : table_read(c, nat);

	if (!err && !c->vol->rescue)
		err = add_amended(c);
	return err ? err : facts_index_nids(&c->facts);
}

int pass_tables(struct checker *c)
{
	const struct table nat = {
		"NAT", c->geo->nat_blocks, nat_addr, take_nat_block, P_NAT_UNREADABLE, needs_zero_nat
	};
	const struct table sit = { "SIT", c->geo->sit_blocks_used, sit_addr, take_sit_block, P_SIT_UNREADABLE, NULL };
	int err = tables_check_journals(c);

	if (!err)
		err = tables_load_nat_bits(c);
	if (!err)
		err = take_nat(c, &nat);
	if (!err)
		err = table_read(c, &sit);
	if (!err)
		err = take_sit_journal(c);
	if (!err)
		err = tables_check_logs(c);
	return err;
}
