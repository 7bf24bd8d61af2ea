/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Digests by workers, one for each kind of digest, while the caller gets the next bytes.
 */
#ifndef F2FSKIT_BASE_DIGEST_TEAM_H
#define F2FSKIT_BASE_DIGEST_TEAM_H

#include "base/digests.h"

struct digest_team;

/* Start the workers for digests that have begun. *out is NULL if the host has one processor. Fails with NOMEM. */
int digest_team_new(struct f2fs_context *ctx, struct digests *d, struct digest_team **out);
/* Begin to add bytes, which stay as they are until the next wait. Wait for the bytes before them first. */
void digest_team_add(struct digest_team *team, const void *data, size_t n);
/* Wait until the bytes are added. Returns 0, or -1 when a digest failed. */
int digest_team_wait(struct digest_team *team);
/* Wait, and end the workers. NULL is allowed. */
void digest_team_free(struct digest_team *team);

#endif
