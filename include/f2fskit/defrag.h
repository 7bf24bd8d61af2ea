/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragmentation: measure how fragmented files and free space are, and put them in order. Only contents are measured
 * and placed. The nodes that lead to them go to their logs.
 */
#ifndef F2FSKIT_DEFRAG_H
#define F2FSKIT_DEFRAG_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One file, as f2fs_fragments_count() reports it.
 *
 * Extents are counted as the kernel's FIEMAP merges them. Blocks that follow each other in the file and on the device
 * are one, and so are never written ones that follow each other. A compressed cluster begins a new one, contents in the
 * inode are one.
 *
 * Fragments are the pieces that a reader of the whole file reads: runs of stored blocks that follow each other on the
 * device in the order of the file. Holes, blocks never written and borders of clusters do not end them.
 */
struct f2fs_file_fragments {
	const char *path;      /* from the root, "/a/b", bytes as presented; NULL: a quota file, which has no name */
	f2fs_nid_t ino;	       /* inode number */
	uint8_t type;	       /* enum f2fs_file_type: regular, directory or symlink */
	uint8_t is_inline;     /* the contents are in the inode */
	uint8_t is_compressed; /* it may have compressed clusters */
	uint8_t is_pinned;     /* pinned, or an alias of a device */
	int error;	       /* 0, or the error when part of it could not be read; the rest is counted */
	uint64_t size;	       /* bytes */
	uint64_t blocks;       /* stored blocks */
	uint64_t extents;      /* as FIEMAP counts them */
	uint64_t fragments;    /* pieces that a reader of the whole file reads */
	uint64_t ideal;	       /* fewest fragments possible: 1, or 0 without blocks */
	uint64_t small_blocks; /* blocks in fragments shorter than small_bytes */
	uint64_t requests;     /* reads that a sequential reader needs, of read_bytes at most each */
};

/* Sums over a directory and everything below it. */
struct f2fs_dir_fragments {
	const char *path;      /* as above; "/" for the root */
	f2fs_nid_t ino;	       /* inode number of the directory */
	uint32_t depth;	       /* of the directory; of the root 0 */
	uint64_t files;	       /* with blocks, itself included */
	uint64_t blocks;       /* stored blocks */
	uint64_t extents;      /* as of struct f2fs_file_fragments, summed */
	uint64_t fragments;    /* pieces */
	uint64_t small_blocks; /* blocks in small fragments */
	uint64_t requests;     /* reads of a sequential reader */
};

/* Options of f2fs_fragments_count(); begin it with F2FS_SIZED. */
struct f2fs_fragments_options {
	uint32_t struct_size;	  /* F2FS_SIZED */
	const char *const *paths; /* files in the volume, or directories with everything below them. None: everything */
	uint32_t path_count;	  /* length of paths */
	uint32_t small_bytes;	  /* fragments shorter than this are small; 0: 64 KiB */
	uint32_t read_bytes;	  /* size of a sequential reader's requests; 0: 128 KiB, Linux's readahead */
	/* Called for each file in directory order. Return non-zero to stop (CANCELED). It may not call the library with
	 * the same volume. May be NULL. */
	int (*file)(void *user, const struct f2fs_file_fragments *file);
	/* Called for each directory after everything in it, as file. */
	int (*directory)(void *user, const struct f2fs_dir_fragments *directory);
	void *user; /* passed to file and directory */
};

#define F2FS_RUN_CLASSES 32u  /* free runs of 2^k to 2^(k+1)-1 blocks */
#define F2FS_USE_CLASSES 11u  /* segments used to 10 k to 10 k + 9 percent; the last: full ones */
#define F2FS_SEGMENT_TYPES 6u /* enum f2fs_log_type */

/* Sums over all measured files, and the free space of the whole volume. */
struct f2fs_fragments {
	uint64_t files;		 /* regular files, directories and symlinks with blocks, quota files */
	uint64_t inlines;	 /* files whose contents are in the inode */
	uint64_t broken;	 /* files with more than the ideal number of fragments */
	uint64_t unreadable;	 /* files that could not be read to their end, and entries that could not be read */
	uint64_t blocks;	 /* stored blocks */
	uint64_t extents;	 /* as of struct f2fs_file_fragments, summed */
	uint64_t fragments;	 /* pieces */
	uint64_t ideal;		 /* fewest fragments possible */
	uint64_t small_blocks;	 /* blocks in small fragments */
	uint64_t requests;	 /* reads of a sequential reader */
	uint64_t ideal_requests; /* requests if all files had the ideal number of fragments */
	uint64_t free_blocks;	 /* blocks of the main area that are not in use */
	uint64_t free_runs;	 /* runs of them */
	uint64_t longest_run;	 /* blocks */
	uint32_t free_sections;	 /* without sections that hold current segments */
	uint32_t free_segments;	 /* segments without a block in use */
	uint64_t run_counts[F2FS_RUN_CLASSES];			       /* free runs by length */
	uint64_t run_blocks[F2FS_RUN_CLASSES];			       /* blocks in them */
	uint64_t type_segments[F2FS_SEGMENT_TYPES];		       /* segments in use, by type */
	uint64_t type_blocks[F2FS_SEGMENT_TYPES];		       /* blocks in use in them */
	uint64_t used_segments[F2FS_SEGMENT_TYPES * F2FS_USE_CLASSES]; /* type * F2FS_USE_CLASSES + class of use */
};

/*
 * Measure the fragmentation of a volume; nothing is written. Damaged files are counted and skipped. Memory: that of
 * f2fs_walk(), and 16 bytes for each file with several names. Fails with NOT_FOUND (a path), CANCELED, CORRUPT (the
 * SIT), IO, NOMEM; *out is filled as far as it went.
 */
F2FS_API int f2fs_fragments_count(struct f2fs_volume *vol, const struct f2fs_fragments_options *options,
				  struct f2fs_fragments *out);

/* How a map of the segments is drawn. */
enum f2fs_segment_map_form {
	F2FS_MAP_SVG = 0,    /* a picture of at most 200 kB for any size of volume */
	F2FS_MAP_COLOUR = 1, /* lines of letters, with colours for a terminal (ECMA-48, 256 colours) */
	F2FS_MAP_TEXT = 2    /* lines of letters */
};

/*
 * Draw a map of the segments, by type and by how full they are. Each cell stands for the same number of segments, so
 * that at most 8192 cells are needed (1536 as letters). A cell shows the type that most of its segments in use have and
 * their mean use. Letters: '.' free, h w c hot, warm and cold data, H W C hot, warm and cold nodes, '*' a current
 * segment.
 *
 * write is called with pieces of the text; non-zero ends the call with CANCELED. Fails with INVALID (form), CORRUPT or
 * IO (the SIT), NOMEM.
 */
F2FS_API int f2fs_segment_map_draw(struct f2fs_volume *vol, int form,
				   int (*write)(void *user, const void *data, size_t length), void *user);

/* Orders of defragmenting. */
enum f2fs_defrag_order {
	/* files in more than one fragment, first those that save most reads for the blocks moved; the rest stays */
	F2FS_DEFRAG_SCORE = 0,
	/* all files from the start of the main area on, as directories list them; free space follows them */
	F2FS_DEFRAG_TREE = 1,
	/* the same for the parts of files in a list, in its order; the rest stays unless it is in the way */
	F2FS_DEFRAG_LIST = 2,
	/* as TREE, but the most recently modified files come first; a third each counts as hot, warm and cold, in
	 * segments of their own */
	F2FS_DEFRAG_AGE = 3,
	/*
	 * free space only: blocks in use move into as few segments as hold them, without regard to the order of files
	 */
	F2FS_DEFRAG_SPACE = 4
};

/* A part of a file, for F2FS_DEFRAG_LIST. */
struct f2fs_defrag_part {
	const char *path; /* path from the root; of a directory only its own blocks are meant */
	uint64_t offset;  /* bytes */
	uint64_t length;  /* bytes; 0: to the end */
};

/* Options of f2fs_defrag(); begin it with F2FS_SIZED. A limit of 0 does not apply. */
struct f2fs_defrag_options {
	uint32_t struct_size;	    /* F2FS_SIZED */
	uint32_t order;		    /* enum f2fs_defrag_order */
	const char *const *paths;   /* only these files, and everything below these directories; none: everything */
	uint32_t path_count;	    /* length of paths */
	const char *const *include; /* of these only those whose path matches: * ? [a-z] and **; without a slash the
				     * last component is compared */
	uint32_t include_count;	    /* length of include */
	const struct f2fs_defrag_part *list; /* with F2FS_DEFRAG_LIST */
	uint32_t list_count;		     /* length of list */
	uint64_t blocks;		     /* stop after moving this number of blocks */
	uint32_t seconds;		     /* stop after that time on the clock of the context's host */
	uint32_t free_goal;		     /* stop when this number of sections is free */
	uint8_t move_pinned;   /* place pinned files, too, each in sections of its own; device aliases stay */
	uint8_t dry_run;       /* do it in memory, without contents, and return the result of a real run. The volume
				* may have been opened for reading */
	const char *spill_dir; /* dry run: directory for data beyond 64 MiB of memory; NULL: NOMEM then */
};

/* Why defragmenting ended. */
enum f2fs_defrag_end {
	F2FS_DEFRAG_DONE = 0,
	F2FS_DEFRAG_LIMIT = 1,	 /* a limit or the goal of the options was reached */
	F2FS_DEFRAG_NO_ROOM = 2, /* too little is free to continue */
	F2FS_DEFRAG_STOPPED = 3	 /* the host's progress callback asked to stop, or the work failed */
};
/* Return "done", "limit", ...; "unknown" for other numbers. */
F2FS_API const char *f2fs_defrag_end_name(unsigned end);

/* Result of f2fs_defrag(); begin it with F2FS_SIZED. */
struct f2fs_defrag_result {
	uint32_t struct_size;	      /* F2FS_SIZED */
	uint64_t files;		      /* to be placed, as counted at the start */
	uint64_t files_placed;	      /* placed ones, including others that were in the way, so it may exceed files */
	uint64_t blocks_placed;	      /* moved to their final place */
	uint64_t blocks_cleared;      /* moved out of the way */
	uint64_t blocks_often;	      /* moved more than twice */
	uint32_t most_moves;	      /* of one block, up to 3: three or more */
	uint64_t nodes_cleared;	      /* nodes moved out of the way, without nodes written because their data moved */
	uint32_t commits;	      /* checkpoints written */
	uint32_t end;		      /* enum f2fs_defrag_end */
	uint32_t pinned;	      /* files and sections left alone: pinned, or an alias of a device */
	uint32_t unconfirmed;	      /* files and sections left alone: a block's owner and summary disagree, see the
				       * warnings */
	uint32_t unreadable;	      /* files and sections left alone: a block or node cannot be read */
	struct f2fs_fragments before; /* of the whole volume before the run */
	struct f2fs_fragments after;  /* and after it; after a failure it may be all zero */
};

/*
 * Put files, or free space, in order. The work proceeds in windows of sections: other blocks are moved out of a window,
 * then files are moved in, each step with a commit. Whatever stops it, the volume is as after one of the commits,
 * nothing is lost, and calling again continues. Blocks that are not confirmed by both their owner and their summary
 * stay. So do device aliases, and pinned files unless move_pinned is set. A zoned volume is only appended to: logs
 * place files there, in order, in any free sections. Its pinned files stay, and a dry run copies contents, too.
 *
 * options may be NULL. *result (may be NULL) is filled also on failure. Fails with STATE (uncommitted changes, a volume
 * that waits for recovery or a check), READ_ONLY, UNSUPPORTED (a volume without summaries; a path, or a part, of a
 * device alias), INVALID (an unknown order, a list without that order), NOT_FOUND (a path), CANCELED (by the progress
 * callback; blocks moved before are committed), IO, NOMEM. Too little room is no failure: see end.
 */
F2FS_API int f2fs_defrag(struct f2fs_volume *vol, const struct f2fs_defrag_options *options,
			 struct f2fs_defrag_result *result);

/* Result of f2fs_defrag_range(); begin it with F2FS_SIZED. */
struct f2fs_defrag_range_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t moved;	      /* blocks */
	uint32_t left;	      /* sections left alone: damaged, unreadable, pinned */
};

/*
 * Move the blocks in use of a range to the free blocks from target on, upwards or (leftwards not 0) downwards. They
 * keep the order of their addresses, and data stays with data, nodes with nodes. Current segments are skipped. Ends in
 * a commit, large ranges in several.
 *
 * start, length, target: blocks of the main area; target is outside of the range. result may be NULL. Fails with RANGE,
 * STATE, READ_ONLY, UNSUPPORTED (a read-only or zoned volume), NOSPC (no free block is left in that direction; earlier
 * commits stay), CANCELED, CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_defrag_range(struct f2fs_volume *vol, uint64_t start, uint64_t length, uint64_t target, int leftwards,
			       struct f2fs_defrag_range_result *result);

#ifdef __cplusplus
}
#endif
#endif
