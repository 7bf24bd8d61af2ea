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
#include "fuse/image_pipe.h"

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
	uint8_t is_listed; /* among those whose handles may be closed */
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
	int no_splice;	   /* large reads are copied */
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
	int is_single; /* one request is served at a time, but for ioctls, which may cause others */
	struct fuse_session *session;

	pthread_mutex_t lock; /* around all that follows, and every call of the library */
	f2fs_nid_t root;
	uint32_t block_size;
	int direct_fd; /* the image, for reads beside the lock; -1: there are none */
	uint64_t direct_offset;
	uint64_t direct_reads, repeated_reads; /* done so; and by the library once more, after a checkpoint */
	uint64_t spliced_reads;		       /* of the direct ones, through a pipe */
	struct image_pipes pipes;
	uint64_t checkpoints; /* written so far, and one */
	struct known_table known;
	int is_broken;	      /* writing has failed, and has stopped */
	int is_shut;	      /* F2FS_IOC_SHUTDOWN has stopped it */
	unsigned failures;    /* of the device, and damages, that were reported */
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

#endif
