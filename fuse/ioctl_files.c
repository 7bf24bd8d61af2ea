/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls of single files: pinning, compression, and fs-verity.
 */

#include <f2fskit/compress.h>
#include <linux/f2fs.h>
#include <linux/fs.h>
#include <linux/fsverity.h>
#include <string.h>

#include "fuse/guard.h"
#include "fuse/ioctl.h"
#include "fuse/mount.h"

static int set_pin(struct ioctl_call *call)
{
	uint32_t wanted;

	memcpy(&wanted, call->in, sizeof(wanted));
	call->st.inline_flags = (uint8_t)((call->st.inline_flags & ~INODE_PINNED) | (wanted ? INODE_PINNED : 0));
	return f2fs_inode_set(call->inode, F2FS_SET_PIN, &call->st);
}

/* The kernel answers how often GC has met the pinned file. Ours passes it by without counting. */
static int get_pin(struct ioctl_call *call)
{
	const uint32_t pinned = call->st.inline_flags & INODE_PINNED ? 1 : 0;

	memcpy(call->out, &pinned, sizeof(pinned));
	return 0;
}

static int get_version(struct ioctl_call *call)
{
	memcpy(call->out, &call->st.generation, sizeof(call->st.generation));
	return 0;
}

/* ---- compression ---- */

static int get_compress_blocks(struct ioctl_call *call)
{
	const struct f2fs_struct *type = f2fs_struct_find("inode_extra");
	const uint8_t *raw = f2fs_inode_raw(call->inode);
	struct f2fs_inode_layout layout;
	uint64_t blocks;

	if (!call->st.is_compressed)
		return F2FS_ERR_INVALID;
	f2fs_inode_layout(f2fs_volume_geometry(call->m->vol), raw, &layout);
	blocks = f2fs_field_get(f2fs_field_find(type, "i_compr_blocks"), raw + layout.extra_offset, 0);
	memcpy(call->out, &blocks, sizeof(blocks));
	return 0;
}

static int answer_blocks(struct ioctl_call *call, int (*change)(struct f2fs_inode *, uint64_t *))
{
	uint64_t blocks = 0;
	int err = change(call->inode, &blocks);

	memcpy(call->out, &blocks, sizeof(blocks));
	return err;
}

static int release_blocks(struct ioctl_call *call)
{
	return answer_blocks(call, f2fs_compress_release);
}

static int reserve_blocks(struct ioctl_call *call)
{
	return answer_blocks(call, f2fs_compress_reserve);
}

static int get_compress_option(struct ioctl_call *call)
{
	const struct f2fs_comp_option option = { .algorithm = call->st.compress_algorithm,
						 .log_cluster_size = call->st.log_cluster_size };

	if (!call->st.is_compressed)
		return F2FS_ERR_NO_ATTR;
	memcpy(call->out, &option, sizeof(option));
	return 0;
}

/* As the kernel: how an empty compressed file is compressed can change, whether it is cannot. */
static int set_compress_option(struct ioctl_call *call)
{
	struct f2fs_comp_option option;
	struct f2fs_compression how = { 0 };

	memcpy(&option, call->in, sizeof(option));
	if (!call->st.is_compressed)
		return F2FS_ERR_INVALID;
	if (call->st.size > 0)
		return F2FS_ERR_TOO_BIG;
	how.algorithm = option.algorithm;
	how.log_cluster = option.log_cluster_size;
	return f2fs_compress_set(call->inode, &how);
}

/* ---- fs-verity ---- */

/* The kernel puts the bytes of salt and signature after the argument. */
static int enable_verity(struct ioctl_call *call)
{
	struct f2fs_verity_params params = { F2FS_SIZED(f2fs_verity_params) };
	struct fsverity_enable_arg arg;
	const size_t rest = call->in_size - sizeof(arg);

	memcpy(&arg, call->in, sizeof(arg));
	if (call->st.is_verity)
		return F2FS_ERR_EXISTS;
	if (arg.version != 1 || arg.hash_algorithm > UINT8_MAX)
		return F2FS_ERR_INVALID;
	if (arg.salt_size > rest || arg.sig_size > rest - arg.salt_size)
		return F2FS_ERR_UNSUPPORTED; /* a kernel that passes no pointers */
	params.hash_algorithm = (uint8_t)arg.hash_algorithm;
	params.block_size = arg.block_size;
	params.salt = call->in + sizeof(arg);
	params.salt_size = arg.salt_size;
	params.signature = call->in + sizeof(arg) + arg.salt_size;
	params.signature_size = arg.sig_size;
	return f2fs_verity_enable(call->inode, &params);
}

static int measure_verity(struct ioctl_call *call)
{
	struct fsverity_digest *digest = (struct fsverity_digest *)call->out;
	struct fsverity_digest asked;
	struct f2fs_verity verity;
	int err = f2fs_verity_get(call->inode, &verity);

	if (err)
		return err;
	memcpy(&asked, call->in, sizeof(asked));
	if (asked.digest_size < verity.digest_size || call->room < sizeof(asked) + verity.digest_size)
		return MOUNT_OVERFLOW;
	digest->digest_algorithm = verity.hash_algorithm;
	digest->digest_size = verity.digest_size;
	memcpy(digest->digest, verity.file_digest, verity.digest_size);
	call->out_size = sizeof(*digest) + verity.digest_size;
	return 0;
}

const struct ioctl_kind ioctls_of_files[] = {
	IOCTL(FS_IOC_GETVERSION, 0, 0, sizeof(uint32_t), get_version),
	IOCTL(F2FS_IOC_SET_PIN_FILE, IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR, sizeof(uint32_t), 0, set_pin),
	IOCTL(F2FS_IOC_GET_PIN_FILE, 0, 0, sizeof(uint32_t), get_pin),
	IOCTL(F2FS_IOC_GET_COMPRESS_BLOCKS, 0, 0, sizeof(uint64_t), get_compress_blocks),
	IOCTL(F2FS_IOC_RELEASE_COMPRESS_BLOCKS, IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR, 0,
	      sizeof(uint64_t), release_blocks),
	IOCTL(F2FS_IOC_RESERVE_COMPRESS_BLOCKS, IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR, 0,
	      sizeof(uint64_t), reserve_blocks),
	IOCTL(F2FS_IOC_GET_COMPRESS_OPTION, 0, 0, sizeof(struct f2fs_comp_option), get_compress_option),
	IOCTL(F2FS_IOC_SET_COMPRESS_OPTION, IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR,
	      sizeof(struct f2fs_comp_option), 0, set_compress_option),
	IOCTL(FS_IOC_ENABLE_VERITY, IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR,
	      sizeof(struct fsverity_enable_arg), 0, enable_verity),
	IOCTL(FS_IOC_MEASURE_VERITY, 0, sizeof(struct fsverity_digest), sizeof(struct fsverity_digest),
	      measure_verity),
	{ 0 },
};
