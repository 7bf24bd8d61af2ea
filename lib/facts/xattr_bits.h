/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One wrong bit in a list of extended attributes.
 */
#ifndef F2FSKIT_FACTS_XATTR_BITS_H
#define F2FSKIT_FACTS_XATTR_BITS_H

#include "base/context.h"
#include "format/geometry.h"

/* Is the list free of faults? An unknown prefix is no fault. */
bool xattrs_are_sound(struct f2fs_context *ctx, const struct f2fs_geometry *geo, const uint8_t *string, uint32_t size,
		      unsigned advise);
/*
 * Turn back the one bit of the heads in a list that makes all of it right. *byte: its place. advise: i_advise of the
 * inode, whose flags require an encryption context or the place of a verity descriptor. Returns false, and changes
 * nothing, when the list is sound, or when no bit or several bits would make it so.
 */
bool xattr_correct(struct f2fs_context *ctx, const struct f2fs_geometry *geo, uint8_t *string, uint32_t size,
		   unsigned advise, uint32_t *byte);

#endif
