/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements: choose where contents of files go. A placement gives each block a stream, and blocks of one stream fill
 * segments of their own, so that blocks that change together are freed together. On the device such segments are
 * ordinary ones of warm data; a mount sees nothing of streams. hotness.h has placements that learn.
 *
 * Experimental: this header may change in any version. The others are the stable core.
 */
#ifndef F2FSKIT_PLACEMENT_H
#define F2FSKIT_PLACEMENT_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

#define F2FS_STREAMS 16	      /* the most that a placement can have */
#define F2FS_STREAM_NONE 255u /* no stream: the block goes to the log that it has without a placement */
#define F2FS_DELAY_MAX 15u    /* the most rounds that a block can wait */

/*
 * Callbacks of a placement. They are called while the volume is changed: they must not use the volume, and they cannot
 * fail. Those that return a stream or a delay are called only for contents of regular files that are neither marked hot
 * or cold nor compressed. Their results decide the addresses of blocks, never the contents. An address is 0 where there
 * is no block. A rollback does not undo calls already made. All but classify may be NULL.
 */
struct f2fs_placement {
	uint32_t struct_size; /* F2FS_SIZED */
	void *user;	      /* passed to each callback */
	uint32_t streams;     /* number of streams, 1 to F2FS_STREAMS */
	/* return the stream of a block that is about to be written, or F2FS_STREAM_NONE. Any other value means
	 * F2FS_STREAM_NONE, too. It may be called more than once for one write. */
	unsigned (*classify)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old);
	/* the block that was at old, 0 if it is new, was written to addr */
	void (*written)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr);
	/* return the stream of a block that GC is about to move; NULL or F2FS_STREAM_NONE: the log of cold data */
	unsigned (*moving)(void *user, f2fs_nid_t ino, f2fs_blk_t old);
	/* GC or defragmenting moved a block, of any file */
	void (*moved)(void *user, f2fs_blk_t old, f2fs_blk_t addr);
	void (*freed)(void *user, f2fs_blk_t addr); /* a block is no longer in use */
	/* return how many rounds a whole block may wait in memory, so that it is written once when it soon changes
	 * again: up to F2FS_DELAY_MAX, 0: no longer than without a placement (at_once in engine.h). A round ends
	 * when too many blocks wait. Commits write all waiting blocks, fsync all of its file. NULL: 0. */
	unsigned (*delay)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old);
	/* return how hot the blocks in use of a segment are, larger is hotter, for GC by hotness (gc.h). NULL: GC
	 * uses the segment's age instead. */
	uint64_t (*heat)(void *user, f2fs_seg_t segno, uint32_t blocks);
};

/*
 * Use a placement for all writes from now on. *placement is copied, its user must stay valid as long as it is set.
 * NULL: none, as when the volume is opened. A stream continues in its segment after a commit. Blocks of a stream that
 * finds no free segment go to the log. On a zoned volume streams fill whole sections, and a stream that ends finishes
 * its zone. Fails with INVALID (no classify, an invalid number of streams), STATE (uncommitted changes), NOSPC (fewer
 * than 4 * (streams + 6) sections are free), UNSUPPORTED (a volume without summaries, a device that keeps fewer than
 * streams + 6 zones open), NOMEM; then the earlier placement stays.
 */
F2FS_API int f2fs_volume_set_placement(struct f2fs_volume *vol, const struct f2fs_placement *placement);

/* Numbers of the streams since the placement was set. */
struct f2fs_stream_stat {
	uint32_t struct_size;	       /* F2FS_SIZED */
	uint64_t blocks[F2FS_STREAMS]; /* written to each, moved ones included */
	uint64_t refused;	       /* blocks that found no room in their stream */
	uint64_t segments;	       /* begun */
	uint64_t submissions;	       /* writes to the device */
	uint64_t partial;	       /* those of them that did not end a segment: commits and fsyncs asked for them,
					  or a hole was filled */
	uint64_t held;		       /* blocks that waited by their delay */
	uint64_t saved;		       /* writes that changed a waiting block */
};
/* Copy the numbers of the streams to *out; all zero without a placement. */
F2FS_API void f2fs_volume_streams(const struct f2fs_volume *vol, struct f2fs_stream_stat *out);

/*
 * Return a hint about the lifetime of a block that the volume writes, for a device that keeps blocks of like lifetimes
 * together: 0 for metadata, 1 + enum f2fs_log_type for a block of a log, 1 + F2FS_LOG_COUNT + n for one of stream n.
 * The write of a device (device.h) may call it for its own blocks, unless it has F2FS_DEVICE_PARALLEL_WRITE. At other
 * times the answer means nothing.
 */
F2FS_API unsigned f2fs_volume_write_hint(const struct f2fs_volume *vol, f2fs_blk_t addr);

#ifdef __cplusplus
}
#endif
#endif
