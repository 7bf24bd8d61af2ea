/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill sections of a zoned volume with the blocks of a stream.
 */
#ifndef F2FSKIT_LOG_ZONED_STREAMS_H
#define F2FSKIT_LOG_ZONED_STREAMS_H

#include "log/streams.h"

/* Can the stream continue in its section? If the section is free again, it does so from the start. */
int zoned_stream_go_on(struct txn *txn, struct stream *s, bool *can);
/* Choose a new section, if more than `spare` are left to the logs. */
int zoned_stream_choose(struct txn *txn, uint32_t spare, f2fs_seg_t *segno, bool *found);
/* The stream's segment is full: go to the next one of the section, or leave the section. */
void zoned_stream_next(const struct f2fs_volume *vol, struct stream *s);
/* Return how many streams the device has zones for, besides those of the logs. */
unsigned zoned_streams_most(const struct f2fs_volume *vol);
/* Leave the section, and finish its zone if it is not full. A failure is a warning. */
void zoned_stream_leave(struct f2fs_volume *vol, struct stream *s);

#endif
