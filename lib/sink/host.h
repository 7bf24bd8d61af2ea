/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sink that makes files. Directories, links and special files are made by the walk's thread at once; files are
 * planned there (names, attributes, which bytes of the device go where), collected in batches, and read and written by
 * worker threads. Batches are taken back in order: problems are told, directories left, when all before them is done.
 *
 *	sink/host.c       the sink: directories, links, special files
 *	sink/hostdir.c    descriptors of directories: few open, opened again without ever following a link
 *	sink/hostattr.c   owner, mode, attributes, times of one file
 *	sink/hostflags.c  inode flags and project ids
 *	sink/hostpipe.c   threads, memory, the ring of batches
 *	sink/plan.c       the walk's side of a file: its plan
 *	sink/batch.c      the worker's side: a batch from the device to files
 *	sink/retire.c     what became of a batch
 */
#ifndef F2FSKIT_SINK_HOST_H
#define F2FSKIT_SINK_HOST_H

#include <stdatomic.h>

#include "base/comp.h"
#include "base/pool.h"
#include "sink/extract.h"

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
	struct extract_dir *dir;
	struct host_dir *older, *newer;
	unsigned pins; /* files in batches that lie in it; it stays open */
	int fd;
};

/* What the host makes of a new file in the destination. */
struct host_birth {
	uint32_t uid, gid;
	uint32_t mode_mask; /* permissions that the umask leaves */
	bool has_acl;	    /* default ACLs give new files ACLs */
};

/* What attributes are set on: an open file, or a name in a directory that is no symlink to follow. */
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

/* What attributes a file is to have, what it has, and what came of it. */
struct host_wish {
	const struct extract_attr *attr;
	unsigned keep;	  /* enum f2fs_keep */
	bool keeps_setid; /* although the owner is not the image's */
	bool is_root;	  /* root extracts */
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
	struct extract_dir *dir;   /* a reference */
	struct host_dir *host_dir; /* pinned */
	const char *name;	   /* in the arena */
	f2fs_nid_t ino;
	struct extract_attr attr;
	uint64_t size;
	uint32_t first_run, run_count;
	struct host_xattr *xattrs; /* in the arena; of the last piece */
	unsigned xattr_count;
	bool has_xattrs;
	bool is_foreign;	/* see struct extract_dir */
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

/* What is given to a worker. */
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
	uint8_t *window; /* what was read */
	size_t window_size;
	uint8_t *cluster;	    /* decompressed; NULL without compression */
	uint32_t place[BATCH_RUNS]; /* of each run in the window */
	uint32_t order[BATCH_RUNS]; /* runs by place on the device */
};

struct host {
	struct extract *x;
	struct host_dir top; /* the destination */
	bool made_top;
	struct host_birth birth;
	struct host_dir *oldest, *newest; /* open directories, by last use; not top */
	unsigned open_dirs;

	struct pool *pool;
	struct host_slot *slots;
	unsigned slot_count;
	struct host_batch **ring; /* batch_count; those from first on are in flight, then comes the one being filled */
	unsigned batch_count, first, in_flight;
	bool is_filling;
	atomic_bool stop;	/* a worker's failure, or ours, ends the run */
	struct host_file carry; /* what is known of a file whose last piece is not yet back */
	struct vec xattrs;	/* scratch: struct host_xattr */
};

static inline struct host *host_of(const struct extract *x)
{
	return x->sink;
}

/* sink/hostdir.c */
/* Get a directory's descriptor; it stays open until the next call unless pinned. */
int host_dir_get(struct host *h, struct extract_dir *dir, struct host_dir **out);
void host_dir_close(struct host *h, struct extract_dir *dir);
/* A directory is going to be left: open its parent from it if that was closed. */
void host_dir_open_upwards(struct host *h, struct extract_dir *dir);
/* Open or make the destination and see what the host makes of new files in it. */
int host_open_top(struct host *h);

/* sink/hostattr.c: no context, for any thread */
void host_attrs_apply(const struct host_subject *subject, struct host_wish *wish);
/* Set up a wish for a file as it is made in a directory. */
void host_wish_init(const struct host *h, struct host_wish *wish, const struct extract_attr *attr, bool is_foreign);
/* Permissions to create a file with: nothing that it will not have, and what setting attributes needs. */
uint32_t host_create_mode(const struct host_wish *wish, bool has_xattrs);
/* Make a file; 0 or an errno. existing is enum f2fs_existing; EEXIST only if it stays. */
int host_create(const struct host *h, int dir_fd, const char *name, uint32_t mode, int existing, int *fd);
/* After EEXIST: remove what is in the way if that is the policy and it is not the image itself; true: try again. */
bool host_make_way(const struct host *h, int dir_fd, const char *name, int existing, int *sys_errno);
/* sink/hostflags.c */
int host_set_flags(int fd, uint32_t flags);
int host_set_project(int fd, uint32_t projid, uint32_t flags);

/* sink/hostpipe.c */
int host_pipe_init(struct host *h);
/* Wait for all that is planned. */
int host_pipe_flush(struct host *h);
void host_pipe_fini(struct host *h);

/* sink/plan.c */
int host_plan_file(struct host *h, const struct extract_entry *entry);
/* Give the batch being filled to the workers. */
void host_plan_submit(struct host *h);

/* sink/batch.c */
void host_batch_run(struct pool_job *job, unsigned slot);
/* Make a file of a plan: sets its fd, or notes why not. */
void host_batch_create_file(struct host *h, struct host_file *file);
/* Give it its size and attributes and close it. end: where the written contents end, UINT64_MAX when not known. */
void host_batch_finish_file(struct host *h, struct host_file *file, uint64_t end);

/* sink/retire.c */
/* Wait for the oldest batch in flight and tell what came of it. */
int host_retire(struct host *h);
/* Let go of a batch's files without a word: after a failure. */
void host_abandon(struct host *h, struct host_batch *batch);
void host_shared_put(struct host *h, struct host_shared *shared);
/* Tell that the host could not make or write an entry. EXTRACT_LEFT, or the error when it ends the run. */
int host_refused(struct host *h, int sys_errno, const struct extract_place *place, const char *what);
int host_tell_losses(struct host *h, const struct host_wish *wish, const struct extract_place *place);
/* Read the attributes wanted of an inode into the scratch vec of struct host_xattr; damage is told. */
int host_xattrs_load(struct host *h, struct f2fs_inode *inode, const struct extract_place *place);

#endif
