/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT entries with the footers of their node blocks. Node ids are visited in order, but the blocks are read in the
 * order of their addresses, a batch of entries at a time: neighbours in the NAT were often written together.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/fields.h"
#include "dump/node_footers.h"
#include "dump/session.h"

enum { BATCH = 4096, RUN_BYTES = 512 * 1024 };

struct batch {
	struct dump *d;
	const struct f2fs_struct *footer;
	struct dump_node nodes[BATCH];
	uint32_t count;
	uint8_t *blocks; /* RUN_BYTES */
};

static int by_address(const void *a, const void *b)
{
	const struct dump_node *const *x = a, *const *y = b;

	if ((*x)->nat.block_addr != (*y)->nat.block_addr)
		return (*x)->nat.block_addr < (*y)->nat.block_addr ? -1 : 1;
	return 0;
}

static void take_footer(struct batch *b, struct dump_node *node, const uint8_t *block)
{
	const uint8_t *raw = block + b->d->geo->block_size - b->footer->size;

	node->nid = (f2fs_nid_t)dump_get(b->footer, raw, "nid", 0);
	node->ino = (f2fs_nid_t)dump_get(b->footer, raw, "ino", 0);
	node->flag = (uint32_t)dump_get(b->footer, raw, "flag", 0);
	node->cp_ver = dump_get(b->footer, raw, "cp_ver", 0);
	node->next_blkaddr = (f2fs_blk_t)dump_get(b->footer, raw, "next_blkaddr", 0);
	node->has_footer = 1;
}

/* Read count blocks from addr. The nodes sorted[0..n) are among them. */
static void read_run(struct batch *b, struct dump_node **sorted, uint32_t n, f2fs_blk_t addr, uint32_t count)
{
	uint32_t size = b->d->geo->block_size;
	int rc = f2fs_block_read(b->d->vol, addr, count, b->blocks);

	for (uint32_t i = 0; i < n; i++) {
		f2fs_blk_t at = sorted[i]->nat.block_addr;

		if (!rc) {
			take_footer(b, sorted[i], b->blocks + (size_t)(at - addr) * size);
		} else if (!f2fs_block_read(b->d->vol, at, 1, b->blocks)) {
			take_footer(b, sorted[i], b->blocks);
		} else {
			char what[40];

			snprintf(what, sizeof(what), "nid %u", sorted[i]->nat.nid);
			dump_fail(b->d, rc, what);
		}
	}
}

static int is_in_main(const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	return addr >= geo->main_blkaddr && addr < geo->end_blkaddr;
}

/* Runs of blocks with small gaps are read at once. */
static void read_footers(struct batch *b, struct dump_node **sorted)
{
	uint32_t max = RUN_BYTES / b->d->geo->block_size, n = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		struct dump_node *node = &b->nodes[i];

		if (is_in_main(b->d->geo, node->nat.block_addr))
			sorted[n++] = node;
		else if (node->nat.nid > 2)
			dump_damage(b->d, "nat: nid %u: block %u is outside the main area [rule NAT_BLOCK]",
				    node->nat.nid, node->nat.block_addr);
	}
	qsort(sorted, n, sizeof(sorted[0]), by_address);
	for (uint32_t i = 0; i < n;) {
		f2fs_blk_t start = sorted[i]->nat.block_addr, last = start;
		uint32_t j = i;

		while (j < n && sorted[j]->nat.block_addr - last <= 8 && sorted[j]->nat.block_addr - start < max)
			last = sorted[j++]->nat.block_addr;
		read_run(b, sorted + i, j - i, start, last - start + 1);
		i = j;
	}
}

/* The first node id that is not in the NAT block which the last error is about, but beyond nid; 0: there is none. */
static f2fs_nid_t behind_bad_block(struct dump *d, f2fs_nid_t nid)
{
	const struct f2fs_geometry *geo = d->geo;
	uint64_t block = f2fs_context_error(d->ctx)->block;
	uint64_t k = nid / geo->nat_per_block, found;

	if (block >= geo->nat_blkaddr && block < geo->ssa_blkaddr) {
		uint64_t index = block - geo->nat_blkaddr;

		found = (index / (2 * F2FS_SEGMENT_BLOCKS)) * F2FS_SEGMENT_BLOCKS + index % F2FS_SEGMENT_BLOCKS;
		if (found > k)
			k = found;
	}
	k = (k + 1) * geo->nat_per_block;
	return k < geo->max_nid ? (f2fs_nid_t)k : 0;
}

int dump_next_node(struct dump *d, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	for (;;) {
		int rc = f2fs_nat_next(d->vol, nid, out);

		if (!rc || rc == F2FS_ERR_NOT_FOUND || rc == F2FS_ERR_RANGE)
			return rc ? F2FS_ERR_NOT_FOUND : 0;
		dump_fail(d, rc, "nat");
		if (rc != F2FS_ERR_IO && rc != F2FS_ERR_CORRUPT)
			return rc;
		nid = behind_bad_block(d, nid);
		if (nid == 0)
			return F2FS_ERR_NOT_FOUND;
	}
}

/* Fill the batch with the entries in use from nid on. */
static int fill(struct batch *b, f2fs_nid_t nid, uint64_t end)
{
	b->count = 0;
	while (b->count < BATCH && nid < end) {
		struct dump_node *node = &b->nodes[b->count];
		int rc;

		memset(node, 0, sizeof(*node));
		rc = dump_next_node(b->d, nid, &node->nat);
		if (rc && rc != F2FS_ERR_NOT_FOUND)
			return rc;
		if (rc || node->nat.nid >= end)
			break;
		nid = node->nat.nid + 1;
		b->count++;
	}
	return 0;
}

int dump_each_node(struct dump *d, const struct dump_range *range,
		   int (*visit)(void *user, const struct dump_node *node), void *user)
{
	struct batch *b = calloc(1, sizeof(*b));
	struct dump_node **sorted = calloc(BATCH, sizeof(struct dump_node *));
	f2fs_nid_t nid = (f2fs_nid_t)range->first;
	int rc = 0;

	if (b)
		b->blocks = malloc(RUN_BYTES);
	if (b && sorted && b->blocks) {
		b->d = d;
		b->footer = dump_struct("node_footer");
	} else {
		rc = dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	}
	while (b && !rc && (rc = fill(b, nid, range->end)) == 0 && b->count > 0) {
		read_footers(b, sorted);
		nid = b->nodes[b->count - 1].nat.nid + 1;
		for (uint32_t i = 0; !rc && i < b->count; i++)
			rc = visit(user, &b->nodes[i]);
	}
	if (b)
		free(b->blocks);
	free(sorted);
	free(b);
	return rc;
}
