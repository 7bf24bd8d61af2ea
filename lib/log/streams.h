/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write blocks to the streams of a placement.
 */
#ifndef F2FSKIT_LOG_STREAMS_H
#define F2FSKIT_LOG_STREAMS_H

#include "log/filler.h"

struct stream {
	struct filler filler;
	bool has_segment; /* the one that it fills, also when its filler is closed; of a zoned volume the section, */
	f2fs_seg_t segno;
	uint32_t at; /* and from where on */
	bool is_checked; /* of a zoned volume: in this transaction */
};
struct streams {
	struct f2fs_placement placement; /* its streams: those that may be used now */
	unsigned most;			 /* when it was set */
	bool owns_sections;		 /* of a zoned volume, until they are left */
	struct f2fs_stream_stat stat;
	struct stream list[F2FS_STREAMS];
};
/* The placement in force, or NULL. */
static inline const struct f2fs_placement *placement_of(const struct f2fs_volume *vol)
{
	return vol->streams ? &vol->streams->placement : NULL;
}
/*
 * Put up to want blocks of a file, for slots from the owner's on, into a stream; *got is 0 when it finds no room,
 * or there is no such stream: then a log takes them.
 */
struct stream_run {
	f2fs_nid_t ino;
	struct owner owner; /* of the first */
	uint32_t want;
	const uint8_t *data;
};
int stream_append(struct txn *txn, unsigned stream, const struct stream_run *run, f2fs_blk_t *addr, uint32_t *got);
/* f2fs_volume_set_placement() within another call. A limited one begins without streams, and needs no room yet. */
int streams_set(struct f2fs_volume *vol, const struct f2fs_placement *placement, bool is_limited);
/*
 * Let only the first streams be used from now on, up to those of the placement when it was set. The others leave their
 * segments, at once or when their fillers are closed, and begin new ones later.
 */
void streams_limit(struct f2fs_volume *vol, unsigned streams);
/* A commit is done: streams of a zoned volume that may not be used any more leave their sections. */
void streams_settle(struct f2fs_volume *vol);
/* Does a stream continue in a segment? */
static inline bool stream_is_in(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	const struct streams *all = vol->streams;

	for (unsigned i = 0; all && i < F2FS_STREAMS; i++)
		if (all->list[i].has_segment && all->list[i].segno == segno &&
		    (i < all->placement.streams || all->list[i].filler.is_open || all->owns_sections))
			return true;
	return false;
}

#endif
