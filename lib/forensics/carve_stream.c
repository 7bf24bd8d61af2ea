/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The blocks of a file whose nodes are gone, one after the other. The next block is the one that the summaries name for
 * the next slot; where they say nothing, the next one on the device. Clusters are tried at each block: header, then
 * stream, which has to make a cluster's size to the byte.
 */
#include <string.h>

#include "base/error.h"
#include "forensics/carve_stream.h"
#include "forensics/carver.h"
#include "format/cluster.h"
#include "volume/block_read.h"
#include "volume/ssa_read.h"

#define FAR 512u /* blocks that are looked through for the next one */

static int load_segment(struct f2fs_carver *c, f2fs_seg_t segno)
{
	uint8_t type = SUMMARY_OF_NODES;
	int source = F2FS_SUMMARY_NONE, err;

	if (c->segment.segno == segno)
		return 0;
	err = ssa_read(c->vol, segno, c->segment.entries, &type, &source);
	c->segment.segno = segno;
	c->segment.is_data = !err && source != F2FS_SUMMARY_NONE && type == SUMMARY_OF_DATA;
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		c->segment.segno = UINT32_MAX;
	return err;
}

bool carve_owner(struct f2fs_carver *c, f2fs_blk_t addr, f2fs_nid_t *nid, uint32_t *slot)
{
	const struct f2fs_geometry *geo = &c->vol->geo;
	const uint8_t *raw;

	*nid = 0;
	*slot = 0;
	if (load_segment(c, geometry_segment_of(geo, addr)) != 0)
		error_clear(c->vol->ctx);
	raw = c->segment.entries + (size_t)geometry_offset_of(geo, addr) * sum_SIZE;
	if (!c->segment.is_data || !geometry_is_nid(geo, sum_nid(raw)))
		return false;
	*nid = sum_nid(raw);
	*slot = sum_ofs_in_node(raw);
	return true;
}

void stream_begin(struct f2fs_carver *c, f2fs_blk_t addr)
{
	struct carve_stream *s = &c->stream;

	s->pieces.count = 0;
	s->addr = addr;
	s->length = 0;
	s->clusters = 0;
	s->is_ended = false;
	s->last = NO_ADDR;
	s->loaded = SIZE_MAX;
	s->limit = c->options.max_size;
	s->slack = NULL;
}

/* Could the slot be the last of an inode or of a direct node? */
static bool may_end_node(const struct f2fs_carver *c, uint32_t slot)
{
	const uint32_t inode_slots = c->vol->geo.addrs_per_inode;

	return slot + 1 == c->vol->geo.addrs_per_block || (slot < inode_slots && slot + 100 >= inode_slots);
}

/* The block that follows the last one, or NO_ADDR. */
static f2fs_blk_t next_block(struct f2fs_carver *c)
{
	const struct carve_stream *s = &c->stream;
	const uint32_t stride = s->clusters ? CLUSTER_MAX_BLOCKS + 1 : 2;
	f2fs_nid_t nid, other;
	uint32_t slot, other_slot;
	const f2fs_blk_t beside = s->last + 1;

	if (!carve_owner(c, s->last, &nid, &slot))
		return carve_is_free(c, beside) ? beside : NO_ADDR;
	for (f2fs_blk_t addr = beside; addr - beside < FAR && geometry_is_main(&c->vol->geo, addr); addr++) {
		work_note(c->vol->ctx);
		if (carve_is_free(c, addr) && carve_owner(c, addr, &other, &other_slot) && other == nid &&
		    other_slot > slot && other_slot - slot <= stride)
			return addr;
	}
	if (!carve_is_free(c, beside))
		return NO_ADDR;
	/* another node continues where the last one ends, and the owner of the block may be unknown */
	if (!carve_owner(c, beside, &other, &other_slot) || (may_end_node(c, slot) && other_slot <= 1))
		return beside;
	return NO_ADDR;
}

/* Try to unpack a cluster of `blocks` stored blocks. */
static int try_cluster(struct f2fs_carver *c, const struct cluster_header *head, unsigned algorithm, unsigned blocks)
{
	const uint64_t cost = blocks;

	if (c->work < cost) {
		c->stat.is_cut = 1;
		return COMP_CORRUPT;
	}
	c->work -= cost;
	return (int)comp_decompress(&c->codec, algorithm, c->stored + chead_SIZE, head->length, c->data,
				    (size_t)blocks * c->vol->geo.block_size);
}

/* Which algorithm and size a cluster has; false: it is none. */
static bool find_cluster(struct f2fs_carver *c, const struct cluster_header *head, unsigned stored, unsigned *algorithm,
			 unsigned *blocks)
{
	const bool is_zstd = get_le32(c->stored + chead_SIZE) == 0xfd2fb528u;

	if (c->hint_blocks > stored && (c->hint_algorithm == COMP_ZSTD) == is_zstd &&
	    try_cluster(c, head, c->hint_algorithm, c->hint_blocks) == COMP_OK) {
		*algorithm = c->hint_algorithm;
		*blocks = c->hint_blocks;
		return true;
	}
	for (*blocks = 4; *blocks <= CLUSTER_MAX_BLOCKS; *blocks *= 2)
		for (*algorithm = 0; *algorithm < COMP_COUNT && *blocks > stored; ++*algorithm)
			if ((*algorithm == COMP_ZSTD) == is_zstd && comp_can_decompress(*algorithm) &&
			    try_cluster(c, head, *algorithm, *blocks) == COMP_OK)
				return true;
	return false;
}

/* Read the stored blocks of what may be a cluster; its first block is in c->stored. */
static bool load_cluster(struct f2fs_carver *c, f2fs_blk_t addr, struct cluster_header *head, unsigned *stored)
{
	static const uint8_t reserved[chead_SIZE - 8];
	const uint32_t bs = c->vol->geo.block_size;

	if (memcmp(c->stored + 8, reserved, sizeof(reserved)) != 0 ||
	    cluster_header_decode(c->stored, (size_t)CLUSTER_MAX_BLOCKS * bs, head) != RULE_NONE || head->length == 0)
		return false;
	*stored = (head->length + chead_SIZE + bs - 1) / bs;
	for (unsigned i = 1; i < *stored; i++)
		if (!carve_is_free(c, addr + i))
			return false;
	return *stored == 1 || volume_read(c->vol, addr + 1, 0, c->stored + bs, (size_t)(*stored - 1) * bs) == 0;
}

static int add_piece(struct f2fs_carver *c, f2fs_blk_t addr, unsigned stored, unsigned blocks, unsigned algorithm)
{
	struct carve_stream *s = &c->stream;
	const uint32_t bs = c->vol->geo.block_size;
	struct carve_piece *piece = s->pieces.count ? vec_at(&s->pieces, s->pieces.count - 1) : NULL;

	if (!stored && piece && !piece->blocks && piece->addr + piece->length / bs == addr) {
		piece->length += bs;
	} else {
		piece = vec_push(&s->pieces, 1);
		if (!piece)
			return F2FS_ERR_NOMEM;
		piece->start = s->length;
		piece->addr = addr;
		piece->length = stored ? (uint64_t)blocks * bs : bs;
		piece->blocks = (uint16_t)stored;
		piece->algorithm = (uint8_t)algorithm;
	}
	s->length += stored ? (uint64_t)blocks * bs : bs;
	s->clusters += stored != 0;
	s->last = addr + (stored ? stored - 1 : 0);
	return 0;
}

static int add_block(struct f2fs_carver *c, f2fs_blk_t addr)
{
	unsigned algorithm, blocks, stored;
	struct cluster_header head;
	int err = volume_read(c->vol, addr, 0, c->stored, c->vol->geo.block_size);

	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	error_clear(c->vol->ctx);
	if (err) {
		c->stream.is_ended = true;
		return 0;
	}
	if (!load_cluster(c, addr, &head, &stored) || !find_cluster(c, &head, stored, &algorithm, &blocks))
		return add_piece(c, addr, 0, 1, 0);
	c->hint_algorithm = algorithm;
	c->hint_blocks = blocks;
	err = add_piece(c, addr, stored, blocks, algorithm);
	c->stream.loaded = err ? SIZE_MAX : c->stream.pieces.count - 1;
	return err;
}

/* The next range of slack, if there is one. */
static int add_slack(struct f2fs_carver *c, bool *is_ended)
{
	struct carve_stream *s = &c->stream;
	const struct slack_range *range;
	struct carve_piece *piece;

	*is_ended = s->next_range >= s->slack->ranges.count;
	if (*is_ended)
		return 0;
	range = vec_at(&s->slack->ranges, s->next_range++);
	piece = vec_push(&s->pieces, 1);
	if (!piece)
		return F2FS_ERR_NOMEM;
	*piece = (struct carve_piece){ .start = s->length, .length = range->length - s->skip };
	piece->addr = (f2fs_blk_t)((range->offset + s->skip) >> c->vol->geo.block_bits);
	piece->skip = (uint32_t)((range->offset + s->skip) & (c->vol->geo.block_size - 1));
	s->length += piece->length;
	s->skip = 0;
	return 0;
}

int stream_follow(struct f2fs_carver *c, uint64_t length)
{
	struct carve_stream *s = &c->stream;

	while (s->length < length && !s->is_ended) {
		const f2fs_blk_t addr = s->slack || s->last == NO_ADDR ? s->addr : next_block(c);
		int err;

		if ((addr == NO_ADDR && !s->slack) || s->length >= s->limit || c->work == 0) {
			c->stat.is_cut |= c->work == 0;
			s->is_ended = true;
			break;
		}
		c->work--;
		s->loaded = SIZE_MAX; /* c->data may be used for another */
		err = s->slack ? add_slack(c, &s->is_ended) : add_block(c, addr);
		if (!err)
			err = progress_tick(c->vol->ctx, "carve", c->vol->geo.block_size);
		if (err)
			return err;
	}
	return 0;
}

static int compare_starts(const void *a, const void *b)
{
	const struct carve_piece *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static const struct carve_piece *find_piece(const struct carve_stream *s, uint64_t at, size_t *index)
{
	*index = vec_last(&s->pieces, compare_starts, &(struct carve_piece){ .start = at });
	return vec_at(&s->pieces, *index);
}

static int load_piece(struct f2fs_carver *c, const struct carve_piece *piece, size_t index)
{
	const uint32_t bs = c->vol->geo.block_size;
	struct cluster_header head;
	int err;

	if (c->stream.loaded == index)
		return 0;
	c->stream.loaded = SIZE_MAX;
	err = volume_read(c->vol, piece->addr, 0, c->stored, (size_t)piece->blocks * bs);
	if (err)
		return err;
	if (cluster_header_decode(c->stored, (size_t)piece->blocks * bs, &head) != RULE_NONE ||
	    comp_decompress(&c->codec, piece->algorithm, c->stored + chead_SIZE, head.length, c->data,
			    (size_t)piece->length) != COMP_OK) /* somebody else may write to the device */
		return error_set(c->vol->ctx, F2FS_ERR_IO, "block %u changed while it was read", (unsigned)piece->addr);
	c->stream.loaded = index;
	return 0;
}

int stream_read(struct f2fs_carver *c, uint64_t at, uint8_t *buffer, size_t n, size_t *done)
{
	struct carve_stream *s = &c->stream;
	int err = stream_follow(c, at + n);

	*done = 0;
	while (!err && *done < n && at + *done < s->length) {
		size_t index;
		const struct carve_piece *piece = find_piece(s, at + *done, &index);
		const uint64_t within = at + *done - piece->start;
		size_t part = n - *done;

		if (part > piece->length - within)
			part = (size_t)(piece->length - within);
		if (piece->blocks) {
			err = load_piece(c, piece, index);
			if (!err)
				memcpy(buffer + *done, c->data + within, part);
		} else {
			const uint64_t from = within + piece->skip;

			err = volume_read(c->vol, piece->addr + (f2fs_blk_t)(from >> c->vol->geo.block_bits),
					  from & (c->vol->geo.block_size - 1), buffer + *done, part);
		}
		if (!err)
			*done += part;
	}
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	error_clear(c->vol->ctx);
	return 0;
}
