/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Constants of the flag fields, from flags.def: FLAG_ckpt_flags_unmount and so on, and small numbers of the format.
 */
#ifndef F2FSKIT_FORMAT_FLAGS_H
#define F2FSKIT_FORMAT_FLAGS_H

#include <f2fskit/format.h>

/* as constants of type uint32_t: the highest bit does not fit an enum */
#define FLAG(field, name, mask, doc) static const uint32_t FLAG_##field##_##name = (mask);
#include "format/flags.def"
#undef FLAG

#define F2FS_MAGIC 0xF2F52010u
#define XATTR_MAGIC 0xF2F52011u
#define SB_OFFSET 1024u /* of the superblock within its block */
#define NULL_SEGNO 0xFFFFFFFFu
#define NODE_INO 1u
#define META_INO 2u
#define ROOT_INO 3u
#define MAX_SEGMENTS 8388608u
#define XATTR_NODE_OFFSET 0x1FFFFFFFu /* node offset of an xattr node */
#define NAME_MAX_BYTES 255u
#define DENTRY_SLOT_BYTES 8u /* of a name slot */
#define DIR_MAX_DEPTH 63u

#endif
