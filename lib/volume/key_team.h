/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading contents in clear: pieces of ciphertext come to memory that stays in the processor's cache and are deciphered
 * from there to where they are wanted; long reads are shared with workers.
 */
#ifndef F2FSKIT_VOLUME_KEY_TEAM_H
#define F2FSKIT_VOLUME_KEY_TEAM_H

#include "volume/keyring.h"

struct key_team;

/* Consecutive blocks of a file on the device, and the buffers for them. */
struct key_reading {
	uint64_t file_block;
	f2fs_blk_t addr;
	uint8_t *out;
	size_t length; /* whole blocks */
};

/* Get ready to read; workers come with the first long read. Fails with NOMEM. */
int key_team_new(struct f2fs_volume *vol, struct key_team **out);
/* Let the workers go; NULL is allowed. */
void key_team_free(struct f2fs_volume *vol, struct key_team *team);
/* Read blocks of the file that the key is for. NULL for a team: it goes without, slower. */
int key_team_read(struct f2fs_volume *vol, struct key_team *team, struct file_key *key,
		  const struct key_reading *reading);

#endif
