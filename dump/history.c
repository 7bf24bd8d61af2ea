/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find old and new copies of an inode: a log-structured volume writes each version of a node to a new block, and the
 * old one stays until its segment is used again. All segments that hold, or last held, nodes are searched in the order
 * of the device, with large reads.
 */
#include <stdlib.h>

#include "dump/fields.h"
#include "dump/history.h"
#include "dump/session.h"
#include "dump/view_inode.h"
#include "dump/views.h"

enum { SCAN_BYTES = 512 * 1024 };

/* A search for the copies of an inode. */
struct scan {
	struct dump *d;
	f2fs_nid_t ino;
	uint8_t *blocks; /* room for SCAN_BYTES */
	int (*visit)(void *user, f2fs_blk_t addr, const uint8_t *block);
	void *user;
};

/* Visit the copies among the first count blocks of the room, which were read from first on. */
static int visit_blocks(const struct scan *s, f2fs_blk_t first, uint32_t count)
{
	const uint32_t size = s->d->geo->block_size;
	const struct f2fs_struct *type = dump_struct("node_footer");
	const struct f2fs_field *nid = f2fs_field_find(type, "nid"), *owner = f2fs_field_find(type, "ino");
	int rc = 0;

	for (uint32_t i = 0; !rc && i < count; i++) {
		const uint8_t *block = s->blocks + (size_t)i * size;
		const uint8_t *footer = block + size - type->size;

		if (f2fs_field_get(nid, footer, 0) == s->ino && f2fs_field_get(owner, footer, 0) == s->ino)
			rc = s->visit(s->user, first + i, block);
	}
	return rc;
}

static int scan_segment(const struct scan *s, f2fs_seg_t segno)
{
	struct dump *d = s->d;
	const uint32_t step = SCAN_BYTES / d->geo->block_size;
	const f2fs_blk_t first = d->geo->main_blkaddr + segno * F2FS_SEGMENT_BLOCKS;
	int rc = 0;

	for (uint32_t at = 0; !rc && at < F2FS_SEGMENT_BLOCKS; at += step) {
		if (!f2fs_block_read(d->vol, first + at, step, s->blocks)) {
			rc = visit_blocks(s, first + at, step);
			continue;
		}
		for (uint32_t i = 0; !rc && i < step; i++) { /* a bad block among them */
			int bad = f2fs_block_read(d->vol, first + at + i, 1, s->blocks);

			if (bad)
				dump_fail(d, bad, NULL);
			else
				rc = visit_blocks(s, first + at + i, 1);
		}
	}
	return rc;
}

int dump_each_copy(struct dump *d, f2fs_nid_t ino, int (*visit)(void *user, f2fs_blk_t addr, const uint8_t *block),
		   void *user)
{
	struct scan scan = { .d = d, .ino = ino, .blocks = malloc(SCAN_BYTES), .visit = visit, .user = user };
	int rc = 0;

	if (!scan.blocks)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	for (f2fs_seg_t segno = 0; !rc && segno < d->geo->segment_count_main; segno++) {
		struct f2fs_segment_info sit;
		int bad = f2fs_sit_lookup(d->vol, segno, &sit);

		if (bad)
			dump_fail(d, bad, "sit");
		if (bad || sit.type >= F2FS_HOT_NODE)
			rc = scan_segment(&scan, segno);
		if (cli_stopped())
			rc = f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped");
	}
	free(scan.blocks);
	return rc;
}

struct copies {
	struct dump *d;
	uint64_t count;
};

static int put_copy(void *user, f2fs_blk_t addr, const uint8_t *block)
{
	struct copies *copies = user;
	struct dump *d = copies->d;
	const struct f2fs_struct *type = dump_struct("node_footer");
	const uint8_t *footer = block + d->geo->block_size - type->size;
	f2fs_nid_t ino = (f2fs_nid_t)dump_get(type, footer, "nid", 0);
	struct f2fs_nat_info nat;

	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "block_addr", addr);
	cli_print_bool(d->out, "is_current", !f2fs_nat_lookup(d->vol, ino, &nat) && nat.block_addr == addr);
	dump_inode_block(d, block);
	cli_print_end(d->out);
	copies->count++;
	return 0;
}

int view_history(struct dump *d, const char *argument)
{
	struct copies copies = { d, 0 };
	uint32_t ino;
	int rc = dump_parse_number(d, "--history", argument, d->geo->max_nid, &ino);

	if (rc)
		return rc;
	cli_print_u64(d->out, "ino", ino);
	cli_print_begin_array(d->out, "copies");
	rc = dump_each_copy(d, ino, put_copy, &copies);
	cli_print_end_array(d->out);
	if (!rc && copies.count == 0)
		d->status |= DUMP_MISSING;
	return rc;
}
