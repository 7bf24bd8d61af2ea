/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the digests that a container stores with those of its contents.
 */
#include <f2fskit/evidence.h>
#include <string.h>

#include "base/digests.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/container.h"

#define PIECE (1u << 20)

/* Begin a call: describe the container below a device. */
static int find(struct f2fs_device *dev, const struct f2fs_evidence *out, struct f2fs_evidence *own,
		struct f2fs_device **container)
{
	int err;

	error_clear(dev->ctx);
	err = sized_check(dev->ctx, out, sizeof(*own));
	if (err)
		return err;
	*container = container_below(dev);
	if (!*container)
		return error_set(dev->ctx, F2FS_ERR_NOT_FOUND, "%s is no container", dev->name);
	container_describe_evidence(*container, own);
	return 0;
}

int f2fs_device_evidence(struct f2fs_device *dev, struct f2fs_evidence *out)
{
	struct f2fs_device *container;
	struct f2fs_evidence own;
	int err = find(dev, out, &own, &container);

	if (!err)
		sized_give(out, &own, sizeof(own));
	return err;
}

static int add_contents(struct f2fs_device *dev, struct digests *d)
{
	uint8_t *buffer = mem_alloc(dev->ctx, PIECE);
	int err = buffer ? 0 : F2FS_ERR_NOMEM;

	for (uint64_t at = 0; at < dev->info.size && !err;) {
		const size_t n = dev->info.size - at < PIECE ? (size_t)(dev->info.size - at) : PIECE;

		err = progress_tick(dev->ctx, "verify", n);
		if (!err)
			err = device_read(dev, at, buffer, n);
		if (!err && digests_add(d, buffer, n) != 0)
			err = digests_unavailable(dev->ctx);
		at += n;
	}
	mem_free(dev->ctx, buffer);
	return err;
}

static int compute(struct f2fs_device *dev, struct f2fs_evidence *own)
{
	const unsigned wanted = (own->has_md5 ? F2FS_DIGEST_MD5 : 0u) | (own->has_sha1 ? F2FS_DIGEST_SHA1 : 0u);
	struct f2fs_digests found = { 0 };
	struct digests d;
	int err = digests_begin(&d, wanted) == 0 ? 0 : digests_unavailable(dev->ctx);

	if (!err)
		err = add_contents(dev, &d);
	if (!err && digests_finish(&d, &found) != 0)
		err = digests_unavailable(dev->ctx);
	digests_end(&d);
	memcpy(own->found_md5, found.md5, sizeof(own->found_md5));
	memcpy(own->found_sha1, found.sha1, sizeof(own->found_sha1));
	return err;
}

int f2fs_device_verify_evidence(struct f2fs_device *dev, struct f2fs_evidence *out)
{
	const struct error_where where = { .structure = "container", .rule = DEVICE_RULE_CONTAINER };
	struct f2fs_device *container;
	struct f2fs_evidence own;
	int err = find(dev, out, &own, &container);

	if (err)
		return err;
	if (!own.has_md5 && !own.has_sha1)
		return error_set(dev->ctx, F2FS_ERR_NOT_FOUND, "%s is %s without a digest", container->name,
				 own.format);
	err = compute(container, &own);
	if (!err && (memcmp(own.md5, own.found_md5, sizeof(own.md5)) != 0 ||
		     memcmp(own.sha1, own.found_sha1, sizeof(own.sha1)) != 0))
		err = error_at(dev->ctx, F2FS_ERR_DAMAGED_DATA, &where,
			       "%s: the contents do not have the digest that the image stores", container->name);
	own.is_verified = err == 0;
	sized_give(out, &own, sizeof(own));
	return err;
}
