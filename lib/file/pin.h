/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Preallocate pinned files.
 */
#ifndef F2FSKIT_FILE_PIN_H
#define F2FSKIT_FILE_PIN_H

#include "file/winode.h"

struct pinned;

/* Widen a range to whole sections of the file. */
void pin_align(const struct winode *w, uint64_t *first, uint64_t *end);
/* Before anything is changed: fail with NOSPC when [first, end) cannot have blocks. pinned_end() in any case. */
int pin_need_space(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned);
int pin_preallocate(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned);

#endif
