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
#include "format/flags.h"
#include "format/geometry.h"
#include "format/rules.h"
#include "format/structs.h"
#include "format/summary.h"
#include "volume/checkpoint_view.h"
#include "volume/marks.h"

struct amends;
struct beside;
struct digests;
struct f2fs_gc_options;
struct f2fs_past;
struct keyring;

/* Counts of use. */
struct volume_counts {
	uint64_t user_blocks, valid_blocks;
	uint32_t valid_nodes, valid_inodes, free_segments;
};

/* What a running transaction adds to reading; of log/. */
struct volume_running {
	/* did the transaction change this NAT entry? out: it, without its place in the table; NULL: not wanted */
	bool (*find_nat)(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
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

/* What layers above do for a volume; each is NULL as long as its layer has no part in it. */
struct volume_ops {
	const struct volume_running *running; /* of log/, while a transaction runs */
	/* of log/, with a placement: the volume is closed */
	void (*end_streams)(struct f2fs_volume *vol);
	/* of gc/: win free sections until there are free_goal, at least until there are least; nothing may be
	 * uncommitted */
	int (*reclaim)(struct f2fs_volume *vol, uint32_t least, uint32_t free_goal);
	/* of forensics/: open an inode as an earlier checkpoint had it, and end that */
	int (*open_as_of)(struct f2fs_past *past, f2fs_nid_t ino, struct f2fs_inode **out);
	void (*end_as_of)(struct f2fs_past *past);
};

/* A device's zones, as far as known (zone_map.h). */
struct volume_zones {
	uint64_t count;
	uint8_t *sequential; /* a bit for each section, MSB-first; NULL: no zones */
	uint32_t capacity;   /* of a sequential section, in blocks; kernels use no more of all others either */
	uint64_t in_order;   /* the first block of the device's first sequential zone; UINT64_MAX: there is none */
	bool fit;	     /* the device's zones do not keep the volume from being written */
	bool is_tidy;	     /* no zone is open that nobody continues */
};

/*
 * Main segments that every transaction keeps itself, and all it allocates, out of; of the write side. Resizing empties
 * them by several commits.
 */
struct volume_barred {
	f2fs_seg_t first, end; /* none when they are equal */
	uint32_t free;	       /* how many of them are free: those do not count as free */
};

/* Facts about names in directories that save searches. */
struct volume_filing {
	/* names of casefolded directories that a search by their hash does not find (file/dir_filing.c) */
	struct map32 dirs; /* directories that were looked through */
	struct map32 odd;
	struct last_names *last; /* greatest names of new directories (file/last_names.c); NULL: none */
};

/* Of file/. */
struct volume_files {
	struct handle_table *handles; /* open inodes, NULL for none */
	uint64_t rollbacks;	      /* how often changes were dropped */
	uint64_t given_up;	      /* how often that, or a removal, set inode numbers free */
	bool owns_orphans;	      /* those listed by the checkpoint are open here, or were */
	bool look_for_orphans;	      /* a handle was closed that may have held one */
	struct volume_filing filing;
	struct digests *digests; /* of the last file, ready for the next; NULL: none yet */
};

/* The clock that changes stamp segments and inodes with (clock.h). */
struct volume_clock {
	uint64_t start;	   /* seconds that the volume's clock had when it was opened */
	int64_t opened_ns; /* and the host's clock then */
	bool is_set;	   /* changes stamp inodes with this time: */
	int64_t seconds;
	uint32_t nanoseconds;
};

/* Of gc/: GC that changes start by themselves. */
struct volume_gc {
	struct f2fs_gc_options *options; /* with reclaim */
	bool is_choosing;		 /* a policy ranks sections: no changes meanwhile */
	uint64_t freed_ever;		 /* blocks, since the volume was opened */
	uint64_t retry_at;		 /* the number of these at which GC is worth another try */
	char note[200];			 /* why it made no room, empty when it did */
};

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

	const struct checkpoint_view *view; /* what the checkpoint in force says */
	struct checkpoint_view loaded;	    /* the same, for volume/, which loads it */
	bool is_outdated;		    /* the device has a newer one that could not be read back */
	int pack_state[2];
	unsigned unread;      /* enum unread_root: unreadable roots */
	bool accepts_unread;  /* it is written all the same */
	bool accepts_foreign; /* signatures of other systems are ignored */
	uint32_t strange_devices; /* 1 << number: no node that should be there is on it (device_order.h) */
	bool is_ours;	      /* the device has no signature of another system */
	bool is_elsewhere;    /* the device does not begin with a volume, and has one at another place */
	bool is_at_start;     /* the volume begins where the device does */
	uint64_t failed_reads; /* so far, whatever came of them */
	bool is_overlaid;     /* writes stay in memory */
	bool has_chosen_pack; /* the caller said which */
	bool is_newest;	      /* nothing is missing of a newer pack, as far as is known */
	uint64_t pack_version[2];
	uint64_t pack_stamp[2]; /* a number that stands for the bytes read */

	uint8_t *log_sums[F2FS_LOG_COUNT];  /* 512 entries each, loaded on demand */
	int log_sum_source[F2FS_LOG_COUNT]; /* enum f2fs_summary_source */

	struct txn *txn;		  /* the running transaction, NULL for none */
	f2fs_blk_t uncertain_addr;	  /* last block of a pack that may be in force or not; 0: it is known */
	bool is_flushed;		  /* the state at opening is durable */
	bool is_view;			  /* recovered in memory only: not to be changed any further */
	uint64_t generation;		  /* raised with each change: copies of nodes may be stale */
	bool sit_agrees;		  /* its sums were seen to be the checkpoint's */
	struct volume_ops ops;
	struct volume_files files;
	struct volume_clock clock;
	struct volume_gc gc;

	struct rescue *rescue; /* in rescue mode: the NAT as it was put together */
	const struct amends *amends; /* of a check: corrections shown in place of stored values; NULL: none */

	struct f2fs_counters counters;
	struct f2fs_write_options write;    /* of the write side */
	char *compress_names, *plain_names; /* its strings */

	struct streams *streams;	    /* the same: with a placement */

	struct vec notes;	 /* char * */
	struct keyring *keyring; /* of keyring.h: keys that were added; NULL: none */

	/* blocks of the main area that were written since the last commit; and by dropped transactions, which no table
	 * shows */
	struct block_marks written, dropped;
	struct beside *beside;	 /* of beside.h: the volume is beside another one; NULL: it is not */
	struct beside *watchers; /* volumes that are beside this one */

	/* Of forensics/, from the opening on: all inodes are as an earlier checkpoint had them; NULL: as they are. */
	struct f2fs_past *as_of;
};

#define VOLUME_CACHE_BYTES (32u << 20) /* of metadata, unless the opener says otherwise */

static inline f2fs_blk_t volume_pack_start(const struct f2fs_volume *vol, unsigned pack)
{
	return vol->geo.cp_blkaddr + (pack - 1) * F2FS_SEGMENT_BLOCKS;
}

/* The first block of the pack in force. */
static inline f2fs_blk_t volume_pack_in_use(const struct f2fs_volume *vol)
{
	return volume_pack_start(vol, vol->view->pack);
}

/* Make the empty handle of a volume. */
int volume_new(struct f2fs_context *ctx, struct f2fs_volume **out);
/* Close a volume that could not be opened all the way, and keep why; returns err. */
int volume_abandon(struct f2fs_context *ctx, struct f2fs_volume *vol, int err);
/* f2fs_volume_open() without clearing the last error and without recovery. */
int volume_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		struct f2fs_volume **out);
/* From now on, keep writes to the volume in memory and in a file of spill_dir (may be NULL). */
int volume_overlay(struct f2fs_volume *vol, uint64_t cache_bytes, const char *spill_dir);
/* Directories have changed: those that were looked through are unknown again. */
void volume_forget_filing(struct f2fs_volume *vol);
/* After a commit: load the other checkpoint pack. When that fails the handle stays with the old one, outdated. */
int volume_reload(struct f2fs_volume *vol);
/*
 * After a switch of superblocks to areas in another place: take the geometry and load the newest pack. When that fails
 * the handle stays with the old areas, outdated.
 */
int volume_follow(struct f2fs_volume *vol);

/* Free the strings of the options of writing. */
void volume_forget_options(struct f2fs_volume *vol);

struct f2fs_device;

/* Show all amends from now on, also those added after this call. The amends must outlive the volume. */
int volume_show_amends(struct f2fs_volume *vol, const struct amends *amends);
/* volume_open() that shows amends from the start, for a search for nodes, too. NULL: none. */
int volume_open_amended(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
			const struct amends *amends, struct f2fs_volume **out);

#endif
