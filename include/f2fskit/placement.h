/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where contents of files are put: a placement gives each block a stream, and blocks of one stream fill segments of
 * their own, so that what changes together is freed together. On the device such segments are ordinary ones of warm
 * data; whoever mounts the volume sees nothing of streams. hotness.h has placements that learn.
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
#define F2FS_STREAM_NONE 255u /* no stream: the block goes to the log that it would go to without a placement */
#define F2FS_DELAY_MAX 15u

/*
 * What a placement decides, and what it is told. Functions are called while the volume is changed: they must not use
 * the volume, and they cannot fail. Asked is about contents of regular files that are neither marked hot or cold nor
 * compressed; all that is answered decides where blocks lie, never what they hold. An address is 0 where there is no
 * block. A transaction that is dropped leaves what was told about it as it is.
 *
 * streams:  how many there are, 1 to F2FS_STREAMS.
 * classify: the stream of a block that is about to be written, or F2FS_STREAM_NONE, which any other answer means, too.
 *           It may be asked more than once about one write.
 * written:  the block that was at old, 0 if it is new, was written to addr.
 * moving:   the stream of a block that GC is about to move; NULL or F2FS_STREAM_NONE: the log of cold data.
 * moved:    GC or defragmenting moved a block, of any file.
 * freed:    a block is in use no more.
 * delay:    how long a whole block may wait in memory, so that it is written once when it soon changes again: rounds,
 *           up to F2FS_DELAY_MAX, 0: no longer than without a placement (at_once in engine.h). A round is over when too
 *           many blocks wait; commits write all, fsync all of its file. NULL: 0.
 * heat:     how hot the blocks in use of a segment are, larger is hotter: for GC by hotness (gc.h). NULL: it
 *           goes by the segment's age instead.
 *
 * All but classify may be NULL.
 */
struct f2fs_placement {
	uint32_t struct_size; /* F2FS_SIZED */
	void *user;
	uint32_t streams;
	unsigned (*classify)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old);
	void (*written)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr);
	unsigned (*moving)(void *user, f2fs_nid_t ino, f2fs_blk_t old);
	void (*moved)(void *user, f2fs_blk_t old, f2fs_blk_t addr);
	void (*freed)(void *user, f2fs_blk_t addr);
	unsigned (*delay)(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old);
	uint64_t (*heat)(void *user, f2fs_seg_t segno, uint32_t blocks);
};

/*
 * Write by a placement from now on; *placement is copied, its user must stay as long as it is set. NULL: none, as when
 * the volume is opened. A stream goes on in its segment after a commit. A stream that finds no free segment does
 * without: its blocks go to the log. Fails with INVALID (no classify, a number of streams that cannot be), STATE (there
 * are changes that were not committed), NOSPC (fewer than 4 * (streams + 6) sections are free), UNSUPPORTED (a zoned
 * volume; one without summaries), NOMEM; then what was set before stays.
 */
F2FS_API int f2fs_volume_set_placement(struct f2fs_volume *vol, const struct f2fs_placement *placement);

/* What streams did since the placement was set. */
struct f2fs_stream_stat {
	uint32_t struct_size; /* F2FS_SIZED */
	uint64_t blocks[F2FS_STREAMS]; /* written to each, moved ones included */
	uint64_t refused;	       /* blocks that found no room in their stream */
	uint64_t segments;	       /* begun */
	uint64_t submissions;	       /* writes to the device */
	uint64_t partial;	       /* those of them that did not end a segment: commits and fsyncs asked for them,
					  or a hole was filled */
	uint64_t held, saved;	       /* blocks that waited by their delay; writes that changed one that waited */
};
/* Tell that; all zero without a placement. */
F2FS_API void f2fs_volume_streams(const struct f2fs_volume *vol, struct f2fs_stream_stat *out);

#ifdef __cplusplus
}
#endif
#endif
