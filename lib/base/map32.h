/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash map from 32-bit keys to 64-bit values (open addressing, linear probing).
 */
#ifndef F2FSKIT_BASE_MAP32_H
#define F2FSKIT_BASE_MAP32_H

#include "base/context.h"

struct map32 {
	struct f2fs_context *ctx;
	struct map32_slot *slots;
	size_t count;
	size_t room; /* power of two or 0 */
};

void map32_init(struct map32 *m, struct f2fs_context *ctx);
void map32_fini(struct map32 *m);
/* Return the value's place or NULL (of any key); valid until the next insertion. */
uint64_t *map32_find(const struct map32 *m, uint32_t key);
/* Set a key's value, inserting it if it is new; 0 or F2FS_ERR_NOMEM. */
int map32_set(struct map32 *m, uint32_t key, uint64_t value);
/* Remove a key; nothing happens when it is absent. */
void map32_remove(struct map32 *m, uint32_t key);
/* Visit all pairs in no order: start with *at = 0; false at the end. The map must not change meanwhile. */
bool map32_each(const struct map32 *m, size_t *at, uint32_t *key, uint64_t *value);

#endif
