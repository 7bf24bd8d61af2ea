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

/* Algorithms of compression, with their numbers in the format (i_compress_algorithm). */
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

/* NAME, number (persistent), text: why f2fs_compress_files() leaves a file as it is. */
#define F2FS_COMPRESS_LEFT_TABLE(X)                                                                                    \
	X(NONE, 0, "changed")                                                                                          \
	X(SO, 1, "already so")                                                                                         \
	X(INLINE, 2, "contents are in the inode")                                                                      \
	X(GAIN, 3, "compression would save no block")                                                                  \
	X(ROOM, 4, "no room for both forms at once")                                                                   \
	X(ATTRIBUTES, 5, "no room in the inode for attributes of compression")                                         \
	X(VERITY, 6, "sealed by fs-verity")                                                                            \
	X(PINNED, 7, "pinned")                                                                                         \
	X(FLAG, 8, "flags forbid compression")                                                                         \
	X(UNREADABLE, 9, "contents cannot be read")                                                                    \
	X(KEY, 10, "encrypted, and there is no key")
/* Reasons, the rows of F2FS_COMPRESS_LEFT_TABLE. */
enum f2fs_compress_left {
#define F2FS_COMPRESS_LEFT_ENUM(name, number, text) F2FS_COMPRESS_LEFT_##name = (number),
	F2FS_COMPRESS_LEFT_TABLE(F2FS_COMPRESS_LEFT_ENUM)
#undef F2FS_COMPRESS_LEFT_ENUM
};
/* Return the text of a reason; NULL for other numbers. */
F2FS_API const char *f2fs_compress_left_text(int reason);

/* Outcome for one file. */
struct f2fs_compress_file {
	const char *path;	/* from the root; valid during the call */
	f2fs_nid_t ino;		/* inode number */
	int left;		/* enum f2fs_compress_left; 0: it is changed */
	uint64_t blocks_before; /* that store its contents; 0 unless it is changed */
	uint64_t blocks_after;	/* the same after the change */
};

/* Options of f2fs_compress_files(): the files, and how to change them; begin it with F2FS_SIZED. */
struct f2fs_compress_files_options {
	uint32_t struct_size;		    /* F2FS_SIZED */
	const struct f2fs_compression *how; /* NULL: they become uncompressed */
	const char *const *paths;	    /* these files, and everything below these directories; none: everything */
	uint32_t path_count;		    /* length of paths */
	/* of these only those whose path matches: * ? [a-z] and **; without a slash the last component is compared */
	const char *const *include;
	uint32_t include_count;	    /* length of include */
	const char *const *exclude; /* and without those that match one of these */
	uint32_t exclude_count;	    /* length of exclude */
	uint8_t directories;	    /* also mark directories, for the files that will be made in them */
	uint8_t release;	    /* with how: release the saved blocks; the files cannot be written then */
	uint8_t dry_run;	    /* only count, without regard to room */
	/* Called for each regular file, once it is committed; a file with several names is one. Return non-zero to
	 * stop. It may not call the library with the same volume. NULL: not called. */
	int (*file)(void *user, const struct f2fs_compress_file *file);
	void *user; /* passed to file */
};

/* Result of f2fs_compress_files(), or of its dry run; begin it with F2FS_SIZED. */
struct f2fs_compress_files_result {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint64_t files;		/* regular files that were asked for */
	uint64_t changed;	/* of these */
	uint64_t directories;	/* whose mark was set or cleared */
	uint64_t unreadable;	/* entries whose inode or directory cannot be read */
	uint64_t blocks_before; /* that store the contents of the changed files */
	uint64_t blocks_after;	/* the same after the change */
};

/*
 * Compress existing files, or uncompress them. Contents, holes, names and times stay. Reserved ranges
 * without contents become holes. Saved blocks stay reserved for each file unless they are released
 * (f2fs_compress_release()). Files that would win nothing stay as they are, and so do those of the other rows of
 * F2FS_COMPRESS_LEFT_TABLE. A file is changed as a whole by one commit, and there is a commit for some files at a time:
 * an interruption leaves every file in the old or in the new form, and the same call continues. The volume must have
 * room for the new form of a file beside the old one.
 *
 * Memory: about 1 MiB, a path for each file of a commit, 8 bytes for each file with several names, and f2fs_walk().
 *
 * Fails with INVALID and UNSUPPORTED as f2fs_compress_set(), NOT_FOUND (a path), STATE (uncommitted changes; the volume
 * waits for recovery), READ_ONLY, CANCELED, NOMEM, IO, CORRUPT. *result (may be NULL) is filled as far as it went.
 */
F2FS_API int f2fs_compress_files(struct f2fs_volume *vol, const struct f2fs_compress_files_options *options,
				 struct f2fs_compress_files_result *result);

/* Return the name of an algorithm as mount options have it ("lz4"); static string, NULL for other numbers. */
F2FS_API const char *f2fs_compress_name(unsigned algorithm);
/* Return the number of an algorithm by that name, -1 for an unknown name. */
F2FS_API int f2fs_compress_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
