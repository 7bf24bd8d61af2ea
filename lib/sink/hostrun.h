/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sink that makes files. The walk's thread makes directories, links and special files at once. It also plans files
 * (names, attributes, which bytes of the device go where). Worker threads read and write them, in batches. Batches are
 * taken back in order: problems are reported, and directories left, once everything before them is done.
 */
#ifndef F2FSKIT_SINK_HOSTRUN_H
#define F2FSKIT_SINK_HOSTRUN_H

#include <stdatomic.h>

#include "base/comp.h"
#include "base/map32.h"
#include "base/ring.h"
#include "file/xattr_read.h"
#include "sink/sink.h"

#define BATCH_FILES 64u
#define BATCH_RUNS 1024u
#define BATCH_BYTES (1u << 20)	 /* of the device; the last run may go beyond */
#define BATCH_ARENA (256u << 10) /* names, attributes, inline contents */
#define HOST_WINDOW (1u << 20)	 /* bytes read at once; the longest run */
#define HOST_OPEN_DIRS 64u	 /* directories open at once, beside those of batches in flight */
#define HOST_MODE_UNKNOWN UINT32_MAX

struct host;

/* An open directory. */
struct host_dir {
	struct sink_dir *dir;
	struct host_dir *older, *newer;
	unsigned pins; /* files of it in batches; it stays open */
	int fd;
};

/* The host's defaults for a new file in the destination. */
struct host_birth {
	uint32_t uid, gid;
	uint32_t mode_mask; /* permissions that the umask leaves */
	bool has_acl;	    /* default ACLs give new files ACLs */
};

/* The object to set attributes on: an open file, or a name in a directory that is no symlink to follow. */
struct host_subject {
	int fd; /* -1: by name */
	int dir_fd;
	const char *name;
};

struct host_xattr {
	const char *name;
	const uint8_t *value;
	size_t size;
	unsigned bit;  /* enum f2fs_keep */
	int sys_errno; /* result */
};

/* Attributes that a file is to have, those it has, and the results of setting them. */
struct host_wish {
	const struct sink_attr *attr;
	unsigned keep;	  /* enum f2fs_keep */
	bool keeps_setid; /* although the owner is not the image's */
	bool is_root;	  /* root extracts */
	bool stays_readable; /* by its owner on the host: the manifest has the mode, and contents are read again */
	bool lost_setid;  /* the bits were left out */
	bool drops_acl;	  /* it may have inherited some */
	bool knows_owner; /* uid and gid are the file's */
	uint32_t uid, gid;
	uint32_t mode;	    /* permissions it has, HOST_MODE_UNKNOWN */
	uint32_t mode_mask; /* for a mode that is not kept */
	struct host_xattr *xattrs;
	unsigned xattr_count;
	int owner_errno, mode_errno, times_errno, flags_errno, project_errno; /* results */
};

enum host_run_kind {
	RUN_DEVICE, /* read from the device, write to the file */
	RUN_ARENA,  /* in the batch's arena */
	RUN_STORED, /* read from the device: stored blocks of the cluster that follows */
	RUN_CLUSTER /* decompress the stored runs before it */
};

/* A piece of a file. */
struct host_run {
	uint64_t source; /* byte of the device, or of the arena */
	uint64_t offset; /* byte of the file */
	uint32_t length; /* bytes of the file; RUN_STORED: of the device */
	uint8_t kind;	 /* enum host_run_kind */
	uint8_t is_bad;	 /* could not be read as a whole */
};

enum host_step { STEP_NONE, STEP_CREATE, STEP_WRITE, STEP_RESIZE, STEP_ALLOCATE, STEP_SYNC, STEP_CLOSE };

/* A descriptor that the pieces of a file share; closed with the last of them. */
struct host_shared {
	int fd;
	unsigned refs;
};

/* A file, or a piece of a large one, in a batch. */
struct host_file {
	struct sink_dir *dir;	   /* a reference */
	struct host_dir *host_dir; /* pinned */
	const char *name;	   /* in the arena, also host_name */
	const char *host_name;	   /* its name in the destination */
	f2fs_nid_t ino;
	struct sink_attr attr;
	uint64_t size;
	uint32_t first_run, run_count;
	struct host_xattr *xattrs; /* in the arena; of the last piece */
	unsigned xattr_count;
	bool has_xattrs;
	bool is_foreign;	/* see struct sink_dir */
	bool is_first, is_last; /* pieces of the file */
	uint8_t algorithm;	/* of clusters */
	uint32_t cluster_bytes;
	bool has_checksum;
	int fd;			    /* open already, or -1 */
	struct host_shared *shared; /* of pieces, else NULL */

	/* results */
	bool is_skipped;     /* it existed */
	enum host_step step; /* of the host that failed */
	int sys_errno;
	int read_code;	      /* result of the first read or decompression that failed */
	uint64_t lost_offset; /* first byte that could not be read */
	uint64_t lost_bytes;
	uint64_t lost_source;	/* byte of the device */
	uint64_t bad_checksums; /* clusters whose checksum does not match */
	uint64_t misnamed;	/* clusters of another algorithm than the inode names */
	uint64_t bytes;		/* written */
	struct host_wish wish;
};

/* The work given to a worker. */
struct host_batch {
	struct pool_job job; /* first */
	struct host *host;
	unsigned file_count, run_count;
	uint64_t bytes; /* of the device */
	size_t arena_used;
	struct host_file files[BATCH_FILES];
	struct host_run runs[BATCH_RUNS];
	uint8_t arena[BATCH_ARENA];
};

/* A worker's own memory. */
struct host_slot {
	struct comp_state codec;
	uint8_t *window; /* the bytes that were read */
	size_t window_size;
	uint8_t *cluster;	    /* decompressed; NULL without compression */
	uint32_t place[BATCH_RUNS]; /* of each run in the window */
	uint32_t order[BATCH_RUNS]; /* runs by place on the device */
};

struct host {
	struct sink *sink;
	struct host_dir top; /* the destination */
	bool made_top;
	struct host_birth birth;
	struct host_dir *oldest, *newest; /* open directories, by last use; not top */
	unsigned open_dirs;

	struct ring ring; /* struct host_batch */
	struct host_slot *slots;
	unsigned slot_count;
	atomic_bool stop;	/* a worker's failure, or ours, ends the run */
	struct host_file carry; /* the state of a file whose last piece is not yet back */
	struct vec xattrs;	/* scratch: struct host_xattr */
	struct vec dir_xattrs;	/* the same, of a directory that is left while a file is planned */
	struct map32 substitutes; /* checksums of names that got substitutes -> how many did */
	uint64_t device;	  /* that the destination is on */
};

static inline struct host *host_of(const struct sink *sink)
{
	return sink->own;
}

#endif
