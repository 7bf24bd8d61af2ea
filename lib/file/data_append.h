/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write whole blocks of contents at once.
 */
#ifndef F2FSKIT_FILE_DATA_APPEND_H
#define F2FSKIT_FILE_DATA_APPEND_H

#include "file/map_write.h"

/* Write blocks of data that are whole, without waiting; they replace the old ones. */
int data_append(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count);

/* Write count blocks of contents from file_block on, whose slots follow each other from one on. */
int data_append_run(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *data, uint32_t count);

/* Write blocks of contents again that the slots have, in the form that they are stored in. They get new places. */
int data_append_again(struct winode *w, struct slot_ref *slot, uint64_t file_block, const uint8_t *stored,
		      uint32_t count);

#endif
