/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of this run's handles: times come from the source, compression from the run's options. Other changes that are
 * made meanwhile, from callbacks, follow the volume's options.
 */
#include "populate/compress.h"

#include <string.h>

#include "file/change.h"
#include "file/change_rules.h"
#include "file/compress_mark.h"
#include "populate/run.h"

int populate_ways_set(struct populate *p)
{
	const struct f2fs_populate_compression *c = p->opt.compression;
	int err = c ? compress_check(p->vol, &c->how) : 0;

	p->ways = (struct change_rules){ .keeps_times = true };
	if (!c || err)
		return err;
	p->ways.compression = &c->how;
	p->ways.minimum_saved = c->minimum_saved;
	p->ways.compress_names = c->names ? c->names : "*";
	p->ways.plain_names = c->except;
	p->ways.releases = c->release;
	return 0;
}

/*
 * The kernel caches clusters of a read-only volume as if they had no holes, and uses the adjacent blocks for the hole.
 * So files with holes stay uncompressed there (FORMAT files 8.1).
 */
int populate_create(struct populate *p, struct f2fs_inode *dir, const char *name, const struct source_item *item,
		    const struct f2fs_new *spec, struct f2fs_inode **out)
{
	const char *plain = p->ways.plain_names;
	int err;

	if (item->has_holes && geometry_has(&p->vol->geo, F2FS_FEAT_RO))
		p->ways.plain_names = "*";
	err = f2fs_create(dir, name, strlen(name), spec, out);
	p->ways.plain_names = plain;
	return err;
}

int populate_open(struct populate *p, f2fs_nid_t ino, struct f2fs_inode **out)
{
	int err = f2fs_inode_open(p->vol, ino, out);

	if (!err)
		(*out)->rules = &p->ways;
	return err;
}

int populate_compress_file(struct populate *p, struct f2fs_inode *inode)
{
	struct change change;
	struct f2fs_stat st;
	int err = p->opt.compression ? f2fs_inode_stat(inode, &st) : 0;

	if (err || !p->opt.compression || !st.is_compressed)
		return err;
	err = change_begin_on(&change, inode);
	if (!err)
		err = change_flush_file(&change, f2fs_inode_number(inode));
	return change_end(&change, err);
}
