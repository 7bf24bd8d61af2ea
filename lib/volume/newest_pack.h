/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out whether the checkpoint pack in force is the newest one that was ever complete.
 */
#ifndef F2FSKIT_VOLUME_NEWEST_PACK_H
#define F2FSKIT_VOLUME_NEWEST_PACK_H

#include "volume/volume.h"

/* The missing parts of the newest complete checkpoint. */
enum pack_loss {
	PACK_NEWEST,	/* nothing: it is the one in force */
	PACK_HALF_LOST, /* the pack is damaged, a checkpoint block of it is left */
	PACK_LOST	/* the whole pack */
};
bool volume_pack_is_torn(struct f2fs_volume *vol, unsigned pack);
/* Judge the pack in force beside one that is not valid; *left: the block that is left of that. */
int volume_judge_pack(struct f2fs_volume *vol, enum pack_loss *loss, f2fs_blk_t *left);
/* Do the logs continue after the checkpoint of one of two blocks only? 1: of the first, -1: of the second. */
int volume_compare_ends(const struct f2fs_volume *vol, const uint8_t *first, const uint8_t *second, uint8_t *block);
/* Check before a transaction begins. Fails with STATE when a newer pack is damaged, because the transaction would
 * overwrite its blocks. Not for transactions of a repair, which has searched for these. */
int volume_check_newest(struct f2fs_volume *vol);

#endif
