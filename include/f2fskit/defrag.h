/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fragmentation: how the contents of files lie on the device, and how its segments are used; and putting them in order.
 * Only contents are looked at and placed, the nodes that lead to them follow their logs.
 */
#ifndef F2FSKIT_DEFRAG_H
#define F2FSKIT_DEFRAG_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * One file, as f2fs_fragments_count() tells it. Extents are counted as the kernel's FIEMAP merges them: blocks that
 * follow each other in the file and on the device are one, never written ones that follow each other are one, a
 * compressed cluster begins a new one, contents in the inode are one. Fragments are what a reader of the whole file
 * meets: runs of stored blocks that follow each other on the device in the order of the file; holes, blocks never
 * written and borders of clusters do not end them.
 */
struct f2fs_file_fragments {
	const char *path; /* from the root, "/a/b", bytes as presented; NULL: a file without a name, of quotas */
	f2fs_nid_t ino;
	uint8_t type;	       /* enum f2fs_file_type: regular, directory or symlink */
	uint8_t is_inline;     /* the contents are in the inode */
	uint8_t is_compressed; /* it may have compressed clusters */
	uint8_t is_pinned;     /* pinned, or an alias of a device */
	int error;	       /* 0, or why not all of it could be read; the rest is counted */
	uint64_t size;	       /* bytes */
	uint64_t blocks;       /* stored blocks */
	uint64_t extents;
	uint64_t fragments;
	uint64_t ideal;	       /* fragments when it lies as well as can be: 1, or 0 without blocks */
	uint64_t small_blocks; /* blocks in fragments shorter than small_bytes */
	uint64_t requests;     /* reads that a sequential reader needs, of read_bytes at most each */
};

/* A directory and all that is below it: sums. */
struct f2fs_dir_fragments {
	const char *path; /* as above; "/" for the root */
	f2fs_nid_t ino;
	uint32_t depth; /* of the directory; of the root 0 */
	uint64_t files; /* with blocks, itself included */
	uint64_t blocks, extents, fragments, small_blocks, requests;
};

/* What to look at; begin it with F2FS_SIZED. */
struct f2fs_fragments_options {
	uint32_t struct_size; /* F2FS_SIZED */
	const char *const *paths; /* in the volume; files, or directories with all below them. None: everything */
	uint32_t path_count;
	uint32_t small_bytes; /* fragments shorter than this are small; 0: 64 KiB */
	uint32_t read_bytes;  /* what a sequential reader asks for at once; 0: 128 KiB, Linux's readahead */
	/* Called for each file in the order of directories, and for each directory after all that is in it; return
	 * non-zero to stop (CANCELED). Either may be NULL. They may not call the library with the same volume. */
	int (*file)(void *user, const struct f2fs_file_fragments *file);
	int (*directory)(void *user, const struct f2fs_dir_fragments *directory);
	void *user;
};

#define F2FS_RUN_CLASSES 32u  /* free runs of 2^k to 2^(k+1)-1 blocks */
#define F2FS_USE_CLASSES 11u  /* segments used to 10 k to 10 k + 9 percent; the last: full ones */
#define F2FS_SEGMENT_TYPES 6u /* enum f2fs_log_type */

/* Sums over all files that were looked at, and the free space of the whole volume. */
struct f2fs_fragments {
	uint64_t files;	      /* regular files, directories and symlinks with blocks, files of quotas */
	uint64_t inlines;     /* whose contents are in the inode */
	uint64_t broken;      /* of files: those with more than the ideal number of fragments */
	uint64_t unreadable;  /* not all of it, or an entry, could be read */
	uint64_t blocks, extents, fragments, ideal, small_blocks, requests;
	uint64_t ideal_requests; /* requests if all files were as they should be */
	uint64_t free_blocks;	 /* blocks of the main area that are not in use */
	uint64_t free_runs;	 /* runs of them */
	uint64_t longest_run;	 /* blocks */
	uint32_t free_sections;	 /* without those that a log is in */
	uint32_t free_segments;
	uint64_t run_counts[F2FS_RUN_CLASSES]; /* free runs by length */
	uint64_t run_blocks[F2FS_RUN_CLASSES]; /* blocks in them */
	uint64_t type_segments[F2FS_SEGMENT_TYPES]; /* segments in use, by type */
	uint64_t type_blocks[F2FS_SEGMENT_TYPES];   /* blocks in use in them */
	uint64_t used_segments[F2FS_SEGMENT_TYPES * F2FS_USE_CLASSES]; /* type * F2FS_USE_CLASSES + class of use */
};

/*
 * Look at the fragmentation of a volume; nothing is written. Damaged files are counted and skipped. Memory: that of a
 * walk, and 16 bytes for each file with several names. Fails with NOT_FOUND (a path), CANCELED, CORRUPT (the SIT), IO,
 * NOMEM; *out is filled as far as it went.
 */
F2FS_API int f2fs_fragments_count(struct f2fs_volume *vol, const struct f2fs_fragments_options *options,
				  struct f2fs_fragments *out);

/* How a map of the segments is drawn. */
enum f2fs_segment_map_form {
	F2FS_MAP_SVG = 0,   /* a picture of at most 200 kB, whatever the size of the volume */
	F2FS_MAP_COLOUR = 1, /* lines of letters, with colours for a terminal (ECMA-48, 256 colours) */
	F2FS_MAP_TEXT = 2    /* lines of letters */
};

/*
 * Draw what the segments hold, by type and by how full they are. A cell stands for as many segments as it takes to need
 * no more than 8192 cells (1536 as letters); it shows the type that most of its segments in use have and their mean
 * use. Letters: '.' free, h w c hot, warm and cold data, H W C hot, warm and cold nodes, '*' with a log in it.
 *
 * write is called with pieces of the text; non-zero ends the call with CANCELED. Fails with INVALID (form), CORRUPT or
 * IO (the SIT), NOMEM.
 */
F2FS_API int f2fs_segment_map_draw(struct f2fs_volume *vol, int form,
				   int (*write)(void *user, const void *data, size_t length), void *user);

/* What is to be put in order, and how. */
enum f2fs_defrag_order {
	/* files in more than one fragment, those first that win most reads for the blocks moved; the rest stays */
	F2FS_DEFRAG_SCORE = 0,
	/* all files from the start of the main area on, as directories list them; what is free comes behind them */
	F2FS_DEFRAG_TREE = 1,
	/* the same for the parts of files of a list, in its order; the rest stays as far as it is not in the way */
	F2FS_DEFRAG_LIST = 2,
	/* as TREE, but the files that were modified last first: thirds of them as hot, warm and cold ones, in segments
	 * of their own */
	F2FS_DEFRAG_AGE = 3,
	/* no files: what is in use moves into as few segments as hold it, whatever becomes of the order of files */
	F2FS_DEFRAG_SPACE = 4
};

/* A part of a file, for F2FS_DEFRAG_LIST. */
struct f2fs_defrag_part {
	const char *path; /* from the root; of a directory its own blocks */
	uint64_t offset;  /* bytes */
	uint64_t length;  /* bytes; 0: to the end */
};

/* What to do, and when to stop; begin it with F2FS_SIZED. A limit of 0 does not apply. */
struct f2fs_defrag_options {
	uint32_t struct_size; /* F2FS_SIZED */
	uint32_t order;		  /* enum f2fs_defrag_order */
	const char *const *paths; /* only these files, and what is below these directories; none: everything */
	uint32_t path_count;
	const char *const *include; /* of these only those whose path matches: * ? [a-z] and **; without a slash the
				     * last component is compared */
	uint32_t include_count;
	const struct f2fs_defrag_part *list; /* with F2FS_DEFRAG_LIST */
	uint32_t list_count;
	uint64_t blocks;     /* stop when so many blocks were moved */
	uint32_t seconds;    /* stop after that time, by the clock of the context's host */
	uint32_t free_goal;  /* stop when so many sections are free */
	uint8_t move_pinned; /* place pinned files, too, each in sections of its own; what stands for a device stays */
	uint8_t dry_run;     /* do it in memory, without contents: the result is what it would be. The volume may have
			      * been opened for reading */
	const char *spill_dir; /* dry run: directory for what does not fit into 64 MiB of memory; NULL: NOMEM then */
};

/* Why it ended. */
enum f2fs_defrag_end {
	F2FS_DEFRAG_DONE = 0,
	F2FS_DEFRAG_LIMIT = 1,	 /* a limit or the goal of the options was reached */
	F2FS_DEFRAG_NO_ROOM = 2, /* too little is free to go on */
	F2FS_DEFRAG_STOPPED = 3	 /* the host's progress callback asked to stop, or the work failed */
};
/* Return "done", "limit", ...; "unknown" for other numbers. */
F2FS_API const char *f2fs_defrag_end_name(unsigned end);

struct f2fs_defrag_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t files;		/* that were to be placed at the beginning */
	uint64_t files_placed;	/* among them, and of others that were in the way; so there may be more */
	uint64_t blocks_placed; /* moved to where they belong */
	uint64_t blocks_cleared; /* moved out of the way */
	uint64_t blocks_often;	/* moved more than twice */
	uint32_t most_moves;	/* of one block, up to 3: three or more */
	uint64_t nodes_cleared; /* nodes moved out of the way; those of moved data are written besides */
	uint32_t commits;
	uint32_t end;		     /* enum f2fs_defrag_end */
	uint32_t pinned;	     /* files and sections left alone: pinned, or an alias of a device */
	uint32_t unconfirmed;	     /* the same: an owner and a summary do not confirm each other, see the warnings */
	uint32_t unreadable;	     /* the same: a block or node cannot be read */
	struct f2fs_fragments before, after; /* of the whole volume; after a failure after may be all zero */
};

/*
 * Put files, or free space, in order. Work goes in windows of sections: what is in the way is moved out of them, then
 * files are moved in, each step with a commit. Whatever stops it, the volume is as after one of the commits, nothing is
 * lost, and calling again goes on. Blocks that are not confirmed by both their owner and their summary stay, and so do
 * aliases of devices, and pinned files unless asked. A zoned volume is only appended to: logs place files there, in
 * order, in sections wherever they are free; pinned files stay, and a dry run copies contents, too.
 *
 * options may be NULL. *result (may be NULL) is filled whatever the call returns. Fails with STATE (changes that were
 * not committed, a volume that waits for recovery or a check), READ_ONLY, UNSUPPORTED (a volume without summaries; a
 * path, or a part, that stands for a device), INVALID (an unknown order, a list without that order), NOT_FOUND (a
 * path), CANCELED (by the progress callback; what was moved before is committed), IO, NOMEM. Too little room is no
 * failure: see end.
 */
F2FS_API int f2fs_defrag(struct f2fs_volume *vol, const struct f2fs_defrag_options *options,
			 struct f2fs_defrag_result *result);

struct f2fs_defrag_range_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t moved; /* blocks */
	uint32_t left;	/* sections left alone: damaged, unreadable, pinned */
};

/*
 * Move what is in use in length blocks from start on to the free blocks from target on, upwards or (leftwards not 0)
 * downwards, in the order of addresses; data stays with data, nodes with nodes. Segments that a log is in are passed
 * over. Ends in a commit, large ranges in several.
 *
 * start, length, target: blocks of the main area; target lies outside of the range. result may be NULL. Fails with
 * RANGE, STATE, READ_ONLY, UNSUPPORTED (a read-only or zoned volume), NOSPC (no free block is left in that direction;
 * what was committed before stays), CANCELED, CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_defrag_range(struct f2fs_volume *vol, uint64_t start, uint64_t length, uint64_t target,
			       int leftwards, struct f2fs_defrag_range_result *result);

#ifdef __cplusplus
}
#endif
#endif
