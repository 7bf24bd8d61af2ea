/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing compressed files. A cluster that is written as a whole is compressed at once. One that is changed in part is
 * opened first: its contents become waiting blocks and its slots those of an ordinary cluster, so that all that works
 * on ordinary files works on it, too; when all blocks of a cluster wait to be written, they are compressed again. As
 * with the kernel, the others stay as they are (FORMAT files 8).
 */
#include <string.h>

#include "base/comp.h"
#include "base/error.h"
#include "file/change_rules.h"
#include "file/cluster_saved.h"
#include "file/cluster_write.h"
#include "file/compress.h"
#include "file/crypto.h"
#include "file/data_append.h"
#include "file/inode_sync.h"
#include "file/map_write.h"
#include "file/page_store.h"
#include "file/pages.h"
#include "file/run.h"
#include "file/slots_own.h"
#include "file/winode.h"
#include "format/cluster.h"
#include "log/heads.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/space.h"

#define PACKING_IS_SLOWER 8u /* than copying: by that factor at least */

/* What compressing needs, kept for the next cluster. */
struct cluster_packer {
	struct comp_state codec;
	unsigned algorithm, level;
	size_t bytes; /* of a cluster */
	uint8_t *plain, *packed;
	void *work;
};

static void empty_packer(struct f2fs_context *ctx, struct cluster_packer *p)
{
	comp_fini(&p->codec);
	mem_free(ctx, p->plain);
	mem_free(ctx, p->packed);
	mem_free(ctx, p->work);
	memset(p, 0, sizeof(*p));
	comp_init(&p->codec);
}

void clusters_drop(struct txn *txn)
{
	if (!txn->file->packer)
		return;
	empty_packer(txn->vol->ctx, txn->file->packer);
	mem_free(txn->vol->ctx, txn->file->packer);
	txn->file->packer = NULL;
}

/* Get ready for the clusters of an inode. */
static int need_packer(struct winode *w, struct cluster_packer **out)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	const uint8_t *extra = inode_extra(winode_block(w));
	const unsigned algorithm = extra_i_compress_algorithm(extra), level = extra_i_compress_flag(extra) >> 8;
	const size_t bytes = (size_t)w->layout.cluster_blocks << w->txn->vol->geo.block_bits;
	struct cluster_packer *p = w->txn->file->packer;
	size_t work;

	if (!p) {
		p = mem_zalloc(ctx, sizeof(*p));
		if (!p)
			return F2FS_ERR_NOMEM;
		comp_init(&p->codec);
		w->txn->file->packer = p;
	}
	*out = p;
	if (p->plain && p->algorithm == algorithm && p->level == level && p->bytes == bytes)
		return 0;
	empty_packer(ctx, p);
	p->algorithm = algorithm;
	p->level = level;
	p->bytes = bytes;
	work = comp_work_size(algorithm, level, bytes);
	p->packed = mem_alloc(ctx, bytes);
	p->work = work ? mem_alloc(ctx, work) : NULL;
	p->plain = mem_alloc(ctx, bytes);
	if (p->packed && p->plain && (p->work || !work))
		return 0;
	empty_packer(ctx, p);
	return F2FS_ERR_NOMEM;
}

/* Compress a cluster; *blocks is its new size, 0 when that saves too little. */
static int pack(struct winode *w, struct cluster_packer *p, const uint8_t *data, uint32_t *blocks)
{
	const uint32_t bs = w->txn->vol->geo.block_size;
	struct change_rules rules;
	uint32_t min_saved;
	const uint8_t *extra = inode_extra(winode_block(w));
	struct cluster_header head = { 0 };
	struct comp_job job = { .in = data,
				.in_len = p->bytes,
				.out = p->packed + chead_SIZE,
				.work = p->work };
	size_t used;
	int err = progress_tick(w->txn->vol->ctx, "write", (uint64_t)p->bytes * PACKING_IS_SLOWER);

	*blocks = 0;
	change_compression(w->txn, &rules);
	min_saved = rules.minimum_saved ? rules.minimum_saved : 1;
	if (err || min_saved >= w->layout.cluster_blocks)
		return err;
	job.cap = p->bytes - (size_t)min_saved * bs - chead_SIZE;
	switch (comp_compress(&p->codec, p->algorithm, p->level, &job)) {
	case COMP_OK:
		break;
	case COMP_NO_MEMORY:
		return error_nomem(w->txn->vol->ctx);
	default: /* compression saves too little, or this build lacks the algorithm: store it uncompressed */
		return 0;
	}
	head.length = (uint32_t)job.out_len;
	if (extra_i_compress_flag(extra) & 1)
		head.checksum = cluster_checksum(job.out, job.out_len);
	cluster_header_encode(&head, p->packed);
	used = chead_SIZE + job.out_len;
	*blocks = (uint32_t)((used + bs - 1) / bs);
	memset(p->packed + used, 0, (size_t)*blocks * bs - used);
	return 0;
}

static bool is_released(const struct winode *w)
{
	return inode_has_inline(winode_block(w), FLAG_i_inline_compress_released);
}

/* Point a slot to another block, and free the one it had. */
static int replace_slot(struct winode *w, uint8_t *raw, f2fs_blk_t addr)
{
	f2fs_blk_t old = get_le32(raw);
	int err = geometry_is_main(&w->txn->vol->geo, old) ? segment_mark(w->txn, old, false) : 0;

	put_le32(raw, addr);
	return err;
}

/* Free the blocks that a cluster saves, if the change says so. */
static int release(struct winode *w, uint64_t first)
{
	uint8_t *block = winode_block(w);
	uint64_t saved = 0;

	if (!change_releases(w->txn))
		return 0;
	inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_compress_released);
	return cluster_convert(w, first, false, &saved);
}

/* Before a cluster is changed that was released. */
static int take_back(struct winode *w, uint64_t first)
{
	uint64_t taken = 0;

	return is_released(w) ? cluster_convert(w, first, true, &taken) : 0;
}

/* Store packed blocks in a cluster whose slots are counted and ordinary. */
static int put_cluster(struct winode *w, uint64_t first, const struct slot_ref *slot, const uint8_t *packed,
		       uint32_t blocks)
{
	const uint32_t bits = w->txn->vol->geo.block_bits, size = w->layout.cluster_blocks;
	const uint8_t *sealed = packed;
	int err = crypto_seal(w, first + 1, packed, blocks, &sealed);

	for (uint32_t done = 0, got = 0; done < blocks && !err; done += got) {
		f2fs_blk_t addr = 0;

		err = head_append(w->txn, F2FS_COLD_DATA, slot_owner(slot, 1 + done), blocks - done,
				  sealed + ((size_t)done << bits), &addr, &got);
		for (uint32_t i = 0; i < got && !err; i++)
			err = replace_slot(w, slot->raw + (size_t)(1 + done + i) * 4, addr + i);
	}
	crypto_sealed_free(w, sealed, packed);
	if (!err)
		err = replace_slot(w, slot->raw, F2FS_COMPRESS_ADDR);
	for (uint32_t i = blocks + 1; i < size && !err; i++)
		err = replace_slot(w, slot->raw + (size_t)i * 4, F2FS_NEW_ADDR);
	node_dirty(w->txn, slot->node);
	cluster_count_saved(w, (int64_t)size - blocks);
	return err ? err : release(w, first);
}

/* Make a compressed cluster's slots ordinary reserved ones. */
static int dissolve(struct winode *w, const struct slot_ref *slot)
{
	const uint32_t size = w->layout.cluster_blocks;
	uint32_t stored = 0;
	int err = 0;

	for (uint32_t i = 0; i < size && !err; i++) {
		stored += geometry_is_main(&w->txn->vol->geo, get_le32(slot->raw + (size_t)i * 4));
		err = replace_slot(w, slot->raw + (size_t)i * 4, F2FS_NEW_ADDR);
	}
	node_dirty(w->txn, slot->node);
	cluster_count_saved(w, (int64_t)stored - size);
	return err;
}

/* Reserve those slots of a cluster that are holes. */
static int reserve(struct winode *w, const struct slot_ref *slot)
{
	uint32_t fresh = 0;
	int err;

	for (uint32_t i = 0; i < w->layout.cluster_blocks; i++)
		fresh += get_le32(slot->raw + (size_t)i * 4) == F2FS_NULL_ADDR;
	err = space_take(w->txn, fresh);
	if (err || fresh == 0)
		return err;
	for (uint32_t i = 0; i < w->layout.cluster_blocks; i++)
		if (get_le32(slot->raw + (size_t)i * 4) == F2FS_NULL_ADDR)
			put_le32(slot->raw + (size_t)i * 4, F2FS_NEW_ADDR);
	node_dirty(w->txn, slot->node);
	return winode_count(w, fresh);
}

int cluster_open(struct f2fs_inode *inode, struct winode *w, uint64_t file_block)
{
	const uint32_t bits = w->txn->vol->geo.block_bits, size = w->layout.cluster_blocks;
	const uint64_t end = (inode_i_size(winode_block(w)) + w->txn->vol->geo.block_size - 1) >> bits;
	const uint8_t *data;
	struct slot_ref slot;
	uint64_t first;
	int err;

	if (!w->layout.is_compressed)
		return 0;
	first = file_block - file_block % size;
	err = slot_make(w, first, &slot);
	if (err || get_le32(slot.raw) != F2FS_COMPRESS_ADDR)
		return err;
	err = slots_need_own(w, &slot, size);
	if (!err)
		err = inode_sync(inode);
	if (!err)
		err = compress_read(inode, first / size, &data);
	if (!err)
		err = take_back(w, first);
	if (!err)
		err = dissolve(w, &slot);
	for (uint32_t i = 0; i < size && !err; i++) {
		uint8_t *page;

		if (first + i < end) {
			err = page_get(w, first + i, true, &page);
			if (!err)
				memcpy(page, data + ((size_t)i << bits), (size_t)1 << bits);
			continue;
		}
		put_le32(slot.raw + (size_t)i * 4, F2FS_NULL_ADDR);
		space_give(w->txn, 1);
		err = winode_count(w, -1);
	}
	return err;
}

/* Replace a whole cluster within the file. */
static int replace_cluster(struct winode *w, uint64_t first, const uint8_t *data)
{
	struct cluster_packer *p = NULL;
	struct slot_ref slot;
	uint32_t blocks = 0;
	int err = slot_make(w, first, &slot);

	if (!err)
		err = slots_need_own(w, &slot, w->layout.cluster_blocks);
	if (!err)
		err = need_packer(w, &p);
	if (!err)
		err = pack(w, p, data, &blocks);
	if (!err && get_le32(slot.raw) == F2FS_COMPRESS_ADDR) {
		err = take_back(w, first);
		if (!err)
			err = dissolve(w, &slot);
	}
	if (!err && blocks == 0)
		return data_append(w, first, data, w->layout.cluster_blocks);
	if (!err)
		err = reserve(w, &slot);
	if (err)
		return err;
	pages_forget_range(w->txn, w->node->nid, first, w->layout.cluster_blocks);
	return put_cluster(w, first, &slot, p->packed, blocks);
}

/* Change a part of a cluster: its blocks become waiting blocks. */
static int change_cluster(struct f2fs_inode *inode, struct winode *w, uint64_t offset, const uint8_t *data,
			  size_t length)
{
	int err = cluster_open(inode, w, offset >> w->txn->vol->geo.block_bits);

	return err ? err : pages_put(w, offset, data, length, inode_i_size(winode_block(w)));
}

int clusters_write(struct f2fs_inode *inode, struct winode *w, uint64_t offset, const uint8_t *data, size_t length)
{
	const size_t bytes = (size_t)w->layout.cluster_blocks << w->txn->vol->geo.block_bits;
	int err = 0;

	while (!err && length > 0) {
		size_t within = (size_t)(offset % bytes), n = bytes - within < length ? bytes - within : length;

		if (n == bytes)
			err = replace_cluster(w, offset >> w->txn->vol->geo.block_bits, data);
		else
			err = change_cluster(inode, w, offset, data, n);
		offset += n;
		data += n;
		length -= n;
	}
	return err;
}

int cluster_flush(struct winode *w, uint64_t first, bool *stored)
{
	const uint32_t bits = w->txn->vol->geo.block_bits;
	struct cluster_packer *p = NULL;
	struct slot_ref slot;
	uint32_t blocks = 0;
	int err = need_packer(w, &p);

	*stored = false;
	for (uint32_t i = 0; i < w->layout.cluster_blocks && !err; i++)
		memcpy(p->plain + ((size_t)i << bits), page_find(w->txn->vol, w->node->nid, first + i),
		       (size_t)1 << bits);
	if (!err)
		err = pack(w, p, p->plain, &blocks);
	if (err || blocks == 0)
		return err;
	*stored = true;
	err = slot_make(w, first, &slot);
	return err ? err : put_cluster(w, first, &slot, p->packed, blocks);
}

bool cluster_forget(struct winode *w, const uint8_t *slots)
{
	int64_t saved = 1;

	if (is_released(w))
		return false;
	for (uint32_t i = 1; i < w->layout.cluster_blocks; i++)
		saved += get_le32(slots + (size_t)i * 4) == F2FS_NEW_ADDR;
	cluster_count_saved(w, -saved);
	return true;
}
