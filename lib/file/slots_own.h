/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guard blocks of other files against pointers that are wrong.
 */
#ifndef F2FSKIT_FILE_SLOTS_OWN_H
#define F2FSKIT_FILE_SLOTS_OWN_H

#include "file/map_write.h"

/*
 * Ask this before blocks are freed, overwritten, or read to be changed. CORRUPT: one of count slots points to a block
 * that belongs to another slot or to a node, by its summary and by that slot or the NAT.
 */
int slots_need_own(struct winode *w, const struct slot_ref *first, uint32_t count);

#endif
