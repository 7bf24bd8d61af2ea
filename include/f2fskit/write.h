/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change a volume offline. All changes since the last commit form one transaction. f2fs_volume_commit makes them
 * permanent together, safe against power cuts. f2fs_volume_rollback (or closing the volume) drops them. The device must
 * be writable and the volume clean: one that waits for recovery is refused with F2FS_ERR_STATE until f2fs_recover()
 * (recover.h).
 *
 * A call checks as much as possible before it changes anything. A call that fails after that (no memory, no space, a
 * device that fails, damage, a host that cancels) poisons the transaction. It can only be rolled back then: every
 * further change and the commit fail with F2FS_ERR_STATE.
 *
 * On a damaged volume a call fails with F2FS_ERR_CORRUPT before it takes a block, a node or a name from another file.
 * The last error names the rule; f2fs_check() with repair mends the damage.
 *
 * The caller acts as the superuser: permissions, quota limits and the flags "immutable" and "append only" are kept but
 * not enforced. The kind of an inode (verity, compressed, encrypted without key) can make calls fail.
 *
 * Times do not change by themselves, so that the same changes give the same bytes. f2fs_create takes the new inode's
 * times and gives its ctime to the directory, f2fs_inode_set sets the times that it is given. After
 * f2fs_volume_set_time every change sets the same times as the kernel does.
 */
#ifndef F2FSKIT_WRITE_H
#define F2FSKIT_WRITE_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Commit: write a checkpoint that makes all changes since the last commit permanent, atomically. On failure the volume
 * on the device is as before, with two exceptions.
 *
 * UNCERTAIN: the last write or flush failed, so the device may hold the commit or may lose it. Then commit again, which
 * repeats only that last step, or roll back, which takes the commit back. Until one of them succeeds the volume cannot
 * be changed (f2fs_volume_transaction() returns UNCERTAIN). When it is opened again, it is complete with or without the
 * commit.
 *
 * Any other failure after which f2fs_volume_transaction() returns NONE: the commit is permanent, but could not be read
 * back. Open the volume again.
 */
F2FS_API int f2fs_volume_commit(struct f2fs_volume *vol);
/*
 * Roll back: drop all changes since the last commit, except those made durable by f2fs_fsync, which then wait for
 * recovery. Handles of inodes that were made since are dead (f2fs_inode_is_dead() of file.h).
 */
F2FS_API void f2fs_volume_rollback(struct f2fs_volume *vol);
/* State of the changes since the last commit. */
enum f2fs_transaction {
	F2FS_TRANSACTION_NONE = 0,     /* there are none */
	F2FS_TRANSACTION_OPEN = 1,     /* they wait for a commit */
	F2FS_TRANSACTION_FAILED = 2,   /* a call failed half-way: they can only be rolled back */
	F2FS_TRANSACTION_UNCERTAIN = 3 /* the last step of their commit failed: perhaps they are permanent */
};
/* Return the state of the changes since the last commit: enum f2fs_transaction. */
F2FS_API int f2fs_volume_transaction(const struct f2fs_volume *vol);
/*
 * Poison the running transaction, because an operation of several calls has failed half-way. The changes since the last
 * commit can only be rolled back then, as after a single call that failed so. Without such changes nothing happens.
 * Refused calls report the error in the context, if there is one, as the reason.
 */
F2FS_API void f2fs_volume_fail(struct f2fs_volume *vol);
/*
 * Stamp changes with this time from now on, as the kernel does. Contents set mtime and ctime of their file. Names set
 * those of their directory and the ctime of the inode they name, except in an exchange. Attributes set the ctime,
 * except pinning and the hints hot and cold. A call of f2fs_fallocate() that fails by the state of the file or for lack
 * of space stamps the file, too. NULL (as when opened): times stay.
 *
 * The time of grace of quota begins at this time when usage passes a soft limit. Without a time none begins. It ends in
 * any case when usage falls back to the limit.
 *
 * A file's fsync writes its inode when a time in it differs. So a clock that ticks every few milliseconds, as the
 * kernel's for files (CLOCK_REALTIME_COARSE), saves blocks compared with one of nanoseconds.
 */
F2FS_API void f2fs_volume_set_time(struct f2fs_volume *vol, const struct f2fs_time *now);

/* Properties of a new inode. Begin it with F2FS_SIZED. */
struct f2fs_new {
	uint32_t struct_size;	 /* F2FS_SIZED */
	uint32_t mode;		 /* type and permissions, POSIX numbers */
	uint32_t uid;		 /* user */
	uint32_t gid;		 /* group */
	uint32_t rdev_major;	 /* major number of a character or block device */
	uint32_t rdev_minor;	 /* minor number of a character or block device */
	struct f2fs_time atime;	 /* last access */
	struct f2fs_time mtime;	 /* last change of the contents */
	struct f2fs_time ctime;	 /* last change of the inode */
	struct f2fs_time crtime; /* creation */
	const char *target;	 /* of a symbolic link, not NUL-terminated */
	size_t target_length;	 /* bytes of target */
	uint32_t umask; /* permissions to remove, unless a default ACL of the directory decides the permissions */
	uint32_t flags; /* enum f2fs_new_flag */
	/* of a directory (i_dir_level): its first hash table has 2^dir_level buckets, up to F2FS_DIR_LEVEL_MOST. A
	 * large directory needs fewer tables then, and a look-up in it reads fewer blocks. 0 for most directories, and
	 * all other types. */
	uint32_t dir_level;
};
#define F2FS_DIR_LEVEL_MOST 16u /* a table of 65,536 buckets, 512 MiB of the directory's offsets */
/* Flags of f2fs_create(). */
enum f2fs_new_flag {
	F2FS_NEW_EXACT = 1,  /* ignore default ACLs: the permissions are mode's, as for a copy */
	F2FS_NEW_UNNAMED = 2 /* make a regular file without a name, as O_TMPFILE does */
};
/*
 * Make an inode of any type under a name in a directory; out may be NULL. Fails with EXISTS, NOSPC, NAME_TOO_LONG,
 * INVALID, RANGE (a device number above 4095:1048575), ENCRYPTED. The directory's times become the new inode's ctime.
 * Flags and project are inherited as the kernel does, and so is a default ACL of the directory: it becomes the access
 * ACL, reduced by mode, and a new directory gets it as its default ACL, too. CORRUPT when it is no ACL.
 *
 * With F2FS_NEW_UNNAMED, name is NULL and out is not (INVALID). The directory stays as it is: the file only inherits
 * from it. f2fs_link() gives the file its name. Until then it is an orphan, as an open file is after f2fs_remove(), and
 * goes with its last handle.
 */
F2FS_API int f2fs_create(struct f2fs_inode *dir, const char *name, size_t length, const struct f2fs_new *spec,
			 struct f2fs_inode **out);
/*
 * Give a file a further name, or its first one after F2FS_NEW_UNNAMED. Fails with IS_DIR for directories, EXISTS,
 * NOT_FOUND for a file that has lost its last name, XDEV when the directory passes its project on and the file belongs
 * to another.
 */
F2FS_API int f2fs_link(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *inode);
/*
 * Remove a name; removing the last one deletes the inode. A directory must be empty (NOT_EMPTY). An inode that is open
 * stays readable and writable until its last handle is closed. Commits list it as an orphan, which the next mount
 * deletes. The first change or commit after its last close frees it, so close handles before the last commit.
 */
F2FS_API int f2fs_remove(struct f2fs_inode *dir, const char *name, size_t length);
/* Flags of f2fs_rename(). */
enum f2fs_rename_flag {
	F2FS_RENAME_NO_REPLACE = 1,
	F2FS_RENAME_EXCHANGE = 2, /* both names exist and change places */
	F2FS_RENAME_WHITEOUT = 4  /* leave a character device 0:0 under the old name */
};
/*
 * Rename, also into another directory; an existing entry of the new name is replaced as by rename(2). Fails with
 * NOT_FOUND, EXISTS (NO_REPLACE), IS_DIR, NOT_DIR, NOT_EMPTY, INVALID (a directory below itself, flags that exclude
 * each other), XDEV.
 */
F2FS_API int f2fs_rename(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *new_dir,
			 const char *new_name, size_t new_length, unsigned flags);

/*
 * Write to a regular file. It grows as needed, and a gap before the data becomes a hole. Fails with UNSUPPORTED for
 * such a hole in a compressed file of a volume with the feature ro, as kernels misread it (FORMAT files 8.1). Blocks of
 * a pinned file that the last commit has cannot be overwritten (UNSUPPORTED) unless writing in place is allowed
 * (engine.h). Those that only an fsync has are overwritten in place.
 */
F2FS_API int f2fs_inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length);
/* Set a regular file's size, and free its blocks after the new end. Fails as writing there does. */
F2FS_API int f2fs_inode_truncate(struct f2fs_inode *inode, uint64_t size);

/* Operations of f2fs_fallocate; the numbers are those of fallocate(2). */
enum f2fs_fallocate_flag {
	F2FS_FALLOCATE_KEEP_SIZE = 0x01,      /* the size stays, blocks may be past it */
	F2FS_FALLOCATE_PUNCH_HOLE = 0x02,     /* with KEEP_SIZE: free the range */
	F2FS_FALLOCATE_COLLAPSE_RANGE = 0x08, /* remove the range: the contents after it move down */
	F2FS_FALLOCATE_ZERO_RANGE = 0x10,     /* reserve the range, it reads as zeros */
	F2FS_FALLOCATE_INSERT_RANGE = 0x20    /* insert a hole: the contents after it move up */
};
/*
 * Work on a range of a regular file as fallocate(2) does: without a flag holes get reserved blocks, and the file grows.
 * Contents inside the inode move to a block. Fails with INVALID (no length, flags that exclude each other, a range to
 * be collapsed or inserted that is not made of whole blocks or not inside the file), TOO_BIG, IS_DIR, ENCRYPTED,
 * UNSUPPORTED (compressed or pinned files, except for preallocation), NOSPC before anything is changed.
 *
 * Preallocating a pinned file (F2FS_SET_PIN) chooses its blocks at once, zeroed: the range is widened to multiples of a
 * section within the file. Parts without blocks get those of completely free sections, which follow each other if the
 * volume has that many in a row. Later writes to these blocks do not move them.
 */
F2FS_API int f2fs_fallocate(struct f2fs_inode *inode, unsigned flags, uint64_t offset, uint64_t length);

/*
 * Durability of single files. After f2fs_fsync the device holds the last commit and, after it, a chain of nodes. From
 * that a recovery (the kernel's at the next mount, or f2fs_recover()) restores the file's contents, attributes and name
 * as they were at that call. All other changes still wait for f2fs_volume_commit, after which the chain is no longer
 * needed.
 *
 * f2fs_volume_rollback and closing without a commit do not drop fsynced changes. The volume then waits for recovery,
 * and changes fail with F2FS_ERR_STATE until it has been recovered. Commit before closing to leave a volume that needs
 * no recovery.
 */
enum f2fs_fsync_flag { F2FS_FSYNC_DATA = 1 /* as fdatasync(2): times alone are no reason to write */ };
/*
 * Make a file durable: its data, then its nodes, safe against power cuts at any write. A power cut during the call
 * leaves all of the file's changes since the last fsync, or none (except blocks written in place, engine.h). So does a
 * call that fails with UNCERTAIN, when its last write or flush failed. Where the format's recovery could not restore
 * the file, the whole running transaction is committed instead (f2fs_fsync_reason returns why). This is always so for
 * an inode that is no regular file. Nothing is written when the file has no changes.
 */
F2FS_API int f2fs_fsync(struct f2fs_inode *inode, unsigned flags);

/* NAME, number (persistent), text: why an fsync has to commit everything. */
#define F2FS_FSYNC_REASON_TABLE(X)                                                                                     \
	X(NONE, 0, "the fsync chain can restore the file")                                                             \
	X(NOT_REGULAR, 1, "not a regular file")                                                                        \
	X(COMPRESSED, 2, "the file is compressed")                                                                     \
	X(LINKS, 3, "the file has not exactly one name")                                                               \
	X(IDENTITY, 4, "its name, parent or another field that recovery leaves alone has changed")                     \
	X(WRONG_PARENT, 5, "a new file that was linked or renamed")                                                    \
	X(NO_ROOM, 6, "the volume has no room for a recovery")                                                         \
	X(NEW_PARENT, 7, "its directory is new")                                                                       \
	X(LOGS, 8, "the volume's logs have no fsync chain")                                                            \
	X(PARENT_NAMES, 9, "a new file in a directory that names were taken from")                                     \
	X(PARENT_XATTRS, 10, "the attributes of its directory have changed")                                           \
	X(NODE_FREED, 11, "the file lost nodes that recovery would keep")                                              \
	X(BEYOND_END, 12, "blocks past the end of the file would make it longer")
/* Reasons for a commit, the rows of F2FS_FSYNC_REASON_TABLE. */
enum f2fs_fsync_reason {
#define F2FS_FSYNC_REASON_ENUM(name, number, text) F2FS_FSYNC_##name = (number),
	F2FS_FSYNC_REASON_TABLE(F2FS_FSYNC_REASON_ENUM)
#undef F2FS_FSYNC_REASON_ENUM
};
/*
 * Find out whether f2fs_fsync() of a file with changes would have to commit: *reason gets an enum f2fs_fsync_reason.
 * Fails as f2fs_fsync() before it writes.
 */
F2FS_API int f2fs_fsync_reason(struct f2fs_inode *inode, int *reason);
/* Return the name of a reason ("NEW_PARENT"); NULL for other numbers. */
F2FS_API const char *f2fs_fsync_reason_name(int reason);
/* Return the text of a reason; NULL for other numbers. */
F2FS_API const char *f2fs_fsync_reason_text(int reason);

/* Durability that f2fs_inode_write adds to each write. */
enum f2fs_sync_mode {
	F2FS_SYNC_NONE = 0,
	F2FS_SYNC_DATA = 1, /* f2fs_fsync with F2FS_FSYNC_DATA, as for files opened with O_DSYNC */
	F2FS_SYNC_ALL = 2   /* f2fs_fsync, as O_SYNC */
};
/* Choose the sync mode for all files of an open volume: enum f2fs_sync_mode. Fails with INVALID for another number. */
F2FS_API int f2fs_volume_set_sync(struct f2fs_volume *vol, int mode);

/* A piece of f2fs_inode_write_atomic(). */
struct f2fs_write_part {
	uint64_t offset;  /* bytes */
	const void *data; /* the bytes to write */
	size_t length;	  /* bytes */
};
/*
 * Write several pieces of a file and make it durable: after a power cut at any time all of them are there, or none.
 * That holds for any number and place, and also on volumes written in place. Later pieces overwrite earlier ones. Fails
 * with UNSUPPORTED for pinned files, and with NOSPC before anything is written if the volume lacks blocks for all
 * pieces together.
 */
F2FS_API int f2fs_inode_write_atomic(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count);

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
	F2FS_SET_FLAGS = 256,  /* i_flags that users may set; the others stay */
	F2FS_SET_ADVISE = 512, /* of advise the bits hot and cold, which choose the log of the data */
	F2FS_SET_PIN = 1024    /* of inline_flags the bit that pins the blocks of a file to their place */
};
/*
 * Set members of an inode. Permissions change the access ACL, too, if there is one. Casefold changes on empty
 * directories only (NOT_EMPTY); flags that the type of file or the volume does not know are refused (UNSUPPORTED), as
 * are those of quota files (ACCESS). Pinning a file moves its contents out of the inode. Usage moves to the new owners'
 * quotas. No other members change: unlike chown(2), a new owner does not clear setuid, setgid and the attribute
 * security.capability.
 */
F2FS_API int f2fs_inode_set(struct f2fs_inode *inode, unsigned which, const struct f2fs_stat *values);
/*
 * Set an extended attribute by its full name ("user.color"); ACLs in their system call form: an access ACL sets the
 * permissions as well, and is not stored when it only repeats them. system.advise sets the hints hot and cold. Fails
 * with NOSPC when the attributes of the inode would become too large, INVALID for an unknown prefix, RANGE for a name
 * of more than 255 bytes (which can be removed, if it is there), ACCESS for user.* at an inode that is neither file nor
 * directory.
 */
F2FS_API int f2fs_xattr_set(struct f2fs_inode *inode, const char *name, const void *value, size_t size);
/*
 * Remove an extended attribute by its full name. Fails with NO_ATTR, INVALID for an unknown prefix, and as all changes
 * do.
 */
F2FS_API int f2fs_xattr_remove(struct f2fs_inode *inode, const char *name);

/* Limits of an entry of a quota file, for f2fs_quota_set(). */
enum f2fs_quota_limit {
	F2FS_QUOTA_SPACE_SOFT = 1,
	F2FS_QUOTA_SPACE_HARD = 2,
	F2FS_QUOTA_INODES_SOFT = 4,
	F2FS_QUOTA_INODES_HARD = 8
};
#define F2FS_QUOTA_KIB_MAX ((uint64_t)INT64_MAX >> 10) /* the largest limit of space, KiB */
#define F2FS_QUOTA_INODES_MAX ((uint64_t)INT64_MAX)    /* the largest limit of inodes */
/*
 * Set limits of a user (kind 0), group (1) or project (2): those members of quota that limits names (enum
 * f2fs_quota_limit), for quota->id. 0 is no limit, other members are ignored. Usage above its soft limit then gets a
 * time of grace from now on, other usage has none. Fails with NOT_FOUND when the volume has no such quota file, RANGE
 * for a limit that is too large or the id 2^32-1, STATE when the quota files wait for a check, CORRUPT when the file is
 * damaged.
 */
F2FS_API int f2fs_quota_set(struct f2fs_volume *vol, unsigned kind, unsigned limits, const struct f2fs_quota *quota);

/* Times of grace of a whole quota file: how long usage may stay above a soft limit; begin it with F2FS_SIZED. */
struct f2fs_quota_grace {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint32_t space_seconds; /* for space */
	uint32_t inode_seconds; /* for inodes */
};
/* Get the times of grace of a quota file, as in the running transaction. Fails as f2fs_quota_list(). */
F2FS_API int f2fs_quota_grace_get(struct f2fs_volume *vol, unsigned kind, struct f2fs_quota_grace *out);
/* Set the times of grace of a quota file; those already running keep their end. Fails as f2fs_quota_set(). */
F2FS_API int f2fs_quota_grace_set(struct f2fs_volume *vol, unsigned kind, const struct f2fs_quota_grace *grace);

/* How fs-verity is enabled; begin it with F2FS_SIZED, zero members mean the default. */
struct f2fs_verity_params {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint8_t hash_algorithm; /* 1 SHA-256, 2 SHA-512; 0: 1 */
	uint32_t block_size;	/* of the tree, bytes: a power of two from 1024 to the volume's block size; 0: 4096 */
	const void *salt;	/* at most 32 bytes */
	size_t salt_size;	/* bytes of salt */
	const void *signature;	/* of the file's digest, for kernels that require one: stored unchanged, at most 16128
				 * bytes */
	size_t signature_size;	/* bytes of signature */
};
/*
 * Enable fs-verity on a regular file, for good: its contents cannot be changed any more, and readers check them against
 * the hash tree that is stored with it. params NULL: the defaults. f2fs_verity_get() returns the digest. Fails with
 * UNSUPPORTED (the volume lacks the feature, this build the hash), INVALID, ACCESS (enabled already), ENCRYPTED, NOSPC.
 */
F2FS_API int f2fs_verity_enable(struct f2fs_inode *inode, const struct f2fs_verity_params *params);

#ifdef __cplusplus
}
#endif
#endif
