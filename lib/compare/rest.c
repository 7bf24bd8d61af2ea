/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find entries of the volume that the other side lacks: a walk over the volume that skips those with an item.
 */
#include "compare/rest.h"

#include <stdlib.h>
#include <string.h>

#include "compare/run.h"
#include "compare/seek.h"
#include "volume/volume.h"

struct rest {
	struct compare *c;
	struct vec above; /* f2fs_nid_t: directories on the way, the root first */
	struct vec path;  /* char: scratch, with patterns */
	struct source_chooser chosen;
	int err;
};

static int compare_seen(const void *a, const void *b)
{
	const struct compare_seen *x = a, *y = b;

	if (x->dir != y->dir)
		return x->dir < y->dir ? -1 : 1;
	return (x->position > y->position) - (x->position < y->position);
}

static bool was_seen(const struct compare *c, f2fs_nid_t dir, uint64_t position)
{
	const struct compare_seen wanted = { .dir = dir, .position = position };

	return c->seen.count > 0 &&
	       bsearch(&wanted, c->seen.items, c->seen.count, sizeof(wanted), compare_seen) != NULL;
}

/* Match the patterns, if there are any, against an entry. */
static int choose(struct rest *r, const struct f2fs_walk_entry *entry, enum source_choice *out)
{
	*out = SOURCE_WANTED;
	if (r->c->src.opt.include_count + r->c->src.opt.exclude_count == 0)
		return 0;
	r->path.count = 0;
	if (vec_reserve(&r->path, entry->path_length + 2) != 0) /* patterns look past the end */
		return F2FS_ERR_NOMEM;
	memcpy((char *)r->path.items + entry->parent_length, entry->path + entry->parent_length,
	       entry->path_length - entry->parent_length + 1);
	((char *)r->path.items)[entry->path_length + 1] = '\0';
	return source_choose(&r->c->src, &r->chosen, r->path.items, entry->parent_length, out);
}

/* Report an entry without an item, unless patterns leave it out. *enters: whether to continue below. */
static int take(struct rest *r, const struct f2fs_walk_entry *entry, bool *enters)
{
	struct f2fs_difference removed = { .kind = F2FS_DIFF_REMOVED, .type = entry->dirent->type };
	const struct map32 *dirs = &r->c->dirs;
	const f2fs_nid_t dir = *(f2fs_nid_t *)vec_at(&r->above, entry->depth - 1);
	const uint64_t *state = map32_find(dirs, entry->dirent->ino);
	enum source_choice choice;
	int err = choose(r, entry, &choice);

	if (err)
		return err;
	*enters = !state || *state != COMPARE_DIR_UNREAD;
	if (choice == SOURCE_EXCLUDED)
		*enters = false;
	if (choice != SOURCE_WANTED || was_seen(r->c, dir, entry->dirent->position) ||
	    (state && *state == COMPARE_DIR_PARENT && entry->dirent->type == F2FS_TYPE_DIRECTORY))
		return 0;
	return compare_tell(r->c, entry->path, &removed);
}

static int note_dir(struct rest *r, const struct f2fs_walk_entry *entry)
{
	f2fs_nid_t *slot;

	r->above.count = entry->depth;
	slot = vec_push(&r->above, 1);
	if (!slot)
		return F2FS_ERR_NOMEM;
	*slot = entry->inode ? f2fs_inode_number(entry->inode) : 0;
	return 0;
}

/* Report an entry or a directory that cannot be read and was not reported yet. */
static int take_unreadable(struct rest *r, const struct f2fs_walk_entry *entry)
{
	const f2fs_nid_t ino = entry->dirent ? entry->dirent->ino :
			       entry->inode  ? f2fs_inode_number(entry->inode) :
					      F2FS_NO_NID;
	const uint64_t *state = map32_find(&r->c->dirs, ino);

	if (compare_is_fatal(r->c, entry->error))
		return entry->error;
	if (entry->dirent) {
		if (was_seen(r->c, *(f2fs_nid_t *)vec_at(&r->above, entry->depth - 1), entry->dirent->position))
			return 0;
	} else if (state && *state == COMPARE_DIR_UNREAD) {
		return 0;
	}
	return compare_unreadable(r->c, entry->path);
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct rest *r = user;
	bool enters = true;
	uint64_t *root;

	if (entry->error) {
		r->err = take_unreadable(r, entry);
		return r->err ? r->err : F2FS_WALK_GO;
	}
	r->err = entry->dirent ? take(r, entry, &enters) : 0;
	root = entry->dirent ? NULL : map32_find(&r->c->dirs, r->c->vol->geo.root_ino);
	if (root && *root == COMPARE_DIR_UNREAD)
		enters = false;
	if (!r->err)
		r->err = note_dir(r, entry);
	return r->err ? r->err : enters ? F2FS_WALK_GO : F2FS_WALK_SKIP;
}

int compare_rest(struct compare *c)
{
	struct rest r = { .c = c };
	struct f2fs_inode *root;
	int err;

	vec_sort(&c->seen, compare_seen);
	c->is_complete = true;
	err = f2fs_inode_open(c->vol, c->vol->geo.root_ino, &root);
	if (err)
		return err;
	vec_init(&r.above, c->ctx, sizeof(f2fs_nid_t));
	vec_init(&r.path, c->ctx, 1);
	source_chooser_init(&r.chosen, c->ctx);
	err = f2fs_walk(root, visit, &r);
	vec_fini(&r.above);
	vec_fini(&r.path);
	source_chooser_fini(&r.chosen);
	f2fs_inode_close(root);
	return err;
}
