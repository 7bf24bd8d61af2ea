/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change blocks of files that wait to be written.
 */
#ifndef F2FSKIT_FILE_PAGES_H
#define F2FSKIT_FILE_PAGES_H

#include "file/map_write.h"

struct slot_ref;
struct winode;

/* Get a block for changing; the old contents are read unless they will be overwritten (fresh: zeros). */
int page_get(struct winode *w, uint64_t file_block, bool fresh, uint8_t **out);
/* Read into a block what page_get() would give. */
int page_read(struct winode *w, uint64_t file_block, bool fresh, uint8_t *block);
/* Get a block for new contents, all of it; known: what slot_find() said of the block, or NULL. */
int page_put(struct winode *w, uint64_t file_block, const struct slot_ref *known, const uint8_t *data, uint8_t **out);
/* Change bytes [offset, offset + length) in waiting blocks; blocks that begin at or past size are empty. */
int pages_put(struct winode *w, uint64_t offset, const uint8_t *data, size_t length, uint64_t size);
/* Count a hole as reserved, so that writing it later cannot fail for want of space. */
int slot_reserve(struct winode *w, struct slot_ref *slot);

#endif
