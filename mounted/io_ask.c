/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that make ioctls of F2FS and of block layers: garbage collection, compression, extents, shutdown.
 */
#include "mounted/io_ask.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mounted/kernel_calls.h"

int io_plain(struct io_call *call)
{
	if (io_request(call, call->command->request, call->command->request_name, NULL) < 0)
		return -1;
	if (call->command->says)
		printf("%s\n", call->command->says);
	return 0;
}

int io_count(struct io_call *call)
{
	uint64_t count = 0;

	if (io_request(call, call->command->request, call->command->request_name, &count) < 0)
		return -1;
	printf("%" PRIu64 "\n", count);
	return 0;
}

int io_shutdown(struct io_call *call)
{
	uint64_t level;
	uint32_t how;

	if (io_number(call, 0, 0, F2FS_GOING_DOWN_NEED_FSCK, &level))
		return -1;
	how = (uint32_t)level;
	if (io_ask(call, F2FS_IOC_SHUTDOWN, &how) < 0)
		return -1;
	printf("Shutdown %s with level=%" PRIu64 "\n", call->path, level);
	return 0;
}

static const char *sync_word(uint64_t sync)
{
	return sync ? "synchronous" : "asynchronous";
}

int io_gc(struct io_call *call)
{
	uint64_t sync;
	uint32_t how;
	int rc;

	if (io_number(call, 0, 0, 1, &sync))
		return -1;
	how = (uint32_t)sync;
	rc = io_ask(call, F2FS_IOC_GARBAGE_COLLECT, &how);
	if (rc >= 0)
		printf("trigger %s gc ret=%d\n", sync_word(sync), rc);
	return rc < 0 ? -1 : 0;
}

int io_gc_range(struct io_call *call)
{
	struct f2fs_gc_range range = { 0 };
	uint64_t sync, start, length;
	int rc;

	if (io_number(call, 0, 0, 1, &sync) || io_number(call, 1, 0, UINT32_MAX, &start) ||
	    io_number(call, 2, 0, UINT32_MAX, &length))
		return -1;
	range.sync = (uint32_t)sync;
	range.start = start;
	range.len = length;
	rc = io_ask(call, F2FS_IOC_GARBAGE_COLLECT_RANGE, &range);
	if (rc >= 0)
		printf("trigger %s gc_range [%" PRIu64 ", %" PRIu64 "] ret=%d\n", sync_word(sync), start, length, rc);
	return rc < 0 ? -1 : 0;
}

int io_get_coption(struct io_call *call)
{
	struct f2fs_comp_option option = { 0 };

	if (io_ask(call, F2FS_IOC_GET_COMPRESS_OPTION, &option) < 0)
		return -1;
	printf("compression algorithm:%u\ncompression cluster log size:%u\n", option.algorithm,
	       option.log_cluster_size);
	return 0;
}

int io_set_coption(struct io_call *call)
{
	struct f2fs_comp_option option = { 0 };
	uint64_t algorithm, size;

	if (io_number(call, 0, 0, UINT8_MAX, &algorithm) || io_number(call, 1, 0, UINT8_MAX, &size))
		return -1;
	option.algorithm = (uint8_t)algorithm;
	option.log_cluster_size = (uint8_t)size;
	if (io_ask(call, F2FS_IOC_SET_COMPRESS_OPTION, &option) < 0)
		return -1;
	printf("set compression option: algorithm=%u, log_cluster_size=%u\n", option.algorithm,
	       option.log_cluster_size);
	return 0;
}

int io_defrag_file(struct io_call *call)
{
	struct f2fs_defragment range = { 0 };
	uint64_t start = 0, length;
	struct stat st;

	if (call->count == 2)
		return io_refuse(call, call->words[0], "has no LENGTH");
	if (call->count == 3) {
		if (io_number(call, 0, 0, INT64_MAX, &start) || io_number(call, 1, 0, INT64_MAX, &length))
			return -1;
	} else {
		if (fstat(call->fd, &st))
			return io_fail(call, "fstat");
		length = ((uint64_t)st.st_size + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
	}
	range.start = start;
	range.len = length;
	if (io_ask(call, F2FS_IOC_DEFRAGMENT, &range) < 0)
		return -1;
	printf("defrag %s in region[%" PRIu64 ", %" PRIu64 "]\n", call->path, start, start + length);
	return 0;
}

int io_move_range(struct io_call *call)
{
	struct f2fs_move_range range = { 0 };
	uint64_t in, out, length;
	int rc;

	if (io_number(call, 2, 0, INT64_MAX, &in) || io_number(call, 3, 0, INT64_MAX, &out) ||
	    io_number(call, 4, 0, INT64_MAX, &length))
		return -1;
	const int target = open(call->words[1], O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (target < 0) {
		call->path = call->words[1];
		return io_fail(call, "open");
	}
	range.dst_fd = (uint32_t)target;
	range.pos_in = in;
	range.pos_out = out;
	range.len = length;
	rc = io_ask(call, F2FS_IOC_MOVE_RANGE, &range);
	close(target);
	if (rc >= 0)
		printf("move range ret=%d\n", rc);
	return rc < 0 ? -1 : 0;
}

int io_ioprio(struct io_call *call)
{
	uint32_t hint = IO_PRIO_WRITE;

	if (strcmp(call->words[0], "ioprio_write") != 0)
		return io_refuse(call, call->words[0], "is not a hint");
	if (io_ask(call, F2FS_IOC_IO_PRIO, &hint) < 0)
		return -1;
	printf("ioprio_hint %u to a file: %s\n", hint, call->path);
	return 0;
}

static void print_extents(const struct fiemap *map)
{
	printf("\t%-17s%-17s%-17s%s\n", "logical addr.", "physical addr.", "length", "flags");
	for (uint32_t i = 0; i < map->fm_mapped_extents; i++) {
		const struct fiemap_extent *e = &map->fm_extents[i];

		printf("%u\t%.16" PRIx64 " %.16" PRIx64 " %.16" PRIx64 " %.8x\n", i, (uint64_t)e->fe_logical,
		       (uint64_t)e->fe_physical, (uint64_t)e->fe_length, e->fe_flags);
	}
	printf("\n");
}

int io_fiemap(struct io_call *call)
{
	const struct fiemap none = { 0 };
	struct fiemap ask = none, *map;
	uint64_t start, count, flags = 0;
	int rc = -1;

	if (io_number(call, 0, 0, UINT32_MAX, &start) || io_number(call, 1, 0, UINT32_MAX, &count) ||
	    (call->count > 3 && io_number(call, 3, 0, UINT32_MAX, &flags)))
		return -1;
	ask.fm_start = start * BLOCK_BYTES;
	ask.fm_length = count * BLOCK_BYTES;
	ask.fm_flags = (uint32_t)flags;
	printf("Fiemap: offset = %" PRIu64 " len = %" PRIu64 "\n", start, count);
	if (io_ask(call, FS_IOC_FIEMAP, &ask) < 0)
		return -1;
	map = calloc(1, sizeof(*map) + ask.fm_mapped_extents * sizeof(struct fiemap_extent));
	if (!map)
		return io_fail(call, "memory for the extents");
	*map = ask;
	map->fm_extent_count = ask.fm_mapped_extents;
	map->fm_mapped_extents = 0;
	if (io_ask(call, FS_IOC_FIEMAP, map) >= 0) {
		print_extents(map);
		rc = 0;
	}
	free(map);
	return rc;
}

int io_set_verity(struct io_call *call)
{
	struct fsverity_enable_arg enable = { .version = 1,
					       .hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
					       .block_size = BLOCK_BYTES };

	if (io_ask(call, FS_IOC_ENABLE_VERITY, &enable) < 0)
		return -1;
	printf("Set fsverity bit to %s\n", call->path);
	return 0;
}

int io_encrypt_mode(struct io_call *call)
{
	static const char *const names[] = {
		"invalid",	"aes-256-xts", "aes-256-gcm",	   "aes-256-cbc",      "aes-256-cts", "aes-128-cbc",
		"aes-128-cts",	"speck128-256-xts", "speck128-256-cts", "adiantum", "aes-256-hctr2",
	};
	struct fscrypt_get_policy_ex_arg policy = { .policy_size = sizeof(policy.policy) };
	unsigned mode;

	if (io_ask(call, FS_IOC_GET_ENCRYPTION_POLICY_EX, &policy) < 0)
		return -1;
	mode = policy.policy.version == FSCRYPT_POLICY_V1 ? policy.policy.v1.filenames_encryption_mode
							   : policy.policy.v2.filenames_encryption_mode;
	if (mode >= sizeof(names) / sizeof(names[0]))
		return io_refuse(call, call->path, "has names in a mode that f2fs_io does not know");
	printf("%s\n", names[mode]);
	return 0;
}

int io_erase(struct io_call *call)
{
	uint64_t range[2] = { 0, 0 };
	struct stat st;

	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	if (!S_ISBLK(st.st_mode))
		return io_refuse(call, call->path, "is not a block device");
	if (io_ask(call, BLKGETSIZE64, &range[1]) < 0)
		return -1;
	if (host_request(call->fd, BLKSECDISCARD, range) < 0 && io_ask(call, BLKDISCARD, range) < 0)
		return -1;
	return 0;
}
