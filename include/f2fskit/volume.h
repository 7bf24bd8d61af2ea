/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a volume at its last checkpoint, and read its superblock, checkpoint, NAT, SIT, SSA and single blocks. file.h
 * reads files. Nothing here writes, except opening with F2FS_RECOVER_APPLY.
 */
#ifndef F2FSKIT_VOLUME_H
#define F2FSKIT_VOLUME_H

#include <f2fskit/device.h>
#include <f2fskit/format.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_volume;

/* How much damage opening and reading tolerate. */
enum f2fs_open_mode {
	F2FS_MODE_TOLERANT = 0, /* fall back to the other copy, note it and continue; only access to a damaged file
				 * fails */
	F2FS_MODE_STRICT = 1,	/* refuse a volume that the kernel would refuse */
	/* open any remains, read-only: lost superblocks and checkpoints are rebuilt, and the NAT from the nodes
	 * themselves. Reads the whole main area once (except holes), and takes 24 bytes of memory per node */
	F2FS_MODE_RESCUE = 2
};

/* How opening treats fsynced files and orphans that wait for recovery (recover.h). */
enum f2fs_open_recover {
	F2FS_RECOVER_NONE = 0, /* show the last checkpoint */
	/* show the volume as after a mount, without writing a byte: recovered in memory; read-only. A file in use that
	 * the list of orphans names is shown, though a mount deletes it */
	F2FS_RECOVER_VIEW = 1,
	F2FS_RECOVER_APPLY = 2 /* recover on the device, which must be writable */
};

/* Options of f2fs_volume_open; begin it with F2FS_SIZED. */
struct f2fs_open_options {
	uint32_t struct_size; /* F2FS_SIZED */
	int mode;	      /* enum f2fs_open_mode */
	int recover;	      /* enum f2fs_open_recover */
	int pack;	      /* 0: the current checkpoint pack, 1 or 2: that one */
	uint64_t offset;      /* byte where the volume starts on the device (a partition) */
	uint64_t cache_bytes; /* bound of the metadata cache, 0: 32 MiB */
	/* The further devices of a volume on several devices, in order, without the first. NULL: see open_device. */
	struct f2fs_device *const *devices;
	unsigned device_count; /* length of devices */
	/* Called for each path of the device table when devices is NULL and the volume needs them. Stores a device,
	 * which the volume takes over, in *out; returns 0 or a negative enum f2fs_error. NULL: opening fails then. */
	int (*open_device)(void *user, const char *path, struct f2fs_device **out);
	void *user; /* passed to open_device */
	/* RECOVER_VIEW: directory for data beyond 64 MiB of memory; NULL: fail with NOMEM then. */
	const char *spill_dir;
	/* An unreadable superblock copy or checkpoint pack may be newer than the readable one, so a volume with one is
	 * not written: calls that write fail with IO. A volume whose newer checkpoint pack is damaged is not written
	 * either: changes fail with STATE, and a check with repair searches for the lost data. The same holds (STATE)
	 * when the older pack was chosen. With 1 these copies are dropped, and overwritten. */
	int accept_unread;
	/* Signatures of another system (f2fs_device_signature) show that the device may not belong to this volume any
	 * more, so calls that write fail with FOREIGN. With 1 they are ignored. */
	int accept_foreign;
};

/*
 * Open the volume on dev (kept by reference). When both superblocks are valid but disagree about the layout or the
 * features, the one that agrees with the rest of the volume is used. If that is copy 1, the volume can only be read.
 * Some nodes on each further device show whether that is the right one. Fails with INVALID (devices that are too short,
 * missing, in the wrong order, or given twice), NOT_F2FS, CORRUPT (no valid superblock or checkpoint), IO, UNSUPPORTED,
 * NOMEM; with recover, also as f2fs_recover does. f2fs_volume_note lists damage that opening worked around.
 */
F2FS_API int f2fs_volume_open(struct f2fs_context *ctx, struct f2fs_device *dev,
			      const struct f2fs_open_options *options, struct f2fs_volume **out);
/* Close a volume after all that was opened on it; changes since the last commit are lost. NULL is allowed. */
F2FS_API void f2fs_volume_close(struct f2fs_volume *vol);

/* Return the context that a volume was opened under. */
F2FS_API struct f2fs_context *f2fs_volume_context(const struct f2fs_volume *vol);
/*
 * Return the device that a volume was opened on: with an offset its window, with further devices all of them in a row.
 * It belongs to the volume, whose layers may be above it.
 */
F2FS_API struct f2fs_device *f2fs_volume_device(const struct f2fs_volume *vol);
/* Return the numbers of a volume's layout; they belong to the volume. */
F2FS_API const struct f2fs_geometry *f2fs_volume_geometry(const struct f2fs_volume *vol);
/* Return note number index about opening the volume, one sentence; NULL past the last. It belongs to the volume. */
F2FS_API const char *f2fs_volume_note(const struct f2fs_volume *vol, unsigned index);
/* Return the raw bytes of the superblock in use (3072); *copy gets its number, 0 or 1. They belong to the volume. */
F2FS_API const uint8_t *f2fs_volume_superblock(const struct f2fs_volume *vol, unsigned *copy);
/*
 * Return the raw bytes of the checkpoint block in use and the payload blocks after it; *length gets their length in
 * bytes, *pack which pack it is (1 or 2). They belong to the volume.
 */
F2FS_API const uint8_t *f2fs_volume_checkpoint(const struct f2fs_volume *vol, size_t *length, unsigned *pack);
/*
 * Return the version bitmap of the SIT of the checkpoint in use (FORMAT volume 4.5): bit k, MSB-first, is the number of
 * the current copy of block k. *length gets its bytes. It belongs to the volume.
 */
F2FS_API const uint8_t *f2fs_sit_bitmap(const struct f2fs_volume *vol, size_t *length);
/* Return the version bitmap of the NAT, as f2fs_sit_bitmap() does. */
F2FS_API const uint8_t *f2fs_nat_bitmap(const struct f2fs_volume *vol, size_t *length);

/*
 * Return the state of superblock copy 0 or 1 as it was found: 0 valid, else the id of the rule it breaks, or IO when it
 * could not be read. INVALID for other numbers.
 */
F2FS_API int f2fs_volume_superblock_state(const struct f2fs_volume *vol, unsigned copy);
/*
 * Return the state of checkpoint pack 1 or 2 as f2fs_volume_superblock_state() does; *version gets the version of its
 * checkpoint.
 */
F2FS_API int f2fs_volume_pack_state(const struct f2fs_volume *vol, unsigned pack, uint64_t *version);

/*
 * Check that no other program has written a checkpoint since the volume was opened, or last committed. Fails with STATE
 * if one has: blocks read since then may already have held data of other files. Call this after reading. It cannot
 * detect such a checkpoint on a volume opened for rescue or on a recovered view.
 */
F2FS_API int f2fs_volume_check_current(struct f2fs_volume *vol);

/*
 * Count the nodes of the fsync chain that a mount would replay; *nodes gets 0 when there is none. Fails with IO,
 * CORRUPT, NOMEM.
 */
F2FS_API int f2fs_volume_pending(struct f2fs_volume *vol, uint64_t *nodes);

/* Usage of a volume; begin it with F2FS_SIZED. */
struct f2fs_volume_stat {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint64_t block_count;	/* blocks as statfs shows them (FORMAT volume 10.3) */
	uint64_t free_blocks;	/* blocks that are not in use */
	uint64_t max_files;	/* inodes that fit, those in use among them: f_files of statfs */
	uint64_t free_files;	/* inodes that can still be made */
	uint64_t valid_blocks;	/* from here on: numbers of the running transaction, or else of the checkpoint */
	uint64_t user_blocks;	/* blocks that files can use */
	uint32_t valid_nodes;	/* nodes in use */
	uint32_t valid_inodes;	/* inodes in use */
	uint32_t free_segments; /* segments without a block in use */
	uint8_t uuid[16];	/* of the superblock */
	char label[2049];	/* UTF-8 */
};
/* Copy the usage of a volume to *out. */
F2FS_API void f2fs_volume_statfs(const struct f2fs_volume *vol, struct f2fs_volume_stat *out);

/* Where a table entry comes from. */
enum f2fs_entry_source {
	F2FS_FROM_COPY0 = 0,
	F2FS_FROM_COPY1 = 1,
	F2FS_FROM_JOURNAL = 2,
	/* in rescue mode: the node's own footer */
	F2FS_FROM_SCAN = 3
};

/* Entry of the NAT (FORMAT volume 5.1). */
struct f2fs_nat_info {
	f2fs_nid_t nid;		/* node id */
	f2fs_nid_t ino;		/* inode that it belongs to */
	f2fs_blk_t block_addr;	/* 0: free */
	uint8_t version;	/* changes when the node id is reused */
	uint8_t source;		/* enum f2fs_entry_source */
	f2fs_blk_t table_block; /* block of the NAT that holds the entry (the one overridden, for the journal) */
};
/* Look up a node id. Fails with RANGE (not below max_nid), CORRUPT, IO. */
F2FS_API int f2fs_nat_lookup(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/*
 * Find the first node id from nid on that is in use, and look it up. Reads only NAT blocks, in order. Fails with
 * NOT_FOUND past the last, CORRUPT, IO.
 */
F2FS_API int f2fs_nat_next(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/*
 * Copy count raw NAT entries (9 bytes each, journal applied), from node id first on, to entries. Fails with RANGE, IO.
 */
F2FS_API int f2fs_nat_read(struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries);

/* Entry of the SIT (FORMAT volume 6.1). */
struct f2fs_segment_info {
	f2fs_seg_t segno;      /* segment number */
	uint16_t valid_blocks; /* blocks in use */
	uint8_t type;	       /* enum f2fs_log_type, or larger when damaged */
	uint8_t source;	       /* enum f2fs_entry_source */
	uint64_t mtime;	       /* mean time of change of its blocks, by the clock of the volume */
	uint8_t valid_map[64]; /* MSB-first */
	/* block of the SIT that holds the entry (the one overridden, for the journal) */
	f2fs_blk_t table_block;
};
/* Look up a segment of the main area. Fails with RANGE, CORRUPT, IO. */
F2FS_API int f2fs_sit_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, struct f2fs_segment_info *out);
/*
 * Copy count raw SIT entries (74 bytes each, journal applied), from segment first on, to entries. Fails with RANGE, IO.
 */
F2FS_API int f2fs_sit_read(struct f2fs_volume *vol, f2fs_seg_t first, uint32_t count, uint8_t *entries);

/* Summary of a block: its last writer (FORMAT volume 7.1). */
struct f2fs_block_owner {
	f2fs_nid_t nid;	      /* node that points to the block, or the node itself */
	uint16_t ofs_in_node; /* slot of the node */
	uint8_t version;      /* of the NAT entry when it was written */
	uint8_t is_node;      /* footer's entry_type */
};
/* Where the summaries of a segment come from. */
enum f2fs_summary_source {
	F2FS_SUMMARY_SSA = 0,
	F2FS_SUMMARY_PACK = 1,
	F2FS_SUMMARY_FOOTERS = 2,
	F2FS_SUMMARY_NONE = 3
};
/*
 * Look up the summary of a block, by its segment and its offset there: from the pack or the footers of nodes for
 * current segments. Fails with RANGE, CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_ssa_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out);
/*
 * Copy a segment's 512 summaries (7 bytes each) to entries, the footer's entry_type, and the source, enum
 * f2fs_summary_source. Fails as f2fs_ssa_lookup().
 */
F2FS_API int f2fs_ssa_read(struct f2fs_volume *vol, f2fs_seg_t segno, uint8_t *entries, uint8_t *entry_type,
			   int *source);

/* Position of a log (FORMAT volume 4.2). */
struct f2fs_log_head {
	f2fs_seg_t segno;   /* current segment */
	uint16_t blkoff;    /* next offset to be written */
	uint8_t alloc_type; /* 0 append, 1 fill holes */
	uint8_t type;	    /* enum f2fs_log_type */
};
/* Get one of the six logs, type: enum f2fs_log_type. Fails with INVALID for another number. */
F2FS_API int f2fs_volume_log(const struct f2fs_volume *vol, unsigned type, struct f2fs_log_head *out);
/* Return the number of entries in the NAT journal of the pack. */
F2FS_API unsigned f2fs_nat_journal_count(const struct f2fs_volume *vol);
/* Return the raw bytes of entry index of it (nat_journal_entry, 13), NULL past the last. They belong to the volume. */
F2FS_API const uint8_t *f2fs_nat_journal_at(const struct f2fs_volume *vol, unsigned index);
/* Return the number of entries in the SIT journal of the pack. */
F2FS_API unsigned f2fs_sit_journal_count(const struct f2fs_volume *vol);
/* Return the raw bytes of entry index of it (sit_journal_entry, 78), NULL past the last. They belong to the volume. */
F2FS_API const uint8_t *f2fs_sit_journal_at(const struct f2fs_volume *vol, unsigned index);
/* Return the number of orphan inodes that the checkpoint lists. */
F2FS_API uint32_t f2fs_orphan_count(const struct f2fs_volume *vol);
/* Return the inode number of orphan number index, 0 past the last. */
F2FS_API f2fs_nid_t f2fs_orphan_at(const struct f2fs_volume *vol, uint32_t index);

/* Read count blocks at addr, of any area, into buffer. Fails with RANGE (beyond the volume), IO. */
F2FS_API int f2fs_block_read(struct f2fs_volume *vol, f2fs_blk_t addr, uint32_t count, void *buffer);
/*
 * Read the node block of a node id into one block of memory and check its identity. Fails with RANGE, NOT_FOUND (not in
 * use), CORRUPT, IO.
 */
F2FS_API int f2fs_node_read(struct f2fs_volume *vol, f2fs_nid_t nid, uint8_t *block);

/* Areas of a volume. */
enum f2fs_area {
	F2FS_AREA_NONE = 0, /* between the superblocks and the first segment, or after the main area */
	F2FS_AREA_SUPERBLOCK = 1,
	F2FS_AREA_CHECKPOINT = 2,
	F2FS_AREA_SIT = 3,
	F2FS_AREA_NAT = 4,
	F2FS_AREA_SSA = 5,
	F2FS_AREA_MAIN = 6
};
/* Return the name of an area; "?" for other numbers. */
F2FS_API const char *f2fs_area_name(int area);

/* Identity of a block, according to the volume's own tables. */
struct f2fs_block_identity {
	int area;	      /* enum f2fs_area */
	uint32_t index;	      /* block within its area */
	f2fs_seg_t segno;     /* main area: its segment, and offset there */
	uint32_t offset;      /* main area: block within its segment */
	uint8_t type;	      /* main area: segment type */
	uint8_t is_valid;     /* main area: valid in the SIT */
	uint8_t is_node;      /* by the summary */
	uint8_t is_owned;     /* the owner named by the summary really points here */
	f2fs_nid_t nid;	      /* owner: node that points to it, or the node itself */
	f2fs_nid_t ino;	      /* owning inode, 0 when not known */
	uint16_t ofs_in_node; /* slot of the owner that points to it */
	uint32_t node_offset; /* place of the node in its file */
	uint64_t file_block;  /* data: block within the file, F2FS_NO_BLOCK when not known */
};
/*
 * Identify a block: its area and, in the main area, the node that owns it. Fails with RANGE (beyond the volume),
 * CORRUPT, IO, NOMEM.
 */
F2FS_API int f2fs_block_identify(struct f2fs_volume *vol, f2fs_blk_t addr, struct f2fs_block_identity *out);

#ifdef __cplusplus
}
#endif
#endif
