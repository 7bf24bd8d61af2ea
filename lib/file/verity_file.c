/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fs-verity files: the descriptor and Merkle tree that lie behind the contents, and checking the one against the other
 * (FORMAT files 9.2).
 */
#include "base/verity.h"

#include <string.h>

#include "base/checked.h"
#include "file/object.h"
#include "format/xattr.h"

#define METADATA_ALIGN 65536u

static int bad_descriptor(struct f2fs_inode *inode, const char *what)
{
	return inode_corrupt(inode, RULE_VERITY_DESCRIPTOR, "inode %u: %s", (unsigned)inode->ino, what);
}

/* Find where the descriptor is, and check that it lies behind the contents. */
static int locate(struct f2fs_inode *inode, uint64_t *pos, uint32_t *size)
{
	uint64_t start = inode_i_size(inode->block), limit;
	const uint8_t *value;
	size_t value_size;
	int err;

	if (!(inode_i_advise(inode->block) & FLAG_i_advise_verity))
		return error_set(inode->vol->ctx, F2FS_ERR_NO_ATTR, "inode %u has no verity data",
				 (unsigned)inode->ino);
	err = xattr_find_stored(inode, XATTR_VERITY, "v", &value, &value_size);
	if (err == F2FS_ERR_NO_ATTR)
		return bad_descriptor(inode, "the attribute that tells its place is missing");
	if (err)
		return err;
	if (value_size != verityx_SIZE || verityx_version(value) != 1)
		return bad_descriptor(inode, "the attribute that tells its place is not known");
	*pos = verityx_pos(value);
	*size = verityx_size(value);
	start = div_ceil64(start, METADATA_ALIGN) * METADATA_ALIGN;
	limit = node_max_file_blocks(&inode->vol->geo, inode->layout.node_slots) << inode->vol->geo.block_bits;
	if (*size < verityd_SIZE || (*pos < start && inode_i_size(inode->block) > 0) ||
	    !range_within(*pos, *size, limit))
		return bad_descriptor(inode, "its place is out of range");
	return 0;
}

/* Read and check the descriptor. */
static int load_descriptor(struct f2fs_inode *inode, uint8_t raw[verityd_SIZE], struct verity_params *params,
			   uint64_t *pos)
{
	uint32_t size = 0;
	int err = locate(inode, pos, &size);

	if (!err && inode_is_encrypted(inode))
		err = crypto_refuse(inode, "verity data");
	if (!err)
		err = data_read(inode, *pos, raw, verityd_SIZE);
	if (err)
		return err;
	if (verityd_version(raw) != 1 || verityd_salt_size(raw) > VERITY_SALT_MAX)
		return bad_descriptor(inode, "version or salt size is not known");
	if (verityd_data_size(raw) != inode_i_size(inode->block))
		return bad_descriptor(inode, "data_size is not the file's size");
	if (verityd_sig_size(raw) > size - verityd_SIZE)
		return bad_descriptor(inode, "the signature does not fit");
	memset(params, 0, sizeof(*params));
	params->algorithm = verityd_hash_algorithm(raw);
	params->log_block = verityd_log_blocksize(raw);
	params->data_size = verityd_data_size(raw);
	params->salt_size = verityd_salt_size(raw);
	memcpy(params->salt, verityd_salt(raw), params->salt_size);
	return 0;
}

static int map_result(struct f2fs_inode *inode, int result)
{
	switch (result) {
	case VERITY_OK:
		return 0;
	case VERITY_MISMATCH:
		return inode_corrupt(inode, RULE_VERITY_DIGEST, "inode %u", (unsigned)inode->ino);
	case VERITY_BAD_PARAMS:
		return bad_descriptor(inode, "hash algorithm or block size is not known");
	case VERITY_UNAVAILABLE:
		return error_set(inode->vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "the hash algorithm of inode %u's verity data is not built in", (unsigned)inode->ino);
	case VERITY_NO_MEMORY:
		return error_nomem(inode->vol->ctx);
	default:
		return result; /* of a callback, recorded there */
	}
}

int f2fs_verity_get(struct f2fs_inode *inode, struct f2fs_verity *out)
{
	uint8_t raw[verityd_SIZE];
	struct verity_params params;
	struct verity tree;
	uint64_t pos;
	int err;

	error_clear(inode->vol->ctx);
	err = load_descriptor(inode, raw, &params, &pos);
	if (!err)
		err = map_result(inode, verity_init(&tree, &params));
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->hash_algorithm = (uint8_t)params.algorithm;
	out->digest_size = (uint8_t)tree.digest_size;
	out->salt_size = (uint8_t)params.salt_size;
	out->block_size = 1u << params.log_block;
	out->tree_size = verity_tree_size(&tree);
	out->descriptor_offset = pos;
	out->tree_offset = pos - (out->tree_size < pos ? out->tree_size : pos);
	out->signature_size = verityd_sig_size(raw);
	memcpy(out->root_hash, verityd_root_hash(raw), sizeof(out->root_hash));
	memcpy(out->salt, params.salt, sizeof(out->salt));
	err = map_result(inode, verity_file_digest(params.algorithm, raw, out->file_digest));
	verity_fini(&tree);
	return err;
}

/* What the callbacks of a check need. */
struct check {
	struct f2fs_inode *inode;
	uint64_t tree_offset;
	uint32_t block_size;
};

static int read_data(void *user, uint64_t offset, void *buf, size_t n)
{
	return data_read(((struct check *)user)->inode, offset, buf, n);
}

static int read_tree(void *user, uint64_t index, void *buf, size_t n)
{
	const struct check *check = user;

	return data_read(check->inode, check->tree_offset + index * check->block_size, buf, n);
}

static int report(void *user, int level, uint64_t index)
{
	struct check *check = user;

	if (level == VERITY_DATA)
		return inode_corrupt(check->inode, RULE_VERITY_DIGEST, "inode %u: data block %llu of %u bytes differs",
				     (unsigned)check->inode->ino, (unsigned long long)index, check->block_size);
	return inode_corrupt(check->inode, RULE_VERITY_DIGEST, "inode %u: block %llu of level %d of the tree differs",
			     (unsigned)check->inode->ino, (unsigned long long)index, level);
}

int f2fs_verity_verify(struct f2fs_inode *inode)
{
	struct check check = { .inode = inode };
	const struct verity_io io = {
		.user = &check, .read_data = read_data, .read_tree = read_tree, .report = report
	};
	uint8_t raw[verityd_SIZE];
	struct verity_params params;
	struct verity tree;
	uint64_t pos;
	void *work;
	int err;

	error_clear(inode->vol->ctx);
	err = load_descriptor(inode, raw, &params, &pos);
	if (!err)
		err = map_result(inode, verity_init(&tree, &params));
	if (err)
		return err;
	check.block_size = 1u << params.log_block;
	if (verity_tree_size(&tree) > pos) {
		verity_fini(&tree);
		return bad_descriptor(inode, "there is no room for the tree in front of it");
	}
	check.tree_offset = pos - verity_tree_size(&tree);
	work = mem_alloc(inode->vol->ctx, verity_work_size(&tree));
	err = work ? map_result(inode, verity_verify(&tree, &io, verityd_root_hash(raw), work)) : F2FS_ERR_NOMEM;
	mem_free(inode->vol->ctx, work);
	verity_fini(&tree);
	return err;
}
