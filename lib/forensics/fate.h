/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide whether an old block pointer still leads to its data.
 */
#ifndef F2FSKIT_FORENSICS_FATE_H
#define F2FSKIT_FORENSICS_FATE_H

#include "forensics/past.h"

enum fate {
	FATE_CURRENT,	  /* the SIT has it for the same slot of the same file */
	FATE_INTACT,	  /* free, last written by this slot, not blank */
	FATE_UNKNOWN,	  /* free, not blank, and its last writer is unknown; or it cannot be read */
	FATE_BLANK,	  /* free, nobody else is known to have written it, and it holds zeros or 0xFF only */
	FATE_OVERWRITTEN, /* in use by others, or written by others since */
	FATE_BAD	  /* no block of the main area */
};
/* Judge the block that slot ofs_in_node of node nid pointed to. */
int fate_judge(struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t ofs_in_node,
	       f2fs_blk_t addr, enum fate *out);

#endif
