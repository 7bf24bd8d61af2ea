/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the chain. Its blocks mostly follow each other, so they are read ahead, more with each success.
 */
#include "recover/run.h"

#include "base/bytes.h"
#include "base/error.h"
#include "recover/chain_read.h"
#include "volume/block_read.h"

#define AHEAD_BYTES (512u << 10)

int chain_reader_init(struct chain_reader *reader, struct f2fs_volume *vol)
{
	reader->vol = vol;
	reader->first = reader->count = 0;
	reader->ahead = 1;
	reader->buffer = mem_alloc(vol->ctx, AHEAD_BYTES);
	return reader->buffer ? 0 : F2FS_ERR_NOMEM;
}

void chain_reader_fini(struct chain_reader *reader)
{
	mem_free(reader->vol->ctx, reader->buffer);
	reader->buffer = NULL;
}

int chain_read(struct chain_reader *reader, f2fs_blk_t addr, const uint8_t **block)
{
	struct f2fs_volume *vol = reader->vol;
	const uint32_t most = AHEAD_BYTES >> vol->geo.block_bits;
	uint64_t left = vol->geo.end_blkaddr - addr;
	uint8_t *at;
	int err;

	if (addr < reader->first || addr - reader->first >= reader->count) {
		bool follows = reader->count > 0 && addr == reader->first + reader->count;

		reader->ahead = follows ? reader->ahead * 2 : 2;
		if (reader->ahead > most)
			reader->ahead = most;
		reader->first = addr;
		reader->count = reader->ahead < left ? reader->ahead : (uint32_t)left;
		err = volume_read(vol, addr, 0, reader->buffer, (size_t)reader->count << vol->geo.block_bits);
		if (err && reader->count > 1) { /* only the first of them is needed */
			error_clear(vol->ctx);
			reader->count = 1;
			err = volume_read(vol, addr, 0, reader->buffer, vol->geo.block_size);
		}
		if (err) {
			reader->count = 0;
			return err;
		}
	}
	at = reader->buffer + ((size_t)(addr - reader->first) << vol->geo.block_bits);
	*block = at;
	/* it ends the chain, and fsynced data after it would be lost */
	return is_zero(at, vol->geo.block_size) ? volume_read_twice(vol, addr, 1, at) : 0;
}
