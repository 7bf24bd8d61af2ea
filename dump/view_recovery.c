/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the result of the recovery that a mount would make: the chain of fsynced nodes, their inodes and names, the
 * blocks that change.
 */

#include <string.h>

#include "dump/session.h"
#include "dump/views.h"

static void put_summary(struct dump *d, const struct f2fs_recovery_summary *s)
{
	cli_print_bool(d->out, "needs_recovery", s->needs_recovery);
	cli_print_u64(d->out, "start", s->start);
	cli_print_u64(d->out, "end_block", s->end_block);
	cli_print_string(d->out, "end", f2fs_chain_end_name(s->end));
	cli_print_hex(d->out, "version", s->version);
	cli_print_hex(d->out, "end_version", s->end_version);
	cli_print_u64(d->out, "nodes", s->nodes);
	cli_print_u64(d->out, "fsynced", s->fsynced);
	cli_print_u64(d->out, "replayed", s->replayed);
	cli_print_u64(d->out, "dropped", s->dropped);
	cli_print_u64(d->out, "new_inodes", s->new_inodes);
	cli_print_u64(d->out, "orphans", s->orphans);
}

static const char *kind_name(int kind)
{
	switch (kind) {
	case F2FS_EXTENT_HOLE:
		return "hole";
	case F2FS_EXTENT_RESERVED:
		return "reserved";
	case F2FS_EXTENT_INLINE:
		return "inline";
	default:
		return "data";
	}
}

static int put_range(void *user, const struct f2fs_file_extent *range)
{
	struct cli_print *out = user;

	cli_print_begin(out, NULL);
	cli_print_u64(out, "file_block", range->file_block);
	cli_print_u64(out, "count", range->count);
	cli_print_string(out, "kind", kind_name(range->kind));
	cli_print_u64(out, "addr", range->addr);
	cli_print_end(out);
	return 0;
}

/* One inode; its ranges are a table within it. */
static int put_inode(struct dump *d, struct f2fs_recovery *plan, uint32_t index,
		     const struct f2fs_recovery_inode *inode)
{
	static const struct cli_column columns[] = {
		{ "file_block", 10 }, { "count", 8 }, { "kind", -8 }, { "addr", 10 }
	};
	int rc;

	cli_print_begin_element(d->out);
	cli_print_u64(d->out, "ino", inode->ino);
	cli_print_bool(d->out, "is_new", inode->is_new);
	if (inode->has_name) {
		cli_print_u64(d->out, "parent", inode->parent);
		cli_print_bytes(d->out, "name", inode->name, inode->name_length);
	}
	if (inode->last_inode) {
		cli_print_octal(d->out, "mode", inode->mode);
		cli_print_u64(d->out, "size", inode->size);
	}
	cli_print_u64(d->out, "nodes", inode->nodes);
	cli_print_u64(d->out, "first", inode->first);
	cli_print_u64(d->out, "last", inode->last);
	cli_print_begin_table(d->out, "ranges", columns, 4);
	rc = f2fs_recovery_list_ranges(plan, index, put_range, d->out);
	cli_print_end_array(d->out);
	cli_print_end(d->out);
	return rc;
}

static void put_chain(struct dump *d, const struct f2fs_recovery *plan, uint64_t nodes)
{
	static const struct cli_column columns[] = { { "addr", 10 },	    { "nid", 10 },   { "ino", 10 },
						     { "node_offset", 11 }, { "fsync", -5 }, { "dentry", -6 },
						     { "replayed", -8 } };

	cli_print_begin_table(d->out, "chain", columns, 7);
	for (uint64_t i = 0; i < nodes; i++) {
		struct f2fs_recovery_node node;

		if (f2fs_recovery_node_at(plan, i, &node) != 0)
			break;
		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "addr", node.addr);
		cli_print_u64(d->out, "nid", node.nid);
		cli_print_u64(d->out, "ino", node.ino);
		cli_print_u64(d->out, "node_offset", node.node_offset);
		cli_print_bool(d->out, "fsync", node.is_fsynced);
		cli_print_bool(d->out, "dentry", node.has_dentry);
		cli_print_bool(d->out, "replayed", node.is_replayed);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

int view_recovery(struct dump *d, const char *argument)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan;
	int rc = f2fs_recovery_open(d->vol, &plan);

	(void)argument;
	if (rc)
		return dump_fail(d, rc, "recovery");
	f2fs_recovery_summarize(plan, &summary);
	put_summary(d, &summary);
	cli_print_begin_array(d->out, "inodes");
	for (uint32_t i = 0; i < summary.inodes; i++) {
		struct f2fs_recovery_inode inode;

		rc = f2fs_recovery_inode_at(plan, i, &inode);
		if (!rc)
			rc = put_inode(d, plan, i, &inode);
		if (rc)
			dump_fail(d, rc, "recovery");
	}
	cli_print_end_array(d->out);
	put_chain(d, plan, summary.nodes);
	f2fs_recovery_close(plan);
	return rc;
}
