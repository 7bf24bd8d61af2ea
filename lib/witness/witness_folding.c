/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on the flag casefold of a directory. Names are hashed as they are, or folded, and with a key in an encrypted
 * directory that folds. So the hashes of names that change when they are folded show what the directory does. If all of
 * them speak against the flag, it is wrong, and not each hash. One wrong bit turns a small letter into a capital one,
 * though, and then the hash is that of the folded name. So a single name counts only if its inode remembers it.
 */
#include <string.h>

#include "base/namehash.h"
#include "facts/dir_ballot.h"
#include "facts/dir_judge.h"
#include "witness/witness.h"
#include "witness/witness_folding.h"
#include "witness/witness_hashes.h"
#include "witness/witness_own.h"

struct folding_vote {
	uint32_t inode; /* index of the directory's inode_fact */
	uint32_t plain; /* names whose hash is that of the name as it is, and of it alone */
	uint32_t folded;
	f2fs_nid_t ino; /* of the last one of these, and its name */
	struct own_name name;
};

/* Is the hash, or the name, damaged in one bit, or the length? */
static bool is_damaged(const struct inode_fact *dir, const struct dentry_area *area, const struct dentry_ref *ref,
		       uint32_t plain)
{
	const uint32_t difference = ref->hash ^ plain;

	return (difference & (difference - 1)) == 0 || hash_is_near(dir, area, ref->slot);
}

static void count_name(const struct inode_fact *dir, const struct dentry_area *area, const struct dentry_ref *ref,
		       struct folding_vote *vote)
{
	const uint32_t plain = namehash_plain(ref->name, ref->name_len);
	uint32_t folded = ~plain;

	if (dir->advise & FLAG_i_advise_encrypt) { /* the other hash needs a key */
		vote->plain += ref->hash == plain;
		vote->folded += ref->hash != plain && !is_damaged(dir, area, ref, plain);
		return;
	}
	if (namehash_casefold(ref->name, ref->name_len, &folded) != UNICODE_OK || folded == plain)
		return;
	vote->plain += ref->hash == plain;
	if (ref->hash == folded) {
		vote->folded++;
		vote->ino = ref->ino;
		vote->name.length = ref->name_len;
		memcpy(vote->name.bytes, ref->name, ref->name_len);
	}
}

static void count_block(const struct checker *c, const struct dir_block *place, const uint8_t *block, void *vote)
{
	const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	struct dentry_area area;
	struct dentry_ref ref;
	enum dentry_scan found;
	uint32_t slot = 0;

	dir_area(c, dir, block, &area);
	while ((found = dentry_next(&area, &slot, &ref)) != DENTRY_END)
		if (found == DENTRY_FOUND && !name_is_dots(&ref))
			count_name(dir, &area, &ref, vote);
}

/* Does the inode of the last name remember it like this? */
static bool is_remembered(struct checker *c, const struct inode_fact *dir, const struct folding_vote *vote)
{
	struct own_name own;

	return witness_own_name(c, dir, vote->ino, &own) && own.length == vote->name.length &&
	       memcmp(own.bytes, vote->name.bytes, own.length) == 0;
}

static bool is_flag_wrong(struct checker *c, const struct inode_fact *dir, const struct folding_vote *vote)
{
	if (dir->iflags & FLAG_i_flags_casefold)
		return vote->plain > 0 && vote->folded == 0;
	if (vote->plain > 0)
		return false;
	return vote->folded > 1 || (vote->folded == 1 && ((dir->advise & FLAG_i_advise_encrypt) ||
							  is_remembered(c, dir, vote)));
}

static int decide_all(struct dir_ballot *b)
{
	struct checker *c = b->c;
	int err = 0;

	for (size_t i = 0; i < b->votes.count && !err; i++) {
		const struct folding_vote *vote = vec_at(&b->votes, i);
		const struct inode_fact *dir = dir_ballot_dir(b, vote);
		const f2fs_blk_t addr = facts_nid(&c->facts, dir->ino)->addr;
		const uint32_t right = dir->iflags ^ (uint32_t)FLAG_i_flags_casefold;
		const struct finding why = { .problem = P_INODE_FIELD,
					     .nid = dir->ino,
					     .ino = dir->ino,
					     .has_block = 1,
					     .block = addr,
					     .has_values = 1,
					     .found = dir->iflags,
					     .expected = right,
					     .witnesses = WITNESS_HASH,
					     .text = "i_flags" };

		if (is_flag_wrong(c, dir, vote))
			err = witness_amend_bytes(c, addr, inode_OFS_i_flags, 4, right, &why);
	}
	return err;
}

int witness_folding(struct checker *c)
{
	struct dir_ballot b;
	int err;

	if (c->book->votes >= MAX_VOTES || !geometry_has(c->geo, F2FS_FEAT_CASEFOLD))
		return 0;
	err = dir_ballot_open(&b, c, sizeof(struct folding_vote), P_DENTRY_HASH);
	if (!err)
		err = dir_ballot_count(&b, count_block);
	if (!err)
		err = decide_all(&b);
	dir_ballot_close(&b);
	c->book->votes += c->must_restart;
	return err;
}
