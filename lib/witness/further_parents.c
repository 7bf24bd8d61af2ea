/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pointers to nodes that another pointer led to before, by the node that they lead to.
 */
#include "facts/run.h"
#include "witness/further_parents.h"

static int compare_parents(const void *a, const void *b)
{
	const struct further_parent *x = a, *y = b;

	return (x->nid > y->nid) - (x->nid < y->nid);
}

void further_parents_sort(struct checker *c)
{
	vec_sort(&c->further_parents, compare_parents);
}

size_t further_parents_of(const struct checker *c, f2fs_nid_t nid)
{
	const struct vec *all = &c->further_parents;
	size_t at = 0, end = all->count;

	while (at < end) {
		const size_t middle = at + (end - at) / 2;

		if (((const struct further_parent *)vec_at(all, middle))->nid < nid)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

bool further_parents_has(const struct checker *c, f2fs_nid_t nid)
{
	const size_t at = further_parents_of(c, nid);

	return at < c->further_parents.count &&
	       ((const struct further_parent *)vec_at(&c->further_parents, at))->nid == nid;
}
