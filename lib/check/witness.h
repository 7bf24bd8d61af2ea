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
 *
 * Cost: nothing on a sound volume. When nodes contradict each other, blocks in node segments that the SIT has in use
 * and no node has are read once, and 16 bytes are kept for each. The rest is a few lookups for each contradiction.
 * Each vote that amends something makes the check begin again, at most MAX_VOTES times.
 */
#ifndef F2FSKIT_CHECK_WITNESS_H
#define F2FSKIT_CHECK_WITNESS_H

#include "check/checker.h"
#include "volume/amends.h"

#define MAX_VOTES 8u

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
	uint8_t *block;	     /* one block of scratch */
	uint32_t asked;	     /* inodes whose division was asked */
};

void witness_book_init(struct witness_book *book, struct f2fs_context *ctx);
void witness_book_fini(struct witness_book *book);

/* Raise a finding for each verdict. */
int witness_tell(struct checker *c);
/* May this check vote? Not when tables are those of an older checkpoint, or the device ends too early. */
bool witness_may_vote(const struct checker *c);
/* Has the vote decided something of a node or its block, so that a repair has to write it? */
bool witness_amends_node(const struct checker *c, const struct nid_fact *fact);
bool witness_amends_entry(const struct checker *c, f2fs_nid_t nid);

/* witness_nodes.c, once all nodes are read: let the witnesses of nodes vote. c->must_restart: something was amended. */
int witness_nodes(struct checker *c);
/* witness_entries.c, part of that: let blocks say whose the entries of the NAT journal are. */
int witness_entries(struct checker *c);
/* Does an entry of the journal that cannot count lead to a block in use that is no node by the NAT? */
bool entries_are_lost(const struct checker *c);
/* witness_data.c, once claims are those of kept nodes: the witnesses of data. */
int witness_data(struct checker *c);
/* Parts of that: witness_ghosts.c and witness_clusters.c. */
int witness_ghosts(struct checker *c);
int witness_clusters(struct checker *c);
/*
 * witness_layout.c: do an inode's fields describe its division wrongly? Leaves INODE_ODD where something contradicts
 * them, and no better division is known: then its slots may be none. Also examines all inodes that look like this.
 */
int witness_layout(struct checker *c, f2fs_nid_t ino);
int witness_layouts(struct checker *c);
/* Is there a sign that needs no other block: attributes without the flag for them, data after the
 * end, or entries that do not begin with "."? */
bool layout_is_odd(const struct f2fs_geometry *geo, const uint8_t *block);
/* witness_bits.c, part of that: find the one bit that makes a wrong checksum of an inode right. */
int witness_bits(struct checker *c);

/* witness_levels.c, once directories are read: the places of their names vote on i_dir_level. */
int witness_levels(struct checker *c);
/*
 * witness_names.c, after that: hashes and inodes vote on names, on the inodes they name, and on slots marked as free.
 */
int witness_names(struct checker *c);

/* witness_contexts.c, once attributes are judged: the policies of relatives vote on encryption contexts. */
int witness_contexts(struct checker *c);

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
	bool is_node_sum; /* of a segment of nodes */
	bool is_in_sit;
};

/* witness.c: look at a block. Fails with NOMEM and CANCELED only; false in *is_readable: it cannot be read. */
int witness_view(struct checker *c, f2fs_blk_t addr, struct block_view *out, bool *is_readable);
/* Only the summary and the SIT. */
int witness_view_tables(struct checker *c, f2fs_blk_t addr, struct block_view *out);
/* Amend, and note why. A place that was amended before stays as it is. */
int witness_amend_bytes(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value,
			const struct finding *why);
/* Amend further bytes of a noted amendment. */
int witness_amend_more(struct checker *c, f2fs_blk_t addr, uint32_t offset, uint32_t length, uint64_t value);
/*
 * Copy a block to c->scratch, to try changes on it. false in *is_readable: it cannot be read. Fails with NOMEM and
 * CANCELED only.
 */
int witness_copy_block(struct checker *c, f2fs_blk_t addr, bool *is_readable);
int witness_amend_entry(struct checker *c, const struct f2fs_nat_info *entry, const struct finding *why);

/* A name that an inode remembers, or that an entry should have. */
struct own_name {
	uint8_t bytes[NAME_MAX_BYTES];
	uint32_t length;
};
struct dentry_area;
/* witness_own.c: the name that an inode remembers in a directory; false: none. */
bool witness_own_name(struct checker *c, const struct inode_fact *dir, f2fs_nid_t ino, struct own_name *out);
/*
 * witness_hashes.c: find the name that an entry must have had for its hash: one bit or the length is another. false:
 * there is none, or more than one, or one bit of the hash itself is wrong.
 */
bool hash_solve(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot, struct own_name *out);
/* witness_homes.c: find the entries of inodes that have fewer names than they should. */
int witness_homes(struct checker *c);

/* A slot of an inode or a direct node, as the node's block has it. */
struct slot_view {
	const struct nid_fact *fact; /* of the node */
	uint32_t slot;
	uint32_t byte;	  /* in the block */
	f2fs_blk_t value; /* its value */
	bool is_there;	  /* the block can be read and has this many slots */
};
/* witness_slots.c: find the slot of a kept node. */
int witness_find_slot(struct checker *c, f2fs_nid_t nid, uint32_t slot, struct slot_view *out);
/* Amend the slot to another address, as DATA_POINTER. */
int witness_amend_slot(struct checker *c, const struct slot_view *slot, f2fs_blk_t value, unsigned witnesses);

/* A node that the passes would drop: its place according to its footer. */
struct loose_node {
	f2fs_nid_t ino, nid;
	uint32_t offset;
};

/* witness_tree.c: where a node of an offset hangs in the tree of an inode. */
enum place_state {
	PLACE_NONE,  /* there is no such place, or the way to it is broken */
	PLACE_TAKEN, /* by a node that belongs there */
	PLACE_FREE   /* the pointer is zero, or leads to something that does not belong there */
};
struct tree_place {
	enum place_state state;
	f2fs_nid_t parent; /* node with the pointer */
	f2fs_blk_t addr;   /* its block */
	uint32_t slot;	   /* of the pointer, as findings have it */
	uint32_t byte;	   /* in the block */
	f2fs_nid_t value;  /* its value */
};
int tree_find_place(struct checker *c, f2fs_nid_t ino, uint32_t offset, struct tree_place *out);
/* Give loose nodes, sorted by ino and offset, back to their files. */
int tree_hang_loose(struct checker *c, const struct vec *loose);
/* Is the node part of its inode's tree, in its place, according to its parent? */
bool node_hangs(const struct checker *c, const struct nid_fact *fact);
/* Is it in its place by one of the further pointers that lead to it? */
bool node_hangs_further(const struct checker *c, const struct nid_fact *fact);

#endif
