/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Carving: list the bytes that no file shows, and find lost files by their signatures. Such bytes are free blocks,
 * nodes no longer in use, and the slack after the ends of files. Carving finds files in free blocks by their contents,
 * when no inode leads to them any more. Nothing here writes.
 *
 * Experimental: this header may change in any version. The others are the stable core.
 */
#ifndef F2FSKIT_CARVE_H
#define F2FSKIT_CARVE_H

#include <f2fskit/forensics.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of leftovers. */
enum f2fs_leftover_kind {
	F2FS_LEFTOVER_FREE = 0, /* free blocks in which no node was found */
	F2FS_LEFTOVER_NODE = 1, /* a node that is no longer in use */
	F2FS_LEFTOVER_SLACK = 2 /* after the end of a file: the rest of its last block, of its inode, or blocks kept
				 * past the end */
};
/* Return the name of a kind ("free", "node", "slack"); "?" for other numbers. */
F2FS_API const char *f2fs_leftover_kind_name(int kind);

/* A range of bytes of the volume. */
struct f2fs_leftover {
	int kind;	       /* enum f2fs_leftover_kind */
	uint64_t offset;       /* in bytes from the start of the volume */
	uint64_t length;       /* bytes */
	f2fs_nid_t ino;	       /* inode that it belongs to, or belonged to; 0 for free blocks */
	f2fs_nid_t nid;	       /* of a node */
	uint32_t age;	       /* of a node: checkpoints since it was written */
	uint8_t is_enciphered; /* slack of an encrypted file: the bytes are ciphertext */
};

/* Kinds of leftovers to report; 0: all of them. */
enum f2fs_leftover_flag {
	F2FS_LEFTOVERS_FREE = 1,
	F2FS_LEFTOVERS_NODES = 2,
	F2FS_LEFTOVERS_SLACK = 4,
	/* Include slack that holds only zeros, and free blocks that are a hole of the image. */
	F2FS_LEFTOVERS_EMPTY = 8
};

/*
 * Call visit for each range: free blocks and nodes in the order of the device, then slack by inode number. Unreadable
 * inodes and compressed clusters have no slack here. past: a search of all inodes. flags: enum f2fs_leftover_flag.
 * Without one of the first three, all of them are set. visit returns 0 or a negative error that ends the run.
 */
F2FS_API int f2fs_past_list_leftovers(struct f2fs_past *past, unsigned flags,
				      int (*visit)(void *user, const struct f2fs_leftover *range), void *user);

/* Read bytes of the main area, whatever file they belong to. Fails with RANGE, IO. */
F2FS_API int f2fs_volume_read(struct f2fs_volume *vol, uint64_t offset, void *buffer, size_t length);

struct f2fs_carver;

/* Options of f2fs_carver_open; begin it with F2FS_SIZED. */
struct f2fs_carve_options {
	uint32_t struct_size; /* F2FS_SIZED */
	const char *kinds;    /* names of f2fs_carve_kind_at(), separated by commas; NULL: all */
	uint64_t max_size;    /* of one file; 0: 64 MiB */
	uint64_t max_files;   /* 0: no limit */
	/* Identify the start of a block that begins something new and that no signature fits. Returns the name of its
	 * kind, or NULL. The text stays valid until the end of the search. May be NULL. */
	const char *(*identify)(void *user, const uint8_t *start, size_t length);
	void *user; /* passed to identify */
};

/* How the end of a file was found. */
enum f2fs_carved_end {
	F2FS_CARVED_WHOLE = 0, /* its own structure ends there, and no block of it is blank */
	/* the kind has no end mark, so the file ends with the free blocks, or with those of its owner. Or its structure
	 * ends there, but some of its blocks are blank */
	F2FS_CARVED_GUESSED = 1,
	F2FS_CARVED_CUT = 2 /* its structure continues past the last readable byte, or is broken there */
};
/* Return the name of an end ("whole", "guessed", "cut"); "?" for other numbers. */
F2FS_API const char *f2fs_carved_end_name(int end);

/* A file that was found. */
struct f2fs_carved {
	const char *kind;   /* "png", or a name from identify() */
	const char *suffix; /* of a name for it */
	f2fs_blk_t addr;    /* block that it begins in */
	uint64_t size;	    /* bytes */
	int end;	    /* enum f2fs_carved_end */
	uint32_t pieces;    /* runs of blocks that it was assembled from */
	uint32_t clusters;  /* compressed clusters that were unpacked on the way */
	f2fs_nid_t nid;	    /* node that pointed to the first block, according to the summary; 0: not known */
	uint32_t blank;	    /* blocks of it that are all zeros or all 0xFF: probably discarded */
};

/* A file that was found after the end of another one. */
struct f2fs_carved_slack {
	const char *kind;   /* as above */
	const char *suffix; /* of a name for it */
	f2fs_nid_t ino;	    /* of the file whose slack holds it */
	int end;	    /* enum f2fs_carved_end; guessed: where the slack ends */
	uint64_t offset;    /* of its first byte, in bytes from the start of the volume */
	uint64_t size;	    /* bytes */
	uint32_t pieces;    /* ranges of bytes that it was assembled from */
};

/* Results of a search by signatures. */
struct f2fs_carve_stat {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t blocks;      /* free ones, and those with slack, that were searched */
	uint64_t unreadable;  /* of them */
	uint64_t files;	      /* files found */
	uint8_t is_cut;	      /* a limit (max_files, work, or bytes of slack) ended the search early */
};

/* Return the name of kind number i, NULL past the last. *suffix (NULL allowed) gets the suffix of such files' names. */
F2FS_API const char *f2fs_carve_kind_at(unsigned i, const char **suffix);

/*
 * Open a search for files in free blocks. Files begin at block borders. Their blocks follow each other on the device;
 * where summaries are left they show which block came next. So files that were written in turns come apart, and blocks
 * of others between them are skipped. Nodes are left out. Compressed clusters of any algorithm are unpacked if their
 * header and stream are sound. past must stay open until the carver is closed. Takes one bit of memory for each block
 * of the main area. Fails with INVALID (an unknown kind), NOMEM, STATE.
 */
F2FS_API int f2fs_carver_open(struct f2fs_past *past, const struct f2fs_carve_options *options,
			      struct f2fs_carver **out);
/* Close a search. Close it before the search for old nodes that it was opened on. NULL is allowed. */
F2FS_API void f2fs_carver_close(struct f2fs_carver *carver);
/*
 * Call visit for each file that is found in free blocks, in the order of the device. visit returns 0 or a negative
 * error that ends the run. Fails with what visit returned, CANCELED, NOMEM, CORRUPT or IO (the SIT).
 */
F2FS_API int f2fs_carver_run(struct f2fs_carver *carver, int (*visit)(void *user, const struct f2fs_carved *file),
			     void *user);
/*
 * Call visit for each file that is found after the end of another, by inode number. It searches the slack of the last
 * block and of the inode, and blocks kept past the end. All slack of one inode is one row of bytes; files begin at its
 * start and at multiples of 512 bytes. Slack of encrypted files is ciphertext and left out. Its counts add to those of
 * the last run. Fails as f2fs_carver_run().
 */
F2FS_API int f2fs_carver_run_slack(struct f2fs_carver *carver,
				   int (*visit)(void *user, const struct f2fs_carved_slack *file), void *user);
/*
 * Read contents of a file that was found after the end of another, as f2fs_carver_read() does. Fails with the same
 * errors.
 */
F2FS_API int f2fs_carver_read_slack(struct f2fs_carver *carver, const struct f2fs_carved_slack *file, uint64_t offset,
				    void *buffer, size_t length, size_t *done);
/* Copy the results of the search so far to *out. */
F2FS_API void f2fs_carver_stat(const struct f2fs_carver *carver, struct f2fs_carve_stat *out);
/*
 * Read up to length bytes from a byte offset of a file that was found, also from within visit. *done gets the number of
 * bytes read, less than length only at the end of the file. Fails with IO, NOMEM, CANCELED.
 */
F2FS_API int f2fs_carver_read(struct f2fs_carver *carver, const struct f2fs_carved *file, uint64_t offset, void *buffer,
			      size_t length, size_t *done);

#ifdef __cplusplus
}
#endif
#endif
