/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One file: emptied, marked as compressed or not, and written again. The running transaction cannot reuse blocks that
 * it has freed, so that the old contents are read from a view of the last commit (volume/open_beside.h) meanwhile.
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "file/change.h"
#include "file/compress_mark.h"
#include "file/dir_write.h"
#include "file/inode_sync.h"
#include "file/slots_shift.h"
#include "file/write.h"
#include "format/cluster.h"
#include "format/inode_widen.h"
#include "tune/recompress_file.h"

#define CHUNK_BYTES (1u << 20)

static uint32_t cluster_blocks(const struct recompress *r)
{
	const struct f2fs_compression *how = r->options->how;

	return how ? 1u << (how->log_cluster ? how->log_cluster : 2) : 1;
}

int recompress_init(struct recompress *r)
{
	const struct f2fs_compression *how = r->options->how;
	struct f2fs_context *ctx = r->vol->ctx;
	const size_t cluster = (size_t)cluster_blocks(r) << r->vol->geo.block_bits;
	const size_t work = how ? comp_work_size(how->algorithm, how->level, cluster) : 0;

	comp_init(&r->codec);
	r->chunk = cluster > CHUNK_BYTES ? cluster : CHUNK_BYTES;
	r->plain = mem_alloc(ctx, r->chunk);
	r->packed = mem_alloc(ctx, cluster);
	r->work = work ? mem_alloc(ctx, work) : NULL;
	return r->plain && r->packed && (r->work || !work) ? 0 : F2FS_ERR_NOMEM;
}

void recompress_fini(struct recompress *r)
{
	struct f2fs_context *ctx = r->vol->ctx;

	comp_fini(&r->codec);
	mem_free(ctx, r->plain);
	mem_free(ctx, r->packed);
	mem_free(ctx, r->work);
}

/* Is a file compressed in the way that is asked for? */
static bool is_so(const struct recompress *r, const struct f2fs_inode *inode)
{
	const struct f2fs_compression *how = r->options->how;
	const uint8_t *extra = inode_extra(inode->block);
	struct f2fs_compression same;

	if (!how || !(inode_i_flags(inode->block) & FLAG_i_flags_compr))
		return !how && !(inode_i_flags(inode->block) & FLAG_i_flags_compr);
	same = compress_exactly(how);
	return extra_i_compress_algorithm(extra) == same.algorithm &&
	       extra_i_log_cluster_size(extra) == same.log_cluster &&
	       extra_i_compress_flag(extra) == (same.level << 8 | (same.checksum != 0)) &&
	       (!r->options->release || inode_type(inode) == MODE_DIR ||
		inode_has_inline(inode->block, FLAG_i_inline_compress_released));
}

/* Why a file cannot be rewritten at all. */
static int judge_block(const struct f2fs_geometry *geo, const uint8_t *block)
{
	if (inode_has_inline(block, FLAG_i_inline_pin_file) ||
	    (geometry_has(geo, F2FS_FEAT_DEVICE_ALIAS) && (inode_i_flags(block) & FLAG_i_flags_device_alias)))
		return F2FS_COMPRESS_LEFT_PINNED;
	if (inode_i_advise(block) & FLAG_i_advise_verity)
		return F2FS_COMPRESS_LEFT_VERITY;
	return F2FS_COMPRESS_LEFT_NONE;
}

bool recompress_is_movable(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const unsigned type = inode_i_mode(block) & MODE_TYPE;

	return (type == MODE_REG && judge_block(geo, block) != F2FS_COMPRESS_LEFT_PINNED) || type == MODE_DIR ||
	       (type == MODE_LNK && inode_has_inline(block, FLAG_i_inline_inline_data));
}

int recompress_judge(struct recompress *r, struct f2fs_inode *inode)
{
	const uint8_t *block = inode->block;
	const bool is_wanted = r->options->how != NULL;
	int left;

	if (is_so(r, inode))
		return F2FS_COMPRESS_LEFT_SO;
	left = judge_block(&r->vol->geo, block);
	if (left)
		return left;
	if (is_wanted && (inode_i_flags(block) & FLAG_i_flags_nocomp))
		return F2FS_COMPRESS_LEFT_FLAG;
	if (is_wanted && inode_has_inline(block, FLAG_i_inline_inline_data))
		return F2FS_COMPRESS_LEFT_INLINE;
	return F2FS_COMPRESS_LEFT_NONE;
}

static uint64_t blocks_of_size(const struct f2fs_inode *inode)
{
	const uint32_t bs = inode->vol->geo.block_size;
	const uint64_t size = inode_i_size(inode->block);

	return size / bs + (size % bs != 0);
}

/* Find the next run of file blocks with contents at or after *at, within the size. NOT_FOUND: there is none. */
static int next_run(struct f2fs_inode *inode, uint64_t *at, uint64_t *end, uint64_t *stored)
{
	const uint64_t past = blocks_of_size(inode);
	struct f2fs_file_extent e;

	for (; *at < past; *at = e.file_block + e.count) {
		int err = f2fs_inode_extent(inode, *at, &e);

		if (err)
			return err;
		if (e.kind == F2FS_EXTENT_HOLE || e.kind == F2FS_EXTENT_RESERVED)
			continue;
		*end = e.file_block + e.count < past ? e.file_block + e.count : past;
		*stored = e.kind == F2FS_EXTENT_COMPRESSED ? e.stored : e.kind == F2FS_EXTENT_INLINE ? 0 : *end - *at;
		return 0;
	}
	return F2FS_ERR_NOT_FOUND;
}

int recompress_count(struct f2fs_inode *inode, uint64_t *blocks)
{
	uint64_t at = 0, end, stored;
	int err = next_run(inode, &at, &end, &stored);

	for (*blocks = 0; !err; err = next_run(inode, &at, &end, &stored)) {
		*blocks += stored;
		at = end;
	}
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(inode->vol->ctx);
	return 0;
}

/* Blocks of a cluster of contents when it is compressed; all of them if that saves nothing. */
static int pack(struct recompress *r, const uint8_t *data, uint32_t *blocks)
{
	const struct f2fs_compression *how = r->options->how;
	const uint32_t bs = r->vol->geo.block_size, count = cluster_blocks(r);
	const uint32_t least = r->rules.minimum_saved ? r->rules.minimum_saved : 1;
	struct comp_job job = { .in = data, .in_len = (size_t)count * bs, .out = r->packed, .work = r->work };

	*blocks = count;
	if (least >= count)
		return 0;
	job.cap = job.in_len - (size_t)least * bs - chead_SIZE;
	switch (comp_compress(&r->codec, how->algorithm, how->level, &job)) {
	case COMP_OK:
		*blocks = (uint32_t)((chead_SIZE + job.out_len + bs - 1) / bs);
		return 0;
	case COMP_NO_MEMORY:
		return error_nomem(r->vol->ctx);
	default:
		return 0;
	}
}

/* Read file blocks, as many as a chunk holds at most; zeros past the end. */
static int read_chunk(struct recompress *r, struct f2fs_inode *inode, uint64_t at, uint64_t count, size_t *length)
{
	const uint32_t bits = r->vol->geo.block_bits;
	const size_t wanted = (size_t)count << bits;
	int err = f2fs_inode_read(inode, at << bits, r->plain, wanted, length);

	if (err && err != F2FS_ERR_NOMEM && err != F2FS_ERR_CANCELED)
		r->why = err == F2FS_ERR_ENCRYPTED ? F2FS_COMPRESS_LEFT_KEY : F2FS_COMPRESS_LEFT_UNREADABLE;
	if (!err)
		memset(r->plain + *length, 0, wanted - *length);
	return err;
}

/* Find the next blocks with contents that follow each other, in one extent or several; about a chunk at most. */
static int next_blocks(struct recompress *r, struct f2fs_inode *inode, uint64_t *begin, uint64_t *end)
{
	const uint64_t most = r->chunk >> r->vol->geo.block_bits;
	uint64_t stored;
	int err = next_run(inode, begin, end, &stored);

	while (!err && *end - *begin < most) {
		uint64_t after = *end, until;

		err = next_run(inode, &after, &until, &stored);
		if (err || after != *end)
			break;
		*end = until;
	}
	if (err == F2FS_ERR_NOT_FOUND && *end > *begin) {
		error_clear(inode->vol->ctx);
		err = 0;
	}
	return err;
}

/*
 * The next piece of a file that is read and written at once: whole clusters without a hole, or fewer blocks than a
 * cluster, which stay uncompressed, so that the holes beside them stay holes. *at: where to look from, then where the
 * piece begins.
 */
static int next_piece(struct recompress *r, struct f2fs_inode *inode, uint64_t *at, uint64_t *count)
{
	const uint32_t unit = cluster_blocks(r);
	const uint64_t most = r->chunk >> r->vol->geo.block_bits;
	uint64_t end = *at, within;
	int err = next_blocks(r, inode, at, &end);

	if (err)
		return err;
	within = *at % unit;
	*count = end - *at < most ? end - *at : most;
	if (within && *count > unit - within)
		*count = unit - within;
	else if (!within && *count >= unit)
		*count -= *count % unit;
	return 0;
}

int recompress_try(struct recompress *r, struct f2fs_inode *inode, bool until_one, uint64_t *blocks, uint64_t *saved)
{
	const uint32_t bits = r->vol->geo.block_bits, unit = cluster_blocks(r);
	uint64_t at = 0, count;
	size_t length;
	int err = next_piece(r, inode, &at, &count);

	*blocks = *saved = 0;
	r->why = F2FS_COMPRESS_LEFT_NONE;
	for (; !err && !(until_one && *saved); err = err ? err : next_piece(r, inode, &at, &count)) {
		const bool is_whole = r->options->how && at % unit == 0 && count >= unit;

		err = r->options->how ? read_chunk(r, inode, at, count, &length) : 0;
		*blocks += count;
		for (uint64_t i = 0; is_whole && i < count && !err; i += unit) {
			uint32_t packed = unit;

			err = pack(r, r->plain + (size_t)(i << bits), &packed);
			*blocks -= unit - packed;
			*saved += unit - packed;
		}
		if (!err)
			err = progress_tick(r->vol->ctx, "compress", count << bits);
		at += count;
	}
	if (err && err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(r->vol->ctx);
	return 0;
}

/* Write all contents of the file as it was to the file as it is now. */
static int copy(struct recompress *r, struct f2fs_inode *from, struct f2fs_inode *to)
{
	const uint32_t bits = r->vol->geo.block_bits;
	uint64_t at = 0, count;
	size_t length = 0;
	int err = next_piece(r, from, &at, &count);

	for (; !err; err = err ? err : next_piece(r, from, &at, &count)) {
		err = read_chunk(r, from, at, count, &length);
		if (!err)
			err = f2fs_inode_write(to, at << bits, r->plain, length);
		at += count;
	}
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	error_clear(r->vol->ctx);
	return f2fs_inode_truncate(to, inode_i_size(from->block));
}

/* Store what waits, so that clusters that are complete become compressed. */
static int store(struct f2fs_inode *inode)
{
	struct change change;
	int err = change_begin_on(&change, inode);

	if (!err)
		err = change_flush_file(&change, inode->ino);
	return change_end(&change, err);
}

/* Move contents that the inode has no room for out of it. */
static int move_out(struct winode *w)
{
	if (inode_has_inline(winode_block(w), FLAG_i_inline_inline_dentry))
		return dir_move_out(w);
	return data_convert(w);
}

/* Give an inode another number of extra attributes, so that its slots from the last ones on move to other nodes. */
static int move_slots(struct recompress *r, struct winode *w, uint32_t bytes)
{
	const struct f2fs_geometry *geo = &r->vol->geo;
	const uint32_t had = inode_extra_size(winode_block(w)), more = bytes > had ? (bytes - had) / 4 : 0;
	int err = more ? slots_shift_up(w, w->layout.slots - more, more) : 0;

	if (err)
		return err;
	if (!inode_resize_extra(geo, winode_block(w), r->packed, bytes)) {
		r->why = F2FS_COMPRESS_LEFT_ATTRIBUTES;
		return error_set(r->vol->ctx, F2FS_ERR_UNSUPPORTED, "inode %u has no room for extra attributes",
				 (unsigned)w->node->nid);
	}
	winode_touch(w);
	return bytes < had ? slots_shift_down(w, w->layout.slots, (had - bytes) / 4) : 0;
}

/* Give an inode all extra attributes, if the volume has any, or take them away. */
static int reshape(struct recompress *r, struct f2fs_inode *inode, enum reshape how)
{
	const uint32_t bytes = how == RESHAPE_WIDE ? extra_SIZE : 0;
	struct change change;
	struct winode w;
	int err = change_begin_on(&change, inode);

	if (!err)
		err = inode_sync(inode);
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (err || !geometry_has(&r->vol->geo, F2FS_FEAT_EXTRA_ATTR) ||
	    (how == RESHAPE_WIDE ? inode_is_wide(winode_block(&w)) : inode_extra_size(winode_block(&w)) == 0))
		return change_end(&change, err);
	err = move_out(&w);
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (!err)
		err = move_slots(r, &w, bytes);
	return change_end(&change, err);
}

static int rewrite(struct recompress *r, struct f2fs_inode *from, struct f2fs_inode *to)
{
	int err = 0;

	if (r->reshape)
		return reshape(r, to, r->reshape);
	if (inode_has_inline(to->block, FLAG_i_inline_compress_released))
		err = f2fs_compress_reserve(to, NULL);
	if (!err)
		err = f2fs_inode_truncate(to, 0);
	if (!err && r->options->how)
		err = reshape(r, to, RESHAPE_WIDE);
	if (!err)
		err = f2fs_compress_set(to, r->options->how);
	if (!err)
		err = copy(r, from, to);
	return !err && r->options->how ? store(to) : err;
}

int recompress_rewrite(struct recompress *r, f2fs_nid_t ino)
{
	struct f2fs_inode *from = NULL, *to = NULL;
	int err = f2fs_inode_open(r->view, ino, &from);

	r->why = err && err != F2FS_ERR_NOMEM ? F2FS_COMPRESS_LEFT_UNREADABLE : F2FS_COMPRESS_LEFT_NONE;
	if (!err)
		err = f2fs_inode_open(r->vol, ino, &to);
	if (!err) {
		to->rules = &r->rules;
		err = rewrite(r, from, to);
	}
	if (!r->why && (error_is_full(r->vol->ctx, err) || err == F2FS_ERR_TOO_BIG))
		r->why = F2FS_COMPRESS_LEFT_ROOM;
	else if (!r->why && err == F2FS_ERR_ENCRYPTED)
		r->why = F2FS_COMPRESS_LEFT_KEY;
	f2fs_inode_close(to);
	f2fs_inode_close(from);
	return err;
}
