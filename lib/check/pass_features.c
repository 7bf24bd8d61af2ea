/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 7, features: attributes in a node of their own, fs-verity, compressed contents when asked for, and lost+found.
 * Needs the tree of nodes. (Attributes inside the inode are judged when the inode is read.)
 */
#include <string.h>

#include "base/error.h"
#include "check/passes.h"
#include "facts/crypt_parents.h"
#include "facts/finding.h"
#include "facts/xattr_judge.h"
#include "file/data_read.h"
#include "file/inode_caches.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "file/verity_file.h"
#include "volume/node_read.h"
#include "witness/witness.h"
#include "witness/witness_contexts.h"
#include "witness/witness_verity.h"

static int raise_inode(struct checker *c, enum problem problem, const struct inode_fact *inode, const char *text)
{
	return problem_raise(
		c,
		&(struct finding){ .problem = (uint16_t)problem, .nid = inode->ino, .ino = inode->ino, .text = text });
}

/* Both parts of the attributes as one string; the node only if it is kept. */
static int judge_string(struct checker *c, struct inode_fact *inode, uint8_t *block, uint8_t *string)
{
	const struct nid_fact *node;
	struct inode_layout layout;
	uint32_t size;
	int err = node_load(c->vol, inode->ino, inode->ino, block, NULL);

	if (err)
		return err;
	inode_layout(c->geo, block, &layout);
	size = layout.xattr_size;
	memcpy(string, block + layout.xattr_offset, size);
	if (inode_i_xattr_nid(block) == 0) /* judged with the inode */
		return 0;
	node = facts_nid(&c->facts, inode_i_xattr_nid(block));
	if (!node || !(node->flags & FACT_KEPT) || node->parent != inode->ino)
		return raise_inode(c, P_XATTR_UNREADABLE, inode, "the node cannot be used");
	err = node_load(c->vol, node->nid, inode->ino, block, NULL);
	if (err)
		return err;
	memcpy(string + size, block, node_bytes(c->geo));
	return xattrs_judge(c, inode, string, size + node_bytes(c->geo));
}

/* A reader failed on this file: turn damage into a finding, and forget errors that are not damage. */
static int raise_error(struct checker *c, const struct inode_fact *inode, int err)
{
	const struct f2fs_rule *rule = f2fs_rule_find(c->ctx->error.rule);
	const enum problem problem = rule ? problem_of_rule((enum rule)rule->id) : P_NONE;

	switch (err) {
	case F2FS_ERR_CORRUPT:
	case F2FS_ERR_DAMAGED_DATA:
		break;
	case F2FS_ERR_UNSUPPORTED:
		if (!c->has_warned)
			log_message(c->ctx, F2FS_LOG_WARNING, "not all contents are checked: %s",
				    c->ctx->error.message);
		c->has_warned = true;
		error_clear(c->ctx);
		return 0;
	case F2FS_ERR_IO:
	case F2FS_ERR_ENCRYPTED:
	case F2FS_ERR_NO_ATTR:
	case F2FS_ERR_RANGE:
		error_clear(c->ctx);
		return 0;
	default:
		return err;
	}
	error_clear(c->ctx);
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)(problem ? problem : P_VERITY),
						   .rule = rule ? rule->id : 0,
						   .nid = inode->ino,
						   .ino = inode->ino });
}

static int check_verity(struct checker *c, const struct inode_fact *inode)
{
	struct f2fs_inode *file;
	struct f2fs_verity verity;
	int err = inode_open(c->vol, inode->ino, &file);

	if (err)
		return raise_error(c, inode, err);
	err = verity_get(file, &verity);
	if (!err && c->options.depth == F2FS_CHECK_CONTENT)
		err = verity_check(file);
	if (err)
		err = raise_error(c, inode, err);
	f2fs_inode_close(file);
	return err;
}

#define CONTENT_BYTES 65536u

/* Read a file's compressed clusters: each one is decompressed. */
static int read_clusters(struct f2fs_inode *file, uint64_t blocks, uint32_t bits, uint8_t *buffer)
{
	struct f2fs_file_extent extent = { 0 };
	int err = 0;

	for (uint64_t block = 0; block < blocks && !err; block = extent.file_block + extent.count) {
		err = map_extent(file, block, UINT64_MAX, &extent);
		if (err == F2FS_ERR_NOT_FOUND || (!err && extent.count == 0))
			return 0;
		if (err || extent.kind != F2FS_EXTENT_COMPRESSED)
			continue;
		for (uint64_t at = extent.file_block; at < extent.file_block + extent.count && !err;
		     at += CONTENT_BYTES >> bits) {
			size_t done;

			err = inode_read(file, at << bits, buffer, CONTENT_BYTES, &done);
		}
	}
	return err;
}

/* The clusters could be read, by another algorithm than the inode names. */
static int raise_packing(struct checker *c, const struct f2fs_inode *file)
{
	return problem_raise(c, &(struct finding){ .problem = P_INODE_PACKING,
						   .nid = file->ino,
						   .ino = file->ino,
						   .has_values = 1,
						   .expected = file->layout.cluster_blocks,
						   .text = comp_name(file->cluster->algorithm) });
}

static int check_content(struct checker *c, const struct inode_fact *inode, uint8_t *buffer)
{
	const uint32_t bits = c->geo->block_bits;
	struct f2fs_inode *file;
	int err = inode_open(c->vol, inode->ino, &file), sums = 0;

	if (err)
		return raise_error(c, inode, err);
	err = read_clusters(file, (inode->size >> bits) + 1, bits, buffer);
	if (file->cluster && file->cluster->has_bad_sum)
		sums = inode_raise(c, P_CLUSTER_SUM, inode, 0, 0);
	if (!err && file->cluster && file->cluster->is_misnamed) {
		err = raise_packing(c, file);
	} else if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_DAMAGED_DATA) {
		const struct f2fs_rule *rule = f2fs_rule_find(c->ctx->error.rule);

		err = problem_raise(c, &(struct finding){ .problem = P_CLUSTER_DATA,
							  .rule = rule ? rule->id : 0,
							  .nid = inode->ino,
							  .ino = inode->ino });
		error_clear(c->ctx);
	} else if (err) {
		err = raise_error(c, inode, err);
	}
	f2fs_inode_close(file);
	return err ? err : sums;
}

static int check_inode(struct checker *c, struct inode_fact *inode, uint8_t *block, uint8_t *string)
{
	int err = 0;

	if (inode->state & INODE_XATTRS) {
		err = judge_string(c, inode, block, string);
		if (err)
			err = raise_error(c, inode, err);
	}
	if (!err && (inode->advise & FLAG_i_advise_verity))
		err = check_verity(c, inode);
	if (!err && c->options.depth == F2FS_CHECK_CONTENT && inode->cluster_blocks)
		err = check_content(c, inode, string);
	return err;
}

/* Recovered files may be secret. */
static int check_lost_found(struct checker *c, const struct inode_fact *dir)
{
	if ((dir->mode & 077) == 0)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = P_LOST_FOUND_MODE,
						   .nid = dir->ino,
						   .ino = dir->ino,
						   .has_values = 1,
						   .found = dir->mode });
}

int pass_features(struct checker *c)
{
	uint8_t *block = mem_alloc(c->ctx, c->geo->block_size), *string = mem_alloc(c->ctx, CONTENT_BYTES);
	int err = block && string ? 0 : F2FS_ERR_NOMEM;

	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) /* plain ones have nothing of this */
		err = check_inode(c, facts_inode_at(&c->facts, i), block, string);
	if (!err && geometry_has(c->geo, F2FS_FEAT_VERITY))
		err = witness_verity(c);
	if (!err && !c->must_restart && geometry_has(c->geo, F2FS_FEAT_ENCRYPT))
		err = witness_contexts(c);
	if (!err && !c->must_restart && geometry_has(c->geo, F2FS_FEAT_ENCRYPT))
		err = crypt_policies_check(c);
	if (!err && geometry_has(c->geo, F2FS_FEAT_LOST_FOUND) && !c->lost_found)
		err = problem_raise(c, &(struct finding){ .problem = P_LOST_FOUND });
	if (!err && c->lost_found)
		err = check_lost_found(c, facts_inode(&c->facts, c->lost_found));
	mem_free(c->ctx, block);
	mem_free(c->ctx, string);
	return err;
}
