/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Store extended attributes.
 */
#ifndef F2FSKIT_FILE_XATTR_WRITE_H
#define F2FSKIT_FILE_XATTR_WRITE_H

#include "file/winode.h"

/* Copy a stored attribute of at most room bytes; NO_ATTR, not recorded, when there is none. */
int xattr_get_of(struct winode *w, unsigned index, const char *name, uint8_t *value, size_t room, size_t *size);
/* Rebuild the attributes with one changed; value NULL removes it. */
int xattr_put(struct winode *w, unsigned index, const char *name, const void *value, size_t size);
/* The same, and set the change time. */
int xattr_store(struct winode *w, unsigned index, const char *name, const void *value, size_t size);

#endif
