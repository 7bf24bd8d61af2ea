/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare encryption policies along the tree. All entries of an encrypted directory have the directory's policy: Linux
 * opens no others there. Where two policies differ, the parent directory, the other entries and the entries of a
 * subdirectory vote. Policies are compared by their digests, so a sound volume costs one comparison per inode.
 */
#include <string.h>

#include "base/crc.h"
#include "base/map32.h"
#include "facts/crypt_parents.h"
#include "facts/finding.h"
#include "facts/run.h"
#include "format/fscrypt.h"

#define VERSION_BIT 1u /* of a digest: contexts of different versions have no bytes in common */

/* Votes of a directory's entries about its policy. */
struct vote {
	uint32_t agree;	  /* entries with the same policy */
	uint32_t other;	  /* the policy that most of the others have, if more than half of them do */
	uint32_t balance; /* while it is looked for */
	uint32_t count;	  /* entries that have it */
	bool is_told;	  /* the directory is the wrong one */
};

struct ballot {
	struct checker *c;
	struct map32 index; /* inode number of a directory -> index in votes */
	struct vec votes;   /* struct vote */
};

uint32_t crypt_policy(const uint8_t *value, size_t size)
{
	const uint32_t digest = crc_f2fs(CRC_F2FS_SEED, value, size - FSCRYPT_NONCE_SIZE);

	return ((digest | 2u) & ~VERSION_BIT) | (value[0] & VERSION_BIT); /* never 0 */
}

/* The encrypted directory that an inode is in, when its policy is known; NULL: none. */
static const struct inode_fact *home_of(const struct checker *c, const struct inode_fact *inode)
{
	const struct inode_fact *dir = inode->parent ? facts_dir(&c->facts, inode->parent) : NULL;

	if (!inode_fact_has_contents(inode) || (inode->state & (INODE_ORPHAN | INODE_HIDDEN)))
		return NULL;
	return dir && dir != inode && (dir->advise & FLAG_i_advise_encrypt) && dir->policy ? dir : NULL;
}

static bool differs(const struct inode_fact *dir, const struct inode_fact *inode)
{
	return (inode->advise & FLAG_i_advise_encrypt) && inode->policy && inode->policy != dir->policy;
}

static struct vote *vote_of(struct ballot *b, f2fs_nid_t dir)
{
	const uint64_t *index = map32_find(&b->index, dir);
	struct vote *vote;

	if (index)
		return vec_at(&b->votes, (size_t)*index);
	vote = vec_push(&b->votes, 1);
	if (!vote || map32_set(&b->index, dir, b->votes.count - 1) != 0)
		return NULL;
	memset(vote, 0, sizeof(*vote));
	return vote;
}

/* Count the agreeing entries, and find the candidate for the majority of the others. */
static int count_votes(struct ballot *b)
{
	for (uint32_t i = 0; i < facts_inode_count(&b->c->facts); i++) {
		const struct inode_fact *inode = facts_inode_nth(&b->c->facts, i), *dir = home_of(b->c, inode);
		struct vote *vote;

		if (!dir || !(inode->advise & FLAG_i_advise_encrypt) || !inode->policy)
			continue;
		vote = vote_of(b, dir->ino);
		if (!vote)
			return F2FS_ERR_NOMEM;
		if (inode->policy == dir->policy) {
			vote->agree++;
		} else if (vote->balance == 0) {
			vote->other = inode->policy;
			vote->balance = 1;
		} else if (vote->other == inode->policy) {
			vote->balance++;
		} else {
			vote->balance--;
		}
	}
	for (uint32_t i = 0; i < facts_inode_count(&b->c->facts); i++) {
		const struct inode_fact *inode = facts_inode_nth(&b->c->facts, i), *dir = home_of(b->c, inode);

		if (dir && differs(dir, inode) && vote_of(b, dir->ino)->other == inode->policy)
			vote_of(b, dir->ino)->count++;
	}
	return 0;
}

/* Return the votes of an inode's entries, if it is a directory that has any. */
static struct vote *vote_inside(struct ballot *b, const struct inode_fact *inode)
{
	const uint64_t *index = map32_find(&b->index, inode->ino);

	return index ? vec_at(&b->votes, (size_t)*index) : NULL;
}

/* An entry's policy differs from its directory's. Count the votes for the directory without that entry. */
static uint32_t votes_for_dir(struct ballot *b, const struct inode_fact *dir, const struct inode_fact *inode)
{
	const struct inode_fact *above = home_of(b->c, dir);
	const struct vote *inside = vote_inside(b, inode);

	return vote_of(b, dir->ino)->agree + (above && above->policy == dir->policy ? 1u : 0u) +
	       (inside && inside->other == dir->policy ? inside->count : 0);
}

static uint32_t votes_for_entry(struct ballot *b, const struct inode_fact *dir, const struct inode_fact *inode)
{
	const struct inode_fact *above = home_of(b->c, dir);
	const struct vote *beside = vote_of(b, dir->ino), *inside = vote_inside(b, inode);

	return (inside ? inside->agree : 0) + (above && above->policy == inode->policy ? 1u : 0u) +
	       (beside->other == inode->policy ? beside->count - 1 : 0);
}

static int raise_policy(struct checker *c, enum problem problem, const struct inode_fact *inode,
			const struct inode_fact *other)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = inode->ino,
						   .ino = inode->ino,
						   .has_values = 1,
						   .expected = other->ino });
}

/* Report once that an inode is wrong. */
static int raise_wrong(struct ballot *b, const struct inode_fact *wrong, const struct inode_fact *right)
{
	struct vote *inside = vote_inside(b, wrong);

	if (inside && inside->is_told)
		return 0;
	if (inside)
		inside->is_told = true;
	return raise_policy(b->c, P_ENCRYPT_POLICY, wrong, right);
}

static int judge_pair(struct ballot *b, const struct inode_fact *dir, const struct inode_fact *inode)
{
	const uint32_t for_dir = votes_for_dir(b, dir, inode), for_entry = votes_for_entry(b, dir, inode);

	if (for_dir == for_entry || ((dir->policy ^ inode->policy) & VERSION_BIT))
		return raise_policy(b->c, P_ENCRYPT_PARTED, inode, dir);
	return for_dir > for_entry ? raise_wrong(b, inode, dir) : raise_wrong(b, dir, inode);
}

static int judge_all(struct checker *c)
{
	struct ballot b = { .c = c };
	int err;

	map32_init(&b.index, c->ctx);
	vec_init(&b.votes, c->ctx, sizeof(struct vote));
	err = count_votes(&b);
	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_nth(&c->facts, i), *dir = home_of(c, inode);

		if (dir && differs(dir, inode))
			err = judge_pair(&b, dir, inode);
	}
	vec_fini(&b.votes);
	map32_fini(&b.index);
	return err;
}

int crypt_policies_check(struct checker *c)
{
	bool is_equal = true;
	int err = 0;

	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_nth(&c->facts, i), *dir = home_of(c, inode);

		if (dir && !(inode->advise & FLAG_i_advise_encrypt))
			err = raise_policy(c, P_ENCRYPT_PLAIN, inode, dir);
		else if (dir && differs(dir, inode))
			is_equal = false;
	}
	return err || is_equal ? err : judge_all(c);
}
