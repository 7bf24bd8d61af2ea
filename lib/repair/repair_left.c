/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Findings that a round leaves as they are: an index for the steps that do not follow the findings but rebuild nodes
 * from the facts. If an inode is to keep breaking a rule, it is not written at all. Its fields cannot be trusted in
 * part, and no reader accepts it.
 */
#include "repair/repair.h"
#include "repair/repair_left.h"

struct left {
	f2fs_nid_t nid;
	uint32_t slot;
	uint16_t problem;
};

static int compare(const void *a, const void *b)
{
	const struct left *x = a, *y = b;

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	if (x->problem != y->problem)
		return x->problem > y->problem ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

void repair_left_init(struct repair *r)
{
	vec_init(&r->left, r->ctx, sizeof(struct left));
}

int repair_note_left(struct repair *r)
{
	for (size_t i = 0; i < r->c->findings.count; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		struct left *left;

		if (!f->is_left || problem_kind((enum problem)f->problem) != F2FS_REPAIR_CHOICE)
			continue;
		left = vec_push(&r->left, 1);
		if (!left)
			return F2FS_ERR_NOMEM;
		left->nid = f->nid;
		left->problem = f->problem;
		left->slot = f->slot;
	}
	vec_sort(&r->left, compare);
	return 0;
}

/* Index of the first one that is not before these. */
static size_t seek(const struct repair *r, f2fs_nid_t nid, unsigned problem, uint32_t slot)
{
	const struct left wanted = { .nid = nid, .problem = (uint16_t)problem, .slot = slot };

	return vec_first(&r->left, compare, &wanted);
}

static const struct left *at_place(const struct repair *r, size_t i, f2fs_nid_t nid)
{
	const struct left *left = i < r->left.count ? vec_at(&r->left, i) : NULL;

	return left && left->nid == nid ? left : NULL;
}

bool repair_wanted(const struct repair *r, enum problem problem, f2fs_nid_t nid)
{
	const struct left *left = at_place(r, seek(r, nid, problem, 0), nid);

	return !left || left->problem != problem;
}

bool repair_wants_slot(const struct repair *r, enum problem problem, f2fs_nid_t nid, uint32_t slot)
{
	const struct left *left = at_place(r, seek(r, nid, problem, slot), nid);

	return !left || left->problem != problem || left->slot != slot;
}

bool repair_may_write(const struct repair *r, f2fs_nid_t nid)
{
	const struct left *left;

	for (size_t i = seek(r, nid, 0, 0); (left = at_place(r, i, nid)) != NULL; i++)
		if (problem_is_of_inode((enum problem)left->problem))
			return false;
	return true;
}
