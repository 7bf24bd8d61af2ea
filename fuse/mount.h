/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of a mounted volume: the library's handles, the inodes that the kernel knows, and the one lock around both. The
 * library allows one thread at a time for a context. So each request holds the lock while it works on the volume, and
 * answers after releasing it.
 */
#ifndef F2FSKIT_FUSE_MOUNT_H
#define F2FSKIT_FUSE_MOUNT_H

#define FUSE_USE_VERSION 35
#include <fuse_lowlevel.h>
#include <pthread.h>

#include <f2fskit/compress.h>
#include <f2fskit/write.h>

#include "cli/host.h"

/* An inode that the kernel knows by its number. */
struct known {
	struct known *next;	     /* in its bucket */
	struct known *newer, *older; /* among those with a handle, by their last use */
	f2fs_nid_t ino;
	uint8_t folds;	  /* a directory whose names ignore case */
	uint8_t has_name; /* 0: removed while the kernel holds it, so the handle has to stay */
	uint32_t pins;	  /* readers of the directory that need the handle */
	uint64_t lookups; /* references that the kernel holds */
	struct f2fs_inode *inode; /* NULL: not open now */
};

struct known_table {
	struct known **buckets;
	size_t bucket_count, count;
	struct known *newest, *oldest;
	size_t open_count;
};

/* Mount options. */
struct mount_options {
	int is_read_only;
	unsigned commit_seconds; /* between checkpoints of a changed volume */
	int gc;			 /* enum mount_gc */
	unsigned gc_seconds;	 /* without a request, before GC begins */
	int has_uid, has_gid, has_umask;
	uint32_t uid, gid, umask;
	struct f2fs_compression compression; /* of files that chattr +c compresses */
};

enum mount_gc { MOUNT_GC_ON = 0, MOUNT_GC_OFF = 1, MOUNT_GC_SYNC = 2 };

struct mount {
	struct cli *cli;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const char *image; /* as the user named it */
	struct mount_options options;
	int is_daemon; /* messages go to syslog */

	pthread_mutex_t lock; /* around all that follows, and every call of the library */
	f2fs_nid_t root;
	uint32_t block_size;
	struct known_table known;
	int is_broken;	      /* writing has failed, and has stopped */
	int64_t changed_ns;   /* when the first change since the last checkpoint was made; 0: there is none */
	int64_t requested_ns; /* when the last request came */
	int gc_is_done;	      /* GC has found nothing to do since the last change */

	pthread_cond_t wake; /* ends the keeper's sleep */
	pthread_t keeper;
	int has_keeper, is_ending;
};

/* Take the lock for a request, or for a request that changes the volume, which also sets the time that it stamps. */
struct mount *mount_enter(fuse_req_t req);
struct mount *mount_enter_to_change(fuse_req_t req);
void mount_leave(struct mount *m);
/* Monotonic time, nanoseconds. */
int64_t mount_clock(void);
/* Write a message to syslog, or to standard error in the foreground. */
void mount_say(struct mount *m, const char *format, ...) CLI_PRINTF(2, 3);
/*
 * Turn the library's error into the errno for the kernel. An error that makes the transaction useless stops all
 * writing, with one message. Changes and fsync then fail with EIO. Call it with the lock held.
 */
int mount_errno(struct mount *m, int err);
/* Write a checkpoint; an error of the library. */
int mount_checkpoint(struct mount *m);
/* The same; an errno. */
int mount_commit(struct mount *m);
/* Fill a stat from an inode, with the owners and permissions from the options. */
int mount_stat(struct mount *m, struct f2fs_inode *inode, struct f2fs_stat *raw, struct stat *out);

/* ---- known_inodes.c ---- */

int known_init(struct mount *m);
/* Close all handles and forget all inodes. */
void known_fini(struct mount *m);
/* The inode of a number that the kernel sends; NULL: it holds none of that number. */
struct known *known_find(struct mount *m, fuse_ino_t number);
/* The same by the volume's number; made when it is new, without a reference. NULL: no memory. */
struct known *known_take(struct mount *m, f2fs_nid_t ino);
/* The handle; an error of the library. It stays open for the rest of the request. */
int known_open(struct mount *m, struct known *k, struct f2fs_inode **out);
/* Find and open in one. STALE numbers fail with NOT_FOUND. */
int known_open_number(struct mount *m, fuse_ino_t number, struct known **known, struct f2fs_inode **out);
/* Use a handle that was just made for the inode; the table owns it then. */
void known_give(struct mount *m, struct known *k, struct f2fs_inode *inode);
/* Drop references; at none the inode is forgotten. */
void known_forget(struct mount *m, struct known *k, uint64_t lookups);
/* The number that the kernel knows an inode by. */
fuse_ino_t known_number(const struct mount *m, f2fs_nid_t ino);
/*
 * Before the entry of a name is removed or replaced: open its inode if the kernel knows it, so that it lives on without
 * a name. *out is NULL if the kernel does not know it.
 */
int known_hold(struct mount *m, struct f2fs_inode *dir, const char *name, struct known **out);
/* After that: was it the last name? */
void known_settle(struct mount *m, struct known *held);

/* ---- entries ---- */

/* Fill the answer to a lookup and take the reference for it. An error of the library. */
int entry_fill(struct mount *m, const struct known *dir, f2fs_nid_t ino, struct fuse_entry_param *out);
/* Answer with an entry. The reference is dropped again when the answer is not delivered. */
void entry_reply(fuse_req_t req, struct mount *m, const struct fuse_entry_param *entry);
/* How long the kernel may remember names of a directory, seconds. */
double entry_timeout(const struct known *dir);

/* ---- guard.c ---- */

/* Errors beside those of the library. */
enum mount_error {
	MOUNT_NOT_PERMITTED = -10000, /* EPERM */
	MOUNT_OVERFLOW = -10001,      /* EOVERFLOW */
	MOUNT_NO_VICTIM = -10002      /* EAGAIN: there is no section to empty */
};
/* Do an inode's flags permit a change that only adds (to a file's end, a name to a directory), or any other one? */
int guard_flags(const struct f2fs_stat *st, int only_adds);
int guard_inode(struct f2fs_inode *inode, int only_adds);
/* Do the flags of a directory, and of the inode that known_hold() has found, permit the removal of the name? */
int guard_removal(struct f2fs_inode *dir, const struct known *held);

/* ---- groups of requests, each adds its functions ---- */

void serve_inodes(struct fuse_lowlevel_ops *ops);
void serve_names(struct fuse_lowlevel_ops *ops);
void serve_directories(struct fuse_lowlevel_ops *ops);
void serve_contents(struct fuse_lowlevel_ops *ops);
void serve_xattrs(struct fuse_lowlevel_ops *ops);
void serve_ioctls(struct fuse_lowlevel_ops *ops);

/* ---- keeper.c ---- */

/* Start the thread that writes checkpoints and runs GC when idle. 0, or an errno. */
int keeper_start(struct mount *m);
void keeper_stop(struct mount *m);

#endif
