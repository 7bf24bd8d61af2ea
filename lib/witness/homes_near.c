/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on entries of inodes that have too many names, when inodes whose numbers are near lack some.
 */
#include "witness/homes_near.h"

#include "witness/names_lacking.h"
#include "witness/witness.h"

const struct inode_fact *near_find(const struct homes *h, const struct dentry_ref *ref, struct inode_fact *room)
{
	f2fs_nid_t near = 0;

	for (unsigned bit = 0; bit < 32; bit++) {
		const f2fs_nid_t ino = ref->ino ^ 1u << bit;
		const struct inode_fact *inode =
			geometry_is_nid(h->c->geo, ino) ? facts_inode(&h->c->facts, ino) : NULL;

		if (inode == h->dir || homes_lacking(h, inode) == 0 || inode->type != ref->type)
			continue;
		if (near)
			return NULL;
		near = ino;
	}
	return near ? facts_find_inode(&h->c->facts, near, room) : NULL;
}

bool near_has_many(const struct homes *h, const struct dentry_ref *ref)
{
	const struct inode_fact *named = facts_inode(&h->c->facts, ref->ino);

	return names_are_due(h->c, named) && named->type != F2FS_TYPE_DIRECTORY && named->links_found > named->links;
}

int near_note(struct homes *h, const struct dentry_ref *ref, bool is_own)
{
	struct near_entry *one = vec_push(&h->near, 1);
	const bool is_odd = !is_own && (!homes_is_right(h, ref) ||
					facts_inode(&h->c->facts, ref->ino)->type != ref->type);
	struct inode_fact room;

	if (!one)
		return F2FS_ERR_NOMEM;
	*one = (struct near_entry){ ref->ino, h->item, ref->slot, h->dir->ino, ref->hash, ref->name_len,
				    !is_own && near_find(h, ref, &room), is_odd };
	return 0;
}

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
	int err = homes_look_at(h, one->item, &is_read);
	uint32_t slot = one->slot;

	if (err || !is_read || dentry_next(&h->area, &slot, &ref) != DENTRY_FOUND)
		return err;
	inode = near_find(h, &ref, &room);
	return inode ? homes_amend_ino(h, ref.slot, ref.ino, inode, WITNESS_LINKS) : 0;
}

/*
 * Let entries name the inodes that are near, when no more of them could than their inode has too many. Copies of an
 * entry, as a copied block has them, are too many for another reason. If an entry is wrong in something else, too, it
 * is the wrong one, and none that is right.
 */
int near_vote(struct homes *h)
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
