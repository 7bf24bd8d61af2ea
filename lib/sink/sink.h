/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sink takes the extracted entries: a directory of the host or a tar stream. It knows one kind of output and nothing
 * of the walk that finds the entries.
 */
#ifndef F2FSKIT_SINK_SINK_H
#define F2FSKIT_SINK_SINK_H

#include <f2fskit/tree.h>

#include "base/context.h"
#include "base/vec.h"
#include "file/object.h"

struct sink;

enum { SINK_NAME_ROOM = 80 }; /* bytes of a substitute name, NUL included */

/* Attributes that the inode itself holds, ids as they are to be on the host. */
struct sink_attr {
	uint32_t mode;
	uint32_t uid, gid;
	uint32_t projid;
	uint32_t flags; /* i_flags */
	bool is_mapped; /* the ids are not the image's */
	struct f2fs_time atime, mtime;
};

enum sink_dir_state {
	DIR_PLANNED, /* nothing is in it yet; made when the first entry needs it */
	DIR_MADE,    /* made by this run */
	DIR_ENTERED, /* existed */
	DIR_OUTSIDE, /* a stripped component: its entries go straight to the destination */
	DIR_FAILED   /* could not be made; its entries are left out */
};

/* A directory of the volume on the way to an entry. */
struct sink_dir {
	struct sink_dir *parent; /* NULL: the volume's root */
	unsigned refs;		 /* of the walk, of directories in it, of entries not yet written, of links */
	uint32_t depth;		 /* components of its path */
	f2fs_nid_t ino;
	uint8_t state;	     /* enum sink_dir_state */
	uint8_t is_included; /* a pattern took it in with all that is in it */
	uint8_t has_xattrs;
	struct sink_attr attr;
	struct host_dir *host;		  /* the directory sink's, while it holds the directory open */
	struct sink_dir *next_down;	  /* scratch: the next one on a way from above */
	uint64_t host_device, host_inode; /* its identity on the host once it was closed, 0 before */
	size_t path_length;		  /* "/a/b"; 0: the root */
	uint8_t is_foreign;		  /* existed on the host, or is in one that did: nothing is known about it */
	uint8_t is_choosy;		  /* the host refuses some names in it, or takes two for one */
	uint8_t is_renamed;		  /* it or one above it has a substitute name on the host */
	char *substitute;		  /* its name on the host; NULL: its own */
	uint16_t name_length;
	char name[]; /* NUL-terminated */
};

/* The current entry. */
struct sink_entry {
	struct sink_dir *dir; /* its directory; NULL for the volume's root */
	const char *name;
	size_t name_length;
	struct f2fs_inode *inode;
	const char *target; /* of a symlink, else NULL */
	size_t target_length;
	uint64_t names; /* that will come, this one included */
	char *substitute; /* SINK_NAME_ROOM bytes, for the sink: the name it has on the host; "": its own */
	bool is_cipher; /* contents are encrypted, and their key is not there */
	struct f2fs_stat stat;
	struct sink_attr attr;
};

/* The first name under which an inode with several was made. */
struct sink_first {
	struct sink_dir *dir; /* a reference */
	char *name;	/* on the host, in the archive */
	uint32_t strip; /* components taken off its name */
};

enum {
	SINK_LEFT = 1,	/* a sink did not make the entry, and has reported why or counted it as skipped */
	SINK_LISTED = 2 /* the same, but the manifest has all of it */
};

/* Operations of a sink. Each returns 0, SINK_LEFT, SINK_LISTED, or a negative error that ends the run. */
struct sink_ops {
	/* Make a directory whose parent is made; sets its state, and counts it. */
	int (*make_dir)(struct sink *sink, struct sink_dir *dir);
	/* Nothing more will come into a directory, and nothing in it is still to be written. */
	int (*leave_dir)(struct sink *sink, struct sink_dir *dir);
	/* The directory is going to be freed. */
	void (*drop_dir)(struct sink *sink, struct sink_dir *dir);
	int (*put_file)(struct sink *sink, const struct sink_entry *entry);
	int (*put_symlink)(struct sink *sink, const struct sink_entry *entry);
	int (*put_special)(struct sink *sink, const struct sink_entry *entry);
	int (*put_link)(struct sink *sink, const struct sink_entry *entry, const struct sink_first *first);
	/* Write all buffered data. */
	int (*flush)(struct sink *sink);
	/* Report the problems of all entries so far: another one follows. NULL: they come in any order. */
	int (*settle)(struct sink *sink);
	/* All directories were left; write the end. */
	int (*end)(struct sink *sink);
	/* Release everything, after a failure too. */
	void (*close)(struct sink *sink);
};

enum { SINK_LISTS = 3 };

/* Where to write and how: see struct f2fs_extract_options. */
struct sink_options {
	const char *directory;
	const struct f2fs_stream *tar;
	const char *tar_filter;
	unsigned flags;		/* enum f2fs_extract_flag */
	unsigned keep, require; /* enum f2fs_keep */
	int existing;		/* enum f2fs_existing */
	unsigned threads;
	uint64_t max_bytes;
	const struct f2fs_stream *manifest, *fs_config, *file_contexts;
	const char *mount_point;
	int (*entry)(void *user, const char *path, const struct f2fs_stat *stat);
	int (*problem)(void *user, const struct f2fs_extract_problem *problem);
	void *user;
};

struct sink {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol; /* that entries are read from */
	struct sink_options opt;
	struct f2fs_extract_result *result;
	const struct sink_ops *ops;
	void *own;	/* of ops */
	long owner;	/* see sink/owner.h */
	uint32_t strip; /* components taken off names of current entries */
	bool is_choosy; /* see struct sink_dir: of the destination */

	struct vec way;			       /* char: path of a directory, */
	struct sink_dir *way_dir;	       /* this one */
	struct vec report_path;		       /* scratch: char, path of a problem */
	struct vec entry_path;		       /* scratch: char, path of an entry that is reported */
	struct vec mounted;		       /* scratch: char, path from the mount point on */
	struct vec host_path;		       /* scratch: char, path of an entry in the destination */
	struct sink_stream *streams;	       /* all that are open */
	struct sink_stream *lists[SINK_LISTS]; /* of entries; NULL: not wanted */
	uint64_t bytes_planned;
	uint64_t blocks_taken; /* of contents */
};

static inline bool sink_keeps(const struct sink *sink, unsigned bit)
{
	return (sink->opt.keep & bit) != 0;
}

/* Begin with a sink whose ctx, vol, opt and result are set; sink_fini() must follow, also on failure. */
void sink_init(struct sink *sink);
/* Open the outputs that the options name, lists included. */
int sink_open(struct sink *sink);
/*
 * Close it. err: the result of the run. If it is not 0, outputs are dropped as incomplete. Returns it or the first
 * failure.
 */
int sink_close(struct sink *sink, int err);
void sink_fini(struct sink *sink);

#endif
