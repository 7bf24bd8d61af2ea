/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the rest of a damaged quota file: its grace times, and the limits of all ids whose entries can be found.
 */
#ifndef F2FSKIT_FORMAT_QUOTA_RESCUE_H
#define F2FSKIT_FORMAT_QUOTA_RESCUE_H

#include "base/map32.h"
#include "base/vec.h"
#include "format/quota.h"

struct quota_rescue {
	struct vec entries; /* struct quota_entry, each id once; fields that cannot be are zero */
	struct map32 index; /* id -> number in entries */
	struct vec lost;    /* uint32_t: ids with an entry of which not all can be read; may hold an id repeatedly */
	uint32_t space_grace, inodes_grace; /* seconds */
	bool has_grace;			    /* they were read; else they are the usual week */
};

/*
 * Read all that can be read. @size: bytes to look at, whatever the file says of its size; @read as for quota_open(), it
 * returns unreadable blocks as zeros. Initializes @out, also when it fails: with NOMEM, or as read does.
 */
int quota_rescue(struct quota_rescue *out, struct f2fs_context *ctx, enum quota_type type,
		 int (*read)(void *user, uint64_t offset, void *buf, size_t n), void *user, uint64_t size);
void quota_rescue_fini(struct quota_rescue *rescue);
/* Find an id's entry; NULL when none was found. */
const struct quota_entry *quota_rescue_find(const struct quota_rescue *rescue, uint32_t id);

#endif
