/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signs in an inode itself that its fields divide it wrongly.
 */
#ifndef F2FSKIT_FACTS_LAYOUT_SIGNS_H
#define F2FSKIT_FACTS_LAYOUT_SIGNS_H

#include "facts/run.h"

/* Are all bits zero, but for one that may be wrong? */
bool layout_is_nearly_zero(const uint8_t *bytes, size_t length);
/* Do attributes begin where an inode with attributes inside would have them? */
bool layout_hides_attributes(const struct f2fs_geometry *geo, const uint8_t *block);
/* Does an inline directory not begin with "."? */
bool layout_lacks_own_dot(const struct f2fs_geometry *geo, const uint8_t *block);
/* Has a symlink a target inside that begins with a NUL byte? No program can make one. */
bool layout_lacks_target(const struct f2fs_geometry *geo, const uint8_t *block);
bool inode_is_device(const uint8_t *block);
/* Are there words behind the number of a device (FORMAT files 3.5)? */
bool layout_has_more_than_number(const struct f2fs_geometry *geo, const uint8_t *block);
/*
 * Is there a sign that needs no other block: attributes without the flag for them or not where they should begin, data
 * after the end, or entries that do not begin with "."?
 */
bool layout_is_odd(const struct f2fs_geometry *geo, const uint8_t *block);

#endif
