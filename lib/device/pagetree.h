/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A map from page numbers to 64-bit values for very large, mostly empty ranges: a radix tree whose inner slots can
 * stand for a whole subtree of one value, and whose nodes can be shared by several trees until one of them changes (a
 * fork takes constant time). Used for memory devices and overlays.
 *
 * Values below PAGETREE_UNIFORM (0: absent) stand for themselves and can fill ranges; larger ones are the owner's, and
 * each place that holds one has been retained, and is released when it goes.
 */
#ifndef F2FSKIT_DEVICE_PAGETREE_H
#define F2FSKIT_DEVICE_PAGETREE_H

#include "base/context.h"

#define PAGETREE_UNIFORM 8

/* Bytes of a page for the devices that keep pages in a tree. */
#define PAGETREE_PAGE 4096u

/* The whole pages within a range of bytes; a short last page of the device counts as whole. */
struct page_range {
	uint64_t first;
	uint64_t end;	     /* page after the last */
	uint64_t head_bytes; /* of the range, before the first page */
	uint64_t tail_bytes; /* of the range, from the page end on */
};
struct page_range page_range_of(uint64_t offset, uint64_t length, uint64_t size);

struct pagetree {
	struct f2fs_context *ctx;
	void *owner;
	void (*retain)(void *owner, uint64_t value);
	void (*release)(void *owner, uint64_t value);
	uint64_t root;	/* uniform value or node */
	unsigned depth; /* levels of nodes, at least 1 */
	uint64_t page_count;
	uint64_t node_count; /* nodes made by this tree and not freed */
};

void pagetree_init(struct pagetree *t, struct f2fs_context *ctx, uint64_t page_count);
void pagetree_fini(struct pagetree *t);
/* Make to (initialised, empty, of the same size and callbacks) share everything that from holds. */
void pagetree_share(struct pagetree *to, const struct pagetree *from);

/* Return the memory that the nodes take. */
uint64_t pagetree_bytes(const struct pagetree *t);

uint64_t pagetree_get(const struct pagetree *t, uint64_t page);
/* Return the value at page and how many pages from there on surely have it too (1 for an owner's value). */
uint64_t pagetree_run(const struct pagetree *t, uint64_t page, uint64_t *count);
/*
 * Return the place of a page's value in a node that belongs to this tree alone, NULL when memory is short. The owner
 * may replace the value there, and then sees to its references itself.
 */
uint64_t *pagetree_slot(struct pagetree *t, uint64_t page);
/* Set a page's value, releasing the old one; an owner's value must have been retained for this place. 0 or NOMEM. */
int pagetree_set(struct pagetree *t, uint64_t page, uint64_t value);
/* Set count pages to a uniform value. NOMEM may leave the range partly set. */
int pagetree_fill(struct pagetree *t, uint64_t first, uint64_t count, uint64_t value);

#endif
