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
#include "base/error.h"
#include "base/namehash.h"
#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "witness/dir_older.h"
#include "witness/homes_freed.h"
#include "witness/homes_near.h"
#include "witness/names_lacking.h"
#include "witness/witness.h"
#include "witness/witness_homes.h"
#include "witness/witness_own.h"

/* An inode that lacks a name. The name that it remembers is read again where the mark is met. */
struct homeless {
	f2fs_nid_t dir, ino;
	uint32_t mark; /* of the name that it remembers there */
};

/* ---- inodes that remember a name */

static int compare_lost(const void *a, const void *b)
{
	const struct homeless *x = a, *y = b;

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
		struct homeless *one;
		struct own_name name;

		if (facts_has_its_name(&c->facts, ino))
			continue;
		inode = facts_inode(&c->facts, ino);
		dir = inode->pino ? facts_dir(&c->facts, inode->pino) : NULL;
		*is_any = *is_any || homes_lacking(h, inode) != 0;
		if ((inode->parent != 0 && homes_lacking(h, inode) == 0) || !names_are_due(c, inode) || !dir ||
		    dir == inode || !witness_own_name(c, dir, inode->ino, &name))
			continue;
		one = vec_push(&h->lost, 1);
		if (!one)
			return F2FS_ERR_NOMEM;
		*one = (struct homeless){ dir->ino, inode->ino, namehash_plain(name.bytes, name.length) };
	}
	vec_sort(&h->lost, compare_lost);
	return 0;
}

/* The lost inode that remembers a name in the directory; NULL: none. */
static const struct inode_fact *find_lost(const struct homes *h, const struct dentry_ref *ref, struct inode_fact *room)
{
	const struct homeless key = { h->dir->ino, 0, namehash_plain(ref->name, ref->name_len) };

	for (size_t i = vec_first(&h->lost, compare_lost, &key); i < h->lost.count; i++) {
		const struct homeless *one = vec_at(&h->lost, i);

		if (one->dir != key.dir || one->mark != key.mark)
			break;
		if (!map32_find(&h->given, one->ino) && witness_is_own_name(h->c, h->dir, one->ino, ref))
			return facts_find_inode(&h->c->facts, one->ino, room);
	}
	return NULL;
}

static bool is_home(const struct homes *h)
{
	const struct homeless key = { h->dir->ino, 0, 0 };
	const size_t at = vec_first(&h->lost, compare_lost, &key);

	return at < h->lost.count && ((const struct homeless *)vec_at(&h->lost, at))->dir == key.dir;
}

/* ---- the inode of an entry in use */

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
	if (!h->is_by_name && (!inode || is_own) && near_has_many(h, ref))
		return near_note(h, ref, is_own);
	if ((inode && inode->ino == ref->ino) || is_own)
		return 0;
	/* one that has other names may remember a name that it lost, and that another one has since */
	if (inode && inode->parent != 0 && !(homes_is_right(h, ref) && is_contradicted(h, ref)))
		inode = NULL;
	if (inode)
		return homes_amend_ino(h, ref->slot, ref->ino, inode, WITNESS_HASH | WITNESS_INODE);
	if (h->is_by_name || !homes_is_right(h, ref) || !is_contradicted(h, ref))
		return 0;
	if (map32_find(&h->c->emptied, h->dir->ino)) /* it may be a removed one, whose slots are marked as taken */
		return 0;
	inode = near_find(h, ref, &room);
	return inode ? homes_amend_ino(h, ref->slot, ref->ino, inode, WITNESS_LINKS) : 0;
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
			err = freed_note_slot(h, end);
		end = slot;
		if (!err && found == DENTRY_FOUND && !name_is_dots(&ref))
			err = vote_on_ino(h, &ref);
	}
	for (; end < h->area.slots && !err; end++)
		err = freed_note_slot(h, end);
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
		err = homes_look_at(h, (uint32_t)i, &is_read);
		if (!err && is_read)
			err = look_through(h);
	}
	if (!err)
		err = near_vote(h);
	return err ? err : freed_vote(h);
}

int witness_homes(struct checker *c)
{
	struct homes h = { .c = c };
	bool is_any;
	int err;

	vec_init(&h.lost, c->ctx, sizeof(struct homeless));
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
