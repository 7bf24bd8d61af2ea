/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extraction inside: one walk over the volume, and a sink that takes what it finds. The walk knows paths, patterns,
 * hard links and problems and nothing of the host; a sink (directory, tar stream) knows one kind of output and nothing
 * of the rest.
 *
 *	extract/extract.c          options, the run, the result
 *	extract/path.c     listed paths: where they really are, in what order
 *	extract/walk.c     what becomes of each entry
 *	sink/dir.c      directories between the root and an entry; paths from them
 *	extract/link.c     files with several names
 *	extract/names.c    how many names each file has, before anything is written
 *	sink/report.c   problems, counts, callbacks
 *	sink/stream.c   streams of the caller
 *	sink/lists.c    lists of the entries: sink/manifest.c has a line of JSON for each, sink/android_lists.c
 *	                   the lines of fs_config and file_contexts
 *	sink/tar.c      the sink that writes a tar stream, with sink/pax.c (headers), sink/regions.c (maps of
 *	                   sparse files), sink/filter.c (compression)
 *	host*.c            the sink that makes files: see sink/host.h
 */
#ifndef F2FSKIT_SINK_EXTRACT_H
#define F2FSKIT_SINK_EXTRACT_H

#include <f2fskit/tree.h>

#include "base/map32.h"
#include "base/vec.h"
#include "file/object.h"

struct extract;

/* Attributes that the inode itself holds, ids as they are to be on the host. */
struct extract_attr {
	uint32_t mode;
	uint32_t uid, gid;
	uint32_t projid;
	uint32_t flags;	/* i_flags */
	bool is_mapped; /* the ids are not the image's */
	struct f2fs_time atime, mtime;
};

enum extract_dir_state {
	DIR_PLANNED, /* nothing is in it yet; made when the first entry needs it */
	DIR_MADE,    /* made by this run */
	DIR_ENTERED, /* existed */
	DIR_OUTSIDE, /* a stripped component: its entries go straight to the destination */
	DIR_FAILED   /* could not be made; what is in it is left out */
};

/* A directory of the volume on the way to an entry. */
struct extract_dir {
	struct extract_dir *parent; /* NULL: the volume's root */
	unsigned refs;		    /* of the walk, of directories in it, of entries not yet written, of links */
	uint32_t depth;		    /* components of its path */
	f2fs_nid_t ino;
	uint8_t state;	     /* enum extract_dir_state */
	uint8_t is_included; /* a pattern took it in with all that is in it */
	uint8_t has_xattrs;
	struct extract_attr attr;
	struct host_dir *host;		  /* the directory sink's, while it holds the directory open */
	struct extract_dir *next_down;	  /* scratch: the next one on a way from above */
	uint64_t host_device, host_inode; /* its identity on the host once it was closed, 0 before */
	size_t path_length;		  /* "/a/b"; 0: the root */
	uint8_t is_foreign;		  /* existed on the host, or lies in one that did: nothing is known about it */
	uint16_t name_length;
	char name[]; /* NUL-terminated */
};

/* The entry at hand. */
struct extract_entry {
	struct extract_dir *dir; /* it lies in; NULL for the volume's root */
	const char *name;
	size_t name_length;
	struct f2fs_inode *inode;
	const char *target; /* of a symlink, else NULL */
	size_t target_length;
	uint64_t names; /* that will come, this one included */
	bool is_cipher; /* contents are encrypted, and their key is not there */
	struct f2fs_stat stat;
	struct extract_attr attr;
};

/* The first name under which an inode with several was extracted. */
struct extract_link {
	struct extract_dir *dir; /* a reference */
	char *name;
	uint32_t strip;	     /* components taken off its name */
	uint64_t names_left; /* how many are still to come; of a free one the next free one */
};

/* What is known of names: extract/names.c. */
struct extract_names {
	uint8_t *met;	      /* by node id: the survey met a name */
	uint8_t *made;	      /* by node id: it was extracted */
	struct map32 several; /* inode -> names, when it has more than one */
};

enum { EXTRACT_LEFT = 1 }; /* a sink did not make the entry, and has told why or counted it as skipped */

/* What a sink does. Each returns 0, EXTRACT_LEFT, or a negative error that ends the run. */
struct extract_sink_ops {
	/* Make a directory whose parent is made; sets its state, and counts it. */
	int (*make_dir)(struct extract *x, struct extract_dir *dir);
	/* Nothing more will come into a directory, and nothing in it is still to be written. */
	int (*leave_dir)(struct extract *x, struct extract_dir *dir);
	/* The directory is going to be freed. */
	void (*drop_dir)(struct extract *x, struct extract_dir *dir);
	int (*put_file)(struct extract *x, const struct extract_entry *entry);
	int (*put_symlink)(struct extract *x, const struct extract_entry *entry);
	int (*put_special)(struct extract *x, const struct extract_entry *entry);
	int (*put_link)(struct extract *x, const struct extract_entry *entry, const struct extract_link *first);
	/* Write what is still held back. */
	int (*flush)(struct extract *x);
	/* All directories were left; write the end. */
	int (*end)(struct extract *x);
	/* Let go of everything, after a failure too. */
	void (*close)(struct extract *x);
};

/* One listed path, resolved. */
struct extract_target {
	char *path;	/* canonical: "" for the root, "a/b" */
	uint32_t depth; /* components */
	uint32_t strip; /* components taken off names in it */
	f2fs_nid_t ino;
};

enum { EXTRACT_LISTS = 3 };

/* A run. */
struct extract {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const struct f2fs_extract_options *options;
	unsigned keep, require; /* enum f2fs_keep */
	struct f2fs_extract_result result;

	const struct extract_sink_ops *ops;
	void *sink;

	const struct extract_target *target; /* the one at hand */
	const char *target_name;	     /* its last component */
	struct extract_dir *dir;	     /* where the walk is: a reference; NULL above the root */
	struct vec way;			     /* char: path of a directory, */
	struct extract_dir *way_dir;	     /* this one */
	struct vec path;		     /* scratch: char, path of the entry at hand */
	struct vec report_path;		     /* scratch: char, path of a problem */
	struct vec entry_path;		     /* scratch: char, path of an entry that is told */
	struct vec target_text;		     /* scratch: char, target of a symlink */

	struct map32 link_index; /* inode -> index in links */
	struct vec links;	 /* struct extract_link */
	uint32_t free_link;	 /* first unused one; names_left is the next */

	struct extract_stream *streams;		     /* all that are open */
	struct extract_stream *lists[EXTRACT_LISTS]; /* of entries; NULL: not wanted */
	struct vec mounted;			     /* scratch: char, path from the mount point on */
	uint64_t inodes_done, inodes_total;
	struct f2fs_progress progress;
	uint64_t bytes_planned;
	struct extract_names names;
	uint64_t blocks_taken; /* of contents */
};

static inline bool extract_keeps(const struct extract *x, unsigned bit)
{
	return (x->keep & bit) != 0;
}

/* extract/path.c */
/* Resolve the listed paths into canonical ones (struct extract_target), in order, without those that lie below others.
 */
int extract_targets_load(struct extract *x, struct vec *targets);
void extract_targets_fini(struct vec *targets);

/* extract/walk.c */
/* Extract what lies at the target. */
int extract_walk(struct extract *x, const struct extract_target *target);
/* Go up to the root and let go of it. */
int extract_walk_end(struct extract *x);

/* sink/dir.c */
int extract_dir_new(struct extract *x, struct extract_dir *parent, const char *name, size_t length,
		    struct extract_dir **out);
static inline struct extract_dir *extract_dir_ref(struct extract_dir *dir)
{
	dir->refs++;
	return dir;
}
/* Drop a reference; with the last one the sink leaves the directory, and its parent loses one. */
int extract_dir_put(struct extract *x, struct extract_dir *dir);
/* The same without the sink: after a failure. */
void extract_dir_drop(struct extract *x, struct extract_dir *dir);
/* Build "/a/b/name", or the directory's own path when name is NULL, in a vec of char; NUL-terminated. */
int extract_full_path(struct extract *x, struct vec *path, struct extract_dir *dir, const char *name);
/* The same without the first skip components and without a slash before it: "b/name"; "." when nothing is left. */
int extract_short_path(struct extract *x, struct vec *path, struct extract_dir *dir, const char *name, uint32_t skip);
/* The whole path, or "..." and its end: see struct f2fs_extract_problem. */
int extract_shown_path(struct extract *x, struct vec *path, struct extract_dir *dir, const char *name);

/* extract/link.c */
void extract_links_init(struct extract *x);
/* Let go of all first names; their directories may be left. */
int extract_links_end(struct extract *x);
void extract_links_fini(struct extract *x);
struct extract_link *extract_link_find(struct extract *x, f2fs_nid_t ino);
int extract_link_add(struct extract *x, const struct extract_entry *entry);
/* One more name was made: forget the inode after the last one. */
int extract_link_used(struct extract *x, f2fs_nid_t ino);

/* extract/names.c */
/* Count the names of all that is below the targets; nothing when links are not kept. */
int extract_names_survey(struct extract *x, const struct vec *targets);
void extract_names_fini(struct extract *x);
/* How many names an inode has, at least 1. */
uint64_t extract_names_of(const struct extract *x, f2fs_nid_t ino);
/* Was the inode extracted? set: it was. */
bool extract_names_made(struct extract *x, f2fs_nid_t ino, bool set);
/* count more blocks are going to be read as contents of an inode. CORRUPT, recorded, when that makes more than the
 * volume has: they cannot all be files of their own. */
int extract_take_blocks(struct extract *x, struct f2fs_inode *inode, uint64_t count);

/* sink/report.c */
/* Where a problem is: an entry, and what of it. */
struct extract_place {
	struct extract_dir *dir; /* NULL: the root of the volume is the entry */
	const char *name;	       /* NULL: dir itself is the entry */
	f2fs_nid_t ino;
	const char *what;
};
/* Tell of the error just recorded in the context. Returns 0, or CANCELED when the host wants to stop. */
int extract_problem(struct extract *x, int kind, const struct extract_place *place);
/* The same for what does not make the run incomplete. */
int extract_remark(struct extract *x, int kind, const struct extract_place *place);
/* Tell of an attribute the host did not take (enum f2fs_keep bit); the error is recorded. */
int extract_attribute_lost(struct extract *x, unsigned bit, const struct extract_place *place);
/* Is this a failure of the host that ends the run, rather than one of an entry? */
bool extract_is_fatal(int sys_errno);
/* Record that the caller wants to stop; returns CANCELED. */
int extract_stopped(struct extract *x);
int extract_progress(struct extract *x);
/* TOO_BIG when bytes_planned is above the caller's limit. */
int extract_check_limit(struct extract *x);

/* Are there attributes at all? Cheap: no false no. */
bool extract_has_xattrs(const struct f2fs_inode *inode);
/* Attributes of an inode that are wanted: advances *index; F2FS_ERR_NO_ATTR (not recorded) after the last. *bit is the
 * enum f2fs_keep bit of its class. */
int extract_xattr_next(struct extract *x, struct f2fs_inode *inode, unsigned *index, struct f2fs_xattr *out,
		       unsigned *bit);

/* sink/stream.c: a stream with a buffer. It keeps its first failure: later calls do nothing and return it again. */
struct extract_stream;
/* output: enum f2fs_output; name: for messages, where the stream has no path. */
int extract_stream_open(struct extract *x, const struct f2fs_stream *stream, uint32_t output, const char *name,
			struct extract_stream **out);
/* Returns 0 or an errno, and records nothing. */
int extract_stream_put(struct extract_stream *s, const void *data, size_t length);
/* Record the failure and return its code. */
int extract_stream_report(const struct extract_stream *s);
/* Give up what is not whole: a file that was made for it goes, one that was there before is noted in the result. NULL
 * is allowed. */
void extract_stream_drop(struct extract_stream *s);
/* Flush and close; NULL is allowed. Returns 0 or the code of the failure, recorded, after which it was given up. */
int extract_stream_close(struct extract_stream *s);

/* sink/lists.c */
int extract_lists_open(struct extract *x);
/* Does anybody want to know of entries? */
bool extract_tells_entries(const struct extract *x);
/* Tell of an entry that was made or planned. */
int extract_tell_entry(struct extract *x, const struct extract_entry *entry);
/* Close all; err is what ended the run, and they are given up when it is not 0. Returns it or the first failure. */
int extract_lists_close(struct extract *x, int err);

/* sink/manifest.c, sink/android_lists.c: one entry of a list. */
int extract_manifest_add(struct extract *x, struct extract_stream *s, const char *path,
			 const struct extract_entry *entry);
int extract_fs_config_add(struct extract *x, struct extract_stream *s, const char *path,
			  const struct extract_entry *entry);
int extract_file_contexts_add(struct extract *x, struct extract_stream *s, const char *path,
			      const struct extract_entry *entry);

/* The sinks. */
int extract_host_open(struct extract *x);
int extract_tar_open(struct extract *x);

#endif
