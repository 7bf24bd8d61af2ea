/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read blocks in ascending order, and judge them on several threads.
 */
#ifndef F2FSKIT_FACTS_SWEEP_H
#define F2FSKIT_FACTS_SWEEP_H

#include "facts/run.h"

/* A block to read, and its meaning to the caller. */
struct sweep_item {
	f2fs_blk_t addr;
	uint32_t tag;
};

/*
 * Read blocks in ascending order in large requests. judge is called on any thread. It uses nothing but its arguments
 * and facts that do not change meanwhile. Its result goes to digest, which is called in order on the context's thread.
 */
struct sweep {
	const char *phase;
	uint32_t (*judge)(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
	int (*digest)(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged);
	int (*unreadable)(struct checker *c, const struct sweep_item *item);
	/* Is it the block that was judged before? Else it is read once more, and then counts as unreadable. May be
	 * NULL. */
	bool (*is_same)(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
};
/* Sort items (struct sweep_item) by address, and run over them. */
int sweep_run(struct checker *c, const struct sweep *sweep, struct vec *items);
/* Run over the nodes with an address that wants() takes, of all or of the whole ones; tags are node ids. */
int sweep_nodes(struct checker *c, const struct sweep *sweep, bool is_whole,
		bool (*wants)(const struct checker *c, const struct nid_fact *fact));
/* Run over the nodes that are kept and have an inode; tags are node ids. */
int sweep_kept(struct checker *c, const struct sweep *sweep);

#endif
