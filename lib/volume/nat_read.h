/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the NAT.
 */
#ifndef F2FSKIT_VOLUME_NAT_READ_H
#define F2FSKIT_VOLUME_NAT_READ_H

#include "volume/volume.h"

/*
 * How many whole NAT blocks from number k on, within its segment, are a hole of the image, so that their copies in
 * force have no entry? The journal may have some.
 */
uint32_t nat_hole_blocks(struct f2fs_volume *vol, uint32_t k);
/* NAT entry in use by nid: the block of the NAT or the journal. */
int nat_get(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the last checkpoint has it, whatever a running transaction says. */
int nat_get_stored(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the journal and the table have it, whatever a search for nodes found, and a vote amended. */
int nat_get_written(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the block of the NAT has it, whatever journal and amends say. */
int nat_get_table(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* The same as the public functions of these names, without forgetting the last error: for calls within the library. */
int nat_next(struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
int nat_read(struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries);

#endif
