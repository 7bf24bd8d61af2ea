/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 6, links: check link counts, parents, and whether the root reaches each directory. Needs the dirs pass. Sets
 * INODE_REACHED, INODE_LOOP and INODE_LOST_TREE of directories, and their numbers of subdirectories.
 */
#include "check/passes.h"
#include "facts/dir_judge.h"
#include "facts/finding.h"

/* Check an inode that was unlinked while it was open: the next mount deletes it. seen: the entries before this one. */
static int check_orphan(struct checker *c, f2fs_nid_t ino, struct map32 *seen)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	int err;

	if (!inode || ino <= c->geo->root_ino || (inode->state & INODE_HIDDEN))
		return problem_raise(c,
				     &(struct finding){ .problem = P_ORPHAN_ENTRY, .has_values = 1, .found = ino });
	if (map32_find(seen, ino))
		return inode_raise(c, P_ORPHAN_TWICE, inode, 0, 0);
	err = map32_set(seen, ino, 1);
	if (!err && inode->links_found > 0)
		err = inode_raise(c, P_ORPHAN_LINKED, inode, inode->links_found, 0);
	else if (!err && inode->links != 0)
		err = inode_raise(c, P_ORPHAN_COUNT, inode, inode->links, 0);
	return err;
}

static int check_orphans(struct checker *c)
{
	struct map32 seen;
	int err = 0;

	map32_init(&seen, c->ctx);
	for (uint32_t i = 0; i < f2fs_orphan_count(c->vol) && !err; i++)
		err = check_orphan(c, f2fs_orphan_at(c->vol, i), &seen);
	map32_fini(&seen);
	return err;
}

/*
 * Walk up from a directory until it is known whether the root reaches one on the way, and mark all of them by that.
 * mark has for each inode the number of the last walk over it, so a walk that meets its own number has found a loop.
 */
static int find_lost_from(struct checker *c, uint32_t index, uint32_t *mark, uint32_t walk, struct vec *way)
{
	struct inode_fact *at = facts_inode_at(&c->facts, index);
	bool is_reached = false;
	int err = 0;

	way->count = 0;
	for (;;) {
		struct inode_fact **step;
		const struct nid_fact *fact = facts_nid(&c->facts, at->ino);

		if (at->ino == c->geo->root_ino || (at->state & (INODE_REACHED | INODE_ORPHAN))) {
			at->state |= INODE_REACHED;
			is_reached = true;
			break;
		}
		if (at->state & INODE_LOST_TREE)
			break;
		if (mark[fact->inode] == walk) {
			at->state |= INODE_LOOP;
			err = inode_raise(c, P_DIR_LOOP, at, at->parent, 0);
			break;
		}
		mark[fact->inode] = walk;
		step = vec_push(way, 1);
		if (!step)
			return F2FS_ERR_NOMEM;
		*step = at;
		if (at->parent == 0 || !facts_dir(&c->facts, at->parent)) {
			err = inode_raise(c, P_DIR_LOST, at, at->pino, 0);
			break;
		}
		at = facts_dir(&c->facts, at->parent);
	}
	for (size_t i = 0; i < way->count; i++)
		(*(struct inode_fact **)vec_at(way, i))->state |= is_reached ? INODE_REACHED : INODE_LOST_TREE;
	return err;
}

static int find_lost_dirs(struct checker *c)
{
	uint32_t *mark = mem_calloc(c->ctx, (size_t)facts_whole_count(&c->facts) + 1, sizeof(*mark));
	struct vec way;
	int err = mark ? 0 : F2FS_ERR_NOMEM;

	vec_init(&way, c->ctx, sizeof(struct inode_fact *));
	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++)
		if (facts_inode_at(&c->facts, i)->type == F2FS_TYPE_DIRECTORY)
			err = find_lost_from(c, i, mark, i + 1, &way);
	vec_fini(&way);
	mem_free(c->ctx, mark);
	return err;
}

static int check_file(struct checker *c, const struct inode_fact *inode)
{
	if (inode->state & (INODE_ORPHAN | INODE_HIDDEN))
		return 0;
	if (!facts_dir(&c->facts, inode->parent))
		return inode_raise(c, P_FILE_LOST, inode, inode->pino, 0);
	if (inode->links != inode->links_found)
		return inode_raise(c, P_LINKS_FILE, inode, inode->links, inode->links_found);
	return 0;
}

static int check_dir(struct checker *c, const struct inode_fact *dir)
{
	const bool is_root = dir->ino == c->geo->root_ino;
	const f2fs_nid_t parent = is_root ? dir->ino : dir->parent;
	int err = 0;

	if (dir->state & INODE_ORPHAN)
		return 0;
	if (is_root && dir_is_inline(dir) && dir->blocks_found == 1)
		err = inode_raise(c, P_ROOT_INSIDE, dir, 0, 0);
	if (!err && dir->links != 2 + dir->subdirs)
		err = inode_raise(c, P_LINKS_DIR, dir, dir->links, 2 + (uint64_t)dir->subdirs);
	if (parent == 0 || err)
		return err;
	if (dir->dotdot != 0 && dir->dotdot != parent)
		err = inode_raise(c, P_DOTDOT_WRONG, dir, dir->dotdot, parent);
	if (!err && !is_root && dir->pino != parent)
		err = inode_raise(c, P_DIR_PINO, dir, dir->pino, parent);
	return err;
}

static void count_subdirs(struct checker *c)
{
	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++) {
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);
		struct inode_fact *parent =
			inode->type == F2FS_TYPE_DIRECTORY ? facts_dir(&c->facts, inode->parent) : NULL;

		if (parent)
			parent->subdirs++;
	}
}

int pass_links(struct checker *c)
{
	int err = check_orphans(c);

	if (!err)
		err = find_lost_dirs(c);
	count_subdirs(c);
	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && !err; i++) {
		const f2fs_nid_t ino = facts_ino_nth(&c->facts, i);
		const struct inode_fact *inode;

		if (facts_has_its_name(&c->facts, ino))
			continue;
		inode = facts_inode(&c->facts, ino);
		err = inode->type == F2FS_TYPE_DIRECTORY ? check_dir(c, inode) : check_file(c, inode);
	}
	return err;
}
