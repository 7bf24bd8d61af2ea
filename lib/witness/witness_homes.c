/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on the inodes that entries name, and on slots that are marked as free. An inode that has fewer names than
 * i_links, or none, lacks an entry. Witnesses of that entry:
 *
 * - the name and the directory that the inode remembers,
 * - the number in the entry, if all but one bit of it are those of the inode, and the entry's type,
 * - in free slots, which keep their old contents: the number, the type and the hash.
 *
 * An inode remembers only the last name that it was given. Other entries are therefore believed only if they are no
 * more than the inode lacks, or has too many. They are asked when no remembered name explains anything more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/namehash.h"
#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "witness/dir_older.h"
#include "witness/names_lacking.h"
#include "witness/witness.h"
#include "witness/witness_homes.h"
#include "witness/witness_own.h"

/* An inode that lacks a name. The name that it remembers is read again where the mark is met. */
struct lost_inode {
	f2fs_nid_t dir, ino;
	uint32_t mark; /* of the name that it remembers there */
};

/* Slots marked as free that name an inode which lacks a name. */
struct freed_entry {
	f2fs_nid_t ino;
	f2fs_blk_t addr;
	uint32_t item; /* index in dir_addrs */
	uint16_t slot;
	bool is_part;  /* further slots of the name are marked as taken */
	bool is_own;   /* it has the name that the inode remembers */
	bool is_only;  /* believed only if it is the one name that the inode lacks */
};

/* An entry of one of several names of an inode that has too many. Another inode lacks one, and its number is near. */
struct near_entry {
	f2fs_nid_t ino;
	uint32_t item; /* index in dir_addrs */
	uint32_t slot;
	f2fs_nid_t dir;
	uint32_t hash;	   /* of the name */
	uint16_t name_len;
	bool may_be_wrong; /* not the name that the inode remembers */
	bool is_odd;	   /* that, and its name, hash, place or type is wrong, too */
};

struct homes {
	struct checker *c;
	struct vec lost;     /* struct lost_inode, in order of compare_lost() */
	struct vec freed;    /* struct freed_entry */
	struct vec near;     /* struct near_entry */
	struct map32 given;  /* ino -> names that the vote gave it */
	bool is_by_name;     /* only names that inodes remember count */
	const struct inode_fact *dir; /* whose block is looked through: */
	f2fs_blk_t addr;
	uint32_t item;
	struct dentry_area area;
};

/* Count the names that an inode should have in addition to those found and given. */
static uint32_t lacking(const struct homes *h, const struct inode_fact *inode)
{
	const uint64_t *given = inode ? map32_find(&h->given, inode->ino) : NULL;

	return names_lacking(h->c, inode, given ? (uint32_t)*given : 0);
}

static int give(struct homes *h, f2fs_nid_t ino)
{
	const uint64_t *given = map32_find(&h->given, ino);

	return map32_set(&h->given, ino, given ? *given + 1 : 1);
}

/* ---- inodes that remember a name */

static int compare_lost(const void *a, const void *b)
{
	const struct lost_inode *x = a, *y = b;

	if (x->dir != y->dir)
		return x->dir > y->dir ? 1 : -1;
	if (x->mark != y->mark)
		return x->mark > y->mark ? 1 : -1;
	return (x->ino > y->ino) - (x->ino < y->ino);
}

static int list_lost(struct homes *h, bool *is_any)
{
	struct checker *c = h->c;

	*is_any = false;
	for (uint32_t i = 0; i < facts_inode_count(&c->facts); i++) {
		const f2fs_nid_t ino = facts_ino_nth(&c->facts, i);
		const struct inode_fact *inode, *dir;
		struct lost_inode *one;
		struct own_name name;

		if (facts_has_its_name(&c->facts, ino))
			continue;
		inode = facts_inode(&c->facts, ino);
		dir = inode->pino ? facts_dir(&c->facts, inode->pino) : NULL;
		*is_any = *is_any || lacking(h, inode) != 0;
		if ((inode->parent != 0 && lacking(h, inode) == 0) || !names_are_due(c, inode) || !dir ||
		    dir == inode || !witness_own_name(c, dir, inode->ino, &name))
			continue;
		one = vec_push(&h->lost, 1);
		if (!one)
			return F2FS_ERR_NOMEM;
		*one = (struct lost_inode){ dir->ino, inode->ino, namehash_plain(name.bytes, name.length) };
	}
	vec_sort(&h->lost, compare_lost);
	return 0;
}

/* The lost inode that remembers a name in the directory; NULL: none. */
static const struct inode_fact *find_lost(const struct homes *h, const struct dentry_ref *ref, struct inode_fact *room)
{
	const struct lost_inode key = { h->dir->ino, 0, namehash_plain(ref->name, ref->name_len) };

	for (size_t i = vec_first(&h->lost, compare_lost, &key); i < h->lost.count; i++) {
		const struct lost_inode *one = vec_at(&h->lost, i);

		if (one->dir != key.dir || one->mark != key.mark)
			break;
		if (!map32_find(&h->given, one->ino) && witness_is_own_name(h->c, h->dir, one->ino, ref))
			return facts_find_inode(&h->c->facts, one->ino, room);
	}
	return NULL;
}

static bool is_home(const struct homes *h)
{
	const struct lost_inode key = { h->dir->ino, 0, 0 };
	const size_t at = vec_first(&h->lost, compare_lost, &key);

	return at < h->lost.count && ((const struct lost_inode *)vec_at(&h->lost, at))->dir == key.dir;
}

/* ---- the inode of an entry in use */

static struct finding about_entry(const struct homes *h, enum problem problem, uint32_t slot, uint64_t found,
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

/* Are name, hash and place of an entry right? */
static bool is_right(const struct homes *h, const struct dentry_ref *ref)
{
	const struct sweep_item *item = vec_at(&h->c->dir_addrs, h->item);
	const uint32_t number = ((const struct dir_block *)vec_at(&h->c->dir_blocks, item->tag))->number;

	return !name_is_dots(ref) && dir_entry_is_right(h->dir, number, ref);
}

/* Is the inode of an entry contradicted: missing, of another type, or with names enough without it? */
static bool is_contradicted(const struct homes *h, const struct dentry_ref *ref)
{
	const struct inode_fact *inode = facts_inode(&h->c->facts, ref->ino);

	if (!names_are_due(h->c, inode) || inode->type != ref->type)
		return true;
	if (inode->type == F2FS_TYPE_DIRECTORY)
		return inode->parent != h->dir->ino || inode->entry_block != h->addr || inode->entry_slot != ref->slot;
	return inode->links_found > inode->links;
}

/* Find the one inode that lacks a name and whose number differs from the entry's in one bit. NULL: none, or several. */
static const struct inode_fact *find_near(const struct homes *h, const struct dentry_ref *ref, struct inode_fact *room)
{
	f2fs_nid_t near = 0;

	for (unsigned bit = 0; bit < 32; bit++) {
		const f2fs_nid_t ino = ref->ino ^ 1u << bit;
		const struct inode_fact *inode =
			geometry_is_nid(h->c->geo, ino) ? facts_inode(&h->c->facts, ino) : NULL;

		if (inode == h->dir || lacking(h, inode) == 0 || inode->type != ref->type)
			continue;
		if (near)
			return NULL;
		near = ino;
	}
	return near ? facts_find_inode(&h->c->facts, near, room) : NULL;
}

static int amend_ino(struct homes *h, uint32_t slot, f2fs_nid_t found, const struct inode_fact *inode,
		     unsigned witnesses)
{
	const uint32_t at = (uint32_t)(h->area.entries - h->c->scratch) + slot * (uint32_t)dentry_SIZE;
	const struct finding why = about_entry(h, P_DENTRY_TARGET, slot, found, inode->ino, witnesses);
	const size_t verdicts = h->c->book->verdicts.count;
	int err = witness_amend_bytes(h->c, h->addr, at + (uint32_t)dentry_OFS_ino, 4, inode->ino, &why);

	if (err || h->c->book->verdicts.count == verdicts)
		return err;
	err = witness_amend_more(h->c, h->addr, at + (uint32_t)dentry_OFS_file_type, 1, inode->type);
	return err ? err : give(h, inode->ino);
}

/* Has the inode of an entry more names than i_links, of which this may be the wrong one? */
static bool is_one_of_many(const struct homes *h, const struct dentry_ref *ref)
{
	const struct inode_fact *named = facts_inode(&h->c->facts, ref->ino);

	return names_are_due(h->c, named) && named->type != F2FS_TYPE_DIRECTORY && named->links_found > named->links;
}

static int note_near(struct homes *h, const struct dentry_ref *ref, bool is_own)
{
	struct near_entry *one = vec_push(&h->near, 1);
	const bool is_odd = !is_own && (!is_right(h, ref) || facts_inode(&h->c->facts, ref->ino)->type != ref->type);
	struct inode_fact room;

	if (!one)
		return F2FS_ERR_NOMEM;
	*one = (struct near_entry){ ref->ino, h->item, ref->slot, h->dir->ino, ref->hash, ref->name_len,
				    !is_own && find_near(h, ref, &room), is_odd };
	return 0;
}

/* Has the NAT an inode of this number, of which nothing else is left? Then an entry that names it is right. */
static int is_lost_inode(struct homes *h, f2fs_nid_t nid, bool *out)
{
	struct f2fs_nat_info entry;
	int err;

	*out = false;
	if (!geometry_is_nid(h->c->geo, nid) || facts_inode(&h->c->facts, nid))
		return 0;
	err = nat_get_written(h->c->vol, nid, &entry);
	if (err == F2FS_ERR_IO || err == F2FS_ERR_CORRUPT) {
		error_clear(h->c->ctx);
		return 0;
	}
	*out = !err && entry.ino == nid && geometry_is_main(h->c->geo, entry.block_addr);
	return err;
}

/* Let an entry in use name another inode. */
static int vote_on_ino(struct homes *h, const struct dentry_ref *ref)
{
	struct inode_fact room;
	const struct inode_fact *inode = find_lost(h, ref, &room);
	const bool is_own = witness_is_own_name(h->c, h->dir, ref->ino, ref);

	bool is_lost;
	int err = is_lost_inode(h, ref->ino, &is_lost);

	if (err || is_lost)
		return err;
	if (!h->is_by_name && (!inode || is_own) && is_one_of_many(h, ref))
		return note_near(h, ref, is_own);
	if ((inode && inode->ino == ref->ino) || is_own)
		return 0;
	/* one that has other names may remember a name that it lost, and that another one has since */
	if (inode && inode->parent != 0 && !(is_right(h, ref) && is_contradicted(h, ref)))
		inode = NULL;
	if (inode)
		return amend_ino(h, ref->slot, ref->ino, inode, WITNESS_HASH | WITNESS_INODE);
	if (h->is_by_name || !is_right(h, ref) || !is_contradicted(h, ref))
		return 0;
	inode = find_near(h, ref, &room);
	return inode ? amend_ino(h, ref->slot, ref->ino, inode, WITNESS_LINKS) : 0;
}

/* ---- slots that are marked as free */

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

/* Note a slot that is marked as free, but names an inode which lacks a name. */
static int note_free_slot(struct homes *h, uint32_t slot)
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
	if (lacking(h, inode) == 0 || ref.type != inode->type || !is_right(h, &ref))
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
	if (is_only && lacking(h, inode) > 1)
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

static int look_at(struct homes *h, uint32_t item, bool *is_read)
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

static int take_slots(struct homes *h, const struct freed_entry *one)
{
	const size_t verdicts = h->c->book->verdicts.count;
	uint32_t map, slot = one->slot, count;
	struct finding why;
	bool is_read;
	int err = look_at(h, one->item, &is_read);

	if (err || !is_read)
		return err;
	map = (uint32_t)(h->area.bitmap - h->c->scratch);
	count = dentry_slots_of(dentry_name_len(h->area.entries + (size_t)slot * dentry_SIZE));
	why = about_entry(h, P_DENTRY_FREED, slot, one->ino, one->ino,
			  WITNESS_HASH | (one->is_own ? WITNESS_INODE : WITNESS_LINKS));
	amends_apply(&h->c->book->amends, one->addr, h->c->scratch, h->c->geo->block_size);
	for (uint32_t byte = slot / 8; byte <= (slot + count - 1) / 8 && !err; byte++) {
		uint8_t bits = h->area.bitmap[byte];

		for (uint32_t i = slot; i < slot + count; i++)
			bits |= (uint8_t)(i / 8 == byte ? 1u << i % 8 : 0);
		err = byte == slot / 8 ? witness_amend_bytes(h->c, one->addr, map + byte, 1, bits, &why)
				       : witness_amend_more(h->c, one->addr, map + byte, 1, bits);
	}
	return err || h->c->book->verdicts.count == verdicts ? err : give(h, one->ino);
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
 * Are there as many slots as the inode lacks names? Fewer may do if the inode remembers the name, or if some slots of it
 * are taken. Otherwise the names are lost in another way, and the slots are of removed names.
 */
static bool is_enough(const struct freed_entry *first, size_t count, uint32_t lacking)
{
	return first->is_own || first->is_part ? count <= lacking : count == lacking;
}

/* Take back slots of each inode, when as many of them are as likely as it lacks names. */
static int vote_on_freed(struct homes *h)
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
		if (!is_enough(first, end - i, lacking(h, inode)) || (first->is_only && has_others(h, i, end)))
			done = inode->ino; /* those that are less likely are none */
		for (; i < end && inode->ino != done && !err; i++)
			err = take_slots(h, vec_at(&h->freed, i));
	}
	return err;
}

/* ---- names of an inode that has too many */

static int compare_near(const void *a, const void *b)
{
	const struct near_entry *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino > y->ino ? 1 : -1;
	if (x->dir != y->dir)
		return x->dir > y->dir ? 1 : -1;
	if (x->hash != y->hash)
		return x->hash > y->hash ? 1 : -1;
	if (x->name_len != y->name_len)
		return x->name_len > y->name_len ? 1 : -1;
	if (x->item != y->item)
		return x->item > y->item ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Is an entry a copy of the one before it? */
static bool is_copy(const struct near_entry *one, const struct near_entry *before)
{
	return one->dir == before->dir && one->hash == before->hash && one->name_len == before->name_len;
}

static int take_near(struct homes *h, const struct near_entry *one)
{
	const struct inode_fact *inode;
	struct inode_fact room;
	struct dentry_ref ref;
	bool is_read;
	int err = look_at(h, one->item, &is_read);
	uint32_t slot = one->slot;

	if (err || !is_read || dentry_next(&h->area, &slot, &ref) != DENTRY_FOUND)
		return err;
	inode = find_near(h, &ref, &room);
	return inode ? amend_ino(h, ref.slot, ref.ino, inode, WITNESS_LINKS) : 0;
}

/*
 * Let entries name the inodes that are near, when no more of them could than their inode has too many. Copies of an
 * entry, as a copied block has them, are too many for another reason. If an entry is wrong in something else, too, it
 * is the wrong one, and none that is right.
 */
static int vote_on_near(struct homes *h)
{
	size_t end;
	int err = 0;

	vec_sort(&h->near, compare_near);
	for (size_t i = 0; i < h->near.count && !err; i = end) {
		const struct near_entry *first = vec_at(&h->near, i);
		const struct inode_fact *inode = facts_inode(&h->c->facts, first->ino);

		const struct near_entry *one = first;
		size_t doubtful = first->may_be_wrong, copies = 0, odd = first->is_odd, odd_doubtful;

		odd_doubtful = first->is_odd && first->may_be_wrong;
		for (end = i + 1; end < h->near.count; end++, one++) {
			if (one[1].ino != first->ino)
				break;
			doubtful += one[1].may_be_wrong;
			odd += one[1].is_odd;
			odd_doubtful += one[1].is_odd && one[1].may_be_wrong;
			copies += is_copy(&one[1], one);
		}
		if (odd)
			doubtful = odd_doubtful;
		for (size_t k = i; k < end && doubtful + copies <= inode->links_found - inode->links && !err; k++) {
			one = vec_at(&h->near, k);
			err = one->may_be_wrong && (!odd || one->is_odd) ? take_near(h, one) : 0;
		}
	}
	h->near.count = 0;
	return err;
}

/* ---- looking */

static int look_through(struct homes *h)
{
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0, end = 0;
	int err = 0;

	while (!err && (found = dentry_next(&h->area, &slot, &ref)) != DENTRY_END) {
		for (; end < ref.slot && !err; end++)
			err = note_free_slot(h, end);
		end = slot;
		if (!err && found == DENTRY_FOUND && !name_is_dots(&ref))
			err = vote_on_ino(h, &ref);
	}
	for (; end < h->area.slots && !err; end++)
		err = note_free_slot(h, end);
	return err;
}

static int look_everywhere(struct homes *h)
{
	int err = 0;

	h->freed.count = 0;
	for (size_t i = 0; i < h->c->dir_addrs.count && !err; i++) {
		const struct sweep_item *item = vec_at(&h->c->dir_addrs, i);
		const struct dir_block *place = vec_at(&h->c->dir_blocks, item->tag);
		bool is_read;

		h->dir = facts_inode_at(&h->c->facts, place->inode);
		if (h->is_by_name && !is_home(h))
			continue;
		err = look_at(h, (uint32_t)i, &is_read);
		if (!err && is_read)
			err = look_through(h);
	}
	if (!err)
		err = vote_on_near(h);
	return err ? err : vote_on_freed(h);
}

int witness_homes(struct checker *c)
{
	struct homes h = { .c = c };
	bool is_any;
	int err;

	vec_init(&h.lost, c->ctx, sizeof(struct lost_inode));
	vec_init(&h.freed, c->ctx, sizeof(struct freed_entry));
	vec_init(&h.near, c->ctx, sizeof(struct near_entry));
	map32_init(&h.given, c->ctx);
	err = list_lost(&h, &is_any);
	if (!err && is_any && c->emptied.count)
		err = dirs_take_older(c);
	h.is_by_name = true;
	if (!err && h.lost.count && !c->must_restart)
		err = look_everywhere(&h);
	h.is_by_name = false;
	if (!err && is_any && !c->must_restart)
		err = look_everywhere(&h);
	vec_fini(&h.lost);
	vec_fini(&h.freed);
	vec_fini(&h.near);
	map32_fini(&h.given);
	return err;
}
