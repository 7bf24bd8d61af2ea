/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Made volumes are the same bytes on every host: a table of volumes and their digests. The digest is the SHA-256 over
 * the 4 KiB blocks that are not all zero, each after its number (8 bytes, little-endian), so that volumes
 *of terabytes take no time.
 *
 *	golden_mkfs		compare; exit 1 when one differs
 *	golden_mkfs --print	print the names and digests as they are now
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/f2fskit.h>

#include "base/sha256_soft.h"

#define MIB (1ull << 20)
enum { PIECE = 4096, DIGEST_TEXT = 65 };

struct volume {
	const char *name;
	uint64_t mib;
	const char *digest;
	struct f2fs_mkfs_options options;
};

static const uint8_t uuid[16] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
				  0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };

static const struct volume volumes[] = {
#define VOLUME(name, mib, digest, ...) \
	{ #name, mib, digest, { F2FS_SIZED(f2fs_mkfs_options), .uuid = uuid, __VA_ARGS__ } },
#include "volumes.def"
#undef VOLUME
};

static void hash_piece(struct sha256_soft *sha, uint64_t number, const uint8_t *piece)
{
	static const uint8_t zeros[PIECE];
	uint8_t head[8];

	if (memcmp(piece, zeros, PIECE) == 0)
		return;
	for (unsigned i = 0; i < 8; i++)
		head[i] = (uint8_t)(number >> 8 * i);
	sha256_soft_update(sha, head, sizeof(head));
	sha256_soft_update(sha, piece, PIECE);
}

static int digest_device(struct f2fs_device *dev, char text[DIGEST_TEXT])
{
	const uint64_t size = f2fs_device_info(dev)->size;
	uint8_t piece[PIECE], digest[32];
	struct sha256_soft sha;
	uint64_t n;
	int is_hole;

	sha256_soft_start(&sha);
	for (uint64_t at = 0; at < size; at += n) {
		int rc = f2fs_device_extent(dev, at, &n, &is_hole);

		for (uint64_t done = 0; !rc && !is_hole && done < n; done += PIECE) {
			rc = f2fs_device_read(dev, at + done, piece, PIECE);
			if (!rc)
				hash_piece(&sha, (at + done) / PIECE, piece);
		}
		if (rc)
			return rc;
	}
	sha256_soft_finish(&sha, digest);
	for (unsigned i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return 0;
}

static int make(struct f2fs_context *ctx, const struct volume *v, char text[DIGEST_TEXT])
{
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_mkfs_options options = v->options;
	int rc = f2fs_device_open_memory(ctx, v->mib * MIB, &device.device);

	options.checkpoint_version = 0x6B8B4567;
	options.has_time = 1;
	if (options.time == 0)
		options.time = 1700000000;
	if (!rc)
		rc = f2fs_mkfs_write(ctx, &device, 1, &options, NULL);
	if (!rc)
		rc = digest_device(device.device, text);
	f2fs_device_close(device.device);
	return rc;
}

int main(int argc, char **argv)
{
	int print = argc == 2 && !strcmp(argv[1], "--print"), failures = 0;
	struct f2fs_context *ctx;

	if (f2fs_context_open(NULL, &ctx))
		return 1;
	for (size_t i = 0; i < sizeof(volumes) / sizeof(volumes[0]); i++) {
		const struct volume *v = &volumes[i];
		char text[DIGEST_TEXT] = "";

		if (make(ctx, v, text)) {
			printf("%s: %s\n", v->name, f2fs_context_error(ctx)->message);
			failures++;
		} else if (print) {
			printf("%s %s\n", v->name, text);
		} else if (strcmp(text, v->digest) != 0) {
			printf("%s: %s, not %s\n", v->name, text, v->digest);
			failures++;
		}
	}
	f2fs_context_close(ctx);
	return failures ? 1 : 0;
}
