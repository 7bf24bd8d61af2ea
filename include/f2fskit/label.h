/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the superblock of a volume: its label, its UUID, and the features that can be turned on later. The superblock
 * is outside of any transaction, so these calls write at once and durably. The two copies are written one after the
 * other, the one not in use first: a power cut at any write leaves a valid superblock with the old contents or the new.
 * A damaged copy is repaired.
 */
#ifndef F2FSKIT_LABEL_H
#define F2FSKIT_LABEL_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Set the label: UTF-8, at most 512 UTF-16 units, no control characters. Fails with INVALID, NAME_TOO_LONG,
 * READ_ONLY, STATE (opened without a superblock), IO.
 */
F2FS_API int f2fs_volume_set_label(struct f2fs_volume *vol, const char *label);

/* Flags of f2fs_volume_set_uuid(). */
enum f2fs_uuid_flag {
	F2FS_UUID_FORCE = 1,   /* set it although encrypted files become unreadable */
	F2FS_UUID_CHECKSUM = 2 /* turn on inode_checksum, also if the volume did not have it */
};
/*
 * Set the UUID. The checksums of inodes depend on it. On a volume with inode_checksum that feature is first turned off
 * and the UUID set. Then the checksum of each inode is rewritten in place, and the feature is turned on again. A power
 * cut in between leaves a sound volume, but perhaps without the feature, which the next call turns on again. (Inodes
 * that only the older checkpoint pack contains keep their checksums. If that pack is needed later they count as
 * damaged.)
 *
 * Keys of encrypted files may depend on the UUID (policies for inline encryption hardware, as Android has them): a
 * volume with such a file is refused with UNSUPPORTED, unless F2FS_UUID_FORCE. fs-verity does not depend on it.
 *
 * Fails with STATE (uncommitted changes, a volume that waits for recovery), UNSUPPORTED (as above), READ_ONLY, IO,
 * CORRUPT, CANCELED; NOSPC on a zoned volume with inode_checksum, where all inodes are written to new blocks.
 */
F2FS_API int f2fs_volume_set_uuid(struct f2fs_volume *vol, const uint8_t uuid[16], unsigned flags);

/*
 * Turn on features: F2FS_FEAT_ENCRYPT, F2FS_FEAT_VERITY, F2FS_FEAT_CASEFOLD (UTF-8, with encoding_flags: 1
 * strict, 2 hashonly); those that the volume has are ignored. They allow new files to be encrypted, sealed or folded,
 * and change no existing one. Fails with UNSUPPORTED (other features), STATE (uncommitted changes), INVALID, READ_ONLY,
 * IO.
 */
F2FS_API int f2fs_volume_add_features(struct f2fs_volume *vol, uint32_t features, unsigned encoding_flags);

/*
 * Choose how names are looked up on a volume with casefold: by their hash only (on), or also, slowly, among names
 * stored under the hash of another version of Unicode (off). Fails with STATE (no casefold, uncommitted changes),
 * READ_ONLY, IO.
 */
F2FS_API int f2fs_volume_set_hash_only(struct f2fs_volume *vol, int on);

#ifdef __cplusplus
}
#endif
#endif
