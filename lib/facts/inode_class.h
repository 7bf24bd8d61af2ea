/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Classes of plain inodes: the fields that many inodes have in common, stored once for all of them.
 */
#ifndef F2FSKIT_FACTS_INODE_CLASS_H
#define F2FSKIT_FACTS_INODE_CLASS_H

#include "base/map32.h"
#include "base/vec.h"

struct inode_fact;

struct inode_class {
	uint32_t iflags;
	uint32_t uid, gid, projid;
	uint32_t policy;
	uint16_t mode;
	uint16_t slots, node_slots;
	uint8_t type;
	uint8_t advise, inlines;
	uint8_t unused[3]; /* always 0: classes are compared as bytes */
};

struct inode_classes {
	struct vec list;    /* struct inode_class */
	struct map32 index; /* digest of a class -> number */
	uint16_t last;	    /* number of the class found last */
};

void inode_classes_init(struct inode_classes *all, struct f2fs_context *ctx);
void inode_classes_fini(struct inode_classes *all);
/*
 * Find or add the class of an inode. Returns 0 and sets *number, F2FS_ERR_RANGE without recording it when there is no
 * number left or another class has the digest, or F2FS_ERR_NOMEM.
 */
int inode_classes_find(struct inode_classes *all, const struct inode_fact *inode, uint16_t *number);
static inline const struct inode_class *inode_classes_at(const struct inode_classes *all, uint16_t number)
{
	return vec_at(&all->list, number);
}

#endif
