/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List lost inodes: those that entries name in vain, and those whose entries are lost as well.
 */
#include "witness/lost_inodes.h"

#include "witness/witness.h"

static int compare_lost(const void *a, const void *b)
{
	const struct lost_inode *x = a, *y = b;

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	if (x->block != y->block)
		return x->block > y->block ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

static int compare_nids(const void *a, const void *b)
{
	const struct lost_inode *x = a, *y = b;

	return (x->nid > y->nid) - (x->nid < y->nid);
}

static int add_lost(struct builder *b, const struct lost_inode *lost)
{
	struct lost_inode *kept = vec_push(&b->lost, 1);

	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = *lost;
	return 0;
}

int lost_list_named(struct builder *b)
{
	const f2fs_nid_t root = b->c->geo->root_ino;
	size_t count = 0;
	int err = 0;

	if (witness_has_lost_inode(b->c, root))
		err = add_lost(b, &(struct lost_inode){ .nid = root, .dir = root, .names = 1 });
	for (size_t i = 0; i < b->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&b->c->findings, i);

		if (f->problem == P_DENTRY_DEAD && witness_has_lost_inode(b->c, (f2fs_nid_t)f->found))
			err = add_lost(b, &(struct lost_inode){ .nid = (f2fs_nid_t)f->found,
								.dir = f->ino,
								.block = f->entry_block,
								.slot = f->entry_slot,
								.names = 1 });
	}
	vec_sort(&b->lost, compare_lost);
	for (size_t i = 0; i < b->lost.count; i++) {
		const struct lost_inode *one = vec_at(&b->lost, i);
		struct lost_inode *last = count ? vec_at(&b->lost, count - 1) : NULL;

		if (last && last->nid == one->nid)
			last->names++;
		else
			*(struct lost_inode *)vec_at(&b->lost, count++) = *one;
	}
	b->lost.count = count;
	return err;
}

bool lost_is_orphan(const struct checker *c, f2fs_nid_t ino)
{
	for (uint32_t i = 0; i < f2fs_orphan_count(c->vol); i++)
		if (f2fs_orphan_at(c->vol, i) == ino)
			return true;
	return false;
}

/* Is an inode among the first ones that are listed? */
static bool is_listed(const struct builder *b, size_t count, const struct lost_inode *one)
{
	const size_t at = sorted_first(b->lost.items, count, b->lost.item_size, compare_nids, one);

	return at < count && compare_nids(vec_at(&b->lost, at), one) == 0;
}

int lost_list_nameless(struct builder *b)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	const size_t named = b->lost.count;
	int err = 0;

	while (!err && (fact = facts_next_whole(&b->c->facts, &walk)) != NULL) {
		const struct lost_inode one = { .nid = fact->nid, .dir = b->c->geo->root_ino, .names = 1 };

		if (witness_has_lost_inode(b->c, fact->nid) && !lost_is_orphan(b->c, fact->nid) &&
		    !is_listed(b, named, &one))
			err = add_lost(b, &one);
	}
	vec_sort(&b->lost, compare_lost);
	return err;
}

struct lost_inode *lost_find(const struct builder *b, f2fs_nid_t nid)
{
	return vec_find(&b->lost, compare_nids, &(struct lost_inode){ .nid = nid });
}
