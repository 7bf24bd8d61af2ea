/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect the votes of names on their directory.
 */
#include "facts/dir_ballot.h"

#include "base/error.h"
#include "facts/sweep.h"
#include "volume/block_read.h"

static int ask_directory(struct dir_ballot *b, f2fs_nid_t ino)
{
	const struct nid_fact *fact = facts_nid(&b->c->facts, ino);
	uint32_t *vote;

	if (!fact || !facts_dir(&b->c->facts, ino) || map32_find(&b->places, fact->inode))
		return 0;
	vote = vec_push(&b->votes, 1);
	if (!vote)
		return F2FS_ERR_NOMEM;
	*vote = fact->inode;
	return map32_set(&b->places, fact->inode, b->votes.count - 1);
}

int dir_ballot_open(struct dir_ballot *b, struct checker *c, size_t vote_size, enum problem problem)
{
	int err = 0;

	b->c = c;
	vec_init(&b->votes, c->ctx, vote_size);
	map32_init(&b->places, c->ctx);
	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == problem)
			err = ask_directory(b, f->ino);
	}
	return err;
}

int dir_ballot_count(struct dir_ballot *b, void (*count)(const struct checker *c, const struct dir_block *place,
							 const uint8_t *block, void *vote))
{
	struct checker *c = b->c;

	for (size_t i = 0; i < c->dir_addrs.count && b->votes.count; i++) {
		const struct sweep_item *item = vec_at(&c->dir_addrs, i);
		const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
		const uint64_t *at = map32_find(&b->places, place->inode);
		const uint8_t *block;
		int err = at ? volume_peek(c->vol, item->addr, &block) : 0;

		if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
			return err;
		if (err)
			error_clear(c->ctx);
		else if (at)
			count(c, place, block, vec_at(&b->votes, (size_t)*at));
	}
	return 0;
}

void dir_ballot_close(struct dir_ballot *b)
{
	vec_fini(&b->votes);
	map32_fini(&b->places);
}
