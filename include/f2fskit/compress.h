/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressed files: choose which files become compressed, and release the blocks that compression saved. Reading needs
 * nothing of this. f2fs_inode_write() compresses the contents of a compressed file cluster by cluster.
 */
#ifndef F2FSKIT_COMPRESS_H
#define F2FSKIT_COMPRESS_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbered as in the format (i_compress_algorithm). */
enum f2fs_compress_algorithm {
	F2FS_COMPRESS_LZO = 0,
	F2FS_COMPRESS_LZ4 = 1,
	F2FS_COMPRESS_ZSTD = 2,
	F2FS_COMPRESS_LZORLE = 3
};

/* How a file is compressed. */
struct f2fs_compression {
	uint8_t algorithm;   /* enum f2fs_compress_algorithm */
	uint8_t level;	     /* LZ4: 0 fast, 3 to 12 high compression; ZSTD: 0 (its default) to 22; else 0 */
	uint8_t log_cluster; /* blocks of a cluster as a power of two, 2 to 8; 0: 2 */
	uint8_t checksum;    /* store a checksum with each cluster */
};

/*
 * Make an empty regular file compressed, or change how; of a directory: of the files that will be made in it. how NULL:
 * not compressed. Fails with INVALID (parameters; the file is not empty), UNSUPPORTED (the volume lacks the feature,
 * the inode the room, or this build the algorithm).
 */
F2FS_API int f2fs_compress_set(struct f2fs_inode *inode, const struct f2fs_compression *how);

/*
 * Release the blocks that a file's compression saved, which otherwise stay reserved for it. The file cannot be written
 * until they are reserved again. *blocks (may be NULL) gets their number. Fails with INVALID (not compressed), STATE
 * (released already), ACCESS (nothing was saved).
 */
F2FS_API int f2fs_compress_release(struct f2fs_inode *inode, uint64_t *blocks);
/* Undo f2fs_compress_release(). Fails with INVALID, STATE (not released), NOSPC. */
F2FS_API int f2fs_compress_reserve(struct f2fs_inode *inode, uint64_t *blocks);

/* Return the name of an algorithm as mount options have it ("lz4"); static string, NULL for other numbers. */
F2FS_API const char *f2fs_compress_name(unsigned algorithm);
/* Return the number of an algorithm by that name, -1 for an unknown name. */
F2FS_API int f2fs_compress_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
