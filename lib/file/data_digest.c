/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests of a file's contents, as a reader sees them.
 */
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/part.h"
#include "base/sha.h"
#include "base/sized.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/object.h"

#define PIECE (1u << 20)

static const struct {
	unsigned bit;
	enum sha_algorithm algorithm;
	size_t place; /* in struct f2fs_digests */
} kinds[] = {
	{ F2FS_DIGEST_MD5, SHA_MD5, offsetof(struct f2fs_digests, md5) },
	{ F2FS_DIGEST_SHA1, SHA_1, offsetof(struct f2fs_digests, sha1) },
	{ F2FS_DIGEST_SHA256, SHA_256, offsetof(struct f2fs_digests, sha256) },
	{ F2FS_DIGEST_SHA512, SHA_512, offsetof(struct f2fs_digests, sha512) },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

struct digests {
	struct sha running[KINDS];
	unsigned ready; /* bits of those that are */
	uint32_t crc;
};

static void end(struct digests *d)
{
	for (unsigned i = 0; i < KINDS; i++)
		if (d->ready & kinds[i].bit)
			sha_fini(&d->running[i]);
}

/* Returns 0, or -1 when one of them cannot be computed; end() in any case. */
static int begin(struct digests *d, unsigned wanted)
{
	d->ready = 0;
	d->crc = UINT32_MAX;
	for (unsigned i = 0; i < KINDS; i++) {
		if (!(wanted & kinds[i].bit))
			continue;
		if (sha_init(&d->running[i], kinds[i].algorithm) != 0)
			return -1;
		d->ready |= kinds[i].bit;
		if (sha_start(&d->running[i]) != 0)
			return -1;
	}
	return 0;
}

static int add(struct digests *d, const uint8_t *data, size_t n)
{
	int err = 0;

	d->crc = crc_f2fs(d->crc, data, n);
	for (unsigned i = 0; i < KINDS && !err; i++)
		if (d->ready & kinds[i].bit)
			err = sha_update(&d->running[i], data, n);
	return err;
}

static int finish(struct digests *d, struct f2fs_digests *out)
{
	int err = 0;

	out->crc32 = ~d->crc;
	for (unsigned i = 0; i < KINDS && !err; i++) {
		uint8_t digest[SHA_MAX_SIZE];

		if (!(d->ready & kinds[i].bit))
			continue;
		err = sha_finish(&d->running[i], digest);
		if (!err)
			memcpy((uint8_t *)out + kinds[i].place, digest, sha_size(kinds[i].algorithm));
	}
	return err;
}

static int unavailable(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_UNSUPPORTED,
			 "a digest cannot be computed: %s",
			 part_is_usable(PART_CRYPTO) ? "libcrypto does not offer it" : part_why_not(PART_CRYPTO));
}

static int add_contents(struct f2fs_inode *inode, struct digests *d, uint64_t *bytes)
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
			err = inode_read(inode, *bytes, buffer, piece, &got);
		if (!err && add(d, buffer, got) != 0)
			err = unavailable(ctx);
		*bytes += err ? 0 : got;
	}
	mem_free(ctx, buffer);
	return err;
}

int f2fs_digest_available(unsigned wanted)
{
	struct digests d;
	const int err = begin(&d, wanted);

	end(&d);
	return err == 0 && (wanted & ~(unsigned)F2FS_DIGEST_ALL) == 0;
}

int f2fs_inode_digest(struct f2fs_inode *inode, unsigned wanted, struct f2fs_digests *out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_digests own = { 0 };
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
	err = begin(&d, wanted) == 0 ? 0 : unavailable(ctx);
	if (!err)
		err = add_contents(inode, &d, &own.bytes);
	if (!err && finish(&d, &own) != 0)
		err = unavailable(ctx);
	end(&d);
	sized_give(out, &own, sizeof(own));
	return err;
}
