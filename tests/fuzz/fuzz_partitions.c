/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as the start of a disk: its partitions, dynamic ones too, are listed, opened and read, and none lets a byte
 * outside of the disk be read. Checksums of dynamic partitions are made right first, unless the last byte is odd: a
 * mutation hardly ever gets past them.
 */
#include <f2fskit/partition.h>

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sha.h"
#include "common/test_host.h"
#include "fuzz/fuzz.h"

enum { DISK = 4 << 20, GEOMETRY = 4096, METADATA = 12288, MOST = 64 };

static void seal(uint8_t *at, size_t size, size_t sum)
{
	uint8_t digest[SHA_MAX_SIZE];

	memset(at + sum, 0, 32);
	if (sha_digest(SHA_256, at, size, digest) != 0)
		abort();
	memcpy(at + sum, digest, 32);
}

/* Make the sums of the first geometry and of the first metadata right. */
static void seal_super(uint8_t *bytes, size_t size)
{
	uint8_t *head = bytes + METADATA, digest[SHA_MAX_SIZE];
	size_t length, tables;

	if (size < METADATA + 256 || get_le32(bytes + GEOMETRY) != 0x616C4467u)
		return;
	seal(bytes + GEOMETRY, 52, 8);
	length = get_le32(head + 8);
	tables = get_le32(head + 44);
	if (length < 128 || length > 256 || tables > size - METADATA - length)
		return;
	if (sha_digest(SHA_256, head + length, tables, digest) != 0)
		abort();
	memcpy(head + 48, digest, 32);
	seal(head, length, 12);
}

struct names {
	char at[MOST][128];
	uint64_t length[MOST];
	unsigned count;
};

static int note(void *user, const struct f2fs_partition *partition)
{
	struct names *names = user;

	if (partition->pieces == 0 || !memchr(partition->name, 0, sizeof(partition->name)))
		abort();
	if (names->count < MOST) {
		memcpy(names->at[names->count], partition->name, sizeof(names->at[0]));
		names->length[names->count++] = partition->length;
	}
	return 0;
}

static void read_partition(struct f2fs_device *disk, const char *name, uint64_t length)
{
	static uint8_t bytes[8192];
	struct f2fs_device *part;
	uint64_t size;

	if (f2fs_device_open_partition(disk, name, NULL, &part) != 0)
		return;
	size = f2fs_device_info(part)->size;
	if (size == 0 || size > length)
		abort();
	for (unsigned i = 0; i < 4; i++) {
		const uint64_t at = size / 4 * i;

		if (f2fs_device_read(part, at, bytes, size - at < sizeof(bytes) ? (size_t)(size - at) : sizeof(bytes)))
			abort();
	}
	if (f2fs_device_read(part, size, bytes, 1) == 0)
		abort();
	f2fs_device_close(part);
}

static void read_disk(struct f2fs_device *disk)
{
	static struct names names;
	struct f2fs_device *part;

	names.count = 0;
	if (f2fs_partition_list(disk, note, &names) == 0)
		for (unsigned i = 0; i < names.count; i++)
			read_partition(disk, names.at[i], names.length[i]);
	if (f2fs_device_open_partition(disk, NULL, NULL, &part) == 0)
		f2fs_device_close(part);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *memory;
	uint8_t *bytes = malloc(size ? size : 1);

	if (!bytes || size > DISK) {
		free(bytes);
		return 0;
	}
	memcpy(bytes, data, size);
	if (size && bytes[size - 1] % 2 == 0)
		seal_super(bytes, size);
	test_host_init(&host);
	host.limit = (size_t)32 << 20;
	if (f2fs_context_open(&host.host, &ctx) != 0)
		abort();
	if (f2fs_device_open_memory(ctx, DISK, &memory) == 0) {
		if (size == 0 || f2fs_device_write(memory, 0, bytes, size) == 0)
			read_disk(memory);
		f2fs_device_close(memory);
	}
	f2fs_context_close(ctx);
	if (host.live || host.over_limit)
		abort();
	free(bytes);
	return 0;
}
