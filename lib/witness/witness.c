/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Record the amendments of a vote with their reasons, and question the witnesses of any block: its footer, its summary
 * and its bit in the SIT.
 */
#include "witness/witness.h"

#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "facts/finding.h"
#include "volume/block_read.h"
#include "volume/rescue.h"
#include "volume/ssa_read.h"
#include "witness/lost_branches.h"

void witness_book_init(struct witness_book *book, struct f2fs_context *ctx)
{
	amends_init(&book->amends, ctx);
	vec_init(&book->verdicts, ctx, sizeof(struct finding));
	vec_init(&book->branches, ctx, sizeof(struct branch_block));
	book->votes = 0;
	book->is_full = false;
	book->block = NULL;
	book->asked = 0;
}

void witness_book_fini(struct witness_book *book)
{
	amends_fini(&book->amends);
	vec_fini(&book->verdicts);
	vec_fini(&book->branches);
	mem_free(book->verdicts.ctx, book->block);
	book->block = NULL;
}

int witness_tell(struct checker *c)
{
	int err = 0;

	for (size_t i = 0; i < c->book->verdicts.count && !err; i++)
		err = problem_raise(c, vec_at(&c->book->verdicts, i));
	return err;
}

#define LEAST_NEWER 8u /* nodes: fewer may have wrong footers */

bool witness_has_newest_tables(const struct checker *c)
{
	if (c->newer_nodes >= LEAST_NEWER)
		return false;
	if (c->vol->rescue)
		return c->vol->rescue->root == RESCUE_ROOT_WHOLE && c->vol->rescue->sit_trusted;
	return !c->has_older_tables;
}

bool witness_may_vote(const struct checker *c)
{
	return c->book->votes < MAX_VOTES && !c->cut_end && witness_has_newest_tables(c);
}

bool witness_has_lost_inode(const struct checker *c, f2fs_nid_t nid)
{
	const struct nid_fact *fact = geometry_is_nid(c->geo, nid) ? facts_nid(&c->facts, nid) : NULL;

	return fact && fact->kind == FACT_BAD && fact->ino == nid;
}

bool witness_amends_node(const struct checker *c, const struct nid_fact *fact)
{
	return amends_has_block(&c->book->amends, fact->addr);
}

bool witness_amends_entry(const struct checker *c, f2fs_nid_t nid)
{
	return amends_entry(&c->book->amends, nid) != NULL;
}

static int note(struct checker *c, const struct finding *why)
{
	struct finding *kept = vec_push(&c->book->verdicts, 1);

	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = *why;
	c->must_restart = true;
	return 0;
}

/* Read a block as it is amended so far into the book's own. Fails as volume_peek() does. */
static int read_amended(struct checker *c, f2fs_blk_t addr)
{
	const uint8_t *block;
	int err;

	if (!c->book->block)
		c->book->block = mem_alloc(c->ctx, c->geo->block_size);
	if (!c->book->block)
		return F2FS_ERR_NOMEM;
	err = volume_peek(c->vol, addr, &block);
	if (err)
		return err;
	memcpy(c->book->block, block, c->geo->block_size);
	amends_apply(&c->book->amends, addr, c->book->block, c->geo->block_size);
	return 0;
}

/* Has the book's block the right checksum of an inode? Other nodes have none, so that theirs is not right by chance. */
static bool has_right_sum(const struct checker *c)
{
	const uint8_t *block = c->book->block;

	return inode_has_checksum(c->geo, block) &&
	       extra_i_inode_checksum(inode_extra(block)) == inode_checksum(c->geo, block, c->vol->checksum_seed);
}

/* Recompute a checksum that was right before bytes were amended: it covered the wrong bytes. */
static int seal_anew(struct checker *c, f2fs_blk_t addr, bool was_right)
{
	struct amends *amends = &c->book->amends;

	amends_apply(amends, addr, c->book->block, c->geo->block_size);
	if (!was_right || has_right_sum(c))
		return 0;
	return amends_set_bytes(amends, addr, INODE_ADDR_OFFSET + extra_OFS_i_inode_checksum, 4,
				inode_checksum(c->geo, c->book->block, c->vol->checksum_seed));
}

int witness_amend_bytes(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value,
			const struct finding *why)
{
	struct amends *amends = &c->book->amends;
	bool is_new, was_right;
	int err = read_amended(c, addr);

	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return 0;
	}
	if (err)
		return err;
	was_right = has_right_sum(c);
	err = amends_add_bytes(amends, addr, offset, length, value, &is_new);
	if (!err && is_new)
		err = seal_anew(c, addr, was_right);
	return err || !is_new ? err : note(c, why);
}

int witness_amend_more(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value)
{
	bool is_new, was_right;
	int err = read_amended(c, addr);

	if (err)
		return err;
	was_right = has_right_sum(c);
	err = amends_add_bytes(&c->book->amends, addr, offset, length, value, &is_new);
	return err || !is_new ? err : seal_anew(c, addr, was_right);
}

int witness_amend_instead(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value)
{
	bool was_right;
	int err = read_amended(c, addr);

	if (err)
		return err;
	was_right = has_right_sum(c);
	err = amends_set_bytes(&c->book->amends, addr, offset, length, value);
	return err ? err : seal_anew(c, addr, was_right);
}

bool witness_has_room(const struct checker *c, unsigned blocks)
{
	return c->book->amends.whole.count + blocks <= MAX_REBUILT / c->geo->block_size;
}

int witness_amend_block(struct checker *c, f2fs_blk_t addr, const uint8_t *block, const struct finding *why)
{
	struct amends *amends = &c->book->amends;
	bool is_new = false;
	int err;

	if (!witness_has_room(c, 1)) {
		if (!c->book->is_full)
			log_message(c->ctx, F2FS_LOG_WARNING,
				    "%u lost nodes are built again, and no more, because they are kept in memory",
				    (unsigned)amends->whole.count);
		c->book->is_full = true;
		return 0;
	}
	err = amends_add_block(amends, addr, block, c->geo->block_size, &is_new);
	return err || !is_new || !why ? err : note(c, why);
}

int witness_amend_again(struct checker *c, f2fs_blk_t addr, const uint8_t *block, const struct finding *why)
{
	uint8_t *whole = amends_whole(&c->book->amends, addr);

	if (!whole)
		return witness_amend_block(c, addr, block, why);
	memcpy(whole, block, c->geo->block_size);
	return note(c, why);
}

int witness_peek(struct checker *c, f2fs_blk_t addr, const uint8_t **block)
{
	int err = volume_peek(c->vol, addr, block);

	if (err == 0 || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	*block = NULL;
	error_clear(c->ctx);
	return 0;
}

int witness_copy_block(struct checker *c, f2fs_blk_t addr, bool *is_readable)
{
	const uint8_t *block;
	int err;

	*is_readable = false;
	if (!c->scratch)
		c->scratch = mem_alloc(c->ctx, c->geo->block_size);
	if (!c->scratch)
		return F2FS_ERR_NOMEM;
	err = witness_peek(c, addr, &block);
	if (err)
		return err;
	*is_readable = block != NULL;
	if (block)
		memcpy(c->scratch, block, c->geo->block_size);
	return 0;
}

int witness_amend_entry(struct checker *c, const struct f2fs_nat_info *entry, const struct finding *why)
{
	bool is_new;
	int err = amends_add_entry(&c->book->amends, entry, &is_new);

	return err || !is_new ? err : note(c, why);
}

/* Look up a block's summary; one that is made of footers, or is missing, is none. */
static int view_summary(struct checker *c, f2fs_blk_t addr, struct block_view *out)
{
	const f2fs_seg_t segno = geometry_segment_of(c->geo, addr);
	struct f2fs_block_owner sum;
	int source, err = ssa_entry(c->vol, segno, geometry_offset_of(c->geo, addr), &sum, &source);

	if (err == F2FS_ERR_IO || err == F2FS_ERR_CORRUPT) {
		error_clear(c->ctx);
		return 0;
	}
	if (err)
		return err;
	out->sum_nid = sum.nid;
	out->sum_slot = sum.ofs_in_node;
	out->sum_version = sum.version;
	out->is_node_sum = sum.is_node == SUMMARY_OF_NODES;
	out->is_of_pack = source == F2FS_SUMMARY_PACK;
	out->has_sum = source == F2FS_SUMMARY_SSA || source == F2FS_SUMMARY_PACK;
	return 0;
}

int witness_view_tables(struct checker *c, f2fs_blk_t addr, struct block_view *out)
{
	const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, addr));

	*out = (struct block_view){ .addr = addr };
	out->is_in_sit = seg && msb_test(seg->sit_map, geometry_offset_of(c->geo, addr));
	return view_summary(c, addr, out);
}

int witness_view(struct checker *c, f2fs_blk_t addr, struct block_view *out, bool *is_readable)
{
	const uint8_t *block, *footer;
	int err = witness_view_tables(c, addr, out);

	*is_readable = false;
	if (!err)
		err = volume_peek(c->vol, addr, &block);
	if (err == F2FS_ERR_IO || err == F2FS_ERR_CORRUPT) {
		error_clear(c->ctx);
		return 0;
	}
	if (err)
		return err;
	footer = node_footer(c->geo, block);
	out->nid = footer_nid(footer);
	out->ino = footer_ino(footer);
	out->flag = footer_flag(footer);
	out->offset = node_offset_of(footer);
	out->cp_ver = (uint32_t)footer_cp_ver(footer);
	*is_readable = true;
	return 0;
}
