/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An unnamed temporary file of equal slots, for what does not fit into memory. Slots that were given back are used
 * again.
 */
#ifndef F2FSKIT_DEVICE_SPILL_H
#define F2FSKIT_DEVICE_SPILL_H

#include "base/vec.h"

struct spill {
	struct f2fs_context *ctx;
	char *dir;	/* NULL: there is none */
	int fd;		/* -1: not made yet */
	uint64_t count; /* slots in the file */
	struct vec free_slots;
};

/* dir may be NULL; it is copied. 0 or F2FS_ERR_NOMEM. */
int spill_init(struct spill *s, struct f2fs_context *ctx, const char *dir);
void spill_fini(struct spill *s);
/* Forget all slots and give the space back. */
void spill_clear(struct spill *s);
/* Make the file if there is none yet; 0 or an error that is recorded. */
int spill_open(struct spill *s);
/* Return a slot for up to *count ones in a row (at least one); *count is their number. */
uint64_t spill_take(struct spill *s, uint64_t *count);
void spill_give_back(struct spill *s, uint64_t slot);

#endif
