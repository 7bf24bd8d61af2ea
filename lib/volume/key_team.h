/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Workers that decipher what the caller has read while it reads on.
 */
#ifndef F2FSKIT_VOLUME_KEY_TEAM_H
#define F2FSKIT_VOLUME_KEY_TEAM_H

#include "volume/keyring.h"

#define KEY_TEAM_WORKERS 3u /* at most; reading is no faster than these decipher together */

struct key_team;

/* Get workers together; *out is NULL where there are none to be had. Fails with NOMEM. */
int key_team_new(struct f2fs_volume *vol, struct key_team **out);
/* Let them go; NULL is allowed. */
void key_team_free(struct f2fs_volume *vol, struct key_team *team);
/* Make the workers' ciphers for the key of a file; the key stays as long. Fails with NOMEM. */
int key_team_begin(struct f2fs_volume *vol, struct key_team *team, struct file_key *key);
/* Decipher @count blocks where they are, some time until key_team_end(). */
void key_team_add(struct key_team *team, uint64_t file_block, uint8_t *data, uint64_t count);
/* Wait for all pieces; false: libcrypto failed on one. */
bool key_team_end(struct key_team *team);

#endif
