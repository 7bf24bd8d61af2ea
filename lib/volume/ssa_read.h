/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read summaries.
 */
#ifndef F2FSKIT_VOLUME_SSA_READ_H
#define F2FSKIT_VOLUME_SSA_READ_H

#include "volume/volume.h"

/* The same as the public functions of these names, without forgetting the last error: for calls within the library. */
int ssa_read(struct f2fs_volume *vol, f2fs_seg_t segno, uint8_t *entries, uint8_t *entry_type, int *source);
int ssa_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out);
/* The same, and where the summary is: *source, enum f2fs_summary_source. */
int ssa_entry(struct f2fs_volume *vol, f2fs_seg_t segno, uint32_t offset, struct f2fs_block_owner *out, int *source);

#endif
