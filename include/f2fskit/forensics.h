/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forensics: find old versions of inodes, deleted files and times that a volume still holds. F2FS writes nodes and data
 * to new blocks. The old contents of a block stay until it is used again. Nothing here writes.
 *
 * Old node blocks carry their own names (node id, inode, place in the file, checkpoint version), so they are found and
 * verified by their own contents. Old data blocks carry no names. Whether one still holds the data of an old pointer is
 * decided by this evidence, in this order: the SIT has the block for another owner; the summary of its segment names
 * another last writer; a node written after the last checkpoint points to it, or occupies it; it is blank.
 *
 * Linux discards deleted data, and devices read discarded blocks as zeros or 0xFF. So a free block of only zeros or
 * only 0xFF is called blank: probably discarded. It never counts as intact, unless a digest of the file shows that
 * zeros are its contents. Where the map of a file has no block, zeros are its contents.
 *
 * Two kinds of newer data go unnoticed. One is data that was written between the last checkpoint and a crash and that
 * no node names. The other are blocks that the kernel rewrote in place for the same file: they hold its newer contents.
 *
 * Clocks: the times in inodes, and the checkpoint version of each node, which counts checkpoints and cannot be set
 * back.
 */
#ifndef F2FSKIT_FORENSICS_H
#define F2FSKIT_FORENSICS_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_past;

/* Flags of f2fs_past_open(). */
enum f2fs_past_flag {
	/* Read every block of the main area, not only segments that hold or held nodes by SIT and summaries. */
	F2FS_PAST_THOROUGH = 1
};

/* Options of f2fs_past_open; begin it with F2FS_SIZED. */
struct f2fs_past_options {
	uint32_t struct_size;  /* F2FS_SIZED */
	f2fs_nid_t ino;	       /* find nodes of this inode only, reading mostly summaries; 0: of all inodes */
	unsigned flags;	       /* enum f2fs_past_flag */
	uint32_t max_segments; /* the most segments to read whole, in the order of the device; 0: no limit */
};

/* Numbers of a search: blocks read and nodes found. */
struct f2fs_past_stat {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t segments;    /* read whole */
	uint64_t summaries;   /* segments of which only the blocks named by the summary were read */
	uint64_t blocks_read; /* of the main area */
	uint64_t nodes;	      /* node blocks found, those in use included */
	uint64_t inodes;      /* inode blocks among them */
	uint64_t foreign;     /* blocks that look like nodes, but are newer than the volume: from an earlier file
			       * system */
	uint64_t unreadable;  /* reads that failed, in the search and since */
	uint8_t is_cut;	      /* max_segments ended the search */
	uint32_t newest;      /* low half of the newest checkpoint version, or of a view's own; 0: there is none */
};

/*
 * Search the volume for node blocks, old and in use. Each takes 20 bytes of memory. The volume must stay open until the
 * search is closed. Later changes of the volume may overwrite the nodes found. options may be NULL. Fails with NOMEM,
 * CANCELED, STATE (a transaction runs: no table shows yet which blocks it has overwritten).
 */
F2FS_API int f2fs_past_open(struct f2fs_volume *vol, const struct f2fs_past_options *options, struct f2fs_past **out);
/* Close a search. NULL is allowed. */
F2FS_API void f2fs_past_close(struct f2fs_past *past);
/* Copy the numbers of a search to *out. */
F2FS_API void f2fs_past_stat(const struct f2fs_past *past, struct f2fs_past_stat *out);

/* Blocks of an old inode that may be read although they may not be its own any more. */
enum f2fs_at_flag {
	/* Also read blocks that others have written since, as they are now. Without this flag reading them fails with
	 * OVERWRITTEN. */
	F2FS_AT_OVERWRITTEN = 1,
	/* Also read blank blocks, as they are: zeros or 0xFF. Without this flag reading them fails with OVERWRITTEN,
	 * unless the file's digest shows that they are its contents. */
	F2FS_AT_BLANK = 2
};

/*
 * Open an inode as it is at a block address, current or old. It reads like any other (contents, entries, attributes,
 * extents) and cannot be changed.
 *
 * Its nodes are those of its own time. For each node id and place the newest one is used whose checkpoint version is
 * not newer than the inode's. If none of those is left, the oldest newer one is used that is older than the next
 * version of the inode. The last version of an inode takes the newest nodes there are, as moving a node does not touch
 * the inode. Where a node is lost, or a block was written by others since or is blank, reading fails with OVERWRITTEN.
 *
 * past: a search of all inodes or of this one, which must stay open until the inode is closed. NULL: the call makes
 * one, which reads the volume's summaries when the inode has further nodes. Fails with NOT_FOUND (no inode there),
 * CORRUPT, RANGE, IO, NOMEM, STATE.
 */
F2FS_API int f2fs_inode_open_at(struct f2fs_volume *vol, struct f2fs_past *past, f2fs_blk_t addr, unsigned flags,
				struct f2fs_inode **out);

/* State of the blocks of an old version, as counts of blocks without nodes. */
struct f2fs_remains {
	uint64_t blocks;       /* blocks that its slots point to */
	uint64_t current;      /* still in use by the same file at the same place */
	uint64_t intact;       /* free, last written by this slot, and not blank (or confirmed by a digest) */
	uint64_t unknown;      /* free and not blank, but its last writer cannot be determined */
	uint64_t blank;	       /* free, and all zeros or all 0xFF: probably discarded */
	uint64_t overwritten;  /* in use by others, or written by others since */
	uint64_t bad;	       /* addresses outside the main area */
	uint64_t lost;	       /* file blocks whose node is lost */
	uint64_t shared;       /* blocks that the next version has at the same places, too */
	uint32_t nodes;	       /* of its tree that were found, the inode included */
	uint32_t nodes_lost;   /* nodes that its tree had and that were not found */
	uint32_t nodes_later;  /* of nodes: newer than the inode */
	uint32_t nodes_unsure; /* of nodes: others of the same version were there to choose from */
};

/* How much of an old version is left. */
enum f2fs_confidence {
	F2FS_CONFIDENCE_WHOLE = 0, /* all of it: each block is in use by it or was last written by it */
	/* no evidence against any block, but some blocks have no evidence at all. Or the next change of the contents
	 * shares blocks with this version, so the kernel may have written in place. Or a node is newer than the inode,
	 * or there were several of the same time */
	F2FS_CONFIDENCE_LIKELY = 1,
	F2FS_CONFIDENCE_PART = 2,     /* some blocks are overwritten, lost or blank */
	F2FS_CONFIDENCE_BLANK = 3,    /* no block of contents is left, some or all are blank: probably discarded */
	F2FS_CONFIDENCE_METADATA = 4, /* no block of contents is left */
	F2FS_CONFIDENCE_NAME = 5      /* not even the inode: a name in a directory */
};
/* Return the name of a confidence ("whole", "likely"); "?" for other numbers. */
F2FS_API const char *f2fs_confidence_name(int confidence);

/* Properties of a version. */
enum f2fs_version_flag {
	F2FS_VERSION_CURRENT = 1,   /* the one in use */
	F2FS_VERSION_RECENT = 2,    /* written after the last checkpoint (by an fsync), or one just before it */
	F2FS_VERSION_OTHER_USE = 4, /* of an earlier file that had the inode number */
	F2FS_VERSION_LAST = 8	    /* newest version left of its file */
};

/* A version of an inode that can still be found. */
struct f2fs_version {
	f2fs_nid_t ino;		     /* inode number */
	f2fs_blk_t addr;	     /* block address */
	uint32_t cp_ver;	     /* low half of the checkpoint version in force when it was written */
	uint32_t age;		     /* checkpoints made since then, up to the newest one of the volume */
	uint32_t generation;	     /* random number of this use of the inode number */
	unsigned flags;		     /* enum f2fs_version_flag */
	f2fs_nid_t parent;	     /* i_pino */
	uint16_t name_len;	     /* bytes of name */
	uint8_t name[256];	     /* i_name, as stored: ciphertext when encrypted; NUL-terminated */
	struct f2fs_stat stat;	     /* as f2fs_inode_stat() returns it */
	struct f2fs_remains remains; /* state of its blocks */
	int confidence;		     /* enum f2fs_confidence */
};

/*
 * Call visit for each version of an inode that can still be found, the oldest first: by checkpoint version, then by
 * address, the one in use last. past: a search of all inodes or of this one. visit returns 0 or a negative error that
 * ends the run. Fails with that, STATE (the volume was changed since), CANCELED, NOMEM.
 */
F2FS_API int f2fs_past_list_versions(struct f2fs_past *past, f2fs_nid_t ino,
				     int (*visit)(void *user, const struct f2fs_version *version), void *user);

/* Kinds of nodes below an inode. */
enum f2fs_node_version_kind {
	F2FS_NODE_VERSION_DIRECT = 0,	/* addresses of contents */
	F2FS_NODE_VERSION_INDIRECT = 1, /* node ids of direct nodes */
	F2FS_NODE_VERSION_DOUBLE = 2,	/* node ids of indirect nodes */
	F2FS_NODE_VERSION_XATTR = 3	/* extended attributes */
};
/* Return the name of a kind ("direct", "xattr"); "?" for other numbers. */
F2FS_API const char *f2fs_node_version_kind_name(int kind);

/* A node below an inode, old or in use. */
struct f2fs_node_version {
	f2fs_nid_t ino;	      /* inode that it belongs to */
	f2fs_nid_t nid;	      /* node id */
	f2fs_blk_t addr;      /* block address */
	uint32_t cp_ver;      /* as of struct f2fs_version */
	uint32_t age;	      /* as of struct f2fs_version */
	uint32_t node_offset; /* place in the tree (FORMAT files 1.4) */
	int kind;	      /* enum f2fs_node_version_kind */
	unsigned flags;	      /* F2FS_VERSION_CURRENT, F2FS_VERSION_RECENT */
	uint32_t used;	      /* slots that are not empty; 0 of the xattr node */
	uint64_t file_block;  /* first file block below it; F2FS_NO_BLOCK: none, or not known, as no inode is left */
};

/*
 * Call visit for each node found below an inode, by node ids, the oldest version of each first. The owner is taken from
 * the node's own block, so it may be an earlier file that had the inode number. past and visit as for
 * f2fs_past_list_versions(). Fails as f2fs_past_list_versions().
 */
F2FS_API int f2fs_past_list_nodes(struct f2fs_past *past, f2fs_nid_t ino,
				  int (*visit)(void *user, const struct f2fs_node_version *version), void *user);

/* Kinds of differences between two versions. */
enum f2fs_version_difference_kind {
	F2FS_VERSION_FIELD = 0, /* a field of the inode's head */
	F2FS_VERSION_XATTR = 1, /* an attribute that one lacks or has with another value */
	F2FS_VERSION_RANGE = 2	/* file blocks at different block addresses */
};

/* Are the contents of a range the same, even at different addresses? */
enum f2fs_version_contents {
	F2FS_CONTENTS_SAME = 0,
	F2FS_CONTENTS_DIFFER = 1,
	F2FS_CONTENTS_UNKNOWN = 2 /* one of them cannot be read, or the range is longer than 65,536 blocks */
};

/* A difference between two versions of an inode. */
struct f2fs_version_difference {
	int kind;	     /* enum f2fs_version_difference_kind */
	const char *name;    /* of a field or an attribute */
	uint8_t is_number;   /* first and second are the values of the field, sign extended when it has one */
	uint64_t first;	     /* value of the field, sign extended when it has one */
	uint64_t second;     /* value in the second version */
	uint64_t file_block; /* first file block of a range */
	uint64_t count;	     /* file blocks of a range */
	int contents;	     /* enum f2fs_version_contents */
};

/*
 * Call visit for each difference between two inodes of a volume, usually versions of one file: fields, attributes, then
 * ranges of blocks in order. visit returns 0 or a negative error that ends the run.
 */
F2FS_API int f2fs_inode_compare(struct f2fs_inode *first, struct f2fs_inode *second,
				int (*visit)(void *user, const struct f2fs_version_difference *difference), void *user);

/* How certain a path is. */
enum f2fs_path_state {
	F2FS_PATH_SURE = 0,   /* each name was found in its directory, in use or as an entry left there */
	F2FS_PATH_LIKELY = 1, /* according to the inodes themselves: a directory may have been renamed or replaced
			       * since */
	/* From some directory upwards nothing is known, and the path begins with "<inode NUMBER>". Or the path comes
	 * from an inode that was renamed or lost a name since it was written. */
	F2FS_PATH_PART = 2
};

/* Traces of a deleted file. */
enum f2fs_deleted_source {
	F2FS_DELETED_NODE = 1,	/* an inode is left that is no longer in use */
	F2FS_DELETED_ENTRY = 2, /* an entry left in a directory names it */
	F2FS_DELETED_ORPHAN = 4 /* it has no name any more, but a mount was still using it, so it is complete */
};

/* A deleted file: a use of an inode number that has ended. */
struct f2fs_deleted {
	const char *path;  /* the known part; components hold no slash and are never "." or ".." */
	int path_state;	   /* enum f2fs_path_state */
	unsigned sources;  /* enum f2fs_deleted_source */
	uint32_t versions; /* number of its versions that are left */
	int confidence;	   /* enum f2fs_confidence */
	uint8_t type;	   /* enum f2fs_file_type */
	/* The newest version that is left, or the one before if deleting emptied the file first. If only a name is
	 * left: ino, parent and name. */
	struct f2fs_version version;
	/* Other names of a file that once had several, from entries left in directories. If there are at most max_links
	 * - 1, all are hard links. If there are more, some are earlier names. */
	const char *const *links;
	uint32_t link_count; /* length of links */
	uint32_t max_links;  /* most names it had in any version left; 0 when it was not looked up */
};

/*
 * Call visit for each deleted file, by inode number, then for names without an inode. past: a search of all inodes.
 * Reads all directories, in use and old, for names. A file that was created after the last checkpoint and fsynced
 * counts as one: a mount would bring it back (F2FS_VERSION_RECENT). Fails as f2fs_past_list_versions().
 */
F2FS_API int f2fs_past_list_deleted(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_deleted *file),
				    void *user);

/* A name that a file in use once had. */
struct f2fs_former_name {
	const char *path;  /* as of struct f2fs_deleted */
	int path_state;	   /* enum f2fs_path_state */
	const char *now;   /* its current path: one of its names, or, when none was found, its path by its own record */
	int now_state;	   /* enum f2fs_path_state of now */
	f2fs_nid_t ino;	   /* of the file */
	f2fs_nid_t parent; /* of the directory that the name was in */
	uint8_t type;	   /* enum f2fs_file_type */
	uint8_t is_unsure; /* the inode number was used before, so the name may be one of the earlier file */
};

/*
 * Call visit for each former name of files in use: removed hard links, names before a renaming. They come from entries
 * left in directories, in use and old, and are visited in the order of inode numbers. past: a search of all inodes.
 * Fails as f2fs_past_list_versions().
 */
F2FS_API int f2fs_past_list_names(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_former_name *name),
				  void *user);

/*
 * Open a view: the volume of a search at an earlier checkpoint, as far as it can be rebuilt from the blocks left. It is
 * a volume of its own over the same device, to be closed with f2fs_volume_close(). Every inode that is opened on it, by
 * number, path or walk, is the newest one written before that checkpoint, with its nodes of that time. So all calls
 * that read volumes work on it: directories have the entries of that time, files their contents. Reading anything that
 * is lost, blank, or was written by others since fails with OVERWRITTEN. Views of several checkpoints can be open at
 * once; they change nothing. Keys that were added to the volume are available, too.
 *
 * A view has no NAT, SIT, SSA and checkpoint of its time: it shows those that the volume had when the view was opened.
 * So it can be read, compared and copied, but not checked, and no image of its metadata can be made. Changes are
 * refused (READ_ONLY). f2fs_past_open() on a view is quick, and lists versions up to it. Deleted files, former names,
 * times, leftovers and carved files can be listed on the volume itself only (STATE). From a search on a view a view of
 * a still earlier checkpoint can be opened.
 *
 * The volume may be written while views are open. A view keeps its own copy of the table entries that it needs. It
 * loses each block of contents or nodes that is overwritten meanwhile. past and the volume may be closed before it; the
 * context must not, and belongs to one thread at a time with all of its volumes.
 *
 * A view cannot detect contents that the kernel rewrote in place. Where a node was written several times between two
 * checkpoints, it takes the one at the highest address, and counts it as unsure.
 *
 * past: a search of all inodes. version: low half of a checkpoint version, from the oldest of which blocks are left to
 * the newest. Fails with RANGE (the message names the oldest), INVALID, STATE (the volume was changed since the
 * search), NOMEM.
 */
F2FS_API int f2fs_volume_open_as_of(struct f2fs_past *past, uint32_t version, struct f2fs_volume **out);

/* Losses found while reading a view so far; every access counts. */
struct f2fs_as_of_stat {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t version;     /* checkpoint version of the view; 0: the volume is no view */
	uint32_t newest;      /* checkpoint version of the volume */
	uint64_t inodes_lost;	     /* accessed, but none of that time is left */
	uint64_t inodes_unsure;	     /* accessed, but others are as new */
	uint64_t nodes_lost;	     /* nodes below inodes, as inodes_lost */
	uint64_t nodes_unsure;	     /* nodes below inodes, as inodes_unsure */
	uint64_t blocks_overwritten; /* written by others since, and not readable */
	uint64_t blocks_unknown;     /* read, but their last writer cannot be determined */
	uint64_t blocks_blank;	     /* probably discarded since, and not readable */
};
/* Copy the losses found in a view so far to *out. */
F2FS_API void f2fs_volume_as_of_stat(const struct f2fs_volume *vol, struct f2fs_as_of_stat *out);

/* State of the file of a moment. */
enum f2fs_moment_state {
	F2FS_MOMENT_LIVE = 0,	/* in use */
	F2FS_MOMENT_OLD = 1,	/* an older version of an inode in use */
	F2FS_MOMENT_DELETED = 2 /* of a file that is gone */
};

/* An inode block and its times. */
struct f2fs_moment {
	const char *path; /* according to the inodes themselves; of a renamed file in use according to its directory */
	int path_state;	  /* enum f2fs_path_state */
	int state;	  /* enum f2fs_moment_state */
	f2fs_nid_t ino;	  /* inode number */
	f2fs_blk_t addr;  /* block address */
	uint32_t cp_ver;  /* the second clock: low half of the checkpoint version when it was written */
	uint32_t age;	  /* checkpoints since */
	struct f2fs_stat stat; /* with its times */
	int confidence;	       /* enum f2fs_confidence of the last version of a file that is gone; -1 of all others */
};

/*
 * Call visit for each inode block that was found, by inode number, the oldest first. past: a search of all inodes.
 * Fails as f2fs_past_list_versions().
 */
F2FS_API int f2fs_past_list_times(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_moment *moment),
				  void *user);

#ifdef __cplusplus
}
#endif
#endif
