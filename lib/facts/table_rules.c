/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge the companions of NAT and SIT in the checkpoint pack: their journals, the list of unlinked inodes, the maps of
 * full and empty NAT blocks, and the logs.
 */
#include <string.h>

#include "base/error.h"
#include "facts/finding.h"
#include "facts/table_rules.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"

static int read_pack(struct checker *c, uint32_t index, uint8_t *block, int *err)
{
	const f2fs_blk_t addr = volume_pack_in_use(c->vol) + index;

	*err = volume_device_read(c->vol, c->vol->dev, (uint64_t)addr * c->geo->block_size, block, c->geo->block_size);
	if (*err != F2FS_ERR_IO)
		return *err;
	error_clear(c->ctx);
	return problem_raise(c, &(struct finding){ .problem = P_PACK_UNREADABLE,
						   .has_block = 1,
						   .block = addr,
						   .has_values = 1,
						   .found = (uint64_t)addr << c->geo->block_bits });
}

/* The volume dropped the entries that break a rule from its copy of a journal: report them from the stored one. */
static int judge_journal(struct checker *c, const uint8_t *stored, const uint8_t *used, uint32_t index,
			 enum rule (*check)(const struct f2fs_geometry *, const uint8_t *))
{
	const enum rule rule = check(c->geo, stored);

	if (rule == RULE_NONE)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem_of_rule(rule),
						   .rule = (uint16_t)rule,
						   .has_block = 1,
						   .block = volume_pack_in_use(c->vol) + index,
						   .has_values = 1,
						   .found = journal_count(used),
						   .expected = journal_count(stored) });
}

static int keep_entry(struct vec *entries, const uint8_t *raw)
{
	struct f2fs_nat_info *entry = vec_push(entries, 1);

	if (!entry)
		return F2FS_ERR_NOMEM;
	*entry = (struct f2fs_nat_info){ .nid = natj_nid(raw),
					 .ino = natj_ino(raw),
					 .block_addr = natj_block_addr(raw),
					 .version = natj_version(raw) };
	return 0;
}

/*
 * Keep the entries of a NAT journal that cannot count, and those behind its count: each says where some node is, or
 * once was.
 */
static int keep_others(struct checker *c, const uint8_t *journal)
{
	const unsigned count = journal_count(journal);
	int err = 0;

	for (unsigned i = 0; i < c->geo->nat_journal_max && count <= c->geo->nat_journal_max && !err; i++) {
		const uint8_t *raw = journal_nat_entry(journal, i);

		if (i < count && !journal_nat_is_sound(c->geo, journal, i))
			err = keep_entry(&c->misnamed, raw);
		else if (i >= count && geometry_is_nid(c->geo, natj_nid(raw)) &&
			 geometry_is_main(c->geo, natj_block_addr(raw)))
			err = keep_entry(&c->uncounted, raw);
	}
	return err;
}

static int judge_nat_journal(struct checker *c, const uint8_t *journal, uint32_t index)
{
	int err = judge_journal(c, journal, c->vol->view->nat_journal, index, journal_check_nat);

	return err ? err : keep_others(c, journal);
}

static int judge_journals(struct checker *c, uint8_t *block)
{
	const bool compact = c->vol->view->layout.compact;
	const uint32_t first = c->vol->view->layout.data_start, second = first + (compact ? 0 : F2FS_COLD_DATA);
	int err, failed;

	err = read_pack(c, first, block, &failed);
	if (!err && !failed)
		err = judge_nat_journal(c, block + (compact ? 0 : c->geo->journal_offset), first);
	if (!err)
		err = read_pack(c, second, block, &failed);
	if (!err && !failed)
		err = judge_journal(c, block + (compact ? c->geo->journal_size : c->geo->journal_offset),
				    c->vol->view->sit_journal, second, journal_check_sit);
	return err;
}

/* Return the fault of an orphan block by its tail, NULL for none. */
static const char *orphan_fault(const struct checker *c, const uint8_t *tail, uint32_t i)
{
	if (orphan_entry_count(tail) > c->geo->orphans_per_block)
		return "entry_count is more than fits the block";
	if (orphan_blk_addr(tail) != i + 1 || orphan_blk_count(tail) != c->vol->view->layout.orphan_blocks)
		return "it does not know its place among the blocks";
	return NULL;
}

static int judge_orphan_blocks(struct checker *c, uint8_t *block)
{
	int err = 0, failed;

	for (uint32_t i = 0; i < c->vol->view->layout.orphan_blocks && !err; i++) {
		const uint32_t index = c->vol->view->layout.orphan_start + i;
		const char *fault = NULL;

		err = read_pack(c, index, block, &failed);
		if (!err && !failed)
			fault = orphan_fault(c, block + c->geo->block_size - orphan_SIZE, i);
		if (fault)
			err = problem_raise(c,
					    &(struct finding){ .problem = P_ORPHAN_BLOCK,
							       .has_block = 1,
							       .block = volume_pack_in_use(c->vol) + index,
							       .text = fault });
	}
	return err;
}

int tables_check_journals(struct checker *c)
{
	uint8_t *block = mem_alloc(c->ctx, c->geo->block_size);
	int err = block ? judge_journals(c, block) : F2FS_ERR_NOMEM;

	if (!err)
		err = judge_orphan_blocks(c, block);
	mem_free(c->ctx, block);
	return err;
}

int tables_load_nat_bits(struct checker *c)
{
	const struct f2fs_geometry *geo = c->geo;
	const uint32_t blocks = geo->nat_bits_blocks;
	const f2fs_blk_t addr = volume_pack_in_use(c->vol) + F2FS_SEGMENT_BLOCKS - blocks;
	const uint8_t *cp = c->vol->view->cp;
	const uint64_t head = cp_checkpoint_ver(cp) | (uint64_t)checkpoint_stored_crc(cp) << 32;
	int err;

	if (!(cp_ckpt_flags(c->vol->view->cp) & FLAG_ckpt_flags_nat_bits) || blocks >= F2FS_SEGMENT_BLOCKS ||
	    c->vol->view->layout.total > F2FS_SEGMENT_BLOCKS - blocks)
		return 0;
	c->nat_bits = mem_alloc(c->ctx, (size_t)blocks * geo->block_size);
	if (!c->nat_bits)
		return F2FS_ERR_NOMEM;
	err = volume_device_read(c->vol, c->vol->dev, (uint64_t)addr * geo->block_size, c->nat_bits,
				 (size_t)blocks * geo->block_size);
	if (err == F2FS_ERR_IO)
		error_clear(c->ctx);
	else if (err)
		return err;
	if (err || get_le64(c->nat_bits) != head) { /* not of this checkpoint: the kernel does not use them */
		mem_free(c->ctx, c->nat_bits);
		c->nat_bits = NULL;
	}
	return 0;
}

bool tables_nat_bits_differ(const struct checker *c, uint32_t k, unsigned used, unsigned all)
{
	const uint8_t *full, *empty;

	if (!c->nat_bits)
		return false;
	full = c->nat_bits + 8;
	empty = full + c->geo->nat_blocks / 8;
	if (k == 0 && used == 0) /* node id 0 counts as used */
		used = 1;
	return lsb_test(full, k) != (used == all) || lsb_test(empty, k) != (used == 0);
}

int tables_check_nat_bits(struct checker *c, uint32_t k, unsigned used, unsigned all)
{
	if (c->nat_bits_are_bad || !tables_nat_bits_differ(c, k, used, all))
		return 0;
	c->nat_bits_are_bad = true;
	return problem_raise(c, &(struct finding){ .problem = P_NAT_BITS, .has_values = 1, .found = k });
}

static int raise_log(struct checker *c, enum problem problem, unsigned log, f2fs_seg_t segno, uint32_t offset,
		     uint64_t found, uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .has_slot = 1,
						   .slot = log,
						   .has_segno = 1,
						   .segno = segno,
						   .has_block = 1,
						   .block = geometry_segment_start(c->geo, segno) + offset,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

/* Judge a log by the SIT: its type, its next block, and with LFS all blocks after that (FORMAT volume 4.2). */
static int check_log(struct checker *c, unsigned log)
{
	const f2fs_seg_t segno = checkpoint_log_segno(c->vol->view->cp, log);
	const uint32_t next = checkpoint_log_blkoff(c->vol->view->cp, log);
	struct seg_fact *seg = facts_seg_add(&c->facts, segno);
	int err = 0;

	if (!seg)
		return F2FS_ERR_NOMEM;
	seg->log = (uint8_t)(log + 1);
	if (msb_test(seg->sit_map, next))
		return raise_log(c, P_LOG_NOT_FREE, log, segno, next, 0, 0);
	for (uint32_t i = next + 1;
	     i < F2FS_SEGMENT_BLOCKS && cp_alloc_type(c->vol->view->cp, log) == ALLOC_APPEND && !err; i++)
		if (msb_test(seg->sit_map, i)) {
			err = raise_log(c, P_LOG_TAIL, log, segno, i, 0, 0);
			break;
		}
	if (!err && seg->sit_type != log)
		err = raise_log(c, P_LOG_TYPE, log, segno, next, seg->sit_type, log);
	return err;
}

int tables_check_logs(struct checker *c)
{
	const bool has_two = volume_lacks_ssa(c->vol);
	int err = 0;

	for (unsigned log = 0; log < F2FS_LOG_COUNT && !err; log++)
		if (!has_two || log == F2FS_HOT_DATA || log == F2FS_HOT_NODE)
			err = check_log(c, log);
	return err;
}
