/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run several digests over the same bytes.
 */
#include "base/digests.h"

#include <string.h>

#include "base/error.h"
#include "base/part.h"

static const struct {
	unsigned bit;
	enum sha_algorithm algorithm;
	size_t place; /* in struct f2fs_digests */
} kinds[DIGEST_KINDS] = {
	{ F2FS_DIGEST_MD5, SHA_MD5, offsetof(struct f2fs_digests, md5) },
	{ F2FS_DIGEST_SHA1, SHA_1, offsetof(struct f2fs_digests, sha1) },
	{ F2FS_DIGEST_SHA256, SHA_256, offsetof(struct f2fs_digests, sha256) },
	{ F2FS_DIGEST_SHA512, SHA_512, offsetof(struct f2fs_digests, sha512) },
};
int digests_begin(struct digests *d, unsigned wanted)
{
	d->ready = 0;
	for (unsigned i = 0; i < DIGEST_KINDS; i++) {
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

struct sha *digests_running(struct digests *d, unsigned kind)
{
	return d->ready & kinds[kind].bit ? &d->running[kind] : NULL;
}

int digests_add(struct digests *d, const void *data, size_t n)
{
	int err = 0;

	for (unsigned i = 0; i < DIGEST_KINDS && !err; i++)
		if (d->ready & kinds[i].bit)
			err = sha_update(&d->running[i], data, n);
	return err;
}

int digests_finish(struct digests *d, struct f2fs_digests *out)
{
	int err = 0;

	for (unsigned i = 0; i < DIGEST_KINDS && !err; i++) {
		uint8_t digest[SHA_MAX_SIZE];

		if (!(d->ready & kinds[i].bit))
			continue;
		err = sha_finish(&d->running[i], digest);
		if (!err)
			memcpy((uint8_t *)out + kinds[i].place, digest, sha_size(kinds[i].algorithm));
	}
	return err;
}

void digests_end(struct digests *d)
{
	for (unsigned i = 0; i < DIGEST_KINDS; i++)
		if (d->ready & kinds[i].bit)
			sha_fini(&d->running[i]);
}

int digests_again(struct digests *d)
{
	int err = 0;

	for (unsigned i = 0; i < DIGEST_KINDS && !err; i++)
		if (d->ready & kinds[i].bit)
			err = sha_start(&d->running[i]);
	return err;
}

int digests_begin_kept(struct f2fs_context *ctx, struct digests **kept, unsigned wanted)
{
	int err;

	if (*kept && (*kept)->ready == wanted)
		return digests_again(*kept) == 0 ? 0 : digests_unavailable(ctx);
	digests_drop(ctx, kept);
	*kept = mem_alloc(ctx, sizeof(**kept));
	if (!*kept)
		return F2FS_ERR_NOMEM;
	err = digests_begin(*kept, wanted);
	return err == 0 ? 0 : digests_unavailable(ctx);
}

void digests_drop(struct f2fs_context *ctx, struct digests **kept)
{
	if (*kept)
		digests_end(*kept);
	mem_free(ctx, *kept);
	*kept = NULL;
}

int digests_unavailable(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_UNSUPPORTED,
			 "a digest cannot be computed: %s",
			 part_is_usable(PART_CRYPTO) ? "libcrypto does not offer it" : part_why_not(PART_CRYPTO));
}
