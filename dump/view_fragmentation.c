/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure how fragmented files are: the runs of consecutive blocks of one file, and the view of a tree.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "dump/session.h"
#include "dump/view_fragmentation.h"
#include "dump/views.h"


static void add_run(struct scatter *s, f2fs_blk_t addr, uint64_t count)
{
	if (count == 0)
		return;
	if (s->blocks == 0 || addr != s->next)
		s->extents++;
	s->blocks += count;
	s->next = addr + (f2fs_blk_t)count;
}

static int add_cluster(struct f2fs_inode *inode, const struct f2fs_file_extent *e, struct scatter *s)
{
	for (uint64_t i = 0; i < e->count; i++) {
		f2fs_blk_t addr;
		int rc = f2fs_inode_block(inode, e->file_block + i, &addr);

		if (rc)
			return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
		if (addr != F2FS_NULL_ADDR && addr != F2FS_NEW_ADDR && addr != F2FS_COMPRESS_ADDR)
			add_run(s, addr, 1);
	}
	return 0;
}

int dump_measure(struct f2fs_inode *inode, struct scatter *s)
{
	struct f2fs_file_extent e;
	int rc = 0;

	memset(s, 0, sizeof(*s));
	for (uint64_t at = 0; !rc; at = e.file_block + e.count) {
		rc = f2fs_inode_extent(inode, at, &e);
		if (!rc && e.kind == F2FS_EXTENT_DATA)
			add_run(s, e.addr, e.count);
		else if (!rc && e.kind == F2FS_EXTENT_COMPRESSED)
			rc = add_cluster(inode, &e, s);
	}
	return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
}

/* Of the places where a file's next block could follow at once, how many per cent do not. */
static double scatter_percent(uint64_t breaks, uint64_t places)
{
	return places ? 100.0 * (double)breaks / (double)places : 0.0;
}

void dump_put_scatter(struct dump *d, const struct scatter *s)
{
	cli_print_u64(d->out, "blocks", s->blocks);
	cli_print_u64(d->out, "extents", s->extents);
	cli_print_fixed(d->out, "fragmentation_percent",
			s->blocks ? scatter_percent(s->extents - 1, s->blocks > 1 ? s->blocks - 1 : 1) : 0.0, 2);
}

/* ---- one file, or the files of a tree ---- */

struct fragmentation_view {
	struct dump *d;
	const char *start;
	struct scatter all;
	uint64_t files;
};

static int put_file(struct fragmentation_view *v, struct f2fs_inode *inode, const char *below)
{
	struct scatter s;
	struct f2fs_stat st;
	char *path;
	int rc = f2fs_inode_stat(inode, &st);

	if (!rc && ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_REG || st.is_inline))
		return 0;
	if (!rc)
		rc = dump_measure(inode, &s);
	if (rc)
		return dump_fail_below(v->d, rc, v->start, below);
	path = cli_join(v->start, below);
	if (!path)
		return f2fs_context_fail(v->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	cli_print_begin(v->d->out, NULL);
	cli_print_u64(v->d->out, "ino", f2fs_inode_number(inode));
	dump_put_scatter(v->d, &s);
	cli_print_bytes(v->d->out, "path", path, strlen(path));
	cli_print_end(v->d->out);
	free(path);
	v->files++;
	v->all.blocks += s.blocks;
	v->all.extents += s.extents;
	return 0;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct fragmentation_view *v = user;
	int rc = 0;

	if (entry->error)
		dump_fail_below(v->d, entry->error, v->start, entry->path);
	if (entry->inode && (entry->dirent || entry->depth == 0))
		rc = put_file(v, entry->inode, entry->path);
	if (rc == F2FS_ERR_NOMEM)
		return rc;
	return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

int view_fragmentation(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = {
		{ "ino", 10 }, { "blocks", 12 }, { "extents", 10 }, { "frag%", 6 }, { "path", -1 }
	};
	struct fragmentation_view v = { .d = d, .start = argument ? argument : "/" };
	struct f2fs_inode *start;
	int rc = dump_open_inode(d, v.start, F2FS_LOOKUP_FOLLOW, &start);

	if (rc)
		return rc;
	cli_print_begin_table(d->out, "files", columns, 5);
	rc = f2fs_walk(start, visit, &v);
	cli_print_end_array(d->out);
	f2fs_inode_close(start);
	cli_print_begin(d->out, "all");
	cli_print_u64(d->out, "files", v.files);
	cli_print_u64(d->out, "blocks", v.all.blocks);
	cli_print_u64(d->out, "extents", v.all.extents);
	cli_print_end(d->out);
	return rc < 0 ? dump_fail(d, rc, NULL) : 0;
}
