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

/*
 * Where an inode belongs, in the upper half of the kernel's number for it; the lower half is its number there. The
 * kernel's number 1 is the root of the volume.
 */
enum mount_space {
	SPACE_VOLUME = 0,     /* the mounted volume: inode number */
	SPACE_CONTROL = 1,    /* fixed entries of /.f2fs: enum control_id */
	SPACE_PAST = 2,	      /* an old inode: its block address */
	SPACE_DELETED = 3,    /* a deleted file, or a directory on its path: row of the tree */
	SPACE_MIRROR = 4,     /* a directory below /.f2fs/versions: inode number of the directory it stands for */
	SPACE_VERSIONS = 5,    /* the versions of a file: its inode number */
	SPACE_CHECKPOINT = 6, /* a directory of /.f2fs/checkpoints: the checkpoint's version */
	SPACE_VIEWS = 16      /* and on: inodes of a view, by its place among the views */
};

/* An inode that the kernel knows by its number. */
struct known {
	struct known *next;	     /* in its bucket */
	struct known *newer, *older; /* among those with a handle, by their last use */
	uint32_t space;		     /* enum mount_space */
	f2fs_nid_t ino;		     /* or what the space says */
	uint8_t folds;	  /* a directory whose names ignore case */
	uint8_t has_name; /* 0: removed while the kernel holds it, so the handle has to stay */
	uint8_t is_encrypted;
	uint8_t is_stale; /* the kernel has cached writes that were dropped */
	uint32_t pins;	  /* readers of the directory, or atomic writes, that need the handle */
	struct atomic_file *atomic; /* NULL: writes do not wait */
	uint64_t lookups; /* references that the kernel holds */
	uint64_t changed_in; /* number of the checkpoint after which the contents changed last */
	/* of direct_read.c: the extent found last, and the checkpoint after which that was; 0: none */
	struct f2fs_file_extent run;
	uint64_t run_in;
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
	unsigned gc_min_sleep, gc_max_sleep, gc_no_gc_sleep; /* seconds between two victims */
	int shows_deleted; /* below /.f2fs */
	int atime;	   /* enum mount_atime */
	int leaves_dir_times, is_lazy;
	int has_uid, has_gid, has_umask;
	uint32_t uid, gid, umask;
	struct f2fs_compression compression; /* of files that chattr +c compresses */
};

enum { INODE_PINNED = 0x40 /* of i_inline */ };

enum mount_atime { MOUNT_ATIME_NONE = 0, MOUNT_ATIME_RELATIVE = 1, MOUNT_ATIME_STRICT = 2 };

enum mount_gc { MOUNT_GC_ON = 0, MOUNT_GC_OFF = 1, MOUNT_GC_SYNC = 2 };

/* A section that background GC has emptied. */
struct mount_victim {
	uint32_t section, blocks; /* blocks in use that it had */
};

enum { MOUNT_VICTIMS = 16 /* remembered */ };

struct mount_gc_state {
	int has_power, screen_is_on; /* of the device, as commands say */
	int64_t wait_ns, next_ns;    /* between two victims; when to look for the next one */
	uint64_t runs, sections, moved_data, moved_nodes;
	uint64_t victim_count; /* the last MOUNT_VICTIMS of them are kept */
	struct mount_victim victims[MOUNT_VICTIMS];
};

struct mount {
	struct cli *cli;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const char *image; /* as the user named it */
	struct mount_options options;
	int is_daemon; /* messages go to syslog */
	int gathers_writes; /* the kernel does */
	int is_single; /* one request is served at a time */
	struct fuse_session *session;

	pthread_mutex_t lock; /* around all that follows, and every call of the library */
	f2fs_nid_t root;
	uint32_t block_size;
	int direct_fd; /* the image, for reads beside the lock; -1: there are none */
	uint64_t direct_offset;
	uint64_t direct_reads, repeated_reads; /* done so; and by the library once more, after a checkpoint */
	uint64_t checkpoints; /* written so far, and one */
	struct known_table known;
	int is_broken;	      /* writing has failed, and has stopped */
	int is_shut;	      /* F2FS_IOC_SHUTDOWN has stopped it */
	int is_change;	      /* the request that holds the lock is one */
	int64_t changed_ns;   /* when the first change since the last checkpoint was made; 0: there is none */
	int64_t requested_ns; /* when the last request came */
	struct f2fs_time now; /* of a request that changes something: all times that it sets */
	int gc_is_done;	      /* GC has found nothing to do since the last change */
	struct mount_gc_state gc;
	uint64_t written_bytes, write_requests; /* by programs */
	char *status;				/* the file status; NULL: never asked for */
	size_t status_length;

	int has_forgotten;	   /* a file without a name was forgotten since the last checkpoint */
	struct atomic_file *atomic_files;
	uint64_t atomic_bytes; /* that they hold */
	int has_stale;	       /* inodes that the kernel has to read again */
	struct quota_guard *quota; /* NULL: nobody has limits */
	struct history *history; /* NULL: not shown */
	/* Open an inode of another space; NULL: there are none. */
	int (*open_other)(struct mount *m, const struct known *k, struct f2fs_inode **out);
	pthread_cond_t wake; /* ends the keeper's sleep */
	pthread_t keeper;
	int has_keeper, is_ending;
};

/*
 * Take the lock: for a request that does not count as use, for any other one, or for one that changes the volume. The
 * last also sets the time that it stamps.
 */
struct mount *mount_enter_quietly(fuse_req_t req);
struct mount *mount_enter(fuse_req_t req);
struct mount *mount_enter_to_change(fuse_req_t req);
void mount_leave(struct mount *m);
/* The kernel's own clock for files: coarse, so that inodes that are written often change less often. */
void mount_time(const struct mount *m, struct f2fs_time *now);
/* Before the lock is dropped by anybody else who may have written checkpoints. */
void mount_count_checkpoints(struct mount *m);
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
/* The same by space and number; made when it is new, without a reference. NULL: no memory. */
struct known *known_take(struct mount *m, uint32_t space, f2fs_nid_t ino);
/* The handle; an error of the library. It stays open for the rest of the request. */
int known_open(struct mount *m, struct known *k, struct f2fs_inode **out);
/* Find and open in one. STALE numbers fail with NOT_FOUND. */
int known_open_number(struct mount *m, fuse_ino_t number, struct known **known, struct f2fs_inode **out);
/* Use a handle that was just made for the inode; the table owns it then. */
void known_give(struct mount *m, struct known *k, struct f2fs_inode *inode);
/* Drop references; at none the inode is forgotten. */
void known_forget(struct mount *m, struct known *k, uint64_t lookups);
/* The contents of the file have changed. */
void known_change(struct mount *m, struct known *k);
/* The number that the kernel knows an inode by. */
fuse_ino_t known_number(const struct mount *m, uint32_t space, f2fs_nid_t ino);
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
double entry_timeout(struct mount *m, const struct known *dir);

/*
 * Answer with attributes and the time of birth, NULL for none: a stat has no room for it, so the kernel asks apart.
 * Defined from libfuse 3.18 on.
 */
void stat_reply_statx(fuse_req_t req, const struct stat *st, const struct f2fs_time *birth, double timeout);

/* ---- guard.c ---- */

/* Errors beside those of the library. */
enum mount_error {
	MOUNT_NOT_PERMITTED = -10000, /* EPERM */
	MOUNT_OVERFLOW = -10001,      /* EOVERFLOW */
	MOUNT_NO_VICTIM = -10002,     /* EAGAIN: there is no section to empty */
	MOUNT_TOO_MANY = -10003,      /* ENFILE: too many checkpoints are open */
	MOUNT_QUOTA = -10004	      /* EDQUOT */
};
/* Do an inode's flags permit a change that only adds (to a file's end, a name to a directory), or any other one? */
int guard_flags(const struct f2fs_stat *st, int only_adds);
int guard_inode(struct f2fs_inode *inode, int only_adds);
/* Do the flags of a directory, and of the inode that known_hold() has found, permit the removal of the name? */
int guard_removal(struct f2fs_inode *dir, const struct known *held);

/* ---- serve_xattrs.c ---- */

/* Answer with a value that is `length` long, or with its length if there is no room; an errno fails the request. */
void xattr_reply(fuse_req_t req, int code, const char *value, size_t length, size_t room);
/* Add up the lengths of the names in *length; copy them while there is room. An error of the library. */
int xattr_names(struct f2fs_inode *inode, int is_root, char *out, size_t room, size_t *length);

/* ---- groups of requests, each adds its functions ---- */

void serve_inodes(struct fuse_lowlevel_ops *ops);
void serve_names(struct fuse_lowlevel_ops *ops);
void serve_directories(struct fuse_lowlevel_ops *ops);
void serve_contents(struct fuse_lowlevel_ops *ops);
void serve_xattrs(struct fuse_lowlevel_ops *ops);
/* After all others, layers over them: one serves /.f2fs, one the marks of old files. */
void serve_special(struct fuse_lowlevel_ops *ops);
void serve_marks(struct fuse_lowlevel_ops *ops);
void serve_ioctls(struct fuse_lowlevel_ops *ops);

/* ---- keeper.c ---- */

/* Start the thread that writes checkpoints and runs GC when idle. 0, or an errno. */
int keeper_start(struct mount *m);
void keeper_stop(struct mount *m);

#endif
