/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the superblock and the checkpoint pack of a volume, and keep why.
 */
#ifndef F2FSKIT_VOLUME_ROOTS_H
#define F2FSKIT_VOLUME_ROOTS_H

#include "volume/volume.h"

/* Roots that could not be read. Their contents are unknown, unlike those of damaged roots. */
enum unread_root { UNREAD_SB0 = 1, UNREAD_SB1 = 2, UNREAD_PACK1 = 4, UNREAD_PACK2 = 8 };
/*
 * Check before the first write to a volume. Fails with IO when a root could not be read, because the unreadable root
 * may be newer than the one in force. Fails with STATE when the packs on the device are not those that were read,
 * because another program has written to it, or in a process that was forked from the one that opened the device.
 */
int volume_check_roots(struct f2fs_volume *vol);
/* For readers: f2fs_volume_check_current() within a call. */
int volume_check_current(struct f2fs_volume *vol);
/* After a commit that failed: the pack that it did not finish is as it is now. One that is complete after all stays
 * unknown, and the volume has to be opened again. */
void volume_note_unfinished(struct f2fs_volume *vol);
/* Is it certain that the pack which is not in force is incomplete? */
bool volume_is_unfinished(struct f2fs_volume *vol);
/* Choose superblock and checkpoint pack, keep why. preferred: the copy to take when both are valid. */
int roots_load_superblock(struct f2fs_volume *vol, unsigned preferred);
int roots_load_checkpoint(struct f2fs_volume *vol, unsigned forced_pack);
/* Take the checkpoint block at an address, and the payload of its pack. */
int volume_take_checkpoint(struct f2fs_volume *vol, f2fs_blk_t addr);

#endif
