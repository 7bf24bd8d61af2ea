/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The inodes that the kernel holds references to. A row costs some 64 bytes, a handle a block and more, so only the
 * handles used last stay open. An inode without a name lives as long as its handle: that one is never closed before the
 * kernel forgets the inode.
 */

#include <stdlib.h>
#include <string.h>

#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

enum { FIRST_BUCKETS = 1024, HANDLES_MAX = 1024 };

static size_t bucket_of(const struct known_table *t, uint32_t space, f2fs_nid_t ino)
{
	return ((ino + space * 0x85EBCA6Bu) * 0x9E3779B1u) & (t->bucket_count - 1);
}

fuse_ino_t known_number(const struct mount *m, uint32_t space, f2fs_nid_t ino)
{
	return space == SPACE_VOLUME && ino == m->root ? FUSE_ROOT_ID : (fuse_ino_t)space << 32 | ino;
}

static struct known *find(const struct known_table *t, uint32_t space, f2fs_nid_t ino)
{
	struct known *k = t->buckets[bucket_of(t, space, ino)];

	while (k && (k->ino != ino || k->space != space))
		k = k->next;
	return k;
}

struct known *known_find(struct mount *m, fuse_ino_t number)
{
	if (number == FUSE_ROOT_ID)
		return find(&m->known, SPACE_VOLUME, m->root);
	return find(&m->known, (uint32_t)(number >> 32), (f2fs_nid_t)number);
}

/* More buckets make chains short again; without memory they stay long. */
static void grow(struct known_table *t)
{
	const size_t old_count = t->bucket_count;
	struct known **old = t->buckets, **buckets = calloc(old_count * 2, sizeof(*buckets));

	if (!buckets)
		return;
	t->buckets = buckets;
	t->bucket_count = old_count * 2;
	for (size_t i = 0; i < old_count; i++)
		while (old[i]) {
			struct known *k = old[i];
			struct known **to = &buckets[bucket_of(t, k->space, k->ino)];

			old[i] = k->next;
			k->next = *to;
			*to = k;
		}
	free(old);
}

struct known *known_take(struct mount *m, uint32_t space, f2fs_nid_t ino)
{
	struct known_table *t = &m->known;
	struct known *k = find(t, space, ino), **to;

	if (k)
		return k;
	k = calloc(1, sizeof(*k));
	if (!k)
		return NULL;
	if (t->count >= t->bucket_count)
		grow(t);
	k->space = space;
	k->ino = ino;
	k->has_name = 1;
	if (f2fs_volume_transaction(m->vol) != F2FS_TRANSACTION_NONE) /* it may be changed already */
		k->changed_in = m->checkpoints;
	to = &t->buckets[bucket_of(t, space, ino)];
	k->next = *to;
	*to = k;
	t->count++;
	return k;
}

/* ---- handles, the one used last first ---- */

static void unlist(struct known_table *t, struct known *k)
{
	if (!k->is_listed)
		return;
	k->is_listed = 0;
	*(k->newer ? &k->newer->older : &t->newest) = k->older;
	*(k->older ? &k->older->newer : &t->oldest) = k->newer;
	t->open_count--;
}

static void list(struct known_table *t, struct known *k)
{
	k->newer = NULL;
	k->older = t->newest;
	*(t->newest ? &t->newest->newer : &t->oldest) = k;
	t->newest = k;
	k->is_listed = 1;
	t->open_count++;
}

static void close_handle(struct known_table *t, struct known *k)
{
	if (!k->inode)
		return;
	unlist(t, k);
	f2fs_inode_close(k->inode);
	k->inode = NULL;
}

/*
 * A request uses a handful of handles, so those at the old end are not in use by it. Handles that have to stay leave
 * the list until their next use, and are not counted: else, with many of them, the new end would be closed.
 */
static void close_old(struct known_table *t)
{
	struct known *k = t->oldest, *next;

	for (; k && t->open_count > HANDLES_MAX; k = next) {
		next = k->newer;
		if (k->pins == 0 && k->has_name)
			close_handle(t, k);
		else
			unlist(t, k);
	}
}

void known_give(struct mount *m, struct known *k, struct f2fs_inode *inode)
{
	close_handle(&m->known, k);
	k->inode = inode;
	list(&m->known, k);
	close_old(&m->known);
}

int known_open(struct mount *m, struct known *k, struct f2fs_inode **out)
{
	if (k->inode) {
		unlist(&m->known, k);
		list(&m->known, k);
	} else {
		struct f2fs_inode *inode;
		int err;

		if (k->space == SPACE_VOLUME)
			err = f2fs_inode_open(m->vol, k->ino, &inode);
		else
			err = m->open_other ? m->open_other(m, k, &inode) : F2FS_ERR_NOT_FOUND;

		if (err)
			return err;
		known_give(m, k, inode);
	}
	*out = k->inode;
	return 0;
}

int known_open_number(struct mount *m, fuse_ino_t number, struct known **known, struct f2fs_inode **out)
{
	struct known *k = known_find(m, number);

	if (!k)
		return F2FS_ERR_NOT_FOUND;
	if (m->is_broken && m->is_change)
		return F2FS_ERR_STATE;
	if (known)
		*known = k;
	return known_open(m, k, out);
}

static int is_root(const struct mount *m, const struct known *k)
{
	return k->space == SPACE_VOLUME && k->ino == m->root;
}

void known_forget(struct mount *m, struct known *k, uint64_t lookups)
{
	struct known_table *t = &m->known;
	struct known **at = &t->buckets[bucket_of(t, k->space, k->ino)];

	k->lookups -= lookups < k->lookups ? lookups : k->lookups;
	if (k->lookups > 0 || k->pins > 0 || is_root(m, k))
		return;
	while (*at != k)
		at = &(*at)->next;
	*at = k->next;
	t->count--;
	close_handle(t, k);
	free(k);
}

void known_change(struct mount *m, struct known *k)
{
	mount_count_checkpoints(m); /* the request itself may have written some */
	k->changed_in = m->checkpoints;
}

int known_hold(struct mount *m, struct f2fs_inode *dir, const char *name, struct known **out)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *inode;
	int err = f2fs_dir_lookup(dir, name, strlen(name), &entry);

	*out = err ? NULL : find(&m->known, SPACE_VOLUME, entry.ino);
	if (err)
		return err;
	return *out ? known_open(m, *out, &inode) : 0;
}

void known_settle(struct mount *m, struct known *held)
{
	struct f2fs_stat st;

	(void)m;
	if (held && held->inode && (f2fs_inode_stat(held->inode, &st) != 0 || st.nlink == 0))
		held->has_name = 0;
}

int known_init(struct mount *m)
{
	struct known_table *t = &m->known;
	struct known *root;

	t->bucket_count = FIRST_BUCKETS;
	t->buckets = calloc(t->bucket_count, sizeof(*t->buckets));
	root = t->buckets ? known_take(m, SPACE_VOLUME, m->root) : NULL;
	if (!root)
		return F2FS_ERR_NOMEM;
	root->lookups = 1;
	return 0;
}

void known_fini(struct mount *m)
{
	struct known_table *t = &m->known;

	for (size_t i = 0; t->buckets && i < t->bucket_count; i++)
		while (t->buckets[i]) {
			struct known *k = t->buckets[i];

			t->buckets[i] = k->next;
			close_handle(t, k);
			free(k);
		}
	free(t->buckets);
	memset(t, 0, sizeof(*t));
}
