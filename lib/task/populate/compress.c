/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compression of the files that are copied: the volume's options of writing are others for the time of the run.
 */
#include "file/write.h"
#include "task/populate/populate.h"

int populate_compress_begin(struct populate *p)
{
	const struct f2fs_populate_compression *c = p->opt.compression;
	int err = c ? compress_check(p->vol, &c->how) : 0;

	p->usual = p->vol->write;
	if (!c || err)
		return err;
	p->vol->write.has_compression = 1;
	p->vol->write.compression = c->how;
	p->vol->write.minimum_saved = c->minimum_saved;
	p->vol->write.compress_names = c->names ? c->names : "*";
	p->vol->write.plain_names = c->except;
	return 0;
}

void populate_compress_end(struct populate *p)
{
	p->vol->write = p->usual;
}

int populate_compress_file(struct populate *p, struct f2fs_inode *inode)
{
	const struct f2fs_populate_compression *c = p->opt.compression;
	struct change change;
	struct f2fs_stat st;
	int err = c ? f2fs_inode_stat(inode, &st) : 0;

	if (err || !c || !st.is_compressed)
		return err;
	if (!c->release) {
		err = change_begin(&change, p->vol);
		if (!err)
			err = change_flush_file(&change, f2fs_inode_number(inode));
		return change_end(&change, err);
	}
	err = f2fs_compress_release(inode, NULL);
	if (err == F2FS_ERR_ACCESS) { /* nothing was saved */
		error_clear(p->ctx);
		err = 0;
	}
	return err;
}
