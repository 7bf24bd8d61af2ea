/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * POSIX access control lists: the form on disk (version 1), the form of getxattr(2)
 * and setxattr(2) (version 2), and text (FORMAT files 7.3). An ACL here is an array
 * of entries that the caller supplies.
 */
#ifndef F2FSKIT_BASE_ACL_H
#define F2FSKIT_BASE_ACL_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum acl_tag {
	ACL_USER_OBJ = 0x01,
	ACL_USER = 0x02,
	ACL_GROUP_OBJ = 0x04,
	ACL_GROUP = 0x08,
	ACL_MASK = 0x10,
	ACL_OTHER = 0x20,
};

#define ACL_NO_ID 0xFFFFFFFFu

struct acl_entry {
	uint16_t tag;  /* enum acl_tag */
	uint16_t perm; /* 4 read, 2 write, 1 execute */
	uint32_t id;   /* of ACL_USER and ACL_GROUP; otherwise ACL_NO_ID */
};

enum acl_result {
	ACL_OK = 0,
	ACL_BAD_VERSION,   /* another version than the form has */
	ACL_BAD_SIZE,	   /* not a whole number of entries */
	ACL_BAD_TAG,	   /* no such tag */
	ACL_BAD_PERM,	   /* more than rwx */
	ACL_BAD_ID,	   /* ACL_USER or ACL_GROUP of no id */
	ACL_BAD_ORDER,	   /* not user::, user:N.., group::, group:N.., mask::, other:: */
	ACL_MISSING_ENTRY, /* no user::, group:: or other::, or no mask:: where it is needed */
	ACL_BAD_TEXT,	   /* text that is no entry */
	ACL_NO_ROOM,	   /* the caller's array is too small */
};

/* Return the fault as a phrase for messages. */
const char *acl_result_text(enum acl_result result);

/* Entries that a value of @len bytes can hold at most, in either form. */
#define ACL_COUNT_MAX(len) ((size_t)(len) / 4)
/* Bytes of the value of @count entries at most, in either form. */
#define ACL_SIZE_MAX(count) (4 + 8 * (size_t)(count))

/*
 * Take the value on disk apart into at most @cap entries and set @count. Checks the form (version, sizes, tags); the
 * meaning is acl_check()'s.
 */
enum acl_result acl_decode_disk(const uint8_t *value, size_t len, struct acl_entry *entries, size_t cap, size_t *count);
/* The same for the value of getxattr(2). */
enum acl_result acl_decode_xattr(const uint8_t *value, size_t len, struct acl_entry *entries, size_t cap,
				 size_t *count);

/* Write the value of @count entries; @value takes ACL_SIZE_MAX(@count). Returns its length. */
size_t acl_encode_disk(const struct acl_entry *entries, size_t count, uint8_t *value);
size_t acl_encode_xattr(const struct acl_entry *entries, size_t count, uint8_t *value);

/* Would a kernel accept these entries? Ids need not be in order, as they do not for it. */
enum acl_result acl_check(const struct acl_entry *entries, size_t count);

#endif
