/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lives of inodes. An inode number is not enough to identify a file: after a rollback or a removal the next file may
 * get the same one. So each handle knows which checkpoint makes its inode permanent. A handle dies when the transaction
 * that made its inode is rolled back, or when the inode is freed. A dead handle neither reads nor writes.
 */
#include "base/error.h"
#include "file/handle_list.h"
#include "file/inode_life.h"
#include "file/write.h"
#include "volume/nat_read.h"

int inode_bind(struct f2fs_inode *inode)
{
	struct f2fs_volume *vol = inode->vol;
	struct f2fs_nat_info stored;
	int err;

	if (vol->ops.running && vol->ops.running->find_nat(vol, inode->ino, NULL)) {
		err = nat_get_stored(vol, inode->ino, &stored);
		if (err)
			return err;
		/* an id that was freed rests until the commit: one in use then is of the same inode */
		if (stored.block_addr == F2FS_NULL_ADDR)
			inode->born = cp_checkpoint_ver(vol->view->cp) + 1;
	}
	inode->life = inode_i_generation(inode->block);
	return handles_add(inode);
}

/* Was the inode made by changes that are neither in force nor waiting for a commit? */
static bool is_unborn(const struct f2fs_inode *inode)
{
	return inode->born > cp_checkpoint_ver(inode->vol->view->cp) && !inode->vol->txn;
}

bool inode_is_dead(const struct f2fs_inode *inode)
{
	return !inode->is_past && (inode->is_dead || inode->is_freed || is_unborn(inode));
}

int inode_need_live(const struct f2fs_inode *inode)
{
	if (!inode_is_dead(inode))
		return 0;
	return error_set(inode->vol->ctx, F2FS_ERR_STATE,
			 "inode %u was removed or rolled back, so this handle is dead: open the path again",
			 (unsigned)inode->ino);
}

int inode_check_life(struct f2fs_inode *inode)
{
	if (inode_i_generation(inode->block) == inode->life)
		return 0;
	inode->is_dead = true;
	handles_remove(inode);
	return inode_need_live(inode);
}

void inode_identify(const struct f2fs_inode *inode, struct inode_identity *out)
{
	out->born = inode->born;
	out->life = inode->life;
	out->rollbacks = inode->vol->files.rollbacks;
}

bool inode_is_the_same(const struct f2fs_inode *inode, const struct inode_identity *as)
{
	const struct f2fs_volume *vol = inode->vol;

	if (inode->is_past)
		return true;
	return inode->life == as->life &&
	       (as->born <= cp_checkpoint_ver(vol->view->cp) || as->rollbacks == vol->files.rollbacks);
}

uint64_t f2fs_inode_numbers_freed(const struct f2fs_volume *vol)
{
	return vol->files.given_up;
}

int f2fs_inode_is_dead(const struct f2fs_inode *inode)
{
	return inode_is_dead(inode);
}
