/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of a check, shared by all passes: facts, raised problems, and reads in physical order. The passes run in the
 * order of passes.def. Each file pass_*.c begins with its requirements and results.
 */
#ifndef F2FSKIT_CHECK_CHECKER_H
#define F2FSKIT_CHECK_CHECKER_H

#include "base/pool.h"
#include "check/facts.h"
#include "check/problem.h"
#include "format/evidence.h"
#include "volume/volume.h"

/* Blocks of a directory, collected by the nodes pass for the dirs pass. */
struct dir_block {
	uint32_t inode;	 /* index of the directory's inode_fact */
	uint32_t number; /* file block */
};

/* A further pointer to a node that another pointer led to before: its node and the place it implies. */
struct further_parent {
	f2fs_nid_t nid, parent;
	uint32_t place;
};

/* An entry of a directory of several blocks: where it is and its hash, to find names that occur twice. */
struct dir_name {
	uint32_t inode; /* index of the directory's inode_fact */
	uint32_t hash;
	f2fs_blk_t block;
	uint16_t slot;
};

/* An entry whose type is not that of the mode of the inode it names. */
struct type_doubt {
	f2fs_nid_t ino, dir;
	uint32_t type;
};

struct witness_book;

struct checker {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_check_options options;
	struct f2fs_check_result *result;
	struct f2fs_volume *vol; /* NULL when it cannot be opened */
	const struct f2fs_geometry *geo;
	struct f2fs_geometry plain; /* without the feature inode_checksum: checksums are judged apart */
	struct pool *pool;
	enum f2fs_open_mode mode; /* how the volume is opened */
	const char *last_pass;	  /* NULL: all are run */
	bool has_warned;	  /* of contents that this build cannot read */
	bool is_as_is;		  /* the superblock stays as it was read */
	bool is_flagged;	  /* that the checkpoint asks for a check is the repair's own doing */
	bool is_impossible;
	bool is_frozen;	    /* a repair could destroy unknown or unseen data: nothing is written */
	bool is_foreign;    /* another system owns the device, according to this signature */
	struct f2fs_signature foreign;
	bool is_unread;	    /* the device did not give a node, or a block of a directory */
	bool is_recount;    /* claims are collected again, from kept nodes only; nothing is raised */
	uint8_t *scratch;   /* one block, for a mended inode */
	struct vec *claims; /* list of claims_collect(), and the flag of its segments */
	uint32_t claim_flag;
	f2fs_seg_t claim_from, claim_end;
	uint32_t max_claims; /* blocks of segments listed at once, 0: MAX_CLAIMS */
	struct evidence evidence;     /* signs of features in the inodes */
	uint32_t feature_found;	      /* with has_other_features: the superblock's features */
	bool has_other_features;      /* the inodes showed others, by which the volume is read since */
	struct facts facts;
	struct vec findings;	   /* struct finding */
	struct vec further_parents; /* struct further_parent: nodes that hang in more than one place */
	uint64_t findings_dropped; /* beyond max_findings */
	struct vec dir_addrs;	   /* struct sweep_item, tag: index in dir_blocks */
	struct vec dir_blocks;	   /* struct dir_block */
	uint8_t *nat_bits;	   /* maps of full and empty NAT blocks; NULL: none in force */
	bool nat_bits_are_bad;	   /* already reported */
	struct vec misnamed;	   /* struct f2fs_nat_info: entries of the NAT journal that break a rule */
	struct vec names;	   /* struct dir_name: entries of directories of several blocks */
	bool has_bad_summary;	   /* of some segment, marked SEG_SUMMARY */
	struct vec doubts;	   /* struct type_doubt */
	struct map32 modes;	   /* ino -> mode, where the one in the inode is wrong */
	bool must_restart;	   /* modes were decided: begin again after the roots */
	bool has_other_quota;	   /* the superblock named wrong quota files: set right in memory */
	unsigned quota_moved;	   /* bits of the types, */
	f2fs_nid_t quota_found[sb_COUNT_qf_ino]; /* and the inodes that it named */
	unsigned restarts;
	struct repair *repair; /* a repair under way (repair.h) */
	struct witness_book *book; /* decisions of the witnesses (witness.h) */
	bool owns_book;		   /* it ends with this check */
	f2fs_blk_t cut_end;    /* where the volume should end, when it ends earlier (cut.c); 0: it does not */
	struct map32 cut;      /* ino -> its nodes and blocks past the end */
	f2fs_nid_t lost_found; /* the directory of that name in the root, 0: none */
	unsigned bits_sought;  /* lists of attributes in which one wrong bit was looked for */
};

/* How to run the passes. */
struct check_run {
	const struct f2fs_check_options *options; /* NULL for the defaults */
	enum f2fs_open_mode mode;
	const char *last; /* the pass to end with, NULL: all of them are run */
	bool as_is;	  /* the superblock is not corrected by the inodes */
	bool is_flagged;  /* the repair itself asked for a check, until it is through */
	struct witness_book *book; /* decisions of an earlier check, and those of this one; NULL: its own */
};
/* Check a volume and report the findings. *out: the checker with its facts, until check_close(). */
int check_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct check_run *run,
	       struct f2fs_check_result *result, struct checker **out);
/*
 * Free a check, or do nothing for NULL. err: the result of the work done with it. An error keeps the last error
 * message.
 */
void check_close(struct f2fs_context *ctx, struct checker *c, int err);

/* Keep a finding; 0, F2FS_ERR_NOMEM. */
int problem_raise(struct checker *c, const struct finding *finding);
/* Keep a finding about an inode, with the found and the expected value. */
int inode_raise(struct checker *c, enum problem problem, const struct inode_fact *inode, uint64_t found,
		uint64_t expected);
/* Report all findings in order, with paths and names. */
int findings_tell(struct checker *c);
/*
 * Report one finding. Returns the result of the callback in the options. The room is for its texts, NULL: out of
 * memory.
 */
struct tell_room;
struct tell_room *finding_room(struct checker *c);
int finding_tell(struct checker *c, const struct finding *finding, const struct f2fs_check_options *options, int action,
		 struct tell_room *room);

/*
 * cut.c: find out whether the device ends before the volume does. If so, the main area of c->geo ends with it.
 * Then an address is lost when the superblock's main area has it, but not the device.
 */
int cut_begin(struct checker *c);
/* Let a volume end where it was cut, if its main area was; false: it stays as it is. */
bool cut_shorten(struct f2fs_volume *vol, uint64_t cut_at);
static inline bool cut_is_lost(const struct checker *c, f2fs_blk_t addr)
{
	return addr >= c->geo->end_blkaddr && addr < c->cut_end;
}
/* Note that an inode lost a node (perhaps its own block), or data blocks, past the end of the device. */
int cut_take_node(struct checker *c, f2fs_nid_t ino);
int cut_take_blocks(struct checker *c, f2fs_nid_t ino, uint32_t blocks);
/* Is this a compressed cluster of which a part is lost? Then nothing of it can be read. */
bool cut_is_cluster(const struct checker *c, const uint8_t *slots, uint32_t count);
/* Has an inode lost something? */
bool cut_has(const struct checker *c, f2fs_nid_t ino);
/* Report the losses, file by file. */
int cut_tell(struct checker *c);

/* A block to read, and its meaning to the caller. */
struct sweep_item {
	f2fs_blk_t addr;
	uint32_t tag;
};

/*
 * Read blocks in ascending order in large requests. judge is called on any thread. It uses nothing but its arguments
 * and facts that do not change meanwhile. Its result goes to digest, which is called in order on the context's thread.
 */
struct sweep {
	const char *phase;
	uint32_t (*judge)(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
	int (*digest)(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged);
	int (*unreadable)(struct checker *c, const struct sweep_item *item);
	/* Is it the block that was judged before? Else it is read once more, and then counts as unreadable. May be
	 * NULL. */
	bool (*is_same)(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
};
/* Sort items (struct sweep_item) by address, and run over them. */
int sweep_run(struct checker *c, const struct sweep *sweep, struct vec *items);
/* Run over the nodes that are kept and have an inode; tags are indexes in facts.nids. */
int sweep_kept(struct checker *c, const struct sweep *sweep);

/* Correct the field that breaks the rule, in a copy of an inode's block. Returns false when no field can be corrected.
 */
bool inode_mend(const struct f2fs_geometry *geo, uint8_t *block, f2fs_nid_t nid, enum rule rule);
/*
 * Is an inode marked as holding data or entries inside although it has pointers to blocks? Returns the rule about the
 * type that cannot be inside. The kernel accepts such a file and follows the pointers. In such a directory it finds
 * nothing.
 */
enum rule inode_misread(const struct f2fs_geometry *geo, const uint8_t *block);
void inode_mend_misread(uint8_t *block);

/* Can this be the size of an inline directory? That is the size of the inode's room for entries, a multiple of 4 bytes.
 */
static inline bool dir_size_inside(const struct f2fs_geometry *geo, uint64_t size)
{
	return size != 0 && size % 4 == 0 && size <= geo->block_size;
}

/* root_zones.c: report a feature blkzoned that does not fit the device. */
int root_zones_check(struct checker *c);

/* try_recovery.c: report the damage that keeps fsynced nodes from being recovered. */
int recovery_try(struct checker *c);

/* alias.c: find the device of an alias and note it in the facts; then compare the inode with it. */
void alias_judge(const struct checker *c, struct inode_fact *inode, const uint8_t *block);
int alias_check(struct checker *c, const struct inode_fact *inode, const uint8_t *block);

/* crypt_parents.c: the digest of a policy, by the context of an inode. Compare those of directories and entries. */
uint32_t crypt_policy(const uint8_t *value, size_t size);
int crypt_policies_check(struct checker *c);

/* further_parents.c: sort further_parents, and find the first one of a node; further_parents.count: none. */
void further_parents_sort(struct checker *c);
size_t further_parents_of(const struct checker *c, f2fs_nid_t nid);
/* node_digest.c, for sweeps whose tags are indexes in facts.nids. */
uint32_t node_judge(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
int node_digest(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged);
int node_unreadable(struct checker *c, const struct sweep_item *item);
bool node_is_same(const struct checker *c, const struct sweep_item *item, const uint8_t *block);
/*
 * Handle a node that became unreadable after it was judged: a repair in progress fails, because it would write blind.
 */
int node_is_gone(struct checker *c, const struct sweep_item *item);
/* Keep a finding about a node. */
int node_raise(struct checker *c, enum problem problem, const struct nid_fact *fact, uint64_t found, uint64_t expected);
/* inode_digest.c: take an inode's fields into the facts. */
int inode_digest(struct checker *c, struct nid_fact *fact, const uint8_t *block, uint32_t judged);
/* node_pointers.c: take the pointers of a node of the inode. */
int pointers_digest(struct checker *c, struct nid_fact *fact, struct inode_fact *inode, const uint8_t *block);
/* xattr_judge.c: look at the attributes of an inode, as one string of which inline_size bytes are in the inode. */
int xattrs_judge(struct checker *c, struct inode_fact *inode, const uint8_t *string, uint32_t size);

/* inode_type.c: an entry in dir gives the inode this type. Note it when the mode has another type or none. */
int type_doubt(struct checker *c, f2fs_nid_t dir, const struct inode_fact *inode, unsigned type);
/* After all entries are read: decide the type of each inode whose mode is in doubt. If there are any, the check starts
 * again. */
int types_decide(struct checker *c);
/* root_quota.c: once inodes are read, set wrong quota inodes of the superblock right in memory. Then report them. */
int quota_find_files(struct checker *c);
int quota_raise_found(struct checker *c);
/* Was another mode decided for the inode? */
bool type_is_decided(const struct checker *c, f2fs_nid_t ino, uint16_t *mode);
/* Return the name of a mode's file type. */
const char *type_name(uint16_t mode);

enum { JUDGED_RULE = 0xffff, JUDGED_BAD_SUM = 0x10000 };

#define PASS(name, function, needs_volume) int function(struct checker *c);
#include "check/passes.def"
#undef PASS

#endif
