/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take a node's block into the facts: is it the node of the NAT entry, whose is it, and where does its footer put it?
 */
#include "base/bytes.h"
#include "base/crc.h"
#include "base/error.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/inode_digest.h"
#include "facts/inode_head.h"
#include "facts/inode_mend.h"
#include "facts/inode_type.h"
#include "facts/layout_signs.h"
#include "facts/node_digest.h"
#include "facts/node_pointers.h"
#include "facts/run.h"
#include "facts/sweep.h"
#include "facts/xattr_judge.h"

uint32_t node_judge(const struct checker *c, const struct sweep_item *item, const uint8_t *block)
{
	const uint8_t *footer = node_footer(c->geo, block);
	const f2fs_nid_t nid = item->tag;
	uint32_t judged;

	if (footer_nid(footer) != nid || footer_ino(footer) != nid || c->is_recount)
		return 0;
	judged = (uint32_t)inode_check(&c->plain, block, nid, 0);
	if (!judged)
		judged = (uint32_t)inode_misread(c->geo, block);
	if (inode_has_checksum(c->geo, block) &&
	    extra_i_inode_checksum(inode_extra(block)) != inode_checksum(c->geo, block, c->vol->checksum_seed))
		judged |= JUDGED_BAD_SUM;
	if (judged & JUDGED_RULE) /* the rest is looked at when it is corrected */
		return judged;
	judged |= JUDGED_LOOKED;
	if (layout_is_odd(c->geo, block))
		judged |= JUDGED_ODD;
	if (xattrs_are_absent(c->geo, block))
		judged |= JUDGED_NO_XATTRS;
	return judged;
}

int node_raise(struct checker *c, enum problem problem, const struct nid_fact *fact, uint64_t found, uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = fact->nid,
						   .ino = fact->ino,
						   .has_block = 1,
						   .block = fact->addr,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

int node_unreadable(struct checker *c, const struct sweep_item *item)
{
	struct nid_fact *fact = facts_edit_nid(&c->facts, item->tag);

	if (!fact)
		return F2FS_ERR_NOMEM;
	fact->kind = FACT_BAD;
	c->is_unread = true;
	return node_raise(c, P_NODE_UNREADABLE, fact, 0, 0);
}

static uint32_t seal_of(const struct checker *c, const uint8_t *block)
{
	return crc_f2fs(CRC_F2FS_SEED, node_footer(c->geo, block), footer_SIZE);
}

bool node_is_same(const struct checker *c, const struct sweep_item *item, const uint8_t *block)
{
	uint32_t seal;

	return !facts_seal(&c->facts, item->tag, &seal) || seal == seal_of(c, block);
}

int node_is_gone(struct checker *c, const struct sweep_item *item)
{
	const struct nid_fact *fact = facts_nid(&c->facts, item->tag);

	c->is_unread = true;
	if (c->repair)
		return error_set(c->ctx, F2FS_ERR_IO,
				 "node %u at block %u was read, and now the device gives none or another there: "
				 "run it again",
				 (unsigned)fact->nid, (unsigned)fact->addr);
	return node_raise(c, P_NODE_UNREADABLE, fact, 0, 0);
}

uint8_t node_kind_at(const struct f2fs_geometry *geo, uint32_t offset)
{
	if (offset == XATTR_NODE_OFFSET)
		return FACT_XATTR;
	if (offset == 5 + 2 * geo->nids_per_block)
		return FACT_DOUBLE;
	return node_offset_is_direct(geo, offset) ? FACT_DIRECT : FACT_INDIRECT;
}

/* The last place there is in a file. */
static uint32_t last_offset(const struct f2fs_geometry *geo)
{
	const uint32_t n = geo->nids_per_block;

	return 5 + 2 * n + n * (n + 1);
}

/* Settle the owner of a node when NAT and footer differ: the footer counts unless it names no inode. */
static int decide_owner(struct checker *c, struct nid_fact *fact, f2fs_nid_t by_footer)
{
	const f2fs_nid_t by_nat = fact->ino;
	const bool owner = by_footer == fact->nid || facts_has_nid(&c->facts, by_footer);
	bool listed;
	int err;

	if (by_footer == by_nat && owner && geometry_is_nid(c->geo, by_nat))
		return 0;
	listed = facts_has_nid(&c->facts, by_nat);
	fact->flags |= FACT_DOUBTED;
	if (by_footer == by_nat) {
		fact->kind = FACT_BAD;
		return node_raise(c, P_NAT_INO, fact, by_nat, 0);
	}
	err = node_raise(c, listed && geometry_is_nid(c->geo, by_nat) ? P_NODE_INO : P_NAT_INO, fact,
			 listed ? by_footer : by_nat, listed ? by_nat : by_footer);
	if (owner)
		fact->ino = by_footer;
	else if (!listed)
		fact->kind = FACT_BAD;
	return err;
}

/* Nodes of directories go to another log than those of all else (FORMAT files 1.1). */
static int check_cold(struct checker *c, const struct nid_fact *fact, const struct inode_fact *inode,
		      const uint8_t *footer)
{
	const unsigned expected = inode->type != F2FS_TYPE_DIRECTORY, found = footer_flag(footer) & 1;

	if (found == expected || inode->type == F2FS_TYPE_UNKNOWN || (inode->state & (INODE_HIDDEN | INODE_ALIAS)))
		return 0;
	return node_raise(c, P_NODE_COLD, fact, found, expected);
}

static int digest_part(struct checker *c, struct nid_fact *fact, const uint8_t *block)
{
	struct inode_fact *inode;
	int err = 0;

	if (!c->is_recount && fact->offset > last_offset(c->geo) && fact->offset != XATTR_NODE_OFFSET) {
		fact->kind = FACT_BAD;
		return node_raise(c, P_NODE_OFFSET, fact, fact->offset, last_offset(c->geo));
	}
	fact->kind = node_kind_at(c->geo, fact->offset);
	if (!facts_inode(&c->facts, fact->ino))
		return 0;
	inode = facts_edit_inode(&c->facts, fact->ino);
	if (!inode)
		return F2FS_ERR_NOMEM;
	fact->inode = facts_nid(&c->facts, fact->ino)->inode;
	err = check_cold(c, fact, inode, node_footer(c->geo, block));
	return err ? err : pointers_digest(c, fact, inode, block);
}

/* Is this an inode that may be plain, as far as its block shows at a glance? */
static bool may_be_plain(const struct checker *c, f2fs_nid_t nid, const uint8_t *block, uint32_t judged)
{
	const uint8_t *footer = node_footer(c->geo, block);
	const unsigned type = f2fs_type_of_mode(inode_i_mode(block));
	uint16_t mode;

	return (judged & ~(uint32_t)JUDGED_NO_XATTRS) == JUDGED_LOOKED && footer_nid(footer) == nid &&
	       footer_ino(footer) == nid && type != F2FS_TYPE_DIRECTORY && type != F2FS_TYPE_UNKNOWN &&
	       !type_is_decided(c, nid, &mode) && inode_i_xattr_nid(block) == 0 && !node_has_children(c->geo, block);
}

/* Does an inode count as lost because its first bytes are? */
static bool is_headless(const struct checker *c, f2fs_nid_t ino, const uint8_t *block, uint32_t judged)
{
	return c->asks_heads && (judged & JUDGED_RULE) && !map32_find(&c->heads, ino) && inode_head_is_lost(c, block);
}

#define MOST_NEWER (1 << 16) /* checkpoints: a version beyond is damage of the footer */

/* Was a node written after the checkpoint? Only a later one can have it in its NAT. */
static bool is_newer(const struct checker *c, const uint8_t *footer)
{
	const uint32_t now = (uint32_t)cp_checkpoint_ver(c->vol->view->cp);

	return (uint32_t)footer_cp_ver(footer) - now - 1 < MOST_NEWER;
}

/* room: with the node, if its fact is packed. */
static int digest_node(struct checker *c, struct nid_fact *fact, const uint8_t *block, uint32_t judged,
		       struct node_room *room)
{
	const uint8_t *footer = node_footer(c->geo, block);
	struct inode_fact *inode;
	int err = 0;

	if (!c->is_recount) {
		const bool is_inode = fact->ino == fact->nid;

		if (footer_nid(footer) != fact->nid) {
			fact->kind = FACT_BAD;
			return node_raise(c, P_NODE_NID, fact, footer_nid(footer), fact->nid);
		}
		fact->offset = node_offset_of(footer);
		fact->seal = seal_of(c, block);
		err = decide_owner(c, fact, footer_ino(footer));
		if (err || fact->kind == FACT_BAD)
			return err;
		if (is_inode && fact->ino != fact->nid) /* the sweep over other nodes reads it again */
			return 0;
		if (is_inode && is_headless(c, fact->nid, block, judged)) {
			fact->kind = FACT_BAD;
			fact->flags |= FACT_HEADLESS;
			c->lost_heads++;
			return 0;
		}
	}
	err = facts_claim(&c->facts, fact->addr, CLAIM_NODE, fact, 0);
	if (err)
		return err;
	c->newer_nodes += !c->is_recount && is_newer(c, footer);
	if (fact->ino != fact->nid)
		return digest_part(c, fact, block);
	if (fact->offset != 0)
		err = node_raise(c, P_NODE_OFFSET, fact, fact->offset, 0);
	if (!err)
		err = inode_digest(c, fact, block, judged, room ? &room->inode : NULL, &inode);
	if (!err && !c->is_recount)
		err = check_cold(c, fact, inode, footer);
	return err;
}

int node_digest(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	struct node_room room;
	struct nid_fact *fact = facts_open(&c->facts, item->tag, &room);
	bool is_packed = fact == &room.fact;
	int err;

	if (is_packed && !c->is_recount && !may_be_plain(c, item->tag, block, judged)) {
		is_packed = false;
		fact = facts_edit_nid(&c->facts, item->tag);
		if (!fact)
			return F2FS_ERR_NOMEM;
	}
	err = digest_node(c, fact, block, judged, is_packed ? &room : NULL);
	if (err || !is_packed || c->is_recount)
		return err;
	return facts_close(&c->facts, &room, cut_has(c, fact->nid));
}
