/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Radix tree with 512 slots per node. A slot of an inner node holds a node's address or a uniform value for all pages
 * below it; a slot of the lowest level holds the page's value. A node is changed only by the tree that alone refers to
 * it; others take a copy first. Depth follows from the number of pages and is at most 7, so recursion is bounded.
 */
#include "device/pagetree.h"

#include <assert.h>

#include "base/checked.h"

#define SLOT_BITS 9
#define SLOTS (1u << SLOT_BITS)

struct node {
	uint32_t refs;
	uint64_t slot[SLOTS];
};

static struct node *as_node(uint64_t value)
{
	return (struct node *)(uintptr_t)value;
}

static bool is_uniform(uint64_t value)
{
	return value < PAGETREE_UNIFORM;
}

void pagetree_init(struct pagetree *t, struct f2fs_context *ctx, uint64_t page_count)
{
	t->ctx = ctx;
	t->owner = NULL;
	t->retain = NULL;
	t->release = NULL;
	t->root = 0;
	t->depth = 1;
	t->page_count = page_count;
	t->node_count = 0;
	while (t->depth * SLOT_BITS < 64 && page_count > (uint64_t)1 << (t->depth * SLOT_BITS))
		t->depth++;
}

/* Pages below one slot of a node at level (the lowest is 0). */
static unsigned slot_shift(unsigned level)
{
	return level * SLOT_BITS;
}

static unsigned slot_of(uint64_t page, unsigned level)
{
	return (unsigned)(page >> slot_shift(level)) & (SLOTS - 1);
}

/* Drop one reference to the content of a slot of level. */
/* NOLINTNEXTLINE(misc-no-recursion): one call per level of the tree */
static void release_slot(struct pagetree *t, uint64_t value, unsigned level)
{
	struct node *node;

	if (is_uniform(value))
		return;
	if (level == 0) {
		if (t->release)
			t->release(t->owner, value);
		return;
	}
	node = as_node(value);
	if (--node->refs > 0)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		release_slot(t, node->slot[i], level - 1);
	mem_free(t->ctx, node);
	t->node_count--;
}

void pagetree_fini(struct pagetree *t)
{
	release_slot(t, t->root, t->depth);
	t->root = 0;
}

void pagetree_share(struct pagetree *to, const struct pagetree *from)
{
	assert(to->depth == from->depth && to->root == 0);
	to->root = from->root;
	if (!is_uniform(to->root))
		as_node(to->root)->refs++;
}

uint64_t pagetree_bytes(const struct pagetree *t)
{
	return t->node_count * sizeof(struct node);
}

uint64_t pagetree_run(const struct pagetree *t, uint64_t page, uint64_t *count)
{
	uint64_t value = t->root;
	unsigned level = t->depth;
	uint64_t left;

	while (level > 0 && !is_uniform(value)) {
		level--;
		value = as_node(value)->slot[slot_of(page, level)];
	}
	left = t->page_count - page;
	if (slot_shift(level) < 64) {
		uint64_t span = (uint64_t)1 << slot_shift(level);
		uint64_t here = span - (page & (span - 1));

		left = left < here ? left : here;
	}
	*count = left;
	return value;
}

uint64_t pagetree_get(const struct pagetree *t, uint64_t page)
{
	uint64_t count;

	return pagetree_run(t, page, &count);
}

/*
 * Make the node in *slot (of an inner level) one that this tree alone refers to: expand a uniform value, copy a shared
 * node. Children of a copied node gain a reference.
 */
static struct node *own_node(struct pagetree *t, uint64_t *slot, unsigned level)
{
	struct node *node;

	if (!is_uniform(*slot) && as_node(*slot)->refs == 1)
		return as_node(*slot);
	node = mem_alloc(t->ctx, sizeof(*node));
	if (!node)
		return NULL;
	node->refs = 1;
	for (unsigned i = 0; i < SLOTS; i++) {
		uint64_t child = is_uniform(*slot) ? *slot : as_node(*slot)->slot[i];

		node->slot[i] = child;
		if (is_uniform(child))
			continue;
		if (level > 1)
			as_node(child)->refs++;
		else if (t->retain)
			t->retain(t->owner, child);
	}
	if (!is_uniform(*slot))
		as_node(*slot)->refs--;
	*slot = (uint64_t)(uintptr_t)node;
	t->node_count++;
	return node;
}

uint64_t *pagetree_slot(struct pagetree *t, uint64_t page)
{
	uint64_t *slot = &t->root;

	for (unsigned level = t->depth; level > 0; level--) {
		struct node *node = own_node(t, slot, level);

		if (!node)
			return NULL;
		slot = &node->slot[slot_of(page, level - 1)];
	}
	return slot;
}

int pagetree_set(struct pagetree *t, uint64_t page, uint64_t value)
{
	uint64_t *slot = pagetree_slot(t, page);
	uint64_t old;

	if (!slot)
		return F2FS_ERR_NOMEM;
	old = *slot;
	*slot = value;
	release_slot(t, old, 0);
	return 0;
}

/* Fill [first, last] of the pages below a slot of level. */
/* NOLINTNEXTLINE(misc-no-recursion): one call per level of the tree */
static int fill_slot(struct pagetree *t, uint64_t *slot, unsigned level, uint64_t first, uint64_t last, uint64_t value)
{
	const unsigned shift = slot_shift(level);
	const uint64_t mask = shift < 64 ? ((uint64_t)1 << shift) - 1 : UINT64_MAX;
	struct node *node;

	if (*slot == value)
		return 0;
	if ((first & mask) == 0 && (last & mask) == mask) {
		uint64_t old = *slot;

		*slot = value;
		release_slot(t, old, level);
		return 0;
	}
	node = own_node(t, slot, level);
	if (!node)
		return F2FS_ERR_NOMEM;
	for (;;) {
		const uint64_t child_mask = ((uint64_t)1 << slot_shift(level - 1)) - 1;
		uint64_t end = first | child_mask;
		int rc;

		if (end > last)
			end = last;
		rc = fill_slot(t, &node->slot[slot_of(first, level - 1)], level - 1, first, end, value);
		if (rc != 0 || end == last)
			return rc;
		first = end + 1;
	}
}

int pagetree_fill(struct pagetree *t, uint64_t first, uint64_t count, uint64_t value)
{
	uint64_t last;

	assert(is_uniform(value));
	if (count == 0)
		return 0;
	last = first + count - 1;
	/* The end of the range of pages counts as the end of the tree, so that filling all frees all. */
	if (last == t->page_count - 1)
		last = t->depth * SLOT_BITS < 64 ? ((uint64_t)1 << (t->depth * SLOT_BITS)) - 1 : UINT64_MAX;
	return fill_slot(t, &t->root, t->depth, first, last, value);
}

struct page_range page_range_of(uint64_t offset, uint64_t length, uint64_t size)
{
	const uint64_t end = offset + length;
	struct page_range range;

	range.first = div_ceil64(offset, PAGETREE_PAGE);
	range.end = end == size ? div_ceil64(end, PAGETREE_PAGE) : end / PAGETREE_PAGE;
	if (range.first > range.end || range.first * PAGETREE_PAGE >= end) {
		/* Within one page, or to its end. */
		range.end = range.first;
		range.head_bytes = length;
		range.tail_bytes = 0;
		return range;
	}
	range.head_bytes = range.first * PAGETREE_PAGE - offset;
	range.tail_bytes = end > range.end * PAGETREE_PAGE ? end - range.end * PAGETREE_PAGE : 0;
	return range;
}
