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

/* Values of large_nat of struct f2fs_features_options. */
enum f2fs_large_nat {
	F2FS_LARGE_NAT_KEEP = 0, /* it stays as it is */
	F2FS_LARGE_NAT_ON = 1,
	F2FS_LARGE_NAT_OFF = 2
};

/* Options of f2fs_volume_set_features(); begin it with F2FS_SIZED. */
struct f2fs_features_options {
	uint32_t struct_size;	 /* F2FS_SIZED */
	uint32_t on;		 /* enum f2fs_feature: to turn on; those that are on already are ignored */
	uint32_t off;		 /* to turn off; those that are off already are ignored */
	uint32_t encoding_flags; /* with casefold turned on, for names in UTF-8: 1 strict, 2 hashonly */
	uint8_t convert;	 /* give extra attributes to inodes that lack some; take them with extra_attr off */
	uint8_t dry_run;	 /* judge and count, and write nothing: the volume may be opened for reading */
	uint8_t large_nat;	 /* enum f2fs_large_nat: the checkpoint flag large_nat_bitmap */
};

/* Result of f2fs_volume_set_features(), or of its dry run; begin it with F2FS_SIZED. */
struct f2fs_features_result {
	uint32_t struct_size;	 /* F2FS_SIZED */
	uint32_t before;	 /* enum f2fs_feature, of the volume as it was */
	uint32_t after;		 /* and as it is, or would be */
	uint32_t obstacle;	 /* after STATE: the feature that inode ino keeps as it is; else 0 */
	f2fs_nid_t ino;		 /* after STATE: an inode, if one stands in the way; else 0 */
	uint64_t inodes;	 /* that are rewritten */
	uint64_t left;		 /* with convert: inodes that stay as they are */
	uint8_t large_nat_before; /* 1: the checkpoint had the flag large_nat_bitmap */
	uint8_t large_nat_after;  /* and has it now, or would have it */
	/* of files that are copied, nodes included: above nodes with convert, or in the way of tables; an estimate */
	uint64_t moved_blocks;
	int64_t won_segments;	  /* that the main area wins by packed_ssa; negative: it loses them */
};

/*
 * Turn features of a volume on and off. A feature that others need is turned on with them (inode_checksum,
 * flexible_inline_xattr, inode_crtime, compression and project_quota need extra_attr, and project_quota brings quota
 * with it). Features only allow something to new files, and change no existing one, but for these: inode_checksum
 * gives each inode with extra attributes its checksum, flexible_inline_xattr stores the room for attributes in each
 * inode, lost_found makes the directory, and quota makes quota files with the usage of all owners (FORMAT files
 * 9.3), of projects with project_quota. Without the feature the files go, with their limits, and without
 * project_quota that of projects. Existing inodes stay without extra attributes where they have none, as Linux
 * allows, and so have no checksum, time of creation, project or compression. With convert they get them (FORMAT
 * files 2.2), or lose them all if extra_attr is turned off, with their times of creation. The blocks of files and
 * directories with nodes below their inode, above about 3.4 MB with blocks of 4 KiB, are copied for that. Left as
 * they are: such files that are pinned or have no room beside their old form; extra_attr stays on then. New times of
 * creation are 0. A feature that an inode needs cannot be turned off. Checksums, times of creation and the room for
 * attributes are cleared in all inodes when their feature is turned off.
 *
 * extra_attr is turned on first, then inodes are rewritten, with a commit for each 8192, then the other features
 * change. It is turned off last. The superblock is written at once and durably. A power cut at any write leaves a
 * sound volume, with the old features or some of the new ones, and the same call brings it to its end; after one
 * during inode_checksum see f2fs_volume_set_uuid(). One during quota can leave quota files that the superblock does
 * not name: the same call removes them, and a repair before it puts them into lost+found.
 *
 * ro changes last when it is turned on, and first when it is turned off: with it Linux mounts the volume read-only, and
 * nothing but ro changes. It stays off where Linux would have to write, or would misread a file: an inode with the mark
 * of an unfinished write, a compressed file with holes, orphans, a checkpoint that asks for a check. It stays on where
 * mkfs made the volume with it, without summaries.
 *
 * large_nat_bitmap is a flag of the checkpoint, which moves its bitmaps (FORMAT volume 4.5): one commit changes it,
 * before the features. The number of node ids stays. It is the room for more: with the flag, growing the volume beyond
 * its tables makes node ids for a fifth of its blocks; without it some 14 million at most, with blocks of 4 KiB.
 *
 * packed_ssa is for blocks of 16 KiB. All tables move twice for it, as when f2fs_resize() makes them larger, and the
 * main area wins or loses segments. It is changed first. The start of the main area must be free of pinned files, and
 * some segments must be free. After a power cut between the moves the same call continues; f2fs_resize() ends it
 * without the feature. The overprovision becomes that of a new volume. Linux 6.12 misreads a volume with packed_ssa,
 * and 6.19.0 to 6.19.2 refuse one of 16 KiB without it.
 *
 * result: NULL for none. Fails with UNSUPPORTED (a feature that cannot change, such as blkzoned, or that another
 * feature needs; ro of a volume that mkfs made with it; large_nat_bitmap of a checkpoint that has no room for its
 * bitmaps otherwise; packed_ssa with blocks of 4 KiB, or a file in the way that cannot be moved), STATE (an inode
 * needs the feature, or lacks what it needs; uncommitted changes; a volume that waits for recovery; ro is on and
 * stays on; packed_ssa while the volume has a placement or a second view), INVALID, READ_ONLY, IO, CORRUPT, NOSPC,
 * NOMEM, CANCELED.
 */
F2FS_API int f2fs_volume_set_features(struct f2fs_volume *vol, const struct f2fs_features_options *options,
				      struct f2fs_features_result *result);
/* Return the features (enum f2fs_feature) that can be turned on, or with on 0, off. */
F2FS_API uint32_t f2fs_features_changeable(int on);
/* Turn on features: f2fs_volume_set_features() with on and encoding_flags, and without a result. Fails as it does. */
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
