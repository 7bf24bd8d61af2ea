/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Witnesses: before a check drops anything, the places with the same information vote.
 *
 * A node is described in five places: its NAT entry (nid: ino, address), its footer (nid, ino, offset), the summary of
 * its block (nid), the bit of its block in the SIT, and the pointer above it. That pointer is one slot of one node and
 * so implies ino and offset. A data block is described in three: the pointer, the summary (nid, slot, version) and the
 * SIT. The checksum of an inode confirms all of its fields.
 *
 * The rules of the vote:
 *
 * - A value is believed when two independent witnesses agree on it, and fewer contradict it. A value that is
 *   contradicted alone is amended (volume/amends.h), so that the check, which begins again, and the repair see it
 *   right.
 * - A draw changes nothing: the present value stays, and the passes judge it by themselves.
 * - A summary stays when its block is freed, so it names an owner but does not show that the block is in use. The SIT
 *   shows that. A block whose bit is clear is never assigned: deleted data stays deleted. A block with only its bit
 *   set needs another witness that something is missing: a pointer that leads nowhere, or i_blocks.
 * - A node becomes part of a file when its footer and its NAT entry name the file, or when one of them does and the
 *   place in the file's tree is empty there and only there.
 * - A place that a node or block holds by right is not taken from it.
 * - A node whose block holds something else is built again from the rest of the volume
 *   (witness_rebuild.c, witness_inodes.c), when NAT, SIT and summary agree that it was there.
 *
 * Cost: nothing on a sound volume. When nodes contradict each other, blocks in node segments that the SIT has in use
 * and no node has are read once, and 16 bytes are kept for each. When inodes are lost, the free blocks of node segments
 * are read once, and a block is kept for each node that is built again. The rest is a few lookups for each
 * contradiction.
 * Each vote that amends something makes the check begin again, at most MAX_VOTES times.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_H
#define F2FSKIT_WITNESS_WITNESS_H

#include "facts/run.h"
#include "volume/amends.h"

#define MAX_VOTES 8u
#define MAX_REBUILT (256u << 20) /* bytes of blocks that are amended as a whole: they are kept in memory */

/* The witnesses for a value. Their names are in witness.c. */
enum witness {
	WITNESS_NAT = 1,
	WITNESS_FOOTER = 2,
	WITNESS_POINTER = 4,
	WITNESS_SUMMARY = 8,
	WITNESS_SIT = 16,
	WITNESS_TREE = 32,
	WITNESS_COUNT = 64,
	WITNESS_CHECKSUM = 128,
	WITNESS_NODES = 256,
	WITNESS_PLACES = 512,
	WITNESS_ROOM = 1024,
	WITNESS_CONTENTS = 2048,
	WITNESS_COMPRESSED = 4096,
	WITNESS_HASH = 8192,
	WITNESS_INODE = 16384,
	WITNESS_LINKS = 32768
};

struct witness_book {
	struct amends amends;
	struct vec verdicts; /* struct finding: raised by each check that sees the amends */
	unsigned votes;	     /* that amended something */
	bool is_full;	     /* no more whole blocks are amended */
	uint8_t *block;	     /* one block of scratch */
	struct vec branches; /* struct branch_block (lost_branches.h) */
	uint32_t asked;	     /* inodes whose division was asked */
};

void witness_book_init(struct witness_book *book, struct f2fs_context *ctx);
void witness_book_fini(struct witness_book *book);

/* Raise a finding for each verdict. */
int witness_tell(struct checker *c);
/* May this check vote? Not when tables are those of an older checkpoint, or the device ends too early. */
bool witness_may_vote(const struct checker *c);
/* Are the tables, or the nodes that a search found, those of the last checkpoint? */
bool witness_has_newest_tables(const struct checker *c);
/* Has the NAT an inode of this number whose block holds something else? */
bool witness_has_lost_inode(const struct checker *c, f2fs_nid_t nid);
/* Has the vote decided something of a node or its block, so that a repair has to write it? */
bool witness_amends_node(const struct checker *c, const struct nid_fact *fact);
bool witness_amends_entry(const struct checker *c, f2fs_nid_t nid);

/* ---- parts of the vote */

/* A block of the main area as it describes itself and as others describe it. */
struct block_view {
	f2fs_blk_t addr;
	f2fs_nid_t nid, ino; /* by the footer */
	uint32_t offset, flag, cp_ver;
	f2fs_nid_t sum_nid; /* by the summary */
	uint16_t sum_slot;
	uint8_t sum_version;
	bool has_sum;	  /* there is a summary that is not made of the footer */
	bool is_of_pack;  /* it is in the checkpoint pack, beside the journal of the SIT */
	bool is_node_sum; /* of a segment of nodes */
	bool is_in_sit;
};

/* Look at a block. Fails with NOMEM and CANCELED only; false in *is_readable: it cannot be read. */
int witness_view(struct checker *c, f2fs_blk_t addr, struct block_view *out, bool *is_readable);
/* Point at a block, as volume_peek() does; NULL: it cannot be read. Fails with NOMEM and CANCELED only. */
int witness_peek(struct checker *c, f2fs_blk_t addr, const uint8_t **block);
/* Only the summary and the SIT. */
int witness_view_tables(struct checker *c, f2fs_blk_t addr, struct block_view *out);
/* Amend, and note why. A place that was amended before stays as it is. */
int witness_amend_bytes(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value,
			const struct finding *why);
/* Amend further bytes of a noted amendment. */
int witness_amend_more(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value);
/* The same, instead of what an earlier vote made of these bytes. */
int witness_amend_instead(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value);
/*
 * Copy a block to c->scratch, to try changes on it. false in *is_readable: it cannot be read. Fails with NOMEM and
 * CANCELED only.
 */
int witness_copy_block(struct checker *c, f2fs_blk_t addr, bool *is_readable);
/* May so many blocks more be amended as a whole? */
bool witness_has_room(const struct checker *c, unsigned blocks);
/*
 * Amend a whole block, whatever the device has there. Beyond MAX_REBUILT nothing is, and a warning says so.
 * why: NULL if another amendment has told it.
 */
int witness_amend_block(struct checker *c, f2fs_blk_t addr, const uint8_t *block, const struct finding *why);
/* The same for a block that may be amended as a whole already. */
int witness_amend_again(struct checker *c, f2fs_blk_t addr, const uint8_t *block, const struct finding *why);
int witness_amend_entry(struct checker *c, const struct f2fs_nat_info *entry, const struct finding *why);

#endif
