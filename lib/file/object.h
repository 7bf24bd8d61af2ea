/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open inode as the file layer sees it: its block, how i_addr is divided, the nodes on the way to the last slot
 * looked up, its attributes once they were asked for, and the last cluster that was decompressed.
 */
#ifndef F2FSKIT_FILE_OBJECT_H
#define F2FSKIT_FILE_OBJECT_H

#include <f2fskit/file.h>

#include "format/inode.h"
#include "volume/volume.h"

struct dentry_ref;
struct xattr_set;
struct cluster_cache;
struct change_rules;

/* Callbacks of an old inode's opener (forensics/): its nodes, and the state of its blocks. */
struct inode_past {
	/* Load the node at this place of the old file; *addr is its address. */
	int (*load)(void *user, const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t node_offset, uint8_t *block,
		    f2fs_blk_t *addr);
	/* Does a block still hold what this slot of a node pointed to? Else an error, recorded. */
	int (*judge)(void *user, const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t ofs_in_node, f2fs_blk_t addr);
	void (*close)(void *user);
	void *user;
};

struct f2fs_inode {
	struct f2fs_volume *vol;
	f2fs_nid_t ino;
	bool is_past;		/* not as the volume has it now: never changed, not among the volume's handles */
	struct inode_past past; /* with is_past */
	f2fs_blk_t addr;     /* of the inode block */
	uint64_t generation; /* of the volume, when the block was read */
	struct inode_layout layout;
	uint8_t *block;			   /* the inode block */
	uint8_t *node[NODE_LEVELS];	   /* [1..3]: last node read at each level */
	f2fs_nid_t node_nid[NODE_LEVELS];  /* and its id, 0 for none */
	uint32_t node_offset[NODE_LEVELS]; /* its place in the tree */
	f2fs_blk_t node_addr[NODE_LEVELS];
	uint64_t node_generation[NODE_LEVELS]; /* of the volume, when it was read */
	struct xattr_set *xattrs;	       /* NULL: not asked for yet */
	struct cluster_cache *cluster;	       /* NULL: nothing decompressed yet */
	const struct change_rules *rules;      /* of changes that are made through this handle; NULL: the usual ones */
	uint64_t born;			       /* checkpoint version that makes the inode permanent; 0: an older one */
	uint32_t life;			       /* i_generation when it was opened */
	bool is_freed;			       /* the running transaction has freed the inode */
	bool is_dead;			       /* for good: not among the volume's handles any more */
	struct f2fs_inode *next_handle;	       /* in its list of the volume's handles */
	struct f2fs_inode **this_handle;       /* the pointer to this one */
};

static inline unsigned inode_type(const struct f2fs_inode *inode)
{
	return inode_i_mode(inode->block) & MODE_TYPE;
}

static inline bool inode_is_encrypted(const struct f2fs_inode *inode)
{
	return (inode_i_advise(inode->block) & FLAG_i_advise_encrypt) != 0;
}

static inline bool inode_is_casefold(const struct f2fs_inode *inode)
{
	return (inode_i_flags(inode->block) & FLAG_i_flags_casefold) != 0;
}

/* Does one extent stand for all of the contents (FORMAT volume 9.4)? */
static inline bool inode_is_alias(const struct f2fs_inode *inode)
{
	return geometry_has(&inode->vol->geo, F2FS_FEAT_DEVICE_ALIAS) &&
	       (inode_i_flags(inode->block) & FLAG_i_flags_device_alias) != 0;
}

/* Update the handle's copy from the running transaction. Fails with STATE for a dead handle. */
int inode_sync(struct f2fs_inode *inode);
/* Load the block of a handle as it is now. */
int inode_load(struct f2fs_inode *inode);
/* Open without clearing the last error. */
int inode_open(struct f2fs_volume *vol, f2fs_nid_t ino, struct f2fs_inode **out);

/* inode_life.c */
/* Bind a handle that was loaded to its inode as it is now, and list it with the volume's handles. */
int inode_bind(struct f2fs_inode *inode);
/* Is the inode gone that a handle was opened for, whatever has its number now? */
bool inode_is_dead(const struct f2fs_inode *inode);
/* Fail with STATE then. */
int inode_need_live(const struct f2fs_inode *inode);
/* The handle's block was loaded again: fail with STATE, for good, when it is another inode's. */
int inode_check_life(struct f2fs_inode *inode);
/* What an inode is known by while no handle of it is open. */
struct inode_identity {
	uint64_t born, rollbacks;
	uint32_t life;
};
void inode_identify(const struct f2fs_inode *inode, struct inode_identity *out);
/* Is an inode that was opened by the same number the same inode? */
bool inode_is_the_same(const struct f2fs_inode *inode, const struct inode_identity *as);

/*
 * Open the inode in the block at addr, as it is there; past is copied, and closed with the inode. NOT_FOUND when the
 * block holds no inode, CORRUPT when that breaks a rule. After a failure past is still the caller's.
 */
int inode_open_past(struct f2fs_volume *vol, f2fs_blk_t addr, const struct inode_past *past, struct f2fs_inode **out);
/* Fail with READ_ONLY for an inode as it once was, with STATE for a dead handle. */
int inode_need_current(const struct f2fs_inode *inode);
/* Load a node of an inode, of its own time. addr may be NULL. */
int inode_load_node(const struct f2fs_inode *inode, f2fs_nid_t nid, uint32_t node_offset, uint8_t *block,
		    f2fs_blk_t *addr);
/* Judge the blocks at addr and after, of file blocks from file_block on: do they still hold their old data? */
int inode_judge(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t count);

/* A run of slots found by map_find(). */
struct map_run {
	const uint8_t *slots; /* raw words, valid until the next map_find() on the inode; NULL: a hole */
	uint64_t count;	      /* slots, or file blocks of the hole */
	f2fs_nid_t nid;	      /* node that holds the slots */
	uint32_t ofs_in_node; /* of the first */
};
/* Find the slot of a file block; NOT_FOUND beyond the end of the tree. When a node cannot be read, slots is NULL and
 * count is the number of file blocks lost with it. */
int map_find(struct f2fs_inode *inode, uint64_t file_block, struct map_run *out);

/*
 * Find the content of a file block, for all readers: like f2fs_inode_extent(), but the extent may end early once it has
 * the wanted number of blocks. When a node cannot be read, out->count is the number of file blocks lost with it. Slots
 * alone (map_find) do not know of blocks that wait in memory.
 */
int map_extent(struct f2fs_inode *inode, uint64_t file_block, uint64_t wanted, struct f2fs_file_extent *out);

/* Read stored bytes [offset, offset + length) of the data, whatever i_size says. compressed clusters are decompressed.
 */
int data_read(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length);
/* Record that contents cannot be decrypted, with the policy; returns F2FS_ERR_ENCRYPTED. */
int crypto_refuse(struct f2fs_inode *inode, const char *what);
/* Present a stored name or link target without its key; text takes F2FS_NAME_ROOM bytes. */
int crypto_present_name(struct f2fs_volume *vol, uint32_t hash, const uint8_t *raw, size_t raw_len, char *text,
			size_t room, size_t *length);

/* Look up a name as f2fs_dir_lookup() does; NOT_FOUND, not recorded, when it is not there. */
int dir_find(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
/* Look up a name as it is stored, by its hash; folded where the directory folds names that can be read. NOT_FOUND, not
 * recorded, when it is not there. */
int dir_find_stored(struct f2fs_inode *dir, const uint8_t *name, size_t length, uint32_t hash, struct f2fs_dirent *out);
/* The next entry of a directory as it is stored, and its file block. NOT_FOUND at the end; CORRUPT: it was stepped
 * over. */
int dir_next_stored(struct f2fs_dir *dir, struct dentry_ref *ref, uint64_t *block);

/* dir_filing.c: casefolded, not encrypted directories */
/* May a directory have a name of this hash that a search by the hash does not find? No is certain. */
int filing_may_have(struct f2fs_inode *dir, uint32_t hash, bool *out);
/* Hash the whole folded form of a name that folds to more than a search can compare; false: it does not. */
bool filing_whole_hash(const uint8_t *name, size_t length, uint32_t *hash);
/* A name was put into a directory, under its hash. */
int filing_add(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length);
/* Entries of a directory were changed otherwise. */
void filing_forget(struct f2fs_volume *vol, f2fs_nid_t dir);

/*
 * Find a name that folds to the same as this one, but to more than a search by the hash can compare: the kernel, which
 * keeps names in memory by their whole folded forms, would take one for the other. NOT_FOUND, not recorded, for none.
 */
int dir_find_twin(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
/* Levels of a tree whose directories stay open while a walk is below them. Those further up are opened again when it
 * comes back, so that a level costs little, however many there are. */
#define NEAR_LEVELS 32u

/* f2fs_walk() without forgetting the last error. */
int walk_tree(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry), void *user);

/* Where a reader is in its directory. */
struct dir_place {
	uint64_t block, next_block;
	uint32_t slot;
	bool is_inside; /* of that block, or of the inode */
};
void dir_tell(const struct f2fs_dir *dir, struct dir_place *out);
/* Go to where another reader of the directory was. */
int dir_seek(struct f2fs_dir *dir, const struct dir_place *to);
/* Let a reader count the blocks that it loads where others count, too: all together load no more than there are. */
void dir_count_into(struct f2fs_dir *dir, uint64_t *loaded);
/* Load the attributes once; the set is freed with the inode. */
/* The public functions of these names without forgetting the last error. */
int xattr_count(struct f2fs_inode *inode);
int xattr_at(struct f2fs_inode *inode, unsigned index, struct f2fs_xattr *out);
int xattr_get(struct f2fs_inode *inode, const char *name, struct f2fs_xattr *out);
int xattr_load(struct f2fs_inode *inode);
void xattr_unload(struct f2fs_inode *inode);
/* Find a stored attribute by index and stored name ("" for none); NO_ATTR when absent. */
int xattr_find_stored(struct f2fs_inode *inode, unsigned index, const char *name, const uint8_t **value, size_t *size);

/* cluster_shown.c */
/* Do algorithm, level or size of the clusters in an inode break a rule, or its slots contradict them? */
bool packing_is_doubtful(const struct f2fs_geometry *geo, const uint8_t *block);
/* Correct an inode's block by its clusters. Changes nothing where they prove nothing, or agree. */
int packing_correct(struct f2fs_volume *vol, uint8_t *block, bool *is_changed);

/* compress.c */
/* UNSUPPORTED: the file has compressed clusters that this build cannot read. */
int compress_need(struct f2fs_inode *inode);
int compress_read(struct f2fs_inode *inode, uint64_t cluster, const uint8_t **data);
void compress_unload(struct f2fs_inode *inode);
/* Is the cluster that starts with these slots stored compressed? */
static inline bool compress_is_cluster(const struct f2fs_inode *inode, uint32_t first_slot)
{
	return inode->layout.is_compressed && first_slot == F2FS_COMPRESS_ADDR;
}

/* The same as the public functions of these names, without forgetting the last error: for calls within the library. */
int inode_read(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done);
int inode_readlink(struct f2fs_inode *inode, char *buffer, size_t size, size_t *length);
int inode_stat(struct f2fs_inode *inode, struct f2fs_stat *out);
int inode_path(struct f2fs_inode *inode, char *buffer, size_t size);
/* Nothing proves keys of version 1, so one is tried on the names of the first directories that it is for: one that
 * makes no sense of any is as good as none from then on, and noted. */
int dir_try_key(struct f2fs_inode *inode);
int dir_open(struct f2fs_inode *inode, struct f2fs_dir **out);
int dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out);
int dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
int verity_get(struct f2fs_inode *inode, struct f2fs_verity *out);
/* f2fs_verity_verify() */
int verity_check(struct f2fs_inode *inode);

/* inode_sync.c: record corruption of this inode. */
int inode_corrupt(struct f2fs_inode *inode, enum rule rule, const char *format, ...) PRINTF_LIKE(3, 4);

#endif
