/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change the layout of the SSA of an open volume.
 */
#ifndef F2FSKIT_RESIZE_REPACK_H
#define F2FSKIT_RESIZE_REPACK_H

#include "volume/volume.h"

struct repack {
	bool is_packed;	      /* as it is to be */
	bool is_dry;	      /* judge and count, and write nothing */
	uint64_t moved;	      /* out: blocks of files that make room */
	int64_t won_segments; /* out: that the main area wins; negative: loses */
};
/*
 * Turn packed_ssa on or off. Nothing may be uncommitted. The areas move twice, and handles stay good. An interruption
 * leaves a sound volume, and the same call continues. Fails as f2fs_resize() does; with STATE, too, while the volume
 * has a placement or a second view.
 */
int resize_repack(struct f2fs_volume *vol, struct repack *repack);

#endif
