/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes: walking the byte string that an inode's inline area and xattr node form (FORMAT files 7).
 */
#ifndef F2FSKIT_FORMAT_XATTR_H
#define F2FSKIT_FORMAT_XATTR_H

#include <stdbool.h>

#include "format/rules.h"
#include "format/structs.h"

enum xattr_index {
	XATTR_USER = 1,
	XATTR_ACL_ACCESS = 2,
	XATTR_ACL_DEFAULT = 3,
	XATTR_TRUSTED = 4,
	XATTR_LUSTRE = 5,
	XATTR_SECURITY = 6,
	XATTR_ADVISE = 7,
	XATTR_ENCRYPTION = 9,
	XATTR_VERITY = 11,
};

/* What Linux takes as a name, with its prefix (XATTR_NAME_MAX): a longer one can be listed, not read or removed. */
enum { XATTR_NAME_LENGTH = 255 };

/* One attribute; pointers into the string. */
struct xattr_ref {
	uint32_t offset; /* of the entry */
	uint8_t index;
	uint8_t name_len;
	uint16_t value_size;
	const uint8_t *name;
	const uint8_t *value;
};

/* Can an attribute of this prefix have this name? An unknown prefix allows any. */
bool xattr_name_is_legal(const struct xattr_ref *ref);

enum xattr_scan { XATTR_FOUND = 0, XATTR_END = 1, XATTR_BAD = 2 };

/*
 * Get the entry at *offset of a string of size bytes and move *offset past it; start with *offset = 0. XATTR_END: no
 * (further) attribute. XATTR_BAD: the entry does not fit; nothing after it can be read.
 */
enum xattr_scan xattr_next(const uint8_t *string, uint32_t size, uint32_t *offset, struct xattr_ref *out);

/* Prefix shown for an index ("user."; the whole name for ACLs and internal ones); NULL for an unknown index. */
const char *xattr_prefix(unsigned index);
/* Does the stored name follow the prefix? */
bool xattr_has_name(unsigned index);
/* Is it kept from listxattr(2)? */
bool xattr_is_internal(unsigned index);

#endif
