/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Seal verity files again whose inodes were lost. The Merkle tree and the descriptor of a verity file are in blocks
 * past its end, so an inode that is built from blocks alone takes them for contents. The descriptor has the file's
 * size, and size and tree say where the descriptor is. A descriptor that is in its own place is believed: it gives the
 * inode its size, its mark and the attribute with the place.
 */
#include "witness/witness_verity.h"

#include <string.h>

#include "base/error.h"
#include "file/data_read.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "file/xattr_read.h"
#include "format/verity_descriptor.h"
#include "witness/inode_attribute.h"
#include "witness/witness.h"

#define HEAD_STEP (1u << VERITY_LOG_BLOCK_MIN) /* a descriptor begins after whole blocks of the tree */

struct sealed {
	uint64_t data_size;
	uint64_t descriptor; /* where it is in the file, */
	uint32_t size;	     /* and its bytes, with the signature */
	bool has_place;	     /* the file has the attribute with the descriptor's place, in a node of its own */
};

/* Find the file block after the last one in use. */
static int find_end(struct f2fs_inode *file, uint64_t *end)
{
	struct f2fs_file_extent extent = { 0 };
	int err = 0;

	*end = 0;
	for (uint64_t block = 0; !err; block = extent.file_block + extent.count) {
		err = map_extent(file, block, UINT64_MAX, &extent);
		if (err == F2FS_ERR_NOT_FOUND || (!err && extent.count == 0))
			return 0;
		if (!err && extent.kind != F2FS_EXTENT_HOLE)
			*end = extent.file_block + extent.count;
	}
	return err;
}

static void put_value(const struct sealed *sealed, uint8_t value[verityx_SIZE])
{
	memset(value, 0, verityx_SIZE);
	verityx_set_version(value, 1);
	verityx_set_size(value, sealed->size);
	verityx_set_pos(value, sealed->descriptor);
}

/* Is this the head of a descriptor in its own place, and does it end with the last block of the file? */
static bool is_in_place(const struct f2fs_geometry *geo, const uint8_t *raw, uint64_t at, uint64_t end,
			struct sealed *out)
{
	const uint64_t file_bytes = end << geo->block_bits, data_size = verityd_data_size(raw);
	const uint64_t size = (uint64_t)verityd_SIZE + verityd_sig_size(raw);
	uint8_t place[verityx_SIZE];
	struct verity_location location;
	struct verity_params params;
	struct verity tree;
	bool is_there;

	if (size > VERITY_DESCRIPTOR_MAX || data_size > at || (at + size - 1) >> geo->block_bits != end - 1 ||
	    verity_descriptor_decode(raw, (size_t)size, data_size, geo->block_bits, &params))
		return false;
	*out = (struct sealed){ .data_size = data_size, .descriptor = at, .size = (uint32_t)size };
	put_value(out, place);
	if (verity_location_decode(place, sizeof(place), data_size, file_bytes, &location) ||
	    verity_init(&tree, &params) != VERITY_OK)
		return false;
	is_there = location.tree + verity_tree_size(&tree) == at;
	verity_fini(&tree);
	return is_there;
}

/* Look for a descriptor in the last blocks of a file. */
static int find_descriptor(const struct f2fs_geometry *geo, struct f2fs_inode *file, struct sealed *out, bool *is_found)
{
	uint64_t end, least, last;
	int err = find_end(file, &end);

	*is_found = false;
	if (err || end == 0)
		return err;
	last = (end << geo->block_bits) - HEAD_STEP;
	least = (end - 1) << geo->block_bits;
	least = least > VERITY_DESCRIPTOR_MAX ? least - VERITY_DESCRIPTOR_MAX : 0;
	for (uint64_t at = last; at >= least && !*is_found && !err; at -= HEAD_STEP) {
		uint8_t raw[verityd_SIZE];

		err = data_read(file, at, raw, sizeof(raw));
		*is_found = !err && is_in_place(geo, raw, at, end, out);
		if (at == 0)
			break;
	}
	return err;
}

/* Does the file have the attribute with the descriptor's place? Attributes that cannot be read are none. */
static int find_place(struct f2fs_inode *file, struct sealed *sealed)
{
	const uint8_t *value;
	size_t size;
	int err = xattr_find_stored(file, XATTR_VERITY, "v", &value, &size);

	sealed->has_place = !err && size == verityx_SIZE && verityx_version(value) == 1 &&
			    verityx_pos(value) == sealed->descriptor && verityx_size(value) == sealed->size;
	return err == F2FS_ERR_NO_ATTR ? 0 : err;
}

/* Write the attribute with the descriptor's place into the inode. false: it has no room. */
static bool put_place(const struct f2fs_geometry *geo, uint8_t *block, const struct sealed *sealed)
{
	uint8_t value[verityx_SIZE];
	const struct inode_attribute place = {
		.index = XATTR_VERITY, .name = 'v', .value = value, .size = sizeof(value)
	};

	put_value(sealed, value);
	return inode_add_attribute(geo, block, &place);
}

static int seal(struct checker *c, const struct inode_fact *inode, const struct sealed *sealed)
{
	const f2fs_blk_t addr = facts_nid(&c->facts, inode->ino)->addr;
	const struct finding why = { .problem = P_VERITY_RESTORED,
				     .nid = inode->ino,
				     .ino = inode->ino,
				     .has_block = 1,
				     .block = addr,
				     .has_values = 1,
				     .found = inode->size,
				     .expected = sealed->data_size };
	bool is_readable, is_marked;
	int err = witness_copy_block(c, addr, &is_readable);

	if (err || !is_readable)
		return err;
	is_marked = sealed->has_place || put_place(c->geo, c->scratch, sealed);
	if (is_marked)
		inode_set_i_advise(c->scratch, inode_i_advise(c->scratch) | (uint8_t)FLAG_i_advise_verity);
	else if (inode->size == sealed->data_size)
		return 0;
	inode_set_i_size(c->scratch, sealed->data_size);
	if (inode_has_checksum(c->geo, c->scratch))
		extra_set_i_inode_checksum(c->scratch + INODE_ADDR_OFFSET,
					   inode_checksum(c->geo, c->scratch, c->vol->checksum_seed));
	return witness_amend_again(c, addr, c->scratch, &why);
}

static int look_at(struct checker *c, const struct inode_fact *inode)
{
	struct f2fs_inode *file = NULL;
	struct sealed sealed = { 0 };
	bool is_found = false;
	int err = inode_open(c->vol, inode->ino, &file);

	if (!err)
		err = find_descriptor(c->geo, file, &sealed, &is_found);
	if (!err && is_found)
		err = find_place(file, &sealed);
	f2fs_inode_close(file);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	if (err)
		error_clear(c->ctx);
	return !err && is_found ? seal(c, inode, &sealed) : 0;
}

int witness_verity(struct checker *c)
{
	const size_t count = c->book->verdicts.count;
	int err = 0;

	if (!witness_may_vote(c))
		return 0;
	for (size_t i = 0; i < count && !err; i++) {
		const struct finding *verdict = vec_at(&c->book->verdicts, i);
		const struct inode_fact *inode =
			verdict->problem == P_INODE_REBUILT ? facts_inode(&c->facts, verdict->ino) : NULL;

		if (inode && inode->type == F2FS_TYPE_REGULAR && !(inode->advise & FLAG_i_advise_verity) &&
		    !inode_fact_is_inline(inode))
			err = look_at(c, inode);
	}
	c->book->votes += c->must_restart;
	return err;
}
