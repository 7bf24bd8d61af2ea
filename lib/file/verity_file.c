/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fs-verity files: read the descriptor and the Merkle tree after the contents, and check contents against the tree
 * (FORMAT files 9.2).
 */
#include <string.h>

#include "base/error.h"
#include "base/part.h"
#include "file/crypto.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/verity_file.h"
#include "file/xattr_read.h"
#include "format/verity_descriptor.h"
#include "format/xattr.h"

static int bad_descriptor(struct f2fs_inode *inode, const char *what)
{
	return inode_corrupt(inode, RULE_VERITY_DESCRIPTOR, "inode %u: %s", (unsigned)inode->ino, what);
}

/* Find where the tree and the descriptor are. */
static int locate(struct f2fs_inode *inode, struct verity_location *at)
{
	uint64_t max_size = node_max_file_blocks(&inode->vol->geo, inode->layout.node_slots)
			    << inode->vol->geo.block_bits;
	const uint8_t *value;
	const char *why;
	size_t size;
	int err;

	if (!(inode_i_advise(inode->block) & FLAG_i_advise_verity))
		return error_set(inode->vol->ctx, F2FS_ERR_NO_ATTR, "inode %u has no verity data",
				 (unsigned)inode->ino);
	err = xattr_find_stored(inode, XATTR_VERITY, "v", &value, &size);
	if (err == F2FS_ERR_NO_ATTR)
		return bad_descriptor(inode, "the attribute with the descriptor's place is missing");
	if (err)
		return err;
	why = verity_location_decode(value, size, inode_i_size(inode->block), max_size, at);
	return why ? bad_descriptor(inode, why) : 0;
}

/* Read and check the descriptor. */
static int load_descriptor(struct f2fs_inode *inode, uint8_t raw[verityd_SIZE], struct verity_params *params,
			   struct verity_location *at)
{
	const char *why;
	int err = locate(inode, at);

	if (!err)
		err = crypto_check_contents(inode);
	if (!err)
		err = data_read(inode, at->descriptor, raw, verityd_SIZE);
	if (err)
		return err;
	why = verity_descriptor_decode(raw, at->descriptor_size, inode_i_size(inode->block), inode->vol->geo.block_bits,
				       params);
	return why ? bad_descriptor(inode, why) : 0;
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
				 "cannot check inode %u's verity data: %s", (unsigned)inode->ino,
				 part_why_not(PART_CRYPTO));
	case VERITY_NO_MEMORY:
		return error_nomem(inode->vol->ctx);
	default:
		return result; /* of a callback, recorded there */
	}
}

/* Read and check the descriptor, and set up the tree; it is the caller's to finish. */
static int open_tree(struct f2fs_inode *inode, uint8_t *raw, struct verity_params *params, struct verity_location *at,
		     struct verity *tree)
{
	int err = inode_sync(inode);

	if (!err)
		err = load_descriptor(inode, raw, params, at);
	return err ? err : map_result(inode, verity_init(tree, params));
}

int verity_get(struct f2fs_inode *inode, struct f2fs_verity *out)
{
	uint8_t raw[verityd_SIZE];
	struct verity_params params;
	struct verity tree;
	struct verity_location at = { 0 };
	int err;

	err = open_tree(inode, raw, &params, &at, &tree);
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->hash_algorithm = (uint8_t)params.algorithm;
	out->digest_size = (uint8_t)tree.digest_size;
	out->salt_size = (uint8_t)params.salt_size;
	out->block_size = 1u << params.log_block;
	out->tree_size = verity_tree_size(&tree);
	out->descriptor_offset = at.descriptor;
	out->tree_offset = at.tree;
	out->signature_size = verityd_sig_size(raw);
	memcpy(out->root_hash, verityd_root_hash(raw), sizeof(out->root_hash));
	memcpy(out->salt, params.salt, sizeof(out->salt));
	err = map_result(inode, verity_file_digest(params.algorithm, raw, out->file_digest));
	verity_fini(&tree);
	return err;
}

int f2fs_verity_get(struct f2fs_inode *inode, struct f2fs_verity *out)
{
	error_clear(inode->vol->ctx);
	return verity_get(inode, out);
}

/* Data of a check's callbacks. */
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

int verity_check(struct f2fs_inode *inode)
{
	struct check check = { .inode = inode };
	const struct verity_io io = {
		.user = &check, .read_data = read_data, .read_tree = read_tree, .report = report
	};
	uint8_t raw[verityd_SIZE];
	struct verity_params params;
	struct verity tree;
	struct verity_location at = { 0 };
	void *work;
	int err;

	err = open_tree(inode, raw, &params, &at, &tree);
	if (err)
		return err;
	check.block_size = 1u << params.log_block;
	check.tree_offset = at.tree;
	work = mem_alloc(inode->vol->ctx, verity_work_size(&tree));
	err = work ? map_result(inode, verity_verify(&tree, &io, verityd_root_hash(raw), work)) : F2FS_ERR_NOMEM;
	mem_free(inode->vol->ctx, work);
	verity_fini(&tree);
	return err;
}

int f2fs_verity_verify(struct f2fs_inode *inode)
{
	error_clear(inode->vol->ctx);
	return verity_check(inode);
}
