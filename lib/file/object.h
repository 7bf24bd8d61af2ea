/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open inode as the file layer sees it: its block, how i_addr is divided, the nodes on the way to the last slot
 * looked up, its attributes once they were asked for, and the last cluster that was decompressed.
 */
#ifndef F2FSKIT_FILE_OBJECT_H
#define F2FSKIT_FILE_OBJECT_H

#include <f2fskit/file.h>

#include "file/change_rules.h"
#include "format/inode.h"
#include "volume/volume.h"

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

#endif
