/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The facts: a check's knowledge of a volume, collected once and compact. After the passes they are the derived truth,
 * the state that a repair establishes: the kept nodes and their places, the blocks in use and their kinds, and the
 * right value of each count. The rules by which the truth is derived:
 *
 * - A node is kept (FACT_KEPT) when its footer is right and it hangs in the tree of a kept inode in the place its
 *   footer names. Every inode whose footer is right is kept, whether a directory names it or not.
 * - A pointer of a kept node counts when it leads to a block of the main area, or is special. A pointer to a node
 *   counts when that node is kept and its fact names this node as parent and this place. Any other is to be cleared.
 * - An inode's block is read as inode_mend() leaves it: fields that break a rule are corrected first.
 * - Segment maps have a bit for each block that a kept node or a counting pointer owns. A block that is claimed twice
 *   is listed in facts.conflicts.
 *
 * An inode is plain when nothing of it can matter later but its name: a file with one link, without further nodes and
 * without contradictions in its block. A plain inode is packed into the 28 bytes of its node id (fact_slots.h), and
 * copies of its fact are made when asked for. All directories are whole. An edit makes a plain inode whole for good.
 *
 * Memory: 28 bytes for a node id in use and 4 for an inode. 40 more for each node that is not a plain inode, and 128
 * more for each inode that is not plain. 216 for a segment in use, 152 for 512 node ids of which one is in use. Arrays
 * may have twice the room that is used. Nothing grows with the size of files or of the volume.
 */
#ifndef F2FSKIT_FACTS_FACTS_H
#define F2FSKIT_FACTS_FACTS_H

#include "base/bitmap.h"
#include "base/chunks.h"
#include "base/map32.h"
#include "base/vec.h"
#include "facts/inode_class.h"
#include "facts/sparse_index.h"
#include "format/inode.h"

/* Kinds of nodes, according to the footer. */
enum fact_kind {
	FACT_UNSEEN = 0, /* not read yet, or not readable */
	FACT_BAD,	 /* the block is not this node */
	FACT_INODE,
	FACT_DIRECT,
	FACT_INDIRECT, /* holds ids of direct nodes */
	FACT_DOUBLE,   /* holds ids of indirect nodes */
	FACT_XATTR
};

enum fact_flag {
	FACT_KEPT = 1,
	FACT_CLAIMED = 2, /* parent and place are set */
	FACT_HELD = 4,	  /* of a repair: not kept, but left as it is */
	FACT_DOUBTED = 8, /* footer and NAT name different owners, or one that is not there */
	FACT_HEADLESS = 16 /* FACT_BAD: an inode whose first bytes are lost (inode_head.h) */
};

#define NO_PLACE 0xFFFFFFFFu
#define NO_INODE 0xFFFFFFFFu
#define PLAIN_INODE 0xFFFFFFFEu

/* A node id that the NAT has in use. */
struct nid_fact {
	f2fs_nid_t nid;
	f2fs_nid_t ino;	   /* owner: by the NAT, and from the nodes pass on by the footer */
	f2fs_blk_t addr;   /* 0: the NAT's address cannot be */
	f2fs_nid_t parent; /* node whose pointer leads here, 0: none; of inodes always 0 */
	uint32_t place;	   /* node offset that the pointer stands for, NO_PLACE: none */
	uint32_t offset;   /* node offset by the footer */
	uint32_t inode;	   /* index of the owner's inode_fact; NO_INODE: it has none; PLAIN_INODE: its own is packed */
	uint32_t seal;	   /* of the footer: no two nodes are written with the same one */
	uint16_t owned;	   /* pointers that count in i_blocks */
	uint8_t version;   /* of the NAT entry: the version in summaries of its data */
	uint8_t kind;	   /* enum fact_kind */
	uint8_t flags;	   /* enum fact_flag */
};

enum inode_flag {
	INODE_MENDED = 1,	/* fields break rules: write the block as inode_mend() leaves it */
	INODE_BAD_SUM = 2,	/* the checksum is wrong */
	INODE_REACHED = 4,	/* directory that a way leads to from the root */
	INODE_ORPHAN = 8,	/* on the list of unlinked inodes */
	INODE_HIDDEN = 16,	/* quota file */
	INODE_HAS_DOT = 32,	/* directory: "." is there */
	INODE_HAS_DOTDOT = 64,	/* directory: ".." is there */
	INODE_ALIAS = 128,	/* device alias */
	INODE_XATTRS = 256,	/* has attributes that the features pass looks at */
	INODE_LOOP = 512,	/* directory that contains itself */
	INODE_GUESSED = 2048,	/* the mode has no type or an odd one, and the type was not known yet */
	INODE_LOST_TREE = 1024, /* below a directory that no way leads to */
	INODE_RETYPED = 4096,	/* mode is not that of the block, which is wrong */
	INODE_ODD = 8192,	/* something speaks against the way in which the inode is divided */
	INODE_ASKED = 16384,	/* how it is divided was asked (witness_layout.c) */
	INODE_STRICT = 32768	/* directory that takes only names in the encoding of the volume */
};

/* An inode. Those that are whole from the beginning are in the order in which they were found. */
struct inode_fact {
	f2fs_nid_t ino;
	f2fs_nid_t pino;	/* i_pino */
	f2fs_nid_t parent;	/* directory of the first entry that names it, 0: none */
	f2fs_blk_t entry_block; /* where that entry is: a dentry block, or the inode block of an inline directory */
	uint16_t entry_slot;
	uint16_t mode;
	uint8_t type;	/* enum f2fs_file_type, of the mode */
	uint8_t advise; /* i_advise, i_inline, i_flags */
	uint8_t inlines;
	uint8_t dir_level;
	uint32_t iflags;
	uint16_t state; /* enum inode_flag */
	uint16_t slots; /* usable pointers of the inode, of a direct node */
	uint16_t node_slots;
	uint16_t cluster_blocks; /* of a compressed file, else 0 */
	uint32_t uid, gid, projid;
	uint32_t links;	      /* i_links */
	uint32_t links_found; /* entries that name it */
	uint32_t subdirs;     /* entries of a directory that name directories */
	uint32_t policy;      /* of encryption (crypt_parents.c), 0: none that is sound */
	uint64_t size;	      /* i_size */
	uint64_t blocks;      /* i_blocks */
	uint64_t blocks_found;
	uint32_t compr_blocks; /* i_compr_blocks, cut to 32 bits; the counted value */
	union {
		uint32_t compr_found; /* of a compressed file */
		uint32_t placed;      /* directory: names in blocks where they belong, without dots */
	};
	uint32_t ext_fofs, ext_blk, ext_len;
	uint32_t ext_seen; /* blocks of the extent that the tree confirms */
	f2fs_nid_t dotdot; /* directory: the number in "..", 0: none */
	uint32_t depth;	   /* directory: i_current_depth, and the depth that its entries need */
	uint32_t depth_found;
	uint32_t end_found; /* regular file or directory: blocks up to the last one that is written */
};

/* Do files of its type have contents, in blocks or in the inode? Devices, pipes and sockets have none. */
static inline bool inode_fact_has_contents(const struct inode_fact *inode)
{
	return inode->type == F2FS_TYPE_REGULAR || inode->type == F2FS_TYPE_DIRECTORY ||
	       inode->type == F2FS_TYPE_SYMLINK;
}

/* Are the contents in the inode itself? */
static inline bool inode_fact_is_inline(const struct inode_fact *inode)
{
	return (inode->inlines & (inode->type == F2FS_TYPE_DIRECTORY ? FLAG_i_inline_inline_dentry
								     : FLAG_i_inline_inline_data)) != 0;
}

/* A segment that the SIT or a claim has in use. */
struct seg_fact {
	f2fs_seg_t segno;
	uint16_t sit_count; /* count of the SIT */
	uint8_t sit_type;
	uint8_t log; /* 1 + log that writes here, 0: none */
	uint32_t flags;
	uint64_t sum;	      /* of summary_mix() of each block claimed; nodes: version and slot 0 */
	uint8_t sit_map[64];  /* map of the SIT; MSB-first like the next two */
	uint8_t data_map[64]; /* claimed by pointers */
	uint8_t node_map[64]; /* held by kept nodes */
};

enum seg_flag {
	SEG_CONFLICT = 1,
	SEG_ALIAS = 2 /* of a device alias: without summaries */,
	SEG_SUMMARY = 4, /* the summary is wrong */
	SEG_WITNESS = 8	 /* some claims are doubtful (witness_ghosts.c) */
};

#define NID_PAGE 512u

/* A page of node ids, of which some are in use. */
struct nid_page {
	uint64_t bits[NID_PAGE / 64];
	uint64_t whole[NID_PAGE / 64]; /* those of whole nodes */
	uint32_t start;		       /* index of the page's first id in use */
	uint32_t first;		       /* number of the page's first id */
	uint16_t rank[NID_PAGE / 64];  /* ids in use before each word */
};

/* A node id in use, packed. See fact_slots.c. */
struct nid_slot {
	uint32_t addr; /* the node's; if whole: index of its nid_fact */
	uint32_t seal; /* until there is an index of them: its id */
	f2fs_nid_t home; /* i_pino */
	f2fs_blk_t entry_block;
	uint32_t size;
	uint16_t entry_slot;
	uint16_t class;
	uint16_t blocks;
	uint8_t version;
	uint8_t bits;
};

struct facts {
	struct f2fs_context *ctx;
	const struct f2fs_geometry *geo;
	struct vec slots;	 /* struct nid_slot, ascending by nid */
	struct sparse nid_page;	 /* of 512 ids: 1 + index in pages, 0: none in use */
	struct vec pages;	 /* struct nid_page */
	struct chunks nodes;	 /* struct nid_fact: those of whole nodes */
	struct chunks inodes;	 /* struct inode_fact: those of whole inodes */
	struct vec found;	 /* f2fs_nid_t: all inodes, in the order in which they were found */
	struct inode_classes classes;
	bool are_blocks_counted; /* blocks_found of inodes is set */
	struct sparse seg_index; /* of a segment: 1 + index in segs, 0: not in use */
	struct vec segs;	 /* struct seg_fact */
	struct vec conflicts;	 /* f2fs_blk_t: claimed a second time; may hold a block repeatedly */
};

int facts_init(struct facts *f, struct f2fs_context *ctx, const struct f2fs_geometry *geo);
void facts_fini(struct facts *f);

/* Find a segment; NULL when it is not in use. */
struct seg_fact *facts_seg(const struct facts *f, f2fs_seg_t segno);
/* Find or add a segment; NULL when memory is short. */
struct seg_fact *facts_seg_add(struct facts *f, f2fs_seg_t segno);
/* Return a block's share in the sum of its segment, and in that of the summary's entries. */
static inline uint64_t summary_mix(uint32_t offset, f2fs_nid_t nid, uint8_t version, uint32_t slot)
{
	uint64_t x = ((uint64_t)nid << 32 | slot << 17 | offset << 8 | version) + 0x9E3779B97F4A7C15u;

	x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
	x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
	return x ^ (x >> 31);
}
/* Kinds of claims: the block holds the node, or a pointer of the node leads to it. */
enum claim_kind { CLAIM_NODE, CLAIM_DATA };
/* Note a claim on a block of the main area; one that is taken already goes to conflicts. */
int facts_claim(struct facts *f, f2fs_blk_t addr, enum claim_kind kind, const struct nid_fact *fact, uint32_t slot);
/* Forget all claims, to collect them again. */
void facts_forget_claims(struct facts *f);
/* Bytes of memory in use. */
uint64_t facts_memory(const struct facts *f);

#endif
