/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Enable fs-verity: the Merkle tree and the descriptor go after the contents, past i_size, an attribute has their
 * place, and a flag makes the file immutable (FORMAT files 9.2).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "base/part.h"
#include "base/sized.h"
#include "file/change.h"
#include "file/change_trim.h"
#include "file/cluster_write.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/map_cut.h"
#include "file/pages.h"
#include "file/winode.h"
#include "file/write.h"
#include "file/xattr_write.h"
#include "format/verity_descriptor.h"
#include "format/xattr.h"
#include "log/nodes.h"

#define METADATA_ALIGNMENT 65536u
#define DEFAULT_LOG_BLOCK 12u

/* Data of the tree builder's callbacks. */
struct verity_maker {
	struct f2fs_inode *inode;
	struct winode *w;
	uint64_t tree_offset;
	size_t block_size;
};

/* Put bytes past the end of a file. They wait as pages: blocks of the tree may be smaller than blocks. */
static int put_bytes(struct winode *w, uint64_t offset, const uint8_t *data, size_t length)
{
	int err = winode_breathe(w);

	return err ? err : pages_put(w, offset, data, length, UINT64_MAX);
}

static int read_data(void *user, uint64_t offset, void *buf, size_t n)
{
	const struct verity_maker *m = user;
	int err = inode_sync(m->inode);

	return err ? err : data_read(m->inode, offset, buf, n);
}

static int write_tree(void *user, uint64_t index, const void *buf, size_t n)
{
	const struct verity_maker *m = user;

	return put_bytes(m->w, m->tree_offset + index * m->block_size, buf, n);
}

/* Check the requested parameters of a tree, and fill in defaults. */
static int check_params(const struct winode *w, const struct f2fs_verity_params *in, struct verity_params *out)
{
	struct f2fs_volume *vol = w->txn->vol;
	uint32_t size = in->block_size ? in->block_size : 1u << DEFAULT_LOG_BLOCK;

	memset(out, 0, sizeof(*out));
	if (!geometry_has(&vol->geo, F2FS_FEAT_VERITY))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "the volume lacks the feature verity (tune.f2fs -O verity turns it on)");
	if (in->salt_size > VERITY_SALT_MAX)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a salt has at most %u bytes", VERITY_SALT_MAX);
	if (in->signature_size > VERITY_DESCRIPTOR_MAX - verityd_SIZE)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a signature has at most %u bytes",
				 VERITY_DESCRIPTOR_MAX - verityd_SIZE);
	while (out->log_block < 32 && 1u << out->log_block < size)
		out->log_block++;
	if (size != 1u << out->log_block || out->log_block < VERITY_LOG_BLOCK_MIN || size > vol->geo.block_size)
		return error_set(vol->ctx, F2FS_ERR_INVALID,
				 "blocks of a tree have 1024 to %u bytes, a power of two, not %u",
				 (unsigned)vol->geo.block_size, (unsigned)size);
	out->algorithm = in->hash_algorithm ? in->hash_algorithm : SHA_256;
	out->data_size = inode_i_size(winode_block(w));
	out->salt_size = in->salt_size;
	if (in->salt_size)
		memcpy(out->salt, in->salt, in->salt_size);
	return 0;
}

static int map_result(struct f2fs_volume *vol, unsigned algorithm, int result)
{
	switch (result) {
	case VERITY_OK:
		return 0;
	case VERITY_BAD_PARAMS:
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no hash algorithm %u of fs-verity", algorithm);
	case VERITY_UNAVAILABLE:
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "cannot compute hash algorithm %u: %s", algorithm,
				 part_why_not(PART_CRYPTO));
	case VERITY_NO_MEMORY:
		return error_nomem(vol->ctx);
	default:
		return result; /* of a callback, recorded there */
	}
}

static void fill_descriptor(const struct verity *tree, const struct f2fs_verity_params *in, uint8_t raw[verityd_SIZE])
{
	const struct verity_params *p = &tree->params;

	verityd_set_version(raw, 1);
	verityd_set_hash_algorithm(raw, (uint8_t)p->algorithm);
	verityd_set_log_blocksize(raw, (uint8_t)p->log_block);
	verityd_set_salt_size(raw, (uint8_t)p->salt_size);
	verityd_set_sig_size(raw, (uint32_t)in->signature_size);
	verityd_set_data_size(raw, p->data_size);
	memcpy(verityd_salt_w(raw), p->salt, p->salt_size);
}

/* Build the tree, then put the descriptor and its signature after it. */
static int store_metadata(struct verity_maker *m, struct verity *tree, const struct f2fs_verity_params *in)
{
	const struct verity_io io = { .user = m, .read_data = read_data, .write_tree = write_tree };
	const uint64_t at = m->tree_offset + verity_tree_size(tree);
	struct f2fs_volume *vol = m->inode->vol;
	uint8_t raw[verityd_SIZE] = { 0 }, root[SHA_MAX_SIZE] = { 0 };
	void *work = mem_alloc(vol->ctx, verity_work_size(tree));
	int err = work ? map_result(vol, tree->params.algorithm, verity_build(tree, &io, work, root)) : F2FS_ERR_NOMEM;

	mem_free(vol->ctx, work);
	fill_descriptor(tree, in, raw);
	memcpy(verityd_root_hash_w(raw), root, tree->digest_size);
	if (!err)
		err = put_bytes(m->w, at, raw, sizeof(raw));
	if (!err && in->signature_size)
		err = put_bytes(m->w, at + sizeof(raw), in->signature, in->signature_size);
	return err;
}

static int store_location(struct f2fs_inode *inode, struct winode *w, uint64_t at, size_t size)
{
	uint8_t value[verityx_SIZE] = { 0 };
	int err = inode_sync(inode);

	verityx_set_version(value, 1);
	verityx_set_size(value, (uint32_t)size);
	verityx_set_pos(value, at);
	if (!err)
		err = xattr_store(w, XATTR_VERITY, "v", value, sizeof(value));
	return err;
}

static int enable(struct f2fs_inode *inode, struct winode *w, const struct f2fs_verity_params *in)
{
	struct f2fs_volume *vol = inode->vol;
	const uint64_t size = inode_i_size(winode_block(w)), room = data_max_size(w),
		       tree_offset = (size + METADATA_ALIGNMENT - 1) / METADATA_ALIGNMENT * METADATA_ALIGNMENT;
	struct verity_maker m = { .inode = inode, .w = w, .tree_offset = tree_offset };
	struct verity_params params;
	struct verity tree;
	uint64_t end;
	int err = check_params(w, in, &params);

	if (!err)
		err = map_result(vol, params.algorithm, verity_init(&tree, &params));
	if (err)
		return err;
	m.block_size = tree.block_size;
	end = tree_offset + verity_tree_size(&tree) + verityd_SIZE + in->signature_size;
	if (size > room - METADATA_ALIGNMENT || end > room)
		err = error_set(vol->ctx, F2FS_ERR_TOO_BIG, "the file leaves no room for a tree");
	if (!err)
		err = map_need_space(w, tree_offset, end);
	if (!err)
		err = data_convert(w);
	if (!err)
		err = data_clear_tail(inode, w, size); /* the last block is hashed as a whole */
	if (!err)
		err = cluster_open(inode, w, tree_offset >> vol->geo.block_bits);
	if (!err)
		err = map_truncate(w, (size + vol->geo.block_size - 1) >> vol->geo.block_bits);
	if (!err)
		err = store_metadata(&m, &tree, in);
	if (!err)
		err = store_location(inode, w, tree_offset + verity_tree_size(&tree),
				     verityd_SIZE + in->signature_size);
	if (!err) {
		inode_set_i_advise(winode_block(w), inode_i_advise(winode_block(w)) | (uint8_t)FLAG_i_advise_verity);
		node_dirty(w->txn, w->node);
	}
	verity_fini(&tree);
	return err;
}

int f2fs_verity_enable(struct f2fs_inode *inode, const struct f2fs_verity_params *params)
{
	struct f2fs_verity_params own;
	struct change change;
	struct winode w;
	int err = sized_take(inode->vol->ctx, &own, sizeof(own), params);

	if (err)
		return err;
	err = data_begin(&change, inode, &w);
	if (!err)
		err = enable(inode, &w, &own);
	return change_end(&change, err);
}
