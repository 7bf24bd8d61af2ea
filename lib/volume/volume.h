/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open volume as the layers above see it: device, geometry, the roots in use, journals and logs. Tables are not
 * kept in memory: NAT, SIT, SSA and nodes are read through a size-bounded cache.
 */
#ifndef F2FSKIT_VOLUME_VOLUME_H
#define F2FSKIT_VOLUME_VOLUME_H

#include <f2fskit/engine.h>
#include <f2fskit/placement.h>
#include <f2fskit/volume.h>

#include "base/context.h"
#include "base/map32.h"
#include "base/vec.h"
#include "format/checkpoint.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/rules.h"
#include "format/structs.h"
#include "format/summary.h"
#include "volume/marks.h"

/* Counts of use. */
struct volume_counts {
	uint64_t user_blocks, valid_blocks;
	uint32_t valid_nodes, valid_inodes, free_segments;
};

/* Functions of the write side that give the read side a running transaction; installed by log/. */
struct volume_hooks {
	/* the NAT entry as the transaction has it, or NULL */
	const struct f2fs_nat_info *(*find_nat)(const struct f2fs_volume *vol, f2fs_nid_t nid);
	/* a node's block as the transaction has it, or NULL */
	const uint8_t *(*find_node)(const struct f2fs_volume *vol, f2fs_nid_t nid);
	/* make sure that blocks of the main area can be read from the device */
	int (*write_out)(struct f2fs_volume *vol, f2fs_blk_t addr, uint64_t count);
	/* a block that waits to be written, or NULL */
	const uint8_t *(*find_waiting)(const struct f2fs_volume *vol, f2fs_blk_t addr);
	/* counts of the transaction */
	void (*count)(const struct f2fs_volume *vol, struct volume_counts *out);
	/* the volume is closed: drop uncommitted changes */
	void (*drop)(struct f2fs_volume *vol);
};

/* A device's zones, as far as known (zone_map.h). */
struct volume_zones {
	uint64_t count;
	uint8_t *sequential; /* a bit for each section, MSB-first; NULL: no zones */
	uint32_t capacity;   /* of a sequential section, in blocks; kernels use no more of all others either */
	uint64_t in_order;   /* the first block of the device's first sequential zone; UINT64_MAX: there is none */
	bool fit;	     /* the device's zones do not keep the volume from being written */
};

/*
 * Main segments that every transaction keeps itself, and all it allocates, out of; of the write side. Resizing empties
 * them by several commits.
 */
struct volume_barred {
	f2fs_seg_t first, end; /* none when they are equal */
	uint32_t free;	       /* how many of them are free: those do not count as free */
};

/* Of the file layer: names of casefolded directories that a search by their hash does not find (file/dir_filing.c). */
struct volume_filing {
	struct map32 dirs; /* directories that were looked through */
	struct map32 odd;  /* irregular zones */
};

struct amends;
struct f2fs_gc_options;
struct keyring;
struct f2fs_past;
struct beside;

struct f2fs_volume {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;   /* byte 0 is byte 0 of the volume, all devices in a row */
	struct f2fs_device *cache; /* over dev, for metadata */
	uint8_t *peek_block;	   /* where volume_peek() reads to when the cache cannot point at a block */
	struct f2fs_geometry geo;
	struct volume_zones zones;
	struct volume_barred barred;
	int mode;      /* enum f2fs_open_mode */
	int sync_mode; /* enum f2fs_sync_mode, of write.h */

	uint8_t sb[sb_SIZE];
	uint8_t sb_other[sb_SIZE]; /* the other copy, whatever it holds */
	unsigned sb_copy;
	int sb_state[2];
	bool has_rival; /* both copies are valid, but disagree about how the volume is read */
	bool is_doubted; /* with has_rival: the volume speaks against copy 0, so copy 1 is used */
	uint32_t checksum_seed; /* of inodes */

	uint8_t *cp;	  /* checkpoint block and payload, one array */
	unsigned pack;	  /* 1 or 2 */
	bool is_outdated; /* the device has a newer one that could not be read back */
	int pack_state[2];
	unsigned unread;      /* enum unread_root: unreadable roots */
	bool accepts_unread;  /* it is written all the same */
	bool accepts_foreign; /* signatures of other systems are ignored */
	bool is_ours;	      /* the device has no signature of another system */
	bool is_elsewhere;    /* the device does not begin with a volume, and has one at another place */
	bool is_at_start;     /* the volume begins where the device does */
	uint64_t failed_reads; /* so far, whatever came of them */
	bool is_overlaid;     /* writes stay in memory */
	bool has_chosen_pack; /* the caller said which */
	bool is_newest;	      /* nothing is missing of a newer pack, as far as is known */
	uint64_t pack_version[2];
	uint64_t pack_stamp[2]; /* a number that stands for the bytes read */
	struct pack_layout layout;
	const uint8_t *sit_bitmap, *nat_bitmap; /* within cp */

	uint8_t *nat_journal, *sit_journal; /* journal areas; entries are checked */
	struct map32 nat_journal_index;	    /* nid -> entry number */

	uint8_t *log_sums[F2FS_LOG_COUNT];  /* 512 entries each, loaded on demand */
	int log_sum_source[F2FS_LOG_COUNT]; /* enum f2fs_summary_source */

	struct txn *txn;		  /* the running transaction, NULL for none */
	const struct volume_hooks *hooks; /* with txn */
	f2fs_blk_t uncertain_addr;	  /* last block of a pack that may be in force or not; 0: it is known */
	bool is_flushed;		  /* the state at opening is durable */
	bool is_view;			  /* recovered in memory only: not to be changed any further */
	uint64_t generation;		  /* raised with each change: copies of nodes may be stale */
	struct handle_table *handles;	  /* of the file layer: open inodes, NULL for none */
	uint64_t rollbacks;		  /* of the file layer: how often changes were dropped */
	uint64_t given_up;		  /* the same: how often that, or a removal, set inode numbers free */
	bool sit_agrees;		  /* its sums were seen to be the checkpoint's */
	bool owns_orphans;		  /* those listed by the checkpoint are open here, or were */
	bool look_for_orphans;		  /* a handle was closed that may have held one */
	bool has_now;			  /* changes stamp inodes with this time */
	int64_t now_seconds;
	uint32_t now_nanoseconds;
	uint64_t clock_start; /* seconds that the volume's clock had when it was opened */
	int64_t opened_ns;    /* and the host's clock then */

	struct rescue *rescue; /* in rescue mode: the NAT as it was put together */
	const struct amends *amends; /* of a check: corrections shown in place of stored values; NULL: none */

	struct f2fs_counters counters;
	struct f2fs_write_options write;    /* of the write side */
	char *compress_names, *plain_names; /* its strings */

	struct streams *streams; /* of the write side: with a placement */
	void (*end_streams)(struct f2fs_volume *vol);

	/* of clean/: win free sections until there are free_goal, at least until there are least; nothing may be
	 * uncommitted. NULL: not allowed */
	int (*reclaim)(struct f2fs_volume *vol, uint32_t least, uint32_t free_goal);
	struct f2fs_gc_options *cleaning;    /* how, with reclaim */
	bool is_choosing;		     /* a policy is asked what to clean: no changes meanwhile */
	uint64_t freed_ever;		     /* blocks, since the volume was opened */
	uint64_t reclaim_at;		     /* the number of these at which cleaning is worth another try */
	char reclaim_note[200];		     /* why it made no room, empty when it did */

	struct vec orphans; /* f2fs_nid_t */
	struct vec notes;   /* char * */
	struct volume_filing filing;
	struct keyring *keyring; /* of keyring.h: keys that were added; NULL: none */

	/* blocks of the main area that were written since the last commit; and by dropped transactions, which no table
	 * shows */
	struct block_marks written, dropped;
	struct beside *beside;	 /* of beside.h: the volume is beside another one; NULL: it is not */
	struct beside *watchers; /* volumes that are beside this one */

	/* Of forensics/, from the opening on: all inodes are as an earlier checkpoint had them; NULL: as they are. */
	struct f2fs_past *as_of;
	int (*open_as_of)(struct f2fs_past *past, f2fs_nid_t ino, struct f2fs_inode **out);
	void (*end_as_of)(struct f2fs_past *past);
};

#define VOLUME_CACHE_BYTES (32u << 20) /* of metadata, unless the opener says otherwise */

static inline f2fs_blk_t volume_pack_start(const struct f2fs_volume *vol, unsigned pack)
{
	return vol->geo.cp_blkaddr + (pack - 1) * F2FS_SEGMENT_BLOCKS;
}

/* Record F2FS_ERR_CORRUPT: which rule a structure at a block (F2FS_NO_BLOCK: none) breaks, then the details. */
int volume_corrupt(struct f2fs_volume *vol, enum rule rule, uint64_t block, f2fs_nid_t nid, const char *format, ...)
	PRINTF_LIKE(5, 6);
#if defined(__clang_analyzer__) && !defined(F2FSKIT_ERRORS_THEMSELVES) /* as in base/context.h */
#define volume_corrupt(vol, rule, ...) ((void)volume_corrupt(vol, rule, __VA_ARGS__), F2FS_ERR_CORRUPT)
#endif
/* Keep a sentence about damage that was got around; also logged as a warning. */
int volume_note(struct f2fs_volume *vol, const char *format, ...) PRINTF_LIKE(2, 3);

/* Make the empty handle of a volume. */
int volume_new(struct f2fs_context *ctx, struct f2fs_volume **out);
/* Close a volume that could not be opened all the way, and keep why; returns err. */
int volume_abandon(struct f2fs_context *ctx, struct f2fs_volume *vol, int err);
/* f2fs_volume_open() without clearing the last error and without recovery. */
int volume_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		struct f2fs_volume **out);
/* From now on, keep writes to the volume in memory and in a file of spill_dir (may be NULL). */
int volume_overlay(struct f2fs_volume *vol, uint64_t cache_bytes, const char *spill_dir);
/* Roots that could not be read. Their contents are unknown, unlike those of damaged roots. */
enum unread_root { UNREAD_SB0 = 1, UNREAD_SB1 = 2, UNREAD_PACK1 = 4, UNREAD_PACK2 = 8 };
/*
 * Check before the first write to a volume. Fails with IO when a root could not be read, because the unreadable root
 * may be newer than the one in force. Fails with STATE when the packs on the device are not those that were read,
 * because another program has written to it, or in a process that was forked from the one that opened the device.
 */
int volume_check_roots(struct f2fs_volume *vol);

/* foreign_check.c: does another system own the device? */

/* Fill *out with the signature of another system. is_at_start: dev is the whole device, not a partition of it, so its
 * end counts, too. 0, F2FS_ERR_NOT_FOUND (no error is recorded), F2FS_ERR_NOMEM. */
int foreign_check(struct f2fs_device *dev, bool is_at_start, struct f2fs_signature *out);
/* The same for the device of a volume. */
int volume_find_foreign(struct f2fs_volume *vol, struct f2fs_signature *out);
/* Record and return F2FS_ERR_FOREIGN. */
int foreign_refuse(struct f2fs_context *ctx, const struct f2fs_signature *found);
/* Fail with FOREIGN when there is one, unless the caller of open accepts it. The device is looked at once. */
int volume_check_foreign(struct f2fs_volume *vol);
/* For readers: f2fs_volume_check_current() within a call. */
int volume_check_current(struct f2fs_volume *vol);
/* After a commit that failed: the pack that it did not finish is as it is now. One that is complete after all stays
 * unknown, and the volume has to be opened again. */
void volume_note_unfinished(struct f2fs_volume *vol);
/* Is it certain that the pack which is not in force is incomplete? */
bool volume_is_unfinished(struct f2fs_volume *vol);
/* Directories have changed: those that were looked through are unknown again. */
void volume_forget_filing(struct f2fs_volume *vol);
/* roots.c: choose superblock and checkpoint pack, keep why. preferred: the copy to take when both are valid. */
int roots_load_superblock(struct f2fs_volume *vol, unsigned preferred);
int roots_load_checkpoint(struct f2fs_volume *vol, unsigned forced_pack);
/* The missing parts of the newest complete checkpoint. */
enum pack_loss {
	PACK_NEWEST,	/* nothing: it is the one in force */
	PACK_HALF_LOST, /* the pack is damaged, a checkpoint block of it is left */
	PACK_LOST	/* the whole pack */
};
/* newest_pack.c: is the first block of a pack that is not valid one which a power cut tore? */
bool volume_pack_is_torn(struct f2fs_volume *vol, unsigned pack);
/* Judge the pack in force beside one that is not valid; *left: the block that is left of that. */
int volume_judge_pack(struct f2fs_volume *vol, enum pack_loss *loss, f2fs_blk_t *left);
/* Do the logs continue after the checkpoint of one of two blocks only? 1: of the first, -1: of the second. */
int volume_compare_ends(const struct f2fs_volume *vol, const uint8_t *first, const uint8_t *second, uint8_t *block);
/* half_pack.c: of a newer pack that is damaged in one of its checkpoint blocks, take the other one, if that leads to
 * tables that it agrees with. Otherwise the pack in force stays. */
int half_pack_take(struct f2fs_volume *vol);
/* Read the checkpoint block at an address, and the payload of its pack, to a new vol->cp. *pack: 1 or 2. */
int volume_read_checkpoint(struct f2fs_volume *vol, f2fs_blk_t addr, unsigned *pack);
/* vol->cp was read of that pack: set what follows from it. */
void volume_adopt_checkpoint(struct f2fs_volume *vol, unsigned pack);
/* Check before a transaction begins. Fails with STATE when a newer pack is damaged, because the transaction would
 * overwrite its blocks. Not for transactions of a repair, which has searched for these. */
int volume_check_newest(struct f2fs_volume *vol);
/* heads_read.c: journals and orphans of the pack. */
int heads_load(struct f2fs_volume *vol);
/* nat_journal.c: leave the entries that count in a NAT journal whose end is unknown. Fails with NOMEM. */
int nat_journal_sift(struct f2fs_volume *vol);

/* Read from dev, the volume's device or the cache over it. What an image cut short lacks is F2FS_ERR_IO: not a mistake
 * of the caller's. */
int volume_device_read(struct f2fs_volume *vol, struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
/* Point at a block through the cache; valid until the next call that reads. Any area. */
int volume_peek(struct f2fs_volume *vol, f2fs_blk_t addr, const uint8_t **out);

/* Read bytes of the main area at a block's start plus within, past the cache: for file contents. */
int volume_read(struct f2fs_volume *vol, f2fs_blk_t addr, uint64_t within, void *buffer, size_t length);
/*
 * Read whole blocks, and blank ones a second time. For bytes that nothing else vouches for and that are about to be
 * written elsewhere or taken for an end: a device may once give zeros instead of an error.
 */
int volume_read_twice(struct f2fs_volume *vol, f2fs_blk_t addr, uint32_t count, uint8_t *buffer);
/* Discard the loaded data of a checkpoint pack. */
void volume_unload_pack(struct f2fs_volume *vol);
/* After a commit: load the other checkpoint pack. When that fails the handle stays with the old one, outdated. */
int volume_reload(struct f2fs_volume *vol);

/* clock.c: seconds of mounted time, now. */
void volume_start_clock(struct f2fs_volume *vol);
uint64_t volume_clock(const struct f2fs_volume *vol);

/* Free the strings of the options of writing. */
void volume_forget_options(struct f2fs_volume *vol);

/*
 * How many whole NAT blocks from number k on, within its segment, are a hole of the image, so that their copies in
 * force have no entry? The journal may have some.
 */
uint32_t nat_hole_blocks(struct f2fs_volume *vol, uint32_t k);
/* The same of the SIT, the journal included: all entries of these blocks are zero. */
uint32_t sit_hole_blocks(struct f2fs_volume *vol, uint32_t k);
/* NAT entry in use by nid: the block of the NAT or the journal. */
int nat_get(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the last checkpoint has it, whatever a running transaction says. */
int nat_get_stored(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the block of the NAT has it, whatever journal and amends say. */
int nat_get_table(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);

/*
 * Read a node's block into block: looks nid up, checks the address and that the footer's nid is nid. ino 0: any owner.
 * *addr may be NULL.
 */
int node_load(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_nid_t ino, uint8_t *block, f2fs_blk_t *addr);
/* The same for a caller that has the NAT entry. */
int node_load_at(struct f2fs_volume *vol, const struct f2fs_nat_info *entry, f2fs_nid_t ino, uint8_t *block);

/*
 * Do the same as the public functions of these names, without forgetting the last error: for calls within the library.
 */
int sit_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, struct f2fs_segment_info *out);
int sit_read(struct f2fs_volume *vol, f2fs_seg_t first, uint32_t count, uint8_t *entries);
/* For passes over the whole table, past the cache: read SIT blocks from k on, journal applied. *count: the most to
 * read, then the number read. */
int sit_read_blocks(struct f2fs_volume *vol, uint32_t k, uint32_t *count, uint8_t *blocks);
int ssa_read(struct f2fs_volume *vol, f2fs_seg_t segno, uint8_t *entries, uint8_t *entry_type, int *source);
int ssa_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out);
/* The same, and where the summary is: *source, enum f2fs_summary_source. */
int ssa_entry(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out, int *source);
int nat_next(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
int nat_read(struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries);
/* Is one of the logs of the last checkpoint in that segment? */
bool volume_has_log_in(const struct f2fs_volume *vol, f2fs_seg_t segno);
/*
 * heads_read.c: the chain of the warm node log, from its next block on while nodes carry the version of this checkpoint
 * (FORMAT files 12.3). Fails with CORRUPT when it is a loop.
 */
struct chain_count {
	uint64_t nodes, fsynced;
	f2fs_blk_t end; /* the first block that is no part of it; may be anything */
};
int volume_walk_chain(struct f2fs_volume *vol, struct chain_count *count);
/* How many nodes of it a mount would replay. */
int volume_pending(struct f2fs_volume *vol, uint64_t *nodes);

#endif
