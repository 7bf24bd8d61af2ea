/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the digests that a container stores with those of its contents.
 */
#include <f2fskit/evidence.h>
#include <string.h>

#include "base/error.h"
#include "base/part.h"
#include "base/sha.h"
#include "base/sized.h"
#include "device/container.h"

#define PIECE (1u << 20)

static int find(struct f2fs_device *dev, struct f2fs_evidence *out, struct f2fs_device **container)
{
	*container = container_below(dev);
	if (!*container)
		return error_set(dev->ctx, F2FS_ERR_NOT_FOUND, "%s is no container", dev->name);
	container_describe_evidence(*container, out);
	return 0;
}

int f2fs_device_evidence(struct f2fs_device *dev, struct f2fs_evidence *out)
{
	struct f2fs_device *container;
	struct f2fs_evidence own;
	int err;

	error_clear(dev->ctx);
	err = sized_check(dev->ctx, out, sizeof(own));
	if (!err)
		err = find(dev, &own, &container);
	if (!err)
		sized_give(out, &own, sizeof(own));
	return err;
}

/* The digests that run, and where their results go. */
struct running {
	enum sha_algorithm algorithm;
	uint8_t is_wanted;
	uint8_t *found;
	struct sha sha;
};

static int unavailable(struct f2fs_context *ctx)
{
	return error_set(ctx, F2FS_ERR_UNSUPPORTED, "a digest cannot be computed: %s",
			 part_is_usable(PART_CRYPTO) ? "libcrypto does not offer it" : part_why_not(PART_CRYPTO));
}

static int digest(struct f2fs_device *dev, struct running *running, unsigned count)
{
	uint8_t *buffer = mem_alloc(dev->ctx, PIECE);
	int err = buffer ? 0 : F2FS_ERR_NOMEM;

	for (uint64_t at = 0; at < dev->info.size && !err;) {
		const size_t n = dev->info.size - at < PIECE ? (size_t)(dev->info.size - at) : PIECE;

		err = progress_tick(dev->ctx, "verify", n);
		if (!err)
			err = device_read(dev, at, buffer, n);
		for (unsigned i = 0; i < count && !err; i++)
			if (running[i].is_wanted && sha_update(&running[i].sha, buffer, n) != 0)
				err = unavailable(dev->ctx);
		at += n;
	}
	mem_free(dev->ctx, buffer);
	return err;
}

static int verify(struct f2fs_device *dev, struct f2fs_evidence *own)
{
	struct running running[] = {
		{ .algorithm = SHA_MD5, .is_wanted = own->has_md5, .found = own->found_md5 },
		{ .algorithm = SHA_1, .is_wanted = own->has_sha1, .found = own->found_sha1 },
	};
	enum { COUNT = sizeof(running) / sizeof(running[0]) };
	unsigned ready = 0;
	int err = 0;

	for (; ready < COUNT && !err; ready++) {
		if (running[ready].is_wanted && sha_init(&running[ready].sha, running[ready].algorithm) != 0) {
			err = unavailable(dev->ctx);
			break;
		}
		if (running[ready].is_wanted && sha_start(&running[ready].sha) != 0)
			err = unavailable(dev->ctx);
	}
	if (!err)
		err = digest(dev, running, COUNT);
	for (unsigned i = 0; i < ready; i++) {
		uint8_t result[SHA_MAX_SIZE];

		if (!running[i].is_wanted)
			continue;
		if (!err && sha_finish(&running[i].sha, result) != 0)
			err = unavailable(dev->ctx);
		if (!err)
			memcpy(running[i].found, result, sha_size(running[i].algorithm));
		sha_fini(&running[i].sha);
	}
	return err;
}

int f2fs_device_verify_evidence(struct f2fs_device *dev, struct f2fs_evidence *out)
{
	const struct error_where where = { .structure = "container", .rule = DEVICE_RULE_CONTAINER };
	struct f2fs_device *container;
	struct f2fs_evidence own;
	int err;

	error_clear(dev->ctx);
	err = sized_check(dev->ctx, out, sizeof(own));
	if (!err)
		err = find(dev, &own, &container);
	if (err)
		return err;
	if (!own.has_md5 && !own.has_sha1)
		return error_set(dev->ctx, F2FS_ERR_NOT_FOUND, "%s is %s without a digest", container->name,
				 own.format);
	err = verify(container, &own);
	if (!err && (memcmp(own.md5, own.found_md5, sizeof(own.md5)) != 0 ||
		     memcmp(own.sha1, own.found_sha1, sizeof(own.sha1)) != 0))
		err = error_at(dev->ctx, F2FS_ERR_DAMAGED_DATA, &where,
			       "%s: the contents do not have the digest that the image stores", container->name);
	own.is_verified = err == 0;
	sized_give(out, &own, sizeof(own));
	return err;
}
