/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An inode that is built again (witness_inodes.c).
 */
#ifndef F2FSKIT_WITNESS_INODE_BUILDER_H
#define F2FSKIT_WITNESS_INODE_BUILDER_H

#include <string.h>

#include "facts/run.h"
#include "witness/witness_older.h"

/* An inode whose block holds something else, and the first entry that names it. One without a name gets the root. */
struct lost_inode {
	f2fs_nid_t nid;
	f2fs_nid_t dir;
	f2fs_blk_t block; /* of the entry; 0: none, as the root has, and inodes whose entries are lost as well */
	uint32_t slot;
	uint32_t names;
	bool has_nodes;	  /* nodes of its tree are there */
	f2fs_nid_t last;  /* its last direct node, 0: none, which may be lost as well, */
	uint32_t last_offset;
};

/* The encryption of an inode that is made from its blocks. */
enum cipher_state {
	CIPHER_NONE,	     /* it is not encrypted, or an older copy has the context */
	CIPHER_UNKNOWN,	     /* its directory is unknown, on a volume with encrypted ones */
	CIPHER_LOST_KEY,     /* it is encrypted, and nobody can decrypt it */
	CIPHER_OF_DIRECTORY, /* the policy of its directory decrypts it */
	CIPHER_KEPT,	     /* its context is left in its block */
};

struct builder {
	struct checker *c;
	struct vec lost;	   /* struct lost_inode, by nid */
	struct vec blocks;	   /* struct unclaimed: of lost inodes, and of lost nodes below them */
	struct older_copies older;
	struct map32 misplaced; /* nodes in the blocks of other nodes */
	struct map32 below;	/* lost nodes below indirect nodes of lost inodes */
	uint8_t *last_slots;	   /* of the last direct node of the inode that is being built, zeros: none */
	uint8_t *block;		   /* the inode that is being built, */
	uint8_t *name;		   /* and the name in its entry */
	uint32_t name_len;
	uint32_t name_hash;	/* in the entry */
	enum cipher_state cipher;
	uint32_t common_slots;	   /* number of slots that most files have, 0: there are none */
	unsigned type;
};

static inline bool lost_is_nameless(const struct lost_inode *lost)
{
	return lost->block == 0 && lost->nid != lost->dir;
}

/* Has the inode that is being built the name of the entry? */
static inline bool builder_has_name(const struct builder *b, const struct lost_inode *lost)
{
	return inode_i_pino(b->block) == lost->dir && inode_i_namelen(b->block) == b->name_len && b->name_len &&
	       memcmp(inode_i_name(b->block), b->name, b->name_len) == 0;
}

/* Is the inode that is being built encrypted, with the context that decrypts it? */
static inline bool builder_has_key(const struct builder *b)
{
	return b->cipher == CIPHER_OF_DIRECTORY || b->cipher == CIPHER_KEPT;
}

#endif
