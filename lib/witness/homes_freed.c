/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on slots that are marked as free. They keep their old contents: the number, the type, the hash and the name.
 */
#include "witness/homes_freed.h"

#include "base/error.h"
#include "volume/block_read.h"
#include "witness/names_lacking.h"
#include "witness/witness.h"
#include "witness/witness_own.h"

/* The slots of a name: is one in use for something that is no part of it, and are some marked as taken? */
static bool is_overwritten(const struct dentry_area *area, uint32_t slot, uint32_t count, bool *is_part)
{
	bool is_used = lsb_test(area->bitmap, slot);

	*is_part = false;
	for (uint32_t i = slot + 1; i < slot + count; i++) {
		const bool is_taken = lsb_test(area->bitmap, i);

		*is_part |= is_taken;
		is_used |= is_taken && dentry_name_len(area->entries + (size_t)i * dentry_SIZE) != 0;
	}
	return is_used;
}

/*
 * Is i_links believed that an inode lacks a name? Deleted entries leave similar slots, so that a wrong i_links would
 * bring old names back. It is believed with a right checksum, or if more than one bit of it would have to be wrong.
 * Otherwise one bit is wrong, of i_links or of the slots. It is one of the slots if they are the only ones that could
 * hold the one name that i_links says is lacking: other inodes have no such slots, and few numbers of names differ by
 * one bit from the next one.
 */
static bool is_sure_of_links(struct checker *c, const struct inode_fact *inode)
{
	const uint32_t wrong = inode->links ^ inode->links_found;
	const uint8_t *block;

	if ((wrong & (wrong - 1)) != 0)
		return true;
	if ((inode->state & INODE_BAD_SUM) ||
	    volume_peek(c->vol, facts_nid(&c->facts, inode->ino)->addr, &block) != 0) {
		error_clear(c->ctx);
		return false;
	}
	return inode_has_checksum(c->geo, block);
}

/*
 * May slots be free because their name was removed? A directory block is lost, so that the name which the inode lacks
 * may have been there. Inodes that were moved remember a name that may be the one before.
 */
static bool may_be_removed(const struct checker *c, const struct inode_fact *inode, bool is_own)
{
	return c->emptied.count && (!is_own || (inode->advise & FLAG_i_advise_lost_pino));
}

int freed_note_slot(struct homes *h, uint32_t slot)
{
	const uint8_t *raw = h->area.entries + (size_t)slot * dentry_SIZE;
	const struct dentry_ref ref = { .slot = slot,
					.hash = dentry_hash_code(raw),
					.ino = dentry_ino(raw),
					.name_len = dentry_name_len(raw),
					.type = dentry_file_type(raw),
					.name = h->area.names + (size_t)slot * DENTRY_SLOT_BYTES };
	const uint32_t count = dentry_slots_of(ref.name_len);
	const struct inode_fact *inode;
	struct freed_entry *one;
	bool is_part, is_own, is_only;

	if (ref.name_len == 0 || ref.name_len > NAME_MAX_BYTES || slot + count > h->area.slots ||
	    !geometry_is_nid(h->c->geo, ref.ino) || is_overwritten(&h->area, slot, count, &is_part))
		return 0;
	inode = facts_inode(&h->c->facts, ref.ino);
	if (homes_lacking(h, inode) == 0 || ref.type != inode->type || !homes_is_right(h, &ref))
		return 0;
	is_own = witness_is_own_name(h->c, h->dir, ref.ino, &ref);
	/* even a name that the inode remembers may have been removed: wrong entries are asked first */
	if (!is_part && (h->is_by_name || may_be_removed(h->c, inode, is_own)))
		return 0;
	if (h->is_by_name && !is_own)
		return 0;
	if (!is_own && !is_part && inode->parent == 0 && inode->pino != h->dir->ino)
		return 0; /* it had this name before it was moved */
	is_only = !is_part && inode->parent != 0 && !is_sure_of_links(h->c, inode);
	if (is_only && homes_lacking(h, inode) > 1)
		return 0;
	one = vec_push(&h->freed, 1);
	if (!one)
		return F2FS_ERR_NOMEM;
	*one = (struct freed_entry){ ref.ino, h->addr, h->item, (uint16_t)slot, is_part, is_own, is_only };
	return 0;
}

/* By inode, the likely ones first. */
static int compare_freed(const void *a, const void *b)
{
	const struct freed_entry *x = a, *y = b;
	const int likely_x = 2 * x->is_own + x->is_part, likely_y = 2 * y->is_own + y->is_part;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	if (likely_x != likely_y)
		return likely_y - likely_x;
	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static int take_slots(struct homes *h, const struct freed_entry *one)
{
	const size_t verdicts = h->c->book->verdicts.count;
	uint32_t map, slot = one->slot, count;
	struct finding why;
	bool is_read;
	int err = homes_look_at(h, one->item, &is_read);

	if (err || !is_read)
		return err;
	map = (uint32_t)(h->area.bitmap - h->c->scratch);
	count = dentry_slots_of(dentry_name_len(h->area.entries + (size_t)slot * dentry_SIZE));
	why = homes_about_entry(h, P_DENTRY_FREED, slot, one->ino, one->ino,
				WITNESS_HASH | (one->is_own ? WITNESS_INODE : WITNESS_LINKS));
	amends_apply(&h->c->book->amends, one->addr, h->c->scratch, h->c->geo->block_size);
	for (uint32_t byte = slot / 8; byte <= (slot + count - 1) / 8 && !err; byte++) {
		uint8_t bits = h->area.bitmap[byte];

		for (uint32_t i = slot; i < slot + count; i++)
			bits |= (uint8_t)(i / 8 == byte ? 1u << i % 8 : 0);
		err = byte == slot / 8 ? witness_amend_bytes(h->c, one->addr, map + byte, 1, bits, &why)
				       : witness_amend_more(h->c, one->addr, map + byte, 1, bits);
	}
	return err || h->c->book->verdicts.count == verdicts ? err : homes_give(h, one->ino);
}

/* The entry after all that are of the same inode and as likely. */
static size_t end_of_alike(const struct homes *h, size_t at)
{
	const struct freed_entry *first = vec_at(&h->freed, at), *one = first;

	while (at < h->freed.count && one->ino == first->ino && one->is_own == first->is_own &&
	       one->is_part == first->is_part)
		one = ++at < h->freed.count ? vec_at(&h->freed, at) : one;
	return at;
}

/* Do other slots name the inode of the first of these, too, whatever speaks for them? */
static bool has_others(const struct homes *h, size_t first, size_t end)
{
	const struct freed_entry *one = vec_at(&h->freed, first);

	return end - first > 1 ||
	       (end < h->freed.count && ((const struct freed_entry *)vec_at(&h->freed, end))->ino == one->ino);
}

/*
 * Are there as many slots as the inode lacks names? Fewer may do if the inode remembers the name, or if some slots of
 * it are taken. Otherwise the names are lost in another way, and the slots are of removed names.
 */
static bool is_enough(const struct freed_entry *first, size_t count, uint32_t lacking)
{
	return first->is_own || first->is_part ? count <= lacking : count == lacking;
}

int freed_vote(struct homes *h)
{
	f2fs_nid_t done = 0;
	size_t end;
	int err = 0;

	vec_sort(&h->freed, compare_freed);
	for (size_t i = 0; i < h->freed.count && !err; i = end) {
		const struct freed_entry *first = vec_at(&h->freed, i);
		const struct inode_fact *inode = facts_inode(&h->c->facts, first->ino);

		end = end_of_alike(h, i);
		if (inode->ino == done)
			continue;
		if (!is_enough(first, end - i, homes_lacking(h, inode)) || (first->is_only && has_others(h, i, end)))
			done = inode->ino; /* those that are less likely are none */
		for (; i < end && inode->ino != done && !err; i++)
			err = take_slots(h, vec_at(&h->freed, i));
	}
	return err;
}
