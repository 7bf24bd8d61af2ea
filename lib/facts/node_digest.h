/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Judge nodes, and take them into the facts.
 */
#ifndef F2FSKIT_FACTS_NODE_DIGEST_H
#define F2FSKIT_FACTS_NODE_DIGEST_H

#include "facts/run.h"

struct sweep_item;

/* For sweeps whose tags are node ids. */
uint32_t node_judge(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
int node_digest(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged);
int node_unreadable(struct checker *c, const struct sweep_item *item);
bool node_is_same(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
/*
 * Handle a node that became unreadable after it was judged: a repair in progress fails, because it would write blind.
 */
int node_is_gone(struct checker *c, const struct sweep_item *item);
/* Return the kind of node that a place in a file is for. */
uint8_t node_kind_at(const struct f2fs_geometry *geo, uint32_t offset);
/* Keep a finding about a node. */
int node_raise(struct checker *c, enum problem problem, const struct nid_fact *fact, uint64_t found, uint64_t expected);

/* Results of node_judge() about an inode. */
enum {
	JUDGED_RULE = 0xffff, /* the first rule that it breaks */
	JUDGED_BAD_SUM = 0x10000,
	JUDGED_LOOKED = 0x20000,   /* the next two say something: */
	JUDGED_ODD = 0x40000,	   /* layout_is_odd() */
	JUDGED_NO_XATTRS = 0x80000 /* xattrs_are_absent() */
};

#endif
