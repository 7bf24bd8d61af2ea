/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of a file's contents, as a reader sees them.
 */
#include "base/crc.h"
#include "base/digest_team.h"
#include "base/error.h"
#include "base/sized.h"
#include "file/data_digest.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/object.h"

#define PIECE (1u << 20)
#define TEAM_FROM (4u << 20) /* smaller files are not worth the start of threads */

/* Add bytes. With a team they are added while the next ones are read, and those before them are added now. */
static int add_piece(struct digests *d, struct digest_team *team, const uint8_t *data, size_t n)
{
	int err;

	if (!team)
		return digests_add(d, data, n);
	err = digest_team_wait(team);
	if (!err)
		digest_team_add(team, data, n);
	return err;
}

/* Read the contents piece by piece; with a team into two buffers in turn. */
static int read_pieces(struct f2fs_inode *inode, struct digests *d, struct digest_team *team, uint8_t *buffer,
		       size_t piece, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	size_t got = piece;
	int err = 0;

	for (unsigned turn = 0; !err && got == piece; turn = team ? !turn : 0) {
		uint8_t *data = buffer + turn * piece;

		err = progress_tick(ctx, "digest", piece);
		if (!err)
			err = inode_read(inode, out->bytes, data, piece, &got);
		if (err)
			break;
		if (add_piece(d, team, data, got) != 0)
			err = digests_unavailable(ctx);
		out->crc32 = crc_f2fs(out->crc32, data, got);
		out->bytes += got;
	}
	if (!err && team && digest_team_wait(team) != 0)
		err = digests_unavailable(ctx);
	return err;
}

static int add_contents(struct f2fs_inode *inode, struct digests *d, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	const uint64_t size = inode_i_size(inode->block);
	const size_t piece = size < PIECE ? (size_t)size + 1 : PIECE; /* the last read gives less */
	struct digest_team *team = NULL;
	int err = size >= TEAM_FROM ? digest_team_new(ctx, d, &team) : 0;
	uint8_t *buffer = mem_alloc(ctx, team ? 2 * piece : piece);

	if (!err && !buffer)
		err = F2FS_ERR_NOMEM;
	if (!err)
		err = read_pieces(inode, d, team, buffer, piece, out);
	digest_team_free(team);
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

int data_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_digests own = { .crc32 = UINT32_MAX };
	struct digests **d = &inode->vol->files.digests;
	int err;

	if (wanted & ~(unsigned)F2FS_DIGEST_ALL)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no such digest");
	err = inode_sync(inode);
	if (err)
		return err;
	err = digests_begin_kept(ctx, d, wanted);
	if (!err)
		err = add_contents(inode, *d, &own);
	if (!err && digests_finish(*d, &own) != 0)
		err = digests_unavailable(ctx);
	own.crc32 = err ? 0 : ~own.crc32;
	sized_give(out, &own, sizeof(own));
	return err;
}

int f2fs_inode_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	int err;

	error_clear(ctx);
	err = sized_check(ctx, out, sizeof(*out));
	return err ? err : data_digest(inode, wanted, out);
}
