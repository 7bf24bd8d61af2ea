/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of a file's contents, as a reader sees them.
 */
#include "base/digest.h"

#include <string.h>

#include "file/object.h"

#define PIECE (1u << 20)

static int unavailable(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_UNSUPPORTED,
			 "a digest cannot be computed: OpenSSL is not built in, or does not offer it");
}

static int add_contents(struct f2fs_inode *inode, struct digest *digest, uint64_t *bytes)
{
	uint8_t *buffer = mem_alloc(inode->vol->ctx, PIECE);
	size_t got = PIECE;
	int err = buffer ? 0 : F2FS_ERR_NOMEM;

	while (!err && got == PIECE) {
		err = progress_tick(inode->vol->ctx, "digest", PIECE);
		if (!err)
			err = inode_read(inode, *bytes, buffer, PIECE, &got);
		if (!err && digest_add(digest, buffer, got) != 0)
			err = unavailable(inode->vol->ctx);
		*bytes += err ? 0 : got;
	}
	mem_free(inode->vol->ctx, buffer);
	return err;
}

int f2fs_digest_available(unsigned wanted)
{
	struct digest digest;
	const int rc = digest_begin(&digest, wanted);

	digest_end(&digest);
	return rc == 0 && (wanted & ~(unsigned)F2FS_DIGEST_ALL) == 0;
}

int f2fs_inode_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct digest digest;
	uint8_t *const to[DIGEST_KINDS] = { out->md5, out->sha1, out->sha256, out->sha512 };
	int err = 0;

	error_clear(ctx);
	memset(out, 0, sizeof(*out));
	if (wanted & ~(unsigned)F2FS_DIGEST_ALL)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no such digest");
	if (digest_begin(&digest, wanted) != 0)
		err = unavailable(ctx);
	if (!err)
		err = add_contents(inode, &digest, &out->bytes);
	out->crc32 = digest_crc(&digest);
	for (unsigned kind = 0; kind < DIGEST_KINDS && !err; kind++)
		if ((wanted & 1u << kind) && digest_get(&digest, kind, to[kind]) != 0)
			err = unavailable(ctx);
	digest_end(&digest);
	return err;
}
