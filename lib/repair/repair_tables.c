/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write tables from the facts: the transaction's segments, NAT entries of nodes that are not kept or have the wrong
 * owner, and the maps of full and empty NAT blocks. Summaries are written if they are wrong, or if their segments are
 * those that the logs leave, whose summaries so far only the checkpoint pack had.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "facts/claims.h"
#include "facts/zones.h"
#include "file/change.h"
#include "format/checkpoint.h"
#include "log/derive.h"
#include "log/nat_write.h"
#include "log/segments.h"
#include "log/ssa_write.h"
#include "log/txn.h"
#include "repair/repair.h"
#include "repair/repair_need.h"
#include "repair/repair_tables.h"
#include "volume/block_read.h"
#include "volume/counters.h"
#include "volume/heads_read.h"
#include "volume/nat_read.h"
#include "volume/rescue.h"
#include "witness/witness.h"

/* A block that is in use by the SIT alone may be a node that a later search finds: keep it. */
static void add_strays(const struct seg_fact *seg, uint8_t *map)
{
	if (seg->sit_type >= F2FS_LOG_COUNT || bitmap_popcount(seg->sit_map, sizeof(seg->sit_map)) != seg->sit_count)
		return;
	for (unsigned i = 0; i < sizeof(seg->sit_map); i++)
		map[i] |= seg->sit_map[i];
}

static void fill_segment(void *user, f2fs_seg_t segno, uint8_t *map, uint8_t *type)
{
	const struct repair *r = user;
	const struct seg_fact *seg = facts_seg(&r->c->facts, segno);
	bool is_data, is_node;

	if (!seg)
		return;
	for (unsigned i = 0; i < 64; i++)
		map[i] = seg->data_map[i] | seg->node_map[i];
	if (r->keeps_strays)
		add_strays(seg, map);
	is_data = !is_zero(seg->data_map, 64);
	is_node = !is_zero(seg->node_map, 64);
	/* a segment with both nodes and data keeps its type: the blocks of the wrong class are moved out of it */
	if (is_node && !is_data && *type < F2FS_HOT_NODE)
		*type = F2FS_WARM_NODE;
	else if (is_data && !is_node && *type >= F2FS_HOT_NODE)
		*type = F2FS_WARM_DATA;
}

/* Must every entry of the NAT be rewritten? */
static bool is_nat_lost(const struct repair *r)
{
	return r->vol->rescue != NULL || repair_found(r->c, P_NAT_UNREADABLE);
}

/* Which NAT blocks are full, which empty, with the kept nodes alone. */
static uint8_t *make_nat_maps(struct repair *r)
{
	const uint32_t bytes = r->geo->nat_blocks / 8, per_block = r->geo->nat_per_block;
	uint8_t *maps = mem_zalloc(r->ctx, (size_t)bytes * 2);
	uint32_t *used = maps ? mem_calloc(r->ctx, r->geo->nat_blocks, sizeof(*used)) : NULL;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	if (!used) {
		mem_free(r->ctx, maps);
		return NULL;
	}
	used[0] = 3;
	while ((fact = facts_next(&r->c->facts, &walk)) != NULL)
		used[fact->nid / per_block] += (fact->flags & (FACT_KEPT | FACT_HELD)) != 0;
	for (uint32_t k = 0; k < r->geo->nat_blocks; k++) {
		if (used[k] == per_block)
			lsb_set(maps, k);
		if (used[k] == 0)
			lsb_set(maps + bytes, k);
	}
	mem_free(r->ctx, used);
	return maps;
}

int repair_begin(struct repair *r, const struct txn_keep *keep)
{
	const struct f2fs_check_result *result = r->c->result;
	uint8_t *maps = make_nat_maps(r);
	const struct txn_truth truth = {
		.user = r,
		.segment = fill_segment,
		.valid_blocks = result->blocks + r->held_blocks,
		.valid_nodes = (uint32_t)result->nodes + r->held_nodes,
		.valid_inodes = facts_inode_count(&r->c->facts),
		.nat_is_whole = !keep && is_nat_lost(r), /* a recovery sets only the entries that it changes */
		.nat_maps = maps,
		.keep = keep,
	};
	int err = maps ? txn_begin_from(r->vol, &file_ops, &truth) : F2FS_ERR_NOMEM;

	mem_free(r->ctx, maps);
	r->txn = r->vol->txn;
	return err;
}

static int set_entry(struct repair *r, f2fs_nid_t nid, f2fs_nid_t ino, f2fs_blk_t addr, uint8_t version)
{
	const struct f2fs_nat_info entry = { .nid = nid, .ino = ino, .block_addr = addr, .version = version };

	return nat_set(r->txn, &entry);
}

int repair_amended_entries(struct repair *r)
{
	const struct vec *entries = &r->c->book->amends.entries;
	int err = 0;

	for (size_t i = 0; i < entries->count && !err; i++)
		err = nat_set(r->txn, vec_at(entries, i));
	return err;
}

static int set_reserved(struct repair *r)
{
	int err = set_entry(r, 0, 0, 0, 0);

	if (!err)
		err = set_entry(r, NODE_INO, NODE_INO, 1, 0);
	return err ? err : set_entry(r, META_INO, META_INO, 1, 0);
}

/* Clear the blocks of a lost NAT that will hold nothing. */
static int clear_rest(struct repair *r)
{
	const uint32_t per_block = r->geo->nat_per_block;
	uint8_t *used = mem_zalloc(r->ctx, r->geo->nat_blocks);
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = used ? 0 : F2FS_ERR_NOMEM;

	while (!err && (fact = facts_next(&r->c->facts, &walk)) != NULL)
		used[fact->nid / per_block] |= (fact->flags & (FACT_KEPT | FACT_HELD)) != 0;
	for (uint32_t k = 1; k < r->geo->nat_blocks && !err; k++) {
		const unsigned copy = msb_test(r->vol->view->nat_bitmap, k);
		const uint8_t *raw;

		if (used[k] || (uint64_t)k * per_block >= r->geo->max_nid)
			continue;
		if (volume_peek(r->vol, geometry_nat_block(r->geo, k, copy), &raw) == 0 && raw[0] == 0 &&
		    memcmp(raw, raw + 1, r->geo->block_size - 1) == 0)
			continue;
		error_clear(r->ctx);
		err = set_entry(r, k * per_block, 0, 0, 0);
	}
	mem_free(r->ctx, used);
	return err;
}

static int set_nat(struct repair *r)
{
	const bool is_whole = r->txn->nat_is_whole;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = is_whole || repair_found(r->c, P_NAT_RESERVED) ? set_reserved(r) : 0;

	while (!err && (fact = facts_next(&r->c->facts, &walk)) != NULL) {
		struct f2fs_nat_info entry;

		if (!is_whole && (fact->flags & FACT_HELD))
			continue;
		if (!(fact->flags & (FACT_KEPT | FACT_HELD))) {
			err = set_entry(r, fact->nid, 0, 0, (uint8_t)(fact->version + 1));
			continue;
		}
		if (!is_whole && !witness_amends_entry(r->c, fact->nid)) {
			err = nat_get(r->vol, fact->nid, &entry);
			if (err || (entry.ino == fact->ino && entry.block_addr == fact->addr))
				continue;
		}
		err = set_entry(r, fact->nid, fact->ino, fact->addr, fact->version);
	}
	return err || !is_whole ? err : clear_rest(r);
}

/* Mark the segments whose summaries are to be written. */
static int mark_summaries(struct repair *r)
{
	for (size_t i = 0; i < r->c->findings.count; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		struct seg_fact *seg = f->has_segno ? facts_seg(&r->c->facts, f->segno) : NULL;

		if (seg && (f->problem == P_SSA_TYPE || f->problem == P_SSA_ENTRY || f->problem == P_SSA_UNREADABLE))
			seg->flags |= SEG_SUMMARY;
	}
	for (unsigned t = 0; t < F2FS_LOG_COUNT; t++) {
		const f2fs_seg_t segno = checkpoint_log_segno(r->vol->view->cp, t);
		struct seg_fact *seg = facts_seg(&r->c->facts, segno);

		if (seg && !segment_is_current(r->txn, segno))
			seg->flags |= SEG_SUMMARY;
	}
	for (size_t i = 0; i < r->c->facts.segs.count; i++) {
		struct seg_fact *seg = vec_at(&r->c->facts.segs, i);

		if (seg->flags & SEG_ALIAS)
			seg->flags &= ~(uint32_t)SEG_SUMMARY;
	}
	return 0;
}

#define MAX_KEPT_SUMMARIES 16384u /* 56 MiB, of segments that hold 32 GiB */

/* Keep the old summary, in case the round fails. */
static int keep_summary(struct repair *r, f2fs_seg_t segno)
{
	struct kept_summary *kept;

	if (volume_lacks_ssa(r->vol) || r->summaries.count == MAX_KEPT_SUMMARIES)
		return 0;
	kept = vec_push(&r->summaries, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	kept->addr = geometry_ssa_block(r->geo, segno, &kept->offset);
	kept->length = r->geo->sum_size;
	kept->bytes = mem_alloc(r->ctx, kept->length);
	if (!kept->bytes)
		return F2FS_ERR_NOMEM;
	kept->is_read = volume_read(r->vol, kept->addr, kept->offset, kept->bytes, kept->length) == 0;
	if (!kept->is_read)
		error_clear(r->ctx);
	return 0;
}

void repair_put_back_summaries(struct repair *r)
{
	for (size_t i = r->summaries.count; i-- > 0;) {
		const struct kept_summary *kept = vec_at(&r->summaries, i);

		if (kept->bytes && kept->is_read)
			volume_write(r->vol, F2FS_WRITE_SSA,
				     ((uint64_t)kept->addr << r->geo->block_bits) + kept->offset, kept->bytes,
				     kept->length);
	}
}

void repair_forget_summaries(struct repair *r)
{
	for (size_t i = 0; i < r->summaries.count; i++)
		mem_free(r->ctx, ((struct kept_summary *)vec_at(&r->summaries, i))->bytes);
	vec_fini(&r->summaries);
}

/* Write one segment's summary from its claims, [*at, ...). Moves *at past them. */
static int write_summary(struct repair *r, const struct vec *claims, size_t *at)
{
	const f2fs_seg_t segno = geometry_segment_of(r->geo, ((const struct claim *)vec_at(claims, *at))->addr);
	const f2fs_blk_t start = geometry_segment_start(r->geo, segno);
	uint8_t *entries = r->block;
	struct segment *s;
	int err = segment_get(r->txn, segno, &s);

	memset(entries, 0, SUMMARY_BYTES);
	for (; !err && *at < claims->count; ++*at) {
		const struct claim *claim = vec_at(claims, *at);
		uint8_t *raw;

		if (claim->addr - start >= F2FS_SEGMENT_BLOCKS)
			break;
		raw = entries + (size_t)(claim->addr - start) * sum_SIZE;
		if (sum_nid(raw) != 0 && !claim->is_node) /* has an owner; this one gets a copy */
			continue;
		sum_set_owner(raw, claim_owner(claim));
	}
	if (err || segment_is_current(r->txn, segno))
		return err;
	err = keep_summary(r, segno);
	return err ? err : summary_write(r->txn, segno, entries, s->type >= F2FS_HOT_NODE);
}

int repair_summaries(struct repair *r)
{
	f2fs_seg_t from = 0;
	int err = mark_summaries(r);

	while (from < r->geo->segment_count_main && !err) {
		struct vec claims;
		size_t at = 0;

		err = claims_collect(r->c, SEG_SUMMARY, &from, &claims);
		while (at < claims.count && !err)
			err = write_summary(r, &claims, &at);
		vec_fini(&claims);
	}
	return err;
}

int repair_tables(struct repair *r)
{
	int err = repair_begin(r, NULL);

	if (!err)
		err = zones_repair(r->c);
	if (!err)
		err = set_nat(r);
	return err ? err : repair_summaries(r);
}
