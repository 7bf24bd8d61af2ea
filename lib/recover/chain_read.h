/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read blocks of the chain ahead.
 */
#ifndef F2FSKIT_RECOVER_CHAIN_READ_H
#define F2FSKIT_RECOVER_CHAIN_READ_H

#include "volume/volume.h"

/* Blocks of the main area, read ahead as long as they follow each other. */
struct chain_reader {
	struct f2fs_volume *vol;
	uint8_t *buffer;
	f2fs_blk_t first;
	uint32_t count, ahead;
};
int chain_reader_init(struct chain_reader *reader, struct f2fs_volume *vol);
void chain_reader_fini(struct chain_reader *reader);
/* Point at a block; valid until the next call. */
int chain_read(struct chain_reader *reader, f2fs_blk_t addr, const uint8_t **block);

#endif
