/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the algorithm and the size of a file's clusters when the inode's fields are in doubt. The slots show the
 * possible sizes. A cluster shows the rest, because only the right algorithm gives exactly its contents back.
 *
 * An unreadable cluster proves nothing. Encrypted clusters are not tried: their slots alone do not prove enough.
 */
#include <string.h>

#include "base/comp.h"
#include "base/error.h"
#include "file/cluster_shown.h"
#include "file/object.h"
#include "format/cluster.h"
#include "volume/block_read.h"

#define LEAST_BITS 2u
#define MOST_BITS 8u
#define MOST_TRIES 4u /* clusters that are read before the file is left as it is */

/* The evidence of the slots inside an inode for one size of clusters. */
struct shapes {
	uint32_t compressed;	     /* clusters */
	uint64_t saved;		     /* blocks */
	uint32_t first[MOST_TRIES];  /* slots of the first ones, */
	uint32_t stored[MOST_TRIES]; /* and their blocks */
	bool is_legal;
	bool is_torn; /* a plain cluster with reserved blocks follows a compressed one: the end of a larger one? */
};

static void look(const struct f2fs_geometry *geo, const uint8_t *block, const struct inode_layout *layout,
		 struct shapes *out)
{
	memset(out, 0, sizeof(*out));
	out->is_legal = true;
	for (uint32_t at = 0; at + layout->cluster_blocks <= layout->slots && out->is_legal;
	     at += layout->cluster_blocks) {
		struct cluster_shape shape;

		cluster_classify(geo, block + layout->slot_offset + (size_t)at * 4, layout->cluster_blocks, &shape);
		out->is_legal = shape.kind != CLUSTER_ILLEGAL;
		out->is_torn |= out->compressed > 0 && shape.kind == CLUSTER_PLAIN && shape.reserved > 0;
		if (!cluster_is_compressed(&shape))
			continue;
		if (out->compressed < MOST_TRIES) {
			out->first[out->compressed] = at;
			out->stored[out->compressed] = shape.stored;
		}
		out->compressed++;
		out->saved += layout->cluster_blocks - shape.stored;
	}
}

static bool has_nodes(const struct f2fs_geometry *geo, const uint8_t *block)
{
	for (unsigned i = 0; i < 5; i++)
		if (inode_nid(geo, block, i) != 0)
			return true;
	return false;
}

bool packing_is_doubtful(const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct inode_layout layout;
	struct shapes shapes;
	uint64_t said;

	inode_layout(geo, block, &layout);
	if (!layout.is_compressed || inode_has_inline(block, FLAG_i_inline_inline_data))
		return false;
	if (inode_check_packing(geo, block) != RULE_NONE)
		return true;
	look(geo, block, &layout, &shapes);
	said = extra_i_compr_blocks(inode_extra(block));
	if (!shapes.is_legal || inode_has_inline(block, FLAG_i_inline_compress_released))
		return !shapes.is_legal;
	return shapes.is_torn || (has_nodes(geo, block) ? shapes.saved > said : shapes.saved != said);
}

/* Room for a cluster as stored on the device, and for its contents. */
struct bench {
	struct f2fs_volume *vol;
	struct comp_state codec;
	uint8_t *stored, *data;
};

static int read_cluster(const struct bench *b, const uint8_t *slots, uint32_t count)
{
	const uint32_t bits = b->vol->geo.block_bits;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = volume_read(b->vol, get_le32(slots + (size_t)(1 + i) * 4), 0, b->stored + ((size_t)i << bits),
				  (size_t)1 << bits);
	return err;
}

/* Which algorithm gives the cluster's contents, as many bytes as it has? */
static enum comp_result try_cluster(struct bench *b, const uint8_t *block, uint32_t stored, uint32_t blocks,
				    unsigned *algorithm)
{
	const uint32_t bits = b->vol->geo.block_bits;
	struct cluster_header head;
	enum comp_result result;

	if (cluster_header_decode(b->stored, (size_t)stored << bits, &head) != RULE_NONE)
		return COMP_CORRUPT;
	*algorithm = extra_i_compress_algorithm(inode_extra(block));
	result = comp_decompress(&b->codec, *algorithm, b->stored + chead_SIZE, head.length, b->data,
				 (size_t)blocks << bits);
	if (result == COMP_CORRUPT || !comp_name(*algorithm))
		result = comp_decompress_other(&b->codec, algorithm, b->stored + chead_SIZE, head.length, b->data,
					       (size_t)blocks << bits);
	return result;
}

/* Try clusters of the size that the inode names now; *is_found: it is the right one, with this algorithm. */
static int try_size(struct bench *b, const uint8_t *block, unsigned *algorithm, bool *is_found)
{
	struct inode_layout layout;
	struct shapes shapes;
	int err = 0;

	*is_found = false;
	inode_layout(&b->vol->geo, block, &layout);
	look(&b->vol->geo, block, &layout, &shapes);
	if (!shapes.is_legal)
		return 0;
	for (uint32_t i = 0; i < shapes.compressed && i < MOST_TRIES && !err && !*is_found; i++) {
		enum comp_result result;

		err = read_cluster(b, block + layout.slot_offset + (size_t)shapes.first[i] * 4, shapes.stored[i]);
		if (err && err != F2FS_ERR_NOMEM && err != F2FS_ERR_CANCELED) {
			error_clear(b->vol->ctx);
			err = 0;
			continue;
		}
		if (err)
			break;
		result = try_cluster(b, block, shapes.stored[i], layout.cluster_blocks, algorithm);
		if (result == COMP_NO_MEMORY)
			err = error_nomem(b->vol->ctx);
		*is_found = result == COMP_OK;
	}
	return err;
}

/* The size that the inode names first, then the others. */
static int try_sizes(struct bench *b, uint8_t *block, unsigned *algorithm, bool *is_found)
{
	uint8_t *extra = block + INODE_ADDR_OFFSET;
	const uint8_t named = extra_i_log_cluster_size(extra);
	int err = 0;

	*is_found = false;
	if (named >= LEAST_BITS && named <= MOST_BITS)
		err = try_size(b, block, algorithm, is_found);
	for (uint8_t bits = LEAST_BITS; bits <= MOST_BITS && !err && !*is_found; bits++) {
		extra_set_i_log_cluster_size(extra, bits);
		if (bits != named)
			err = try_size(b, block, algorithm, is_found);
	}
	if (err || !*is_found)
		extra_set_i_log_cluster_size(extra, named);
	return err;
}

int packing_correct(struct f2fs_volume *vol, uint8_t *block, bool *is_changed)
{
	const size_t room = (size_t)1 << MOST_BITS << vol->geo.block_bits;
	uint8_t *extra = block + INODE_ADDR_OFFSET;
	struct bench b = { .vol = vol };
	struct inode_layout layout;
	unsigned algorithm = 0;
	bool is_found = false;
	uint8_t named;
	int err;

	*is_changed = false;
	inode_layout(&vol->geo, block, &layout);
	if (!layout.is_compressed || (inode_i_advise(block) & FLAG_i_advise_encrypt))
		return 0;
	named = extra_i_log_cluster_size(extra);
	b.stored = mem_alloc(vol->ctx, room);
	b.data = b.stored ? mem_alloc(vol->ctx, room) : NULL;
	comp_init(&b.codec);
	err = b.data ? try_sizes(&b, block, &algorithm, &is_found) : F2FS_ERR_NOMEM;
	if (!err && is_found &&
	    (algorithm != extra_i_compress_algorithm(extra) || named != extra_i_log_cluster_size(extra) ||
	     !comp_level_is_valid(algorithm, extra_i_compress_flag(extra) >> 8))) {
		*is_changed = true;
		extra_set_i_compress_algorithm(extra, (uint8_t)algorithm);
		/* a level of another algorithm may be none of this one; it says nothing of how to read */
		if (!comp_level_is_valid(algorithm, extra_i_compress_flag(extra) >> 8))
			extra_set_i_compress_flag(extra, extra_i_compress_flag(extra) & 0xff);
	}
	comp_fini(&b.codec);
	mem_free(vol->ctx, b.data);
	mem_free(vol->ctx, b.stored);
	return err;
}
