/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovery of fsynced data after the last checkpoint, and deletion of inodes that were unlinked while open. A plan
 * shows the changes that a mount would make, without changing anything; f2fs_recover makes them. So does
 * f2fs_volume_open, if its options ask for it (recover in struct f2fs_open_options).
 */
#ifndef F2FSKIT_RECOVER_H
#define F2FSKIT_RECOVER_H

#include <f2fskit/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why the chain of fsynced nodes ends (FORMAT files 12.3). */
enum f2fs_chain_end {
	F2FS_CHAIN_FOREIGN =
		0, /* the next block is no node of this checkpoint: the usual end, also of an empty chain */
	F2FS_CHAIN_OUTSIDE = 1, /* the next block is not in the main area */
	F2FS_CHAIN_LOOP = 2,	/* it leads back into itself: a mount drops all fsynced data */
	F2FS_CHAIN_DISABLED = 3 /* checkpointing is disabled: nothing is rolled forward */
};
/* Return "foreign", "outside", ...; "unknown" for other numbers. */
F2FS_API const char *f2fs_chain_end_name(int end);

/* A plan: everything that a mount would recover. */
struct f2fs_recovery;
/*
 * Follow the chain of nodes after the last checkpoint and find out which of them a mount would replay. Nothing is
 * written. Free the result with f2fs_recovery_close before the volume is closed. Fails with IO, CORRUPT (a table that
 * is needed), NOMEM; a chain that cannot be applied is no failure here.
 */
F2FS_API int f2fs_recovery_open(struct f2fs_volume *vol, struct f2fs_recovery **out);
/* Free a plan. NULL is allowed. */
F2FS_API void f2fs_recovery_close(struct f2fs_recovery *plan);

/* Numbers of a plan; begin it with F2FS_SIZED. */
struct f2fs_recovery_summary {
	uint32_t struct_size; /* F2FS_SIZED */
	f2fs_blk_t start;     /* first block of the chain, also of an empty one */
	f2fs_blk_t end_block; /* first block that is not part of it */
	int end;	      /* enum f2fs_chain_end: why */
	uint64_t version;     /* cp_ver that nodes of the chain carry */
	uint64_t end_version; /* cp_ver found at end_block; 0 when it was not read */
	uint64_t nodes;	      /* nodes in the chain */
	uint64_t fsynced;     /* nodes among these with the fsync mark */
	uint64_t replayed;    /* nodes that are replayed */
	uint64_t dropped;     /* fsynced nodes of inodes that exist neither in the checkpoint nor in the chain */
	uint32_t inodes;      /* inodes that change or are new */
	uint32_t new_inodes;  /* new inodes among these */
	uint32_t orphans;     /* inodes unlinked while open: listed ones that no directory names */
	int needs_recovery;   /* the volume cannot be changed before it has been recovered */
};
/* Copy the numbers of a plan to *out. */
F2FS_API void f2fs_recovery_summarize(const struct f2fs_recovery *plan, struct f2fs_recovery_summary *out);

/* One inode of the plan. */
struct f2fs_recovery_inode {
	f2fs_nid_t ino;		   /* inode number */
	f2fs_nid_t parent;	   /* with has_name: directory that gets the name */
	f2fs_blk_t first;	   /* first node of it in the chain that is replayed */
	f2fs_blk_t last;	   /* last node of it in the chain that is replayed */
	f2fs_blk_t last_inode;	   /* last inode block of these; 0: none, the inode's fields stay unchanged */
	uint64_t nodes;		   /* nodes that are replayed */
	uint64_t size;		   /* with last_inode: size in bytes that it gives */
	uint32_t mode;		   /* with last_inode */
	int is_new;		   /* not in the last checkpoint */
	int has_name;		   /* the name is entered, unless it exists already */
	uint16_t name_length;	   /* bytes of name */
	char name[F2FS_NAME_ROOM]; /* as stored in the inode, NUL-terminated */
};
/* Get inode number index (from 0, in the order of the chain); NOT_FOUND past the last. */
F2FS_API int f2fs_recovery_inode_at(const struct f2fs_recovery *plan, uint32_t index, struct f2fs_recovery_inode *out);

/* One node of the chain. */
struct f2fs_recovery_node {
	f2fs_blk_t addr;      /* block address */
	f2fs_nid_t nid;	      /* node id */
	f2fs_nid_t ino;	      /* inode that it belongs to */
	uint32_t node_offset; /* FORMAT files 1.4; 0x1FFFFFFF for an xattr node */
	uint8_t is_fsynced;   /* fsync mark */
	uint8_t has_dentry;   /* dentry mark: the name goes with it */
	uint8_t is_replayed;  /* it is replayed */
};
/* Get node number index of the chain; NOT_FOUND past the last. */
F2FS_API int f2fs_recovery_node_at(const struct f2fs_recovery *plan, uint64_t index, struct f2fs_recovery_node *out);

/*
 * Call visit for each range of blocks of inode number index that changes, as recovery leaves it: file_block, count,
 * addr, and kind (HOLE, DATA, RESERVED) of the extent. Ranges ascend within a node; nodes come in the order of the
 * chain. Returns 0, or the first value of visit that is not 0, which ends the run. Fails with NOT_FOUND (index),
 * CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_recovery_list_ranges(struct f2fs_recovery *plan, uint32_t index,
				       int (*visit)(void *user, const struct f2fs_file_extent *range), void *user);

/* Flags of f2fs_recover(). */
enum f2fs_recover_flag {
	F2FS_RECOVER_DROP_CHAIN = 1 /* drop the fsynced data, delete the orphans only */
};
/* Options of f2fs_recover; begin it with F2FS_SIZED. */
struct f2fs_recover_options {
	uint32_t struct_size; /* F2FS_SIZED */
	unsigned flags;	      /* enum f2fs_recover_flag */
};
/* Numbers of a recovery. */
struct f2fs_recover_result {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t nodes;	      /* nodes of the chain that were applied */
	uint64_t blocks;      /* blocks of data that became part of files */
	uint32_t inodes;      /* inodes that were fsynced */
	uint32_t new_inodes;  /* new inodes among these */
	uint32_t names;	      /* names entered */
	uint32_t replaced;    /* names that had belonged to other inodes */
	uint32_t orphans;     /* orphans deleted */
	int changed;	      /* a new checkpoint was written */
};
/*
 * Recover: delete the orphans, apply the plan, and commit both as one. Until the commit nothing is overwritten that a
 * second attempt would need. On a volume that needs nothing this does nothing. options and result may be NULL. Fails
 * with STATE (uncommitted changes; the error flag), READ_ONLY, UNSUPPORTED (zones of the device that do not fit),
 * CORRUPT (the chain runs in a circle or contradicts the volume; the list of orphans names a file in use, rule
 * ORPHAN_LINKED, which only a repair resolves), NOSPC; the volume on the device is then as before.
 */
F2FS_API int f2fs_recover(struct f2fs_volume *vol, const struct f2fs_recover_options *options,
			  struct f2fs_recover_result *result);

#ifdef __cplusplus
}
#endif
#endif
