/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of the vote on names share: how many names an inode lacks, a look at a block, and an entry that gets
 * another number.
 */
#include "witness/homes.h"

#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "witness/names_lacking.h"
#include "witness/witness.h"

uint32_t homes_lacking(const struct homes *h, const struct inode_fact *inode)
{
	const uint64_t *given = inode ? map32_find(&h->given, inode->ino) : NULL;

	return names_lacking(h->c, inode, given ? (uint32_t)*given : 0);
}

int homes_give(struct homes *h, f2fs_nid_t ino)
{
	const uint64_t *given = map32_find(&h->given, ino);

	return map32_set(&h->given, ino, given ? *given + 1 : 1);
}

struct finding homes_about_entry(const struct homes *h, enum problem problem, uint32_t slot, uint64_t found,
				 uint64_t expected, unsigned witnesses)
{
	return (struct finding){ .problem = (uint16_t)problem,
				 .nid = h->dir->ino,
				 .ino = h->dir->ino,
				 .has_block = 1,
				 .block = h->addr,
				 .has_slot = 1,
				 .slot = slot,
				 .entry_block = h->addr,
				 .entry_slot = (uint16_t)slot,
				 .has_values = 1,
				 .found = found,
				 .expected = expected,
				 .witnesses = (uint16_t)witnesses };
}

bool homes_is_right(const struct homes *h, const struct dentry_ref *ref)
{
	const struct sweep_item *item = vec_at(&h->c->dir_addrs, h->item);
	const uint32_t number = ((const struct dir_block *)vec_at(&h->c->dir_blocks, item->tag))->number;

	return !name_is_dots(ref) && dir_entry_is_right(h->dir, number, ref);
}

int homes_look_at(struct homes *h, uint32_t item, bool *is_read)
{
	const struct sweep_item *at = vec_at(&h->c->dir_addrs, item);
	const struct dir_block *place = vec_at(&h->c->dir_blocks, at->tag);
	int err = witness_copy_block(h->c, at->addr, is_read);

	h->dir = facts_inode_at(&h->c->facts, place->inode);
	h->addr = at->addr;
	h->item = item;
	if (!err && *is_read)
		dir_area(h->c, h->dir, h->c->scratch, &h->area);
	return err;
}

int homes_amend_ino(struct homes *h, uint32_t slot, f2fs_nid_t found, const struct inode_fact *inode,
		    unsigned witnesses)
{
	const uint32_t at = (uint32_t)(h->area.entries - h->c->scratch) + slot * (uint32_t)dentry_SIZE;
	const struct finding why = homes_about_entry(h, P_DENTRY_TARGET, slot, found, inode->ino, witnesses);
	const size_t verdicts = h->c->book->verdicts.count;
	int err = witness_amend_bytes(h->c, h->addr, at + (uint32_t)dentry_OFS_ino, 4, inode->ino, &why);

	if (err || h->c->book->verdicts.count == verdicts)
		return err;
	err = witness_amend_more(h->c, h->addr, at + (uint32_t)dentry_OFS_file_type, 1, inode->type);
	return err ? err : homes_give(h, inode->ino);
}
