/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build inodes again whose blocks hold something else. An older copy of the inode has all that did not change since, if
 * it is a copy of the same file: it has the name of the entry, or leads to a block or node that the tables still give
 * to the inode. The summaries of the blocks in use name the slots of the present file.
 *
 * Without a copy, the entry gives type and name, and the blocks the contents. That is not done if the slots look like
 * compressed clusters. Below encrypted directories it is done for files alone (inode_cipher.c). Contents inside the
 * inode are lost without a copy, so that such an entry stays dead. If no entry names the inode any more, its first
 * block says whether it is a directory.
 *
 * Of some inodes only the first bytes are lost (FACT_HEADLESS). They are built in the same way, and keep the attributes
 * in their blocks. If nothing knows enough to build one, its fields are corrected one by one.
 *
 * Nodes of attributes have an older copy, or nothing.
 */
#include <string.h>

#include "facts/dir_judge.h"
#include "facts/inode_digest.h"
#include "facts/node_digest.h"
#include "witness/fresh_layout.h"
#include "witness/inode_fresh.h"
#include "witness/inode_older.h"
#include "witness/inode_rest.h"
#include "witness/lost_inodes.h"
#include "witness/witness.h"
#include "witness/witness_inodes.h"
#include "witness/witness_older.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_swaps.h"
#include "witness/witness_unclaimed.h"

/* ---- lost nodes */

static bool is_lost_xattr(const struct nid_fact *fact)
{
	return fact->kind == FACT_BAD && fact->ino != fact->nid && (fact->flags & FACT_CLAIMED) &&
	       fact->place == XATTR_NODE_OFFSET;
}

/* Does the block belong to a lost inode, or to a lost node below one? */
static int is_block_of_lost(struct checker *c, void *user, const struct unclaimed *block, bool *is_wanted)
{
	const struct builder *b = user;

	*is_wanted = (witness_has_lost_inode(c, block->nid) || map32_find(&b->below, block->nid)) &&
		     facts_nid(&c->facts, block->nid)->version == block->version;
	return 0;
}

/* ---- the entry */

/* Read name and type of the entry. false in *is_there: they cannot be read any more. */
static int read_entry(struct builder *b, const struct lost_inode *lost, bool *is_there)
{
	struct checker *c = b->c;
	const struct inode_fact *dir = facts_inode(&c->facts, lost->dir);
	struct dentry_area area;
	struct dentry_ref ref;
	const uint8_t *block;
	uint32_t slot = lost->slot;
	int err;

	b->name_len = 0;
	b->cipher = CIPHER_NONE;
	b->type = F2FS_TYPE_DIRECTORY;
	*is_there = lost->block == 0;
	if (*is_there || !dir)
		return 0;
	err = witness_peek(c, lost->block, &block);
	if (err || !block)
		return err;
	dir_area(c, dir, block, &area);
	*is_there = slot < area.slots && dentry_next(&area, &slot, &ref) == DENTRY_FOUND && ref.ino == lost->nid;
	if (*is_there) {
		b->name_len = ref.name_len;
		b->name_hash = ref.hash;
		b->type = ref.type;
		memcpy(b->name, ref.name, ref.name_len);
	}
	return 0;
}

/* ---- all of it */

/* Find the first file block after the last one that the inode and its direct nodes have, and the last one's address. */
static void find_end(struct builder *b, const struct lost_inode *lost, uint32_t slots_end, uint64_t *end,
		    f2fs_blk_t *addr)
{
	struct checker *c = b->c;
	struct inode_layout layout;

	inode_layout(c->geo, b->block, &layout);
	*end = slots_end;
	*addr = slots_end ? get_le32(b->block + layout.slot_offset + (size_t)(slots_end - 1) * 4) : F2FS_NULL_ADDR;
	for (uint32_t i = 0; i < layout.node_slots && lost->last; i++) {
		if (get_le32(b->last_slots + (size_t)i * 4) == F2FS_NULL_ADDR)
			continue;
		*addr = get_le32(b->last_slots + (size_t)i * 4);
		*end = node_first_block(c->geo, layout.slots, layout.node_slots, lost->last_offset) + i + 1;
	}
}

/* Read the slots of its last direct node. If that is lost, too, the summaries know them. */
static int read_last(struct builder *b, const struct lost_inode *lost)
{
	struct checker *c = b->c;
	const uint32_t count = c->geo->addrs_per_block;
	const struct nid_fact *last = lost->last ? facts_nid(&c->facts, lost->last) : NULL;
	const uint8_t *block = NULL;
	int err = 0;

	memset(b->last_slots, 0, (size_t)count * 4);
	if (last && last->kind == FACT_BAD)
		rebuild_slots(&b->blocks, last->nid, b->last_slots, count);
	else if (last)
		err = witness_peek(c, last->addr, &block);
	if (block)
		memcpy(b->last_slots, block, (size_t)count * 4);
	return err;
}

int inode_bytes_in_last(struct checker *c, f2fs_blk_t addr, uint32_t *bytes)
{
	const uint8_t *block = NULL;
	uint32_t end = *bytes = c->geo->block_size;
	int err = geometry_is_main(c->geo, addr) ? witness_peek(c, addr, &block) : 0;

	if (err || !block)
		return err;
	while (end > 0 && block[end - 1] == 0)
		end--;
	if (end > 0 && !memchr(block, 0, end))
		*bytes = end;
	return 0;
}

/* Mark the name as ciphertext. After one that folds, the inode has its hash, for a recovery without keys. */
static void put_cipher_name(struct builder *b, const struct inode_fact *dir)
{
	uint8_t mark = FLAG_i_advise_enc_name;

	if (dir->iflags & FLAG_i_flags_casefold) {
		if (b->name_len + sizeof(b->name_hash) <= inode_SIZE_i_name)
			put_le32(inode_i_name_w(b->block) + b->name_len, b->name_hash);
		else
			mark |= FLAG_i_advise_lost_pino;
	}
	inode_set_i_advise(b->block, inode_i_advise(b->block) | mark);
}

static void put_name(struct builder *b, const struct lost_inode *lost)
{
	const struct inode_fact *dir = facts_inode(&b->c->facts, lost->dir);

	const bool is_cipher = dir && (dir->advise & FLAG_i_advise_encrypt);

	if (!lost->block || !dir || (is_cipher && !builder_has_key(b)) || builder_has_name(b, lost))
		return;
	inode_set_i_pino(b->block, lost->dir);
	inode_set_i_namelen(b->block, b->name_len);
	memset(inode_i_name_w(b->block), 0, inode_SIZE_i_name);
	memcpy(inode_i_name_w(b->block), b->name, b->name_len);
	if (is_cipher)
		put_cipher_name(b, dir);
}

/* Count the slots in use of an inode that has no contents inside. */
static uint32_t count_slots(const struct checker *c, const uint8_t *block)
{
	struct inode_layout layout;
	uint32_t count = 0;

	inode_layout(c->geo, block, &layout);
	for (uint32_t i = 0; i < layout.slots && !inode_has_inline(block, FLAG_i_inline_inline_dentry); i++)
		count += get_le32(block + layout.slot_offset + (size_t)i * 4) != F2FS_NULL_ADDR;
	return count;
}

/* Put size, depth, name, footer and checksum right. slots_end: the slot after the last one in use. */
static int finish(struct builder *b, const struct lost_inode *lost, const struct nid_fact *fact, uint32_t slots_end)
{
	struct checker *c = b->c;
	const unsigned bits = c->geo->block_bits;
	uint32_t bytes = c->geo->block_size;
	f2fs_blk_t addr;
	uint64_t end;
	int err = 0;

	find_end(b, lost, slots_end, &end, &addr);
	if (b->type == F2FS_TYPE_REGULAR && end)
		err = inode_bytes_in_last(c, addr, &bytes);
	if (err)
		return err;
	if (b->type != F2FS_TYPE_SYMLINK && !(inode_i_advise(b->block) & FLAG_i_advise_verity) &&
	    inode_i_size(b->block) <= (end ? (end - 1) << bits : 0)) /* a verity file has blocks past its end */
		inode_set_i_size(b->block, end ? ((end - 1) << bits) + bytes : 0);
	if (b->type == F2FS_TYPE_DIRECTORY && end) {
		const unsigned level = dir_level_with(inode_i_dir_level(b->block), (uint32_t)(end - 1));

		if (level >= inode_i_current_depth(b->block) && level < DIR_MAX_DEPTH)
			inode_set_i_current_depth(b->block, level + 1);
	}
	if (inode_i_blocks(b->block) == 0)
		inode_set_i_blocks(b->block, 1 + count_slots(c, b->block));
	put_name(b, lost);
	memset(node_footer_w(c->geo, b->block), 0, footer_SIZE);
	rebuild_footer(c, fact, 0, b->type == F2FS_TYPE_DIRECTORY, b->block);
	if (inode_has_checksum(c->geo, b->block))
		extra_set_i_inode_checksum(b->block + INODE_ADDR_OFFSET,
					   inode_checksum(c->geo, b->block, c->vol->checksum_seed));
	return 0;
}

/* Say from what an inode without an older copy is made. */
static const char *sources_of(const struct builder *b, const struct lost_inode *lost)
{
	switch (b->cipher) {
	case CIPHER_UNKNOWN:
		return "its blocks, which nobody can decrypt if it was encrypted";
	case CIPHER_LOST_KEY:
		return "its blocks, which nobody can decrypt: a part of their key was in the inode alone";
	case CIPHER_OF_DIRECTORY:
		return "its entry, its blocks and the encryption policy of its directory";
	default:
		return lost->block ? "its entry and its blocks" : "its blocks";
	}
}

static int build(struct builder *b, const struct lost_inode *lost)
{
	struct checker *c = b->c;
	struct nid_fact room;
	const struct nid_fact *fact = facts_find_nid(&c->facts, lost->nid, &room);
	struct finding why = { .problem = P_INODE_REBUILT,
			       .nid = lost->nid,
			       .ino = lost->nid,
			       .has_block = 1,
			       .block = fact->addr };
	bool is_due, is_there = false, is_copied = false, is_made = false, has_key;
	uint32_t end = 0;
	int err = rebuild_is_due(c, &b->misplaced, fact, &is_due);

	if (!err && is_due) {
		err = witness_swapped_own(c, fact, &b->blocks);
		is_due = !witness_amends_node(c, fact);
	}
	if (!err && is_due)
		err = read_entry(b, lost, &is_there);
	if (!err && is_there)
		err = read_last(b, lost);
	if (!err && is_there)
		err = inode_copy_older(b, lost, &is_copied);
	if (!err && is_copied)
		err = inode_renew(b, lost, &end, &is_copied);
	else if (!err && is_there && !inode_is_hidden(c, lost->nid)) /* quota files are written again in any case */
		err = inode_make_fresh(b, lost, &end, &is_made);
	if (!err && is_copied) /* the attributes in its block are newer */
		err = inode_keep_rest(b, lost, &has_key);
	if (err || (!is_copied && !is_made))
		return err;
	err = finish(b, lost, fact, end);
	why.text = is_copied ? "an older copy and the tables" : sources_of(b, lost);
	return err ? err : witness_amend_block(c, fact->addr, b->block, &why);
}

static int restore_xattrs(struct builder *b, const struct nid_fact *fact)
{
	struct checker *c = b->c;
	const f2fs_blk_t addr = older_copies_at(&b->older, fact->nid);
	const struct finding why = { .problem = P_NODE_REBUILT,
				     .nid = fact->nid,
				     .ino = fact->ino,
				     .has_block = 1,
				     .block = fact->addr,
				     .text = "an older copy" };
	const uint8_t *block;
	bool is_due;
	int err = rebuild_is_due(c, &b->misplaced, fact, &is_due);

	if (err || !is_due || !addr)
		return err;
	err = witness_peek(c, addr, &block);
	if (err || !block)
		return err;
	memcpy(b->block, block, c->geo->block_size);
	return witness_amend_block(c, fact->addr, b->block, &why);
}

static int want_inode(struct builder *b, f2fs_nid_t ino)
{
	return older_copies_want(&b->older, ino, ino);
}

static void note_node(const struct builder *b, struct lost_inode *lost, f2fs_nid_t nid, uint32_t offset)
{
	lost->has_nodes = true;
	if (node_kind_at(b->c->geo, offset) == FACT_DIRECT && offset > lost->last_offset) {
		lost->last = nid;
		lost->last_offset = offset;
	}
}

/* Note the lost nodes below an indirect node of a lost inode. */
static int note_below(struct builder *b, struct lost_inode *lost, const struct nid_fact *fact)
{
	struct checker *c = b->c;
	const uint8_t *block;
	int err = witness_peek(c, fact->addr, &block);

	for (uint32_t k = 0; k < c->geo->nids_per_block && block && !err; k++) {
		const f2fs_nid_t nid = get_le32(block + (size_t)k * 4);
		const struct nid_fact *child = geometry_is_nid(c->geo, nid) ? facts_nid(&c->facts, nid) : NULL;

		if (!child || child->kind != FACT_BAD || child->ino != fact->ino || child->nid == fact->ino)
			continue;
		note_node(b, lost, nid, node_offset_below(c->geo, fact->offset, k));
		err = map32_set(&b->below, nid, 1);
	}
	return err;
}

/* Note a node of a lost inode, and the lost ones that it points to. */
static int note_nodes(struct builder *b, const struct nid_fact *fact)
{
	const bool has_place = fact->kind >= FACT_DIRECT && fact->kind != FACT_XATTR;
	struct lost_inode *lost = has_place ? lost_find(b, fact->ino) : NULL;

	if (!lost)
		return 0;
	note_node(b, lost, fact->nid, fact->offset);
	return fact->kind == FACT_DIRECT ? 0 : note_below(b, lost, fact);
}

/* Ask for older copies of all that is lost, and find the nodes of lost inodes. */
static int want_copies(struct builder *b, bool *has_xattrs)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	*has_xattrs = false;
	for (size_t i = 0; i < b->lost.count && !err; i++)
		err = want_inode(b, ((const struct lost_inode *)vec_at(&b->lost, i))->nid);
	while (!err && (fact = facts_next_whole(&b->c->facts, &walk)) != NULL) {
		err = note_nodes(b, fact);
		if (err || !is_lost_xattr(fact))
			continue;
		*has_xattrs = true;
		err = older_copies_want(&b->older, fact->nid, fact->ino);
	}
	return err;
}

static int build_some(struct builder *b, bool are_nameless)
{
	int err = 0;

	for (size_t i = 0; i < b->lost.count && !err; i++)
		if (lost_is_nameless(vec_at(&b->lost, i)) == are_nameless)
			err = build(b, vec_at(&b->lost, i));
	return err;
}

static int build_all(struct builder *b)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	bool has_xattrs;
	int err = want_copies(b, &has_xattrs);

	if (b->lost.count)
		b->common_slots = fresh_common_slots(b->c);
	if (!err)
		err = older_copies_find(b->c, &b->older);
	if (!err && b->lost.count)
		err = witness_unclaimed(b->c, is_block_of_lost, b, &b->blocks);
	if (!err)
		err = build_some(b, false);
	if (!err && !b->c->must_restart) /* an inode that was built may be the directory that names others */
		err = build_some(b, true);
	while (has_xattrs && !err && (fact = facts_next_whole(&b->c->facts, &walk)) != NULL)
		if (is_lost_xattr(fact))
			err = restore_xattrs(b, fact);
	return err;
}

/* Take the inodes whose first bytes nothing knows as they are from now on. */
static int accept_heads(struct checker *c)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		if (!(fact->flags & FACT_HEADLESS))
			continue;
		err = map32_set(&c->heads, fact->nid, 1);
		c->must_restart = true;
	}
	return err;
}

/* Does a block hold something else than the node that the NAT has there? */
static bool has_lost_nodes(const struct checker *c)
{
	if (c->lost_heads)
		return true;
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_NODE_NID || f->problem == P_NODE_UNREADABLE)
			return true;
	}
	return false;
}

int witness_inodes(struct checker *c)
{
	struct builder b = { .c = c };
	int err;

	if (!witness_may_vote(c) || !has_lost_nodes(c))
		return 0;
	vec_init(&b.lost, c->ctx, sizeof(struct lost_inode));
	vec_init(&b.blocks, c->ctx, sizeof(struct unclaimed));
	older_copies_init(&b.older, c->ctx);
	map32_init(&b.misplaced, c->ctx);
	map32_init(&b.below, c->ctx);
	b.block = mem_alloc(c->ctx, c->geo->block_size);
	b.last_slots = mem_alloc(c->ctx, c->geo->block_size);
	b.name = mem_alloc(c->ctx, NAME_MAX_BYTES);
	err = b.block && b.last_slots && b.name ? lost_list_named(&b) : F2FS_ERR_NOMEM;
	if (!err)
		err = lost_list_nameless(&b);
	if (!err)
		err = rebuild_note_misplaced(c, &b.misplaced);
	if (!err)
		err = build_all(&b);
	c->book->votes += c->must_restart;
	if (!err && !c->must_restart)
		err = accept_heads(c);
	vec_fini(&b.lost);
	vec_fini(&b.blocks);
	older_copies_fini(&b.older);
	map32_fini(&b.misplaced);
	map32_fini(&b.below);
	mem_free(c->ctx, b.block);
	mem_free(c->ctx, b.last_slots);
	mem_free(c->ctx, b.name);
	return err;
}
