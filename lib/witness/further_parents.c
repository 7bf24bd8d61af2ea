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
	return vec_first(&c->further_parents, compare_parents, &(struct further_parent){ .nid = nid });
}

bool further_parents_has(const struct checker *c, f2fs_nid_t nid)
{
	return vec_find(&c->further_parents, compare_parents, &(struct further_parent){ .nid = nid }) != NULL;
}
