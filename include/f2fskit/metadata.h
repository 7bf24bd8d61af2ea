/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies of a volume for sharing: all metadata without contents, or only the blocks in use. A copy is a device that
 * reads through to the volume's own: blocks of the copy are data, the rest are holes. So a check can run on it
 * directly, and any writer of images can save it.
 */
#ifndef F2FSKIT_METADATA_H
#define F2FSKIT_METADATA_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contents of a copy. Superblocks, checkpoint packs, SIT, NAT and SSA are always included, unchanged. */
enum f2fs_metadata_content {
	/*
	 * Nodes (current ones, and old ones in segments of nodes), blocks of directories, targets of symlinks, quota
	 * files, and descriptors of fs-verity. Contents of files are not included and read as zeros, also those stored
	 * in inodes. Attributes are kept as they are.
	 */
	F2FS_METADATA_ONLY = 0,
	F2FS_METADATA_USED = 1 /* the same and all blocks in use, as they are: a copy without free space */
};

/* Flags of f2fs_metadata_open(). */
enum f2fs_metadata_flag {
	/*
	 * Give files other names: letters become other letters of the same case, digits other digits, bytes from 0x80
	 * on others of their kind (in casefolded directories they stay). Length and place in the directory stay, and
	 * two names are equal afterwards if they were before. Where few other names have the same place, short ones may
	 * stay unchanged. Names in slots that are no longer in use are zeroed. Targets of symlinks are changed, too,
	 * and lead nowhere then; encrypted names and "lost+found" stay. With F2FS_METADATA_USED it is refused.
	 */
	F2FS_METADATA_SCRAMBLE = 1
};

/* Options of f2fs_metadata_open; begin it with F2FS_SIZED. */
struct f2fs_metadata_options {
	uint32_t struct_size; /* F2FS_SIZED */
	int content;	      /* enum f2fs_metadata_content */
	unsigned flags;	      /* enum f2fs_metadata_flag */
	const uint8_t *key;   /* 16 bytes: the same key gives the same names; NULL: a random key that is not kept */
};

/* Contents of a copy in numbers, in blocks of the main area. */
struct f2fs_metadata_stat {
	uint32_t struct_size;	   /* F2FS_SIZED */
	uint64_t nodes;		   /* node blocks */
	uint64_t directories;	   /* blocks of directories */
	uint64_t others;	   /* symlinks, quota files, verity descriptors */
	uint64_t used;		   /* with F2FS_METADATA_USED: contents */
	uint64_t refused;	   /* claimed by a directory, but left out, as they look like contents */
	uint64_t unreadable;	   /* reads that failed so far: these blocks are zeros, and blocks below them may be
				    * missing */
	uint64_t first_unreadable; /* address of the first, F2FS_NO_BLOCK when it is not known */
	uint64_t inline_zeroed;	   /* inodes that held contents, which are zeros now */
};

/*
 * Choose the blocks of the copy, and make the device. Afterwards it needs the volume's device only, not the volume.
 * Reads all nodes once. Takes 2 bits of memory for each block of the volume, 20 bytes for each node, 16 for each block
 * of a directory. Nothing is written. The copy of a volume on several devices has all of them in a row as one device,
 * and its superblocks list no devices. Fails with INVALID, STATE (a transaction runs), NOMEM, CANCELED.
 */
F2FS_API int f2fs_metadata_open(struct f2fs_volume *vol, const struct f2fs_metadata_options *options,
				struct f2fs_device **out);
/* Copy the numbers of a device of f2fs_metadata_open to *out; INVALID for any other device. */
F2FS_API int f2fs_metadata_stat(const struct f2fs_device *dev, struct f2fs_metadata_stat *out);

#ifdef __cplusplus
}
#endif
#endif
