/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on two blocks that hold each other's contents, because a device or a program mixed up their addresses. Each is
 * a node or a block of a directory. An inode is also found in any block of its own file.
 *
 * Both contents must fit into the other's place: entries by the directory that their inodes remember and by their
 * hashes, a node by its footer. Then nothing is lost. If inodes with several names remember no directory, the hashes
 * of enough entries say it.
 *
 * Cost: a read or two for each lost node. If its block holds entries, or if entries have a wrong place, all blocks of
 * directories are read.
 */
#include <string.h>

#include "facts/dir_judge.h"
#include "facts/sweep.h"
#include "witness/dir_home.h"
#include "witness/witness.h"
#include "witness/witness_swaps.h"
#include "witness/witness_unclaimed.h"

#define MOST_ASTRAY 1024u /* blocks that are compared with each other, */
#define MOST_TRIES 4096u  /* and pairs of them that are read */
#define LEAST_ENTRIES 8u  /* in two blocks whose hashes alone say where they belong */

/* A block with entries that belong elsewhere. */
struct astray {
	f2fs_nid_t home; /* where they belong, 0: nothing but their hashes says it */
	f2fs_nid_t key;	 /* where they are: the directory or the lost node */
	f2fs_blk_t addr;
	uint32_t number; /* file block of the directory */
	bool fits;	 /* they fit in where they are, too */
	bool is_done;
};

struct swaps {
	struct checker *c;
	struct vec astray; /* struct astray */
	uint8_t *first, *second;
};

static int compare_keys(const void *a, const void *b)
{
	const struct astray *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

/* Copy a block. false in *is_readable: it cannot be read. */
static int read_block(struct checker *c, f2fs_blk_t addr, uint8_t *out, bool *is_readable)
{
	const uint8_t *block;
	int err = witness_peek(c, addr, &block);

	*is_readable = !err && block;
	if (*is_readable)
		memcpy(out, block, c->geo->block_size);
	return err;
}

/* Exchange the blocks that are in s->first and s->second. ino: of the file that has the first one. */
static int exchange(struct swaps *s, f2fs_nid_t ino, f2fs_blk_t first, f2fs_blk_t second)
{
	struct checker *c = s->c;
	const struct amends *amends = &c->book->amends;
	const struct finding why = { .problem = P_BLOCKS_EXCHANGED,
				     .nid = ino,
				     .ino = ino,
				     .has_block = 1,
				     .block = first,
				     .has_values = 1,
				     .found = second };
	int err;

	if (amends_has_block(amends, first) || amends_has_block(amends, second) || !witness_has_room(c, 2))
		return 0;
	err = witness_amend_block(c, first, s->second, &why);
	return err ? err : witness_amend_block(c, second, s->first, NULL);
}

static int add(struct swaps *s, const struct astray *one)
{
	struct astray *kept = vec_push(&s->astray, 1);

	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = *one;
	return 0;
}

static int open_swaps(struct swaps *s)
{
	s->first = mem_alloc(s->c->ctx, s->c->geo->block_size);
	s->second = mem_alloc(s->c->ctx, s->c->geo->block_size);
	vec_init(&s->astray, s->c->ctx, sizeof(struct astray));
	return s->first && s->second ? 0 : F2FS_ERR_NOMEM;
}

static void close_swaps(struct swaps *s)
{
	mem_free(s->c->ctx, s->first);
	mem_free(s->c->ctx, s->second);
	vec_fini(&s->astray);
}

bool witness_is_exchanged(const struct checker *c, f2fs_blk_t addr)
{
	for (size_t i = 0; i < c->book->verdicts.count; i++) {
		const struct finding *f = vec_at(&c->book->verdicts, i);

		if (f->problem == P_BLOCKS_EXCHANGED && (f->block == addr || f->found == addr))
			return true;
	}
	return false;
}

/* Fill the list, and vote. */
static int run(struct checker *c, int (*collect)(struct swaps *), int (*vote)(struct swaps *))
{
	struct swaps s = { .c = c };
	int err = open_swaps(&s);

	if (!err)
		err = collect(&s);
	if (!err && s.astray.count)
		err = vote(&s);
	close_swaps(&s);
	return err;
}

/* ---- two nodes */

/* Is this block the node, as far as it can be said of a node by itself? */
static bool is_node(const struct checker *c, const struct nid_fact *fact, const uint8_t *block)
{
	const uint8_t *footer = node_footer(c->geo, block);

	return fact && footer_nid(footer) == fact->nid && footer_ino(footer) == fact->ino &&
	       (fact->ino == fact->nid) == (node_offset_of(footer) == 0) &&
	       (fact->ino != fact->nid || inode_check(&c->plain, block, fact->nid, 0) == RULE_NONE);
}

/* Exchange the block of a lost node and that of the node in it, if it is the first one. */
static int vote_on_two(struct swaps *s, const struct nid_fact *fact)
{
	struct checker *c = s->c;
	const struct nid_fact *other;
	bool is_readable;
	int err = read_block(c, fact->addr, s->first, &is_readable);
	f2fs_nid_t nid;

	if (err || !is_readable)
		return err;
	nid = footer_nid(node_footer(c->geo, s->first));
	other = nid > fact->nid && geometry_is_nid(c->geo, nid) ? facts_nid(&c->facts, nid) : NULL;
	if (!other || other->kind != FACT_BAD || !geometry_is_main(c->geo, other->addr) || !is_node(c, other, s->first))
		return 0;
	err = read_block(c, other->addr, s->second, &is_readable);
	if (err || !is_readable || !is_node(c, fact, s->second))
		return err;
	return exchange(s, fact->ino, fact->addr, other->addr);
}

/* ---- a node and a block of a directory */

/* Vote on lost nodes whose blocks hold nodes, and list those whose blocks hold entries. */
static int collect_nodes(struct swaps *s)
{
	struct checker *c = s->c;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		struct astray one = { .key = fact->nid, .addr = fact->addr };
		const uint8_t *block;

		if (fact->kind != FACT_BAD || !geometry_is_main(c->geo, fact->addr))
			continue;
		err = vote_on_two(s, fact);
		if (!err)
			err = witness_peek(c, fact->addr, &block);
		if (!err && block && dir_home(c, block, &one.home))
			err = add(s, &one);
	}
	vec_sort(&s->astray, compare_keys);
	return err;
}

static int vote_on_node(struct swaps *s, const struct sweep_item *item)
{
	struct checker *c = s->c;
	const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
	const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
	struct astray key, *found;
	bool is_readable;
	int err;

	if (dir_is_inline(dir))
		return 0;
	err = read_block(c, item->addr, s->first, &is_readable);
	if (err || !is_readable)
		return err;
	key.key = footer_nid(node_footer(c->geo, s->first));
	found = vec_find(&s->astray, compare_keys, &key);
	if (!found || found->is_done || (found->home && found->home != dir->ino) ||
	    !is_node(c, facts_nid(&c->facts, found->key), s->first))
		return 0;
	err = read_block(c, found->addr, s->second, &is_readable);
	if (err || !is_readable || !dir_home_fits(c, dir, place->number, s->second))
		return err;
	found->is_done = true;
	return exchange(s, dir->ino, item->addr, found->addr);
}

static int vote_on_nodes(struct swaps *s)
{
	struct checker *c = s->c;
	int err = 0;

	for (size_t i = 0; i < c->dir_addrs.count && !err; i++)
		err = vote_on_node(s, vec_at(&c->dir_addrs, i));
	return err;
}

int witness_swapped_nodes(struct checker *c)
{
	return run(c, collect_nodes, vote_on_nodes);
}

/* ---- an inode and a block of its own file */

static int vote_on_own(struct swaps *s, const struct nid_fact *fact, const struct vec *blocks)
{
	struct checker *c = s->c;
	bool is_readable;
	int err = read_block(c, fact->addr, s->second, &is_readable);

	if (err || !is_readable)
		return err;
	for (size_t i = unclaimed_first(blocks, fact->nid); i < blocks->count && !err; i++) {
		const struct unclaimed *one = vec_at(blocks, i);

		if (one->nid != fact->nid)
			break;
		err = read_block(c, one->addr, s->first, &is_readable);
		if (!err && is_readable && is_node(c, fact, s->first))
			return exchange(s, fact->nid, one->addr, fact->addr);
	}
	return err;
}

int witness_swapped_own(struct checker *c, const struct nid_fact *fact, const struct vec *blocks)
{
	struct swaps s = { .c = c };
	int err = open_swaps(&s);

	if (!err)
		err = vote_on_own(&s, fact, blocks);
	close_swaps(&s);
	return err;
}

/* ---- blocks of two directories */

/* Is there an entry in a wrong place? */
static bool is_due(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const unsigned problem = ((const struct finding *)vec_at(&c->findings, i))->problem;

		if (problem == P_DOT_WRONG || problem == P_DOT_EXTRA || problem == P_DENTRY_PLACE)
			return true;
	}
	return false;
}

/* List the blocks with entries that belong elsewhere. */
static int collect_dirs(struct swaps *s)
{
	struct checker *c = s->c;
	int err = 0;

	for (size_t i = 0; i < c->dir_addrs.count && !err; i++) {
		const struct sweep_item *item = vec_at(&c->dir_addrs, i);
		const struct dir_block *place = vec_at(&c->dir_blocks, item->tag);
		const struct inode_fact *dir = facts_inode_at(&c->facts, place->inode);
		struct astray one = { .key = dir->ino, .addr = item->addr, .number = place->number };
		const uint8_t *block;

		if (dir_is_inline(dir))
			continue;
		err = witness_peek(c, item->addr, &block);
		if (err || !block || !dir_home(c, block, &one.home) || one.home == dir->ino)
			continue;
		one.fits = one.home == 0 && dir_home_fits(c, dir, place->number, block);
		if (s->astray.count < MOST_ASTRAY)
			err = add(s, &one);
	}
	return err;
}

static unsigned count_entries(const struct checker *c, const uint8_t *block)
{
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = 0;
	unsigned count = 0;

	dentry_area_of_block(c->geo, block, &area);
	while (dentry_next(&area, &slot, &ref) == DENTRY_FOUND)
		count++;
	return count;
}

/* Exchange two blocks if each one's entries belong into the other one's place. */
static int vote_on_pair(struct swaps *s, struct astray *one, struct astray *other)
{
	struct checker *c = s->c;
	const struct inode_fact *a = facts_dir(&c->facts, one->key), *b = facts_dir(&c->facts, other->key);
	bool is_readable;
	int err = read_block(c, one->addr, s->first, &is_readable);

	if (err || !is_readable || !a || !b || !dir_home_fits(c, b, other->number, s->first))
		return err;
	err = read_block(c, other->addr, s->second, &is_readable);
	if (err || !is_readable || !dir_home_fits(c, a, one->number, s->second))
		return err;
	if (!one->home && !other->home && count_entries(c, s->first) + count_entries(c, s->second) < LEAST_ENTRIES)
		return 0;
	one->is_done = other->is_done = true;
	return exchange(s, a->ino, one->addr, other->addr);
}

/* May the entries of each of them belong to the other one's directory? */
static bool may_be_pair(const struct astray *one, const struct astray *other)
{
	if (one->is_done || other->is_done || (one->fits && other->fits))
		return false;
	return (!one->home || one->home == other->key) && (!other->home || other->home == one->key);
}

static int vote_on_dirs(struct swaps *s)
{
	unsigned tries = 0;
	int err = 0;

	for (size_t i = 0; i < s->astray.count && !err; i++)
		for (size_t j = i + 1; j < s->astray.count && tries < MOST_TRIES && !err; j++) {
			struct astray *one = vec_at(&s->astray, i), *other = vec_at(&s->astray, j);

			if (!may_be_pair(one, other))
				continue;
			tries++;
			err = vote_on_pair(s, one, other);
		}
	return err;
}

int witness_swapped_dirs(struct checker *c)
{
	int err;

	if (!witness_may_vote(c) || !is_due(c))
		return 0;
	err = run(c, collect_dirs, vote_on_dirs);
	c->book->votes += c->must_restart;
	return err;
}
