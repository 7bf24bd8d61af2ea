/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print and parse access control lists as text: tag:id:permissions, separated by commas.
 */
#ifndef F2FSKIT_BASE_ACL_TEXT_H
#define F2FSKIT_BASE_ACL_TEXT_H

#include "base/acl.h"

/* Add "user::rwx,user:1000:r--,group::r-x,mask::rwx,other::---". */
void acl_print(const struct acl_entry *entries, size_t count, struct text *out);

/*
 * Parse such text: entries separated by commas or line feeds, in any order (the result is in the right one, ids
 * ascending), tags by first letter or name, ids as numbers, permissions as letters or one digit.
 */
enum acl_result acl_parse(const char *text, size_t len, struct acl_entry *entries, size_t cap, size_t *count);

#endif
