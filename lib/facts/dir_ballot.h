/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the names of a directory vote on a field of its inode: the directories that findings name, and a visit of all
 * their blocks.
 */
#ifndef F2FSKIT_FACTS_DIR_BALLOT_H
#define F2FSKIT_FACTS_DIR_BALLOT_H

#include "base/map32.h"
#include "base/vec.h"
#include "facts/finding.h"
#include "facts/run.h"

struct dir_ballot {
	struct checker *c;
	struct vec votes;    /* one for each directory; begins with a uint32_t, the index of its inode_fact */
	struct map32 places; /* index of an inode_fact -> index in votes */
};

/* Begin a vote for each directory that a finding of a problem names. dir_ballot_close() also after a failure. */
int dir_ballot_open(struct dir_ballot *b, struct checker *c, size_t vote_size, enum problem problem);
/* Visit all readable blocks of these directories. */
int dir_ballot_count(struct dir_ballot *b, void (*count)(const struct checker *c, const struct dir_block *place,
							 const uint8_t *block, void *vote));
static inline const struct inode_fact *dir_ballot_dir(const struct dir_ballot *b, const void *vote)
{
	return facts_inode_at(&b->c->facts, *(const uint32_t *)vote);
}

void dir_ballot_close(struct dir_ballot *b);

#endif
