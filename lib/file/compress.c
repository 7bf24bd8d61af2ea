/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compressed clusters of a file: gather the stored blocks, check the head, decompress, and keep the last one
 * (FORMAT files 8).
 */
#include <string.h>

#include "base/comp.h"
#include "base/error.h"
#include "file/compress.h"
#include "file/crypto.h"
#include "file/inode_caches.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "format/cluster.h"
#include "volume/block_read.h"

static int need_cache(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	size_t bytes = (size_t)inode->layout.cluster_blocks << inode->vol->geo.block_bits;
	struct cluster_cache *cache = inode->cluster;

	if (cache)
		return 0;
	cache = mem_zalloc(ctx, sizeof(*cache));
	if (!cache)
		return F2FS_ERR_NOMEM;
	comp_init(&cache->codec);
	inode->cluster = cache;
	cache->stored = mem_alloc(ctx, bytes);
	cache->data = mem_alloc(ctx, bytes);
	if (cache->stored && cache->data)
		return 0;
	compress_unload(inode);
	return F2FS_ERR_NOMEM;
}

/* Read the stored blocks, consecutive ones together. */
static int read_stored(struct f2fs_inode *inode, const uint8_t *slots, uint32_t count)
{
	const uint32_t bits = inode->vol->geo.block_bits;

	for (uint32_t i = 0; i < count;) {
		uint32_t addr = get_le32(slots + (size_t)(1 + i) * 4), n = 1;
		int err;

		while (i + n < count && get_le32(slots + (size_t)(1 + i + n) * 4) == addr + n)
			n++;
		err = volume_read(inode->vol, addr, 0, inode->cluster->stored + ((size_t)i << bits), (size_t)n << bits);
		if (err)
			return err;
		i += n;
	}
	return 0;
}

/* Judge an old version of a file: do its blocks still hold their old data? */
static int judge_stored(struct f2fs_inode *inode, const struct map_run *run, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 1; inode->is_past && i <= count && !err; i++)
		err = inode->past.judge(inode->past.user, inode, run->nid, run->ofs_in_node + i,
					get_le32(run->slots + (size_t)i * 4));
	return err;
}

/* @why: the fault; NULL: the rule says everything. */
static int damaged(struct f2fs_inode *inode, enum rule rule, uint64_t cluster, const char *why)
{
	const struct f2fs_rule *row = rule_row(rule);
	struct error_where where = {
		.structure = row->structure,
		.rule = row->name,
		.block_plus1 = (uint64_t)inode->addr + 1,
		.offset_plus1 = (cluster * inode->layout.cluster_blocks << inode->vol->geo.block_bits) + 1,
		.nid = inode->ino,
	};

	return error_at(inode->vol->ctx, F2FS_ERR_DAMAGED_DATA, &where, "cluster %llu of inode %u breaks %s (%s)%s%s",
			(unsigned long long)cluster, (unsigned)inode->ino, row->name, row->text, why ? ": " : "",
			why ? why : "");
}

/* If the inode's algorithm cannot read a cluster, it may be packed by another one: reported once for a file. */
static enum comp_result decompress(struct f2fs_inode *inode, const uint8_t *packed, size_t length)
{
	struct cluster_cache *cache = inode->cluster;
	const size_t room = (size_t)inode->layout.cluster_blocks << inode->vol->geo.block_bits;
	const unsigned named = extra_i_compress_algorithm(inode_extra(inode->block));
	unsigned algorithm = named;
	enum comp_result result = comp_decompress(&cache->codec, named, packed, length, cache->data, room);

	if (result != COMP_CORRUPT)
		return result;
	result = comp_decompress_other(&cache->codec, &algorithm, packed, length, cache->data, room);
	if (result == COMP_OK && !cache->is_misnamed)
		log_message(inode->vol->ctx, F2FS_LOG_WARNING, "inode %u names %s, but its clusters are %s's",
			    (unsigned)inode->ino, comp_name(named), comp_name(algorithm));
	if (result == COMP_OK) {
		cache->is_misnamed = true;
		cache->algorithm = algorithm;
	}
	return result;
}

static int unavailable(struct f2fs_inode *inode, unsigned algorithm)
{
	return error_set(inode->vol->ctx, F2FS_ERR_UNSUPPORTED, "cannot read inode %u, which is compressed with %s: %s",
			 (unsigned)inode->ino, comp_name(algorithm) ? comp_name(algorithm) : "an unknown algorithm",
			 comp_why_not(algorithm));
}

int compress_need(struct f2fs_inode *inode)
{
	const uint8_t *extra = inode_extra(inode->block);

	if (!inode->layout.is_compressed || !extra_i_compr_blocks(extra) ||
	    comp_can_decompress(extra_i_compress_algorithm(extra)) ||
	    !comp_name(extra_i_compress_algorithm(extra)))
		return 0;
	return unavailable(inode, extra_i_compress_algorithm(extra));
}

static int unpack(struct f2fs_inode *inode, uint64_t cluster, uint32_t stored)
{
	const uint8_t *extra = inode_extra(inode->block), *raw = inode->cluster->stored;
	const unsigned algorithm = extra_i_compress_algorithm(extra);
	const uint8_t *packed = raw + chead_SIZE;
	struct cluster_header head;
	enum rule rule = cluster_header_decode(raw, (size_t)stored << inode->vol->geo.block_bits, &head);
	bool is_wrong;

	if (rule != RULE_NONE)
		return damaged(inode, rule, cluster, NULL);
	is_wrong = (extra_i_compress_flag(extra) & 1) && cluster_checksum(packed, head.length) != head.checksum;
	if (is_wrong)
		log_message(inode->vol->ctx, F2FS_LOG_WARNING, "cluster %llu of inode %u: the checksum does not match",
			    (unsigned long long)cluster, (unsigned)inode->ino); /* the kernel, too, gives the data */
	switch (decompress(inode, packed, head.length)) {
	case COMP_OK:
		inode->cluster->has_bad_sum |= is_wrong;
		return 0;
	case COMP_UNAVAILABLE:
		return unavailable(inode, algorithm);
	case COMP_NO_MEMORY:
		return error_nomem(inode->vol->ctx);
	default:
		return damaged(inode, RULE_CLUSTER_DATA, cluster, NULL);
	}
}

int compress_read(struct f2fs_inode *inode, uint64_t cluster, const uint8_t **data)
{
	struct cluster_shape shape;
	struct map_run run;
	int err;

	err = need_cache(inode);
	if (err)
		return err;
	if (inode->cluster->is_loaded && inode->cluster->index == cluster) {
		*data = inode->cluster->data;
		return 0;
	}
	inode->cluster->is_loaded = false;
	err = map_find(inode, cluster * inode->layout.cluster_blocks, &run);
	if (err)
		return err;
	if (!run.slots || run.count < inode->layout.cluster_blocks)
		return damaged(inode, RULE_CLUSTER_SHAPE, cluster, "it is cut short");
	cluster_classify(&inode->vol->geo, run.slots, inode->layout.cluster_blocks, &shape);
	if (!cluster_is_compressed(&shape))
		return damaged(inode, RULE_CLUSTER_SHAPE, cluster, cluster_problem_text(shape.problem));
	err = judge_stored(inode, &run, shape.stored);
	if (!err)
		err = read_stored(inode, run.slots, shape.stored);
	if (!err) /* compressed first, then encrypted, each block by the number of its slot */
		err = crypto_open_blocks(inode, cluster * inode->layout.cluster_blocks + 1, inode->cluster->stored,
					 shape.stored);
	if (!err)
		err = unpack(inode, cluster, shape.stored);
	if (err)
		return err;
	inode->cluster->index = cluster;
	inode->cluster->is_loaded = true;
	*data = inode->cluster->data;
	return 0;
}
