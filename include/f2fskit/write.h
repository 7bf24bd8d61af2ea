/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changing a volume, offline. All changes since the last commit form one transaction: f2fs_volume_commit makes them
 * true together, durably and safe against power cuts; f2fs_volume_discard (or closing the volume) leaves it as it was.
 * The device must be writable and the volume clean: one that waits for recovery is refused with F2FS_ERR_STATE.
 *
 * After a failed call the transaction may hold half of what was asked for; discard it.
 */
#ifndef F2FSKIT_WRITE_H
#define F2FSKIT_WRITE_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Make all changes since the last commit true, durably. On failure the volume on the device is as before. */
F2FS_API int f2fs_volume_commit(struct f2fs_volume *vol);
/* Forget all changes since the last commit. */
F2FS_API void f2fs_volume_discard(struct f2fs_volume *vol);

/* What a new inode starts with. Zero the struct first. */
struct f2fs_new {
	uint32_t mode; /* type and permissions, POSIX numbers */
	uint32_t uid, gid;
	uint32_t rdev_major, rdev_minor; /* of character and block devices */
	struct f2fs_time atime, mtime, ctime, crtime;
	const char *target; /* of a symbolic link, not NUL-terminated */
	size_t target_length;
};
/* Make an inode of any type under a name in a directory; out may be NULL. Fails with EXISTS, NOSPC, NAME_TOO_LONG,
 * INVALID, ENCRYPTED. The directory's times become the new inode's ctime. */
F2FS_API int f2fs_create(struct f2fs_inode *dir, const char *name, size_t length, const struct f2fs_new *spec,
			 struct f2fs_inode **out);
/* Give a file a further name. Directories: IS_DIR. */
F2FS_API int f2fs_link(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *inode);
/* Remove a name; the inode goes with its last one. A directory must be empty (NOT_EMPTY). */
F2FS_API int f2fs_remove(struct f2fs_inode *dir, const char *name, size_t length);
enum f2fs_rename_flag { F2FS_RENAME_NO_REPLACE = 1 };
/* Rename, also into another directory; what had the new name is replaced as rename(2) does. */
F2FS_API int f2fs_rename(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *new_dir,
			 const char *new_name, size_t new_length, unsigned flags);

/* Write to a regular file; it grows as needed, what lies between becomes a hole. Times stay. */
F2FS_API int f2fs_inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length);
/* Set a regular file's size, freeing what lies behind. */
F2FS_API int f2fs_inode_truncate(struct f2fs_inode *inode, uint64_t size);

/* Which members of struct f2fs_stat f2fs_inode_set takes. */
enum f2fs_set_flag {
	F2FS_SET_MODE = 1, /* permissions; the type stays */
	F2FS_SET_UID = 2,
	F2FS_SET_GID = 4,
	F2FS_SET_ATIME = 8,
	F2FS_SET_MTIME = 16,
	F2FS_SET_CTIME = 32,
	F2FS_SET_CRTIME = 64,
	F2FS_SET_PROJID = 128,
	F2FS_SET_FLAGS = 256 /* i_flags that users may set */
};
F2FS_API int f2fs_inode_set(struct f2fs_inode *inode, unsigned which, const struct f2fs_stat *values);
/* Set an extended attribute by its full name ("user.color"); ACLs in their system call form. Fails with NOSPC when the
 * attributes of the inode would become too large, INVALID for an unknown prefix. */
F2FS_API int f2fs_xattr_set(struct f2fs_inode *inode, const char *name, const void *value, size_t size);
F2FS_API int f2fs_xattr_remove(struct f2fs_inode *inode, const char *name);

#ifdef __cplusplus
}
#endif
#endif
