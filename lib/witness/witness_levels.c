/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on i_dir_level. The block in which a hash is looked for depends on the level. So names that are not where
 * i_dir_level puts them indicate another level: the one that explains the most names is believed. A directory without
 * names has no such witness. Then a level that gives it more buckets than the volume has blocks is not believed.
 */
#include "base/namehash.h"
#include "facts/dir_ballot.h"
#include "facts/dir_judge.h"
#include "witness/witness.h"
#include "witness/witness_levels.h"

#define LEVELS 32u /* all higher ones choose the same buckets as the last */

struct level_vote {
	uint32_t inode;		 /* index of the directory's inode_fact */
	uint32_t names;		 /* that can be looked for */
	uint32_t fitting[LEVELS]; /* names that are where this level puts them */
};

/* Count for each level the names of a block that it explains. */
static void count_block(const struct checker *c, const struct dir_block *place, const uint8_t *block, void *of)
{
	struct level_vote *vote = of;
	const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	uint64_t first[LEVELS], buckets[LEVELS], blocks[LEVELS];
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0;

	for (unsigned i = 0; i < LEVELS; i++) {
		const unsigned level = dir_level_with(i, place->number);

		buckets[i] = level <= DIR_MAX_DEPTH ? dentry_buckets(level, i) : 0;
		first[i] = buckets[i] ? dentry_bucket_start(level, i, 0) : 0;
		blocks[i] = dentry_bucket_blocks(level);
	}
	dir_area(c, dir, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END) {
		uint32_t expected;

		if (found != DENTRY_FOUND || name_is_dots(&ref) ||
		    (dir_expected_hash(dir, &ref, &expected) && expected != ref.hash))
			continue;
		vote->names++;
		for (unsigned i = 0; i < LEVELS; i++)
			if (buckets[i] && (place->number - first[i]) / blocks[i] == ref.hash % buckets[i])
				vote->fitting[i]++;
	}
}

static bool is_one_bit(uint32_t difference)
{
	return difference != 0 && (difference & (difference - 1)) == 0;
}

/* Of levels that explain as much, one that a single bit turned into the stored one comes first, then the lowest. */
static uint8_t choose_level(const struct level_vote *vote, uint8_t stored)
{
	const uint32_t now = vote->fitting[stored < LEVELS ? stored : LEVELS - 1];
	unsigned best = 0;

	for (unsigned i = 1; i < LEVELS; i++)
		if (vote->fitting[i] > vote->fitting[best] ||
		    (vote->fitting[i] == vote->fitting[best] && is_one_bit(i ^ stored) && !is_one_bit(best ^ stored)))
			best = i;
	if (vote->fitting[best] == 0)
		return 0;
	/* names of another place may fit another level by chance: either it explains nearly all, or this one few */
	if (vote->fitting[best] > now &&
	    (vote->names - vote->fitting[best] <= vote->names / 8 || now < vote->names / 2))
		return (uint8_t)best;
	return stored;
}

static int amend_level(struct checker *c, const struct inode_fact *dir, uint8_t level, unsigned witnesses)
{
	const f2fs_blk_t addr = facts_nid(&c->facts, dir->ino)->addr;
	const struct finding why = { .problem = P_INODE_FIELD,
				     .nid = dir->ino,
				     .ino = dir->ino,
				     .has_block = 1,
				     .block = addr,
				     .has_values = 1,
				     .found = dir->dir_level,
				     .expected = level,
				     .witnesses = (uint16_t)witnesses,
				     .text = "i_dir_level" };

	return level == dir->dir_level ? 0 : witness_amend_bytes(c, addr, inode_OFS_i_dir_level, 1, level, &why);
}

static int decide_all(struct dir_ballot *b)
{
	int err = 0;

	for (size_t i = 0; i < b->votes.count && !err; i++) {
		const struct level_vote *vote = vec_at(&b->votes, i);
		const struct inode_fact *dir = dir_ballot_dir(b, vote);

		err = amend_level(b->c, dir, choose_level(vote, dir->dir_level), WITNESS_PLACES);
	}
	return err;
}

/* Levels without a witness that make the first bucket alone more than the volume has. */
static int refuse_endless(struct checker *c)
{
	const uint64_t most = c->geo->end_blkaddr - c->geo->main_blkaddr;
	int err = 0;

	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) {
		const struct inode_fact *dir = facts_inode_at(&c->facts, i);

		if (dir->type == F2FS_TYPE_DIRECTORY && dir->placed == 0 && dir->links != 0 &&
		    dentry_buckets(0, dir->dir_level) * dentry_bucket_blocks(0) > most)
			err = amend_level(c, dir, 0, WITNESS_ROOM);
	}
	return err;
}

int witness_levels(struct checker *c)
{
	struct dir_ballot b;
	int err;

	if (c->book->votes >= MAX_VOTES)
		return 0;
	/* directories with names in places where they are not looked for */
	err = dir_ballot_open(&b, c, sizeof(struct level_vote), P_DENTRY_PLACE);
	if (!err)
		err = dir_ballot_count(&b, count_block);
	if (!err)
		err = decide_all(&b);
	if (!err)
		err = refuse_endless(c);
	dir_ballot_close(&b);
	c->book->votes += c->must_restart;
	return err;
}
