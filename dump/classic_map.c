/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * -M: "path a-b c 0 ..." for regular files, a number per block or run of blocks, 0 for a block that is not there. -t:
 * the tree of directories. Both as fsck.f2fs of f2fs-tools writes them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "dump/classic_map.h"
#include "dump/session.h"
#include "dump/views.h"


struct run {
	f2fs_blk_t start;
	uint64_t count;
	uint64_t gaps_left; /* zeros that may still be written */
};

static void end_run(struct run *run)
{
	if (run->count == 1)
		printf(" %u", run->start);
	else if (run->count > 1)
		printf(" %u-%" PRIu64, run->start, run->start + run->count - 1);
	run->count = 0;
}

static void add_blocks(struct run *run, f2fs_blk_t addr, uint64_t count)
{
	if (run->count > 0 && run->start + run->count == addr) {
		run->count += count;
		return;
	}
	end_run(run);
	run->start = addr;
	run->count = count;
}

/* A zero for each block that is not there, but no more than the volume has blocks: sizes are mere numbers. */
static void add_gap(struct run *run, uint64_t count)
{
	end_run(run);
	for (; count > 0 && run->gaps_left > 0; count--, run->gaps_left--)
		fputs(" 0", stdout);
}

/* The slots of a compressed cluster: its head counts as a block that is not there. */
static int add_cluster(struct f2fs_inode *inode, const struct f2fs_file_extent *extent, uint64_t end, struct run *run)
{
	uint64_t last = extent->file_block + extent->count;

	for (uint64_t b = extent->file_block; b < last && b < end; b++) {
		f2fs_blk_t addr;
		int rc = f2fs_inode_block(inode, b, &addr);

		if (rc)
			return rc;
		if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR || addr == F2FS_COMPRESS_ADDR)
			add_gap(run, 1);
		else
			add_blocks(run, addr, 1);
	}
	return 0;
}

static int put_extents(struct f2fs_inode *inode, uint64_t end, uint64_t most_gaps)
{
	struct run run = { 0, 0, most_gaps };
	struct f2fs_file_extent extent;
	int rc = 0;

	for (uint64_t at = 0; !rc && at < end; at = extent.file_block + extent.count) {
		uint64_t count;

		rc = f2fs_inode_extent(inode, at, &extent);
		if (rc == F2FS_ERR_NOT_FOUND) {
			add_gap(&run, end - at);
			end_run(&run);
			return 0;
		}
		if (rc)
			break;
		count = extent.file_block + extent.count - at;
		if (count > end - at)
			count = end - at;
		if (extent.kind == F2FS_EXTENT_DATA)
			add_blocks(&run, extent.addr + (f2fs_blk_t)(at - extent.file_block), count);
		else if (extent.kind == F2FS_EXTENT_COMPRESSED)
			rc = add_cluster(inode, &extent, end, &run);
		else
			add_gap(&run, count);
	}
	end_run(&run);
	return rc;
}

static int fail(struct dump *d, int rc, const char *below)
{
	return below ? dump_fail_below(d, rc, "/", below) : dump_fail(d, rc, NULL);
}

int classic_map(struct dump *d, struct f2fs_inode *inode, const char *below)
{
	struct f2fs_stat st;
	int rc = f2fs_inode_stat(inode, &st);

	if (rc)
		return fail(d, rc, below);
	if ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_REG || st.is_inline || st.size == 0)
		return 0; /* a line names blocks: its readers split it at the first blank */
	if (below) {
		size_t n = strlen(below), room = 4 * n + 1;
		char *text = malloc(room);

		if (!text)
			return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
		f2fs_text_printable(below, n, text, room);
		printf("/%s", text);
		free(text);
	}
	rc = put_extents(inode, st.size / d->geo->block_size + (st.size % d->geo->block_size != 0),
			 d->geo->block_count);
	putchar('\n');
	return rc ? fail(d, rc, below) : 0;
}

static int map_entry(void *user, const struct f2fs_walk_entry *entry)
{
	struct dump *d = user;

	if (entry->error)
		dump_fail_below(d, entry->error, "/", entry->path);
	if (entry->inode)
		classic_map(d, entry->inode, entry->path);
	return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

int classic_map_all(struct dump *d, const char *argument)
{
	struct f2fs_inode *root;
	int rc = f2fs_inode_open(d->vol, d->geo->root_ino, &root);

	(void)argument;
	if (rc)
		return dump_fail(d, rc, "/");
	rc = f2fs_walk(root, map_entry, d);
	f2fs_inode_close(root);
	return rc < 0 ? dump_fail(d, rc, NULL) : 0;
}
