/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the rest of a damaged quota file: through its inode, as far as that leads to blocks.
 */
#include <string.h>

#include "base/error.h"
#include "check/quota_left.h"
#include "file/data_read.h"
#include "file/inode_read.h"
#include "file/object.h"
#include "format/superblock.h"

/* Room for a file with holes where blocks were lost. */
#define SPARE_BLOCKS 64u

static int read_or_zero(void *user, uint64_t offset, void *buffer, size_t n)
{
	struct f2fs_inode *file = user;
	int err = 0;

	memset(buffer, 0, n);
	if (file)
		err = data_read(file, offset, buffer, n);
	if (err == 0 || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	error_clear(file->vol->ctx);
	memset(buffer, 0, n);
	return 0;
}

/* Return the number of bytes to examine: the inode's size, unless that is impossible. */
static uint64_t likely_size(const struct checker *c, const struct inode_fact *inode)
{
	const uint64_t stored = inode->blocks_found << c->geo->block_bits;
	const uint64_t most = 4 * stored + ((uint64_t)SPARE_BLOCKS << c->geo->block_bits);

	if (inode->size > most)
		return most;
	return inode->size > stored ? inode->size : stored;
}

int quota_read_left(struct checker *c, unsigned kind, struct quota_rescue *out)
{
	const struct inode_fact *inode = facts_inode(&c->facts, sb_qf_ino(c->vol->sb, kind));
	struct f2fs_inode *file = NULL;
	int rc = 0, err;

	if (inode && inode->type == F2FS_TYPE_REGULAR)
		rc = inode_open(c->vol, inode->ino, &file);
	err = quota_rescue(out, c->ctx, (enum quota_type)kind, read_or_zero, rc ? NULL : file,
			   file ? likely_size(c, inode) : 0);
	if (rc == F2FS_ERR_NOMEM || rc == F2FS_ERR_CANCELED)
		err = rc;
	else if (rc)
		error_clear(c->ctx);
	f2fs_inode_close(file);
	return err;
}
