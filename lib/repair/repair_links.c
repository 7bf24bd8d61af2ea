/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair the tree of directories. Unlinked inodes are deleted as a mount would. Lost inodes get a name again: the
 * remembered name in the remembered directory when a path leads there, else a name in lost+found. Then parents and link
 * counts are set.
 */
#include <string.h>

#include <f2fskit/write.h>

#include "base/error.h"
#include "file/dir_filing.h"
#include "file/dir_find.h"
#include "file/dir_write.h"
#include "file/inode_free.h"
#include "file/inode_new.h"
#include "file/inode_read.h"
#include "file/winode.h"
#include "log/nodes.h"
#include "repair/repair.h"
#include "repair/repair_branches.h"
#include "repair/repair_dirs.h"
#include "repair/repair_left.h"
#include "repair/repair_links.h"
#include "repair/repair_names.h"
#include "repair/repair_need.h"
#include "witness/witness.h"

#define MOST_HOMES 10000u /* lost directories below each other; further ones are put into lost+found */

/* Data of a directory that is made here and so has no facts. */
struct lost_found {
	f2fs_nid_t ino;
	bool is_new;
	uint32_t subdirs; /* put into a new one */
};

static int delete_orphans(struct repair *r)
{
	int err = 0;

	for (uint32_t i = 0; i < facts_inode_count(&r->c->facts) && !err; i++) {
		const f2fs_nid_t ino = facts_ino_nth(&r->c->facts, i);
		struct inode_fact *inode;
		struct winode w;

		if (!(facts_inode(&r->c->facts, ino)->state & INODE_ORPHAN))
			continue;
		inode = facts_edit_inode(&r->c->facts, ino);
		if (!inode)
			return F2FS_ERR_NOMEM;
		if (inode->links_found > 0) { /* a directory still names it: the list is wrong */
			inode->state &= (uint16_t)~INODE_ORPHAN;
			continue;
		}
		err = winode_get(r->vol, inode->ino, &w);
		if (!err)
			err = inode_free(&w);
		r->is_changed = true;
	}
	return err;
}

static int make_lost_found(struct repair *r, struct f2fs_inode *root, struct lost_found *lf)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = MODE_DIR | 0700, .flags = F2FS_NEW_EXACT };
	struct inode_fact *fact = facts_dir(&r->c->facts, r->geo->root_ino);
	struct f2fs_inode *made;
	int err = f2fs_create(root, "lost+found", 10, &spec, &made);

	if (err)
		return err;
	lf->ino = f2fs_inode_number(made);
	lf->is_new = true;
	f2fs_inode_close(made);
	if (fact)
		fact->subdirs++;
	return 0;
}

/* Find the directory lost+found, or make it. */
static int need_lost_found(struct repair *r, struct lost_found *lf)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *root;
	int err;

	if (lf->ino)
		return 0;
	err = inode_open(r->vol, r->geo->root_ino, &root);
	if (err)
		return err;
	err = dir_find(root, "lost+found", 10, &entry);
	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(r->ctx);
		err = make_lost_found(r, root, lf);
	} else if (!err) {
		const struct inode_fact *fact = facts_inode(&r->c->facts, entry.ino);

		/* a file of that name: the root itself takes the lost inodes */
		lf->ino = fact && fact->type == F2FS_TYPE_DIRECTORY ? entry.ino : r->geo->root_ino;
	}
	f2fs_inode_close(root);
	return err;
}

static int put_into_lost_found(struct repair *r, const struct inode_fact *inode, struct lost_found *lf)
{
	uint8_t name[NAME_MAX_BYTES];
	uint32_t length;
	int err = repair_plain_name(r, inode->ino, name, &length);

	if (!err)
		err = need_lost_found(r, lf);
	return err ? err : repair_insert(r, lf->ino, name, length, inode->ino, inode->type);
}

static int reconnect(struct repair *r, struct inode_fact *inode, struct lost_found *lf)
{
	struct inode_fact *parent;
	f2fs_nid_t dir;
	bool is_home;
	int err = repair_return_home(r, inode, &is_home);

	if (!err && !is_home)
		err = put_into_lost_found(r, inode, lf);
	if (err)
		return err;
	dir = is_home ? inode->pino : lf->ino;
	inode->links_found++;
	inode->parent = dir;
	inode->state |= INODE_REACHED;
	if (inode->type != F2FS_TYPE_DIRECTORY)
		return 0;
	parent = facts_dir(&r->c->facts, dir);
	if (parent)
		parent->subdirs++;
	else
		lf->subdirs++;
	return repair_may_write(r, inode->ino) ? repair_set_dotdot(r, inode->ino, dir) : 0;
}

/* Break a loop: remove the entry by which a directory contains itself. */
static int break_loop(struct repair *r, struct inode_fact *dir)
{
	struct inode_fact *parent = facts_dir(&r->c->facts, dir->parent);
	int err = repair_clear_entry(r, dir->parent, dir->entry_block, dir->entry_slot);

	if (parent && parent->subdirs)
		parent->subdirs--;
	dir->links_found = 0;
	dir->parent = 0;
	return err;
}

/* Is an inode that no directory names to get a name? */
static bool wants_name(const struct repair *r, const struct inode_fact *inode)
{
	return repair_wanted(r, inode->type == F2FS_TYPE_DIRECTORY ? P_DIR_LOST : P_FILE_LOST, inode->ino) &&
	       repair_wanted(r, P_DIR_LOOP, inode->ino);
}

static int give_name(struct repair *r, f2fs_nid_t ino, struct lost_found *lf)
{
	struct inode_fact *inode = facts_edit_inode(&r->c->facts, ino);
	int err = inode ? 0 : F2FS_ERR_NOMEM;

	if (!err && (inode->state & INODE_LOOP))
		err = break_loop(r, inode);
	return err ? err : reconnect(r, inode, lf);
}

/* Does it lack a name still? One that got a name here is reached, also below a new lost+found, which has no facts. */
static bool is_lost(const struct repair *r, const struct inode_fact *inode)
{
	return !(inode->state & INODE_REACHED) && ((inode->state & INODE_LOOP) || inode->parent == 0 ||
						   !facts_dir(&r->c->facts, inode->parent));
}

/*
 * List the directories, from the remembered one of an inode up to where the root reaches, or to one that has no way
 * there and gets none.
 */
static int list_homes(const struct repair *r, const struct inode_fact *inode, struct vec *homes)
{
	const struct facts *facts = &r->c->facts;
	const struct inode_fact *at = facts_dir(facts, inode->pino);

	homes->count = 0;
	while (at && at != inode && !(at->state & (INODE_REACHED | INODE_ORPHAN)) && homes->count < MOST_HOMES) {
		f2fs_nid_t *one;

		if (is_lost(r, at) && !wants_name(r, at))
			break;
		one = vec_push(homes, 1);
		if (!one)
			return F2FS_ERR_NOMEM;
		*one = at->ino;
		at = facts_dir(facts, is_lost(r, at) ? at->pino : at->parent);
	}
	return 0;
}

/* Give a lost inode a name, and before that all lost directories on the way to the one that it remembers. */
static int give_names_from_top(struct repair *r, f2fs_nid_t ino, struct vec *homes, struct lost_found *lf)
{
	int err = list_homes(r, facts_inode(&r->c->facts, ino), homes);

	for (size_t i = homes->count; i-- > 0 && !err;) {
		struct inode_fact *dir = facts_dir(&r->c->facts, *(f2fs_nid_t *)vec_at(homes, i));
		const struct inode_fact *parent;

		if (is_lost(r, dir))
			err = give_name(r, dir->ino, lf);
		parent = facts_dir(&r->c->facts, dir->parent);
		if (parent && (parent->state & INODE_REACHED))
			dir->state |= INODE_REACHED;
	}
	return err ? err : give_name(r, ino, lf);
}

static int reconnect_all(struct repair *r, struct lost_found *lf)
{
	struct vec homes;
	int err = 0;

	vec_init(&homes, r->ctx, sizeof(f2fs_nid_t));
	for (uint32_t i = 0; i < facts_inode_count(&r->c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_nth(&r->c->facts, i);

		if ((inode->state & (INODE_ORPHAN | INODE_HIDDEN)) || inode->ino == r->geo->root_ino ||
		    !wants_name(r, inode))
			continue;
		if (is_lost(r, inode))
			err = give_names_from_top(r, inode->ino, &homes, lf);
		if (!err)
			err = nodes_trim(r->txn);
	}
	vec_fini(&homes);
	return err;
}

/* The right links and parent of an inode. */
struct ties {
	uint32_t links;
	f2fs_nid_t parent, dotdot; /* dotdot 0: of no directory, or it stays */
};

/* The same as they are, where it was decided that they stay. */
static void find_ties(const struct repair *r, const struct inode_fact *inode, struct ties *ties)
{
	const bool is_dir = inode->type == F2FS_TYPE_DIRECTORY, is_root = inode->ino == r->geo->root_ino;

	ties->links = is_dir ? 2 + inode->subdirs : inode->links_found;
	ties->parent = is_root || !is_dir ? inode->pino : inode->parent;
	ties->dotdot = is_root ? inode->ino : inode->parent;
	if (!repair_wanted(r, is_dir ? P_LINKS_DIR : P_LINKS_FILE, inode->ino))
		ties->links = inode->links;
	if (!repair_wanted(r, P_DIR_PINO, inode->ino))
		ties->parent = inode->pino;
	if (!is_dir || inode->dotdot == 0 || inode->dotdot == ties->dotdot ||
	    !repair_wanted(r, P_DOTDOT_WRONG, inode->ino))
		ties->dotdot = 0;
}

static int set_links(struct repair *r, const struct inode_fact *inode)
{
	struct ties ties;
	struct winode w;
	int err;

	if (!repair_may_write(r, inode->ino) || (inode->parent == 0 && inode->ino != r->geo->root_ino))
		return 0; /* one that stays lost remembers where it was */
	find_ties(r, inode, &ties);
	if (inode->links == ties.links && inode->pino == ties.parent && ties.dotdot == 0)
		return 0;
	err = winode_get(r->vol, inode->ino, &w);
	if (err)
		return err;
	inode_set_i_links(winode_block(&w), ties.links);
	inode_set_i_pino(winode_block(&w), ties.parent);
	node_dirty(r->txn, w.node);
	r->is_changed = true;
	if (ties.dotdot)
		err = repair_set_dotdot(r, inode->ino, ties.dotdot);
	return err ? err : nodes_trim(r->txn);
}

/* A lost+found that was made here has no facts yet. */
static int set_lost_found(struct repair *r, const struct lost_found *lf)
{
	struct winode w;
	int err;

	if (!lf->is_new || lf->subdirs == 0)
		return 0;
	err = winode_get(r->vol, lf->ino, &w);
	if (err)
		return err;
	inode_set_i_links(winode_block(&w), 2 + lf->subdirs);
	node_dirty(r->txn, w.node);
	return 0;
}

/* The root has a block of its own, whatever else was made right. */
static int move_root_out(struct repair *r, const struct inode_fact *root)
{
	struct winode w;
	int err;

	if (!repair_found(r->c, P_ROOT_INSIDE) || !repair_may_write(r, root->ino))
		return 0;
	err = winode_get(r->vol, root->ino, &w);
	if (err || !inode_has_inline(winode_block(&w), FLAG_i_inline_inline_dentry))
		return err;
	r->is_changed = true;
	filing_forget(r->vol, root->ino);
	return dir_move_out(&w);
}

/* Can an entry be missing that names an inode? Then a number of links may be right that no entries confirm. */
static bool lacks_names(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const enum problem problem = (enum problem)((const struct finding *)vec_at(&c->findings, i))->problem;
		const char *group = problem_row(problem)->group;

		if (strcmp(group, "dirs") == 0 || strcmp(group, "nodes") == 0 || problem == P_FILE_LOST ||
		    problem == P_DIR_LOST || problem == P_DIR_LOOP)
			return true;
	}
	return c->is_unread || c->cut_end != 0;
}

int repair_link_counts(struct repair *r)
{
	const bool only_more = lacks_names(r->c);
	int err = 0;

	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		struct node *node;

		if (f->problem != P_LINKS_FILE || f->is_left || !repair_may_write(r, f->ino) ||
		    (only_more && f->expected < f->found))
			continue;
		err = node_get(r->txn, f->ino, &node);
		if (err)
			break;
		inode_set_i_links(node->block, (uint32_t)f->expected);
		node_dirty(r->txn, node);
		r->is_changed = true;
	}
	return err;
}

/* Keep the data of lost nodes without a place in lost+found. */
static int keep_branches(struct repair *r, struct lost_found *lf)
{
	int err = r->c->book->branches.count ? need_lost_found(r, lf) : 0;

	return err ? err : repair_branches(r, lf->ino);
}

int repair_links(struct repair *r)
{
	struct lost_found lf = { 0 };
	const struct inode_fact *root = facts_inode(&r->c->facts, r->geo->root_ino);
	int err = delete_orphans(r);

	if (!err && !root) { /* entries of the old root are put into the new one in the next round */
		r->is_changed = true;
		err = inode_make_root(r->txn);
		return err ? err : keep_branches(r, &lf);
	}
	if (!err && root->type != F2FS_TYPE_DIRECTORY)
		return 0; /* it is made one, and then its entries are checked */
	if (!err)
		err = reconnect_all(r, &lf);
	if (!err)
		err = keep_branches(r, &lf);
	for (uint32_t i = 0; i < facts_inode_count(&r->c->facts) && !err; i++) {
		const struct inode_fact *inode = facts_inode_nth(&r->c->facts, i);

		if (!(inode->state & (INODE_ORPHAN | INODE_HIDDEN)))
			err = set_links(r, inode);
	}
	if (!err)
		err = move_root_out(r, root);
	return err ? err : set_lost_found(r, &lf);
}
