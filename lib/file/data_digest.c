/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of a file's contents, as a reader sees them.
 */
#include "base/crc.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/sized.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/object.h"

#define PIECE (1u << 20)

static int add_contents(struct f2fs_inode *inode, struct digests *d, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	const uint64_t size = inode_i_size(inode->block);
	const size_t piece = size < PIECE ? (size_t)size + 1 : PIECE; /* the last read gives less */
	uint8_t *buffer = mem_alloc(ctx, piece);
	size_t got = piece;
	int err = buffer ? 0 : F2FS_ERR_NOMEM;

	while (!err && got == piece) {
		err = progress_tick(ctx, "digest", piece);
		if (!err)
			err = inode_read(inode, out->bytes, buffer, piece, &got);
		if (err)
			break;
		out->crc32 = crc_f2fs(out->crc32, buffer, got);
		out->bytes += got;
		if (digests_add(d, buffer, got) != 0)
			err = digests_unavailable(ctx);
	}
	mem_free(ctx, buffer);
	return err;
}

int f2fs_digest_available(unsigned wanted)
{
	struct digests d;
	const int err = digests_begin(&d, wanted);

	digests_end(&d);
	return err == 0 && (wanted & ~(unsigned)F2FS_DIGEST_ALL) == 0;
}

int f2fs_inode_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_digests own = { .crc32 = UINT32_MAX };
	struct digests d;
	int err;

	error_clear(ctx);
	err = sized_check(ctx, out, sizeof(own));
	if (err)
		return err;
	if (wanted & ~(unsigned)F2FS_DIGEST_ALL)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no such digest");
	err = inode_sync(inode);
	if (err)
		return err;
	err = digests_begin(&d, wanted) == 0 ? 0 : digests_unavailable(ctx);
	if (!err)
		err = add_contents(inode, &d, &own);
	if (!err && digests_finish(&d, &own) != 0)
		err = digests_unavailable(ctx);
	digests_end(&d);
	own.crc32 = err ? 0 : ~own.crc32;
	sized_give(out, &own, sizeof(own));
	return err;
}
