/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cached results in a handle of an inode: attributes taken apart, the last cluster decompressed.
 */
#ifndef F2FSKIT_FILE_INODE_CACHES_H
#define F2FSKIT_FILE_INODE_CACHES_H

#include "base/comp.h"
#include "file/object.h"

struct xattr_item {
	char *name;
	uint8_t *converted; /* ACL in its system call form, or NULL */
	const uint8_t *stored_name;
	const uint8_t *stored; /* value as stored */
	size_t stored_size, size;
	uint8_t stored_len, index;
	bool internal;
};

struct xattr_set {
	uint8_t *string;
	uint32_t size;
	struct vec items;		 /* struct xattr_item */
	int error;			 /* why the list is not complete, or 0 */
	struct f2fs_error_detail detail; /* of that, to be reported again */
	uint8_t advise;
};

struct cluster_cache {
	struct comp_state codec;
	uint64_t index;
	bool is_loaded;
	bool has_bad_sum; /* some cluster, whose data was given all the same */
	bool is_misnamed; /* by the inode: another algorithm read its clusters, */
	unsigned algorithm; /* this one */
	uint8_t *stored; /* a cluster's worth of blocks each */
	uint8_t *data;
};

#endif
