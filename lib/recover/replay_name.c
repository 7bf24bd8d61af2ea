/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replay names: enter the name of an inode block in the chain, in place of the inode that now has that name (FORMAT
 * files 12.6).
 *
 * The time of such a change is not stored anywhere. The directory gets the new inode's time of change, so that the same
 * volume always recovers to the same state. A directory that was replaced must have been empty when it was removed.
 * Entries that the checkpoint still has below it were deleted or renamed without having been synced, and are removed
 * with it.
 */
#include <string.h>

#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/dir_write.h"
#include "file/inode_free.h"
#include "file/inode_read.h"
#include "file/name.h"
#include "file/winode.h"
#include "format/dentry.h"
#include "log/nodes.h"
#include "recover/replay.h"
#include "recover/replay_name.h"
#include "volume/block_read.h"

static void add_links(struct winode *w, int change)
{
	uint32_t links = inode_i_links(winode_block(w));

	inode_set_i_links(winode_block(w), change < 0 && links < (uint32_t)-change ? 0 : links + (uint32_t)change);
	node_dirty(w->txn, w->node);
}

static int note_dead(struct replay *r, f2fs_nid_t ino)
{
	f2fs_nid_t *slot = vec_push(&r->dead, 1);

	if (!slot)
		return F2FS_ERR_NOMEM;
	*slot = ino;
	return 0;
}

/* One name less for an inode that is not left alone; a directory loses all. */
static int take_link(struct replay *r, f2fs_nid_t ino, struct winode *parent, const uint8_t *times)
{
	struct winode w;
	int err;

	if (ino == r->vol->geo.root_ino)
		return volume_corrupt(r->vol, RULE_DENTRY_INO, F2FS_NO_BLOCK, ino, "the root has a name");
	err = winode_get(r->vol, ino, &w);
	if (err)
		return err;
	if (footer_ino(node_footer(&r->vol->geo, winode_block(&w))) != ino)
		return volume_corrupt(r->vol, RULE_INODE_FOOTER, F2FS_NO_BLOCK, ino, "a name of no inode");
	if ((inode_i_mode(winode_block(&w)) & MODE_TYPE) == MODE_DIR) {
		inode_set_i_links(winode_block(&w), 0);
		if (parent)
			add_links(parent, -1);
	} else {
		add_links(&w, -1);
	}
	if (times) {
		inode_set_i_ctime(winode_block(&w), inode_i_ctime(times));
		inode_set_i_ctime_nsec(winode_block(&w), inode_i_ctime_nsec(times));
	}
	node_dirty(w.txn, w.node);
	return inode_i_links(winode_block(&w)) == 0 ? note_dead(r, ino) : 0;
}

static int drop_link(struct replay *r, f2fs_nid_t ino, struct winode *parent, const uint8_t *times)
{
	const f2fs_nid_t was_at = r->at;
	int err;

	if (replay_leaves(r, ino))
		return 0;
	err = take_link(r, ino, parent, times);
	if (!err)
		r->at = was_at;
	return err;
}

/* Free the name for ino; *there: it is ino's already. */
static int make_way(struct replay *r, struct replay_step *step, struct winode *parent, uint32_t hash, bool *there)
{
	const uint8_t *name = inode_i_name(step->block);
	const uint32_t len = inode_i_namelen(step->block);
	struct f2fs_inode *dir = NULL;
	struct f2fs_dirent *entry = mem_alloc(r->vol->ctx, sizeof(*entry));
	int err;

	*there = false;
	if (!entry)
		return F2FS_ERR_NOMEM;
	err = inode_open(r->vol, parent->node->nid, &dir);
	/* each turn removes one entry, so a name that occurs several times is replaced in all places */
	while (!err) {
		err = dir_find_stored(dir, name, len, hash, entry);
		if (err == F2FS_ERR_NOT_FOUND) {
			err = 0;
			break;
		}
		if (err)
			break;
		*there = entry->ino == step->w.node->nid;
		if (*there)
			break;
		err = dir_remove(parent, entry);
		if (!err)
			err = drop_link(r, entry->ino, parent, step->block);
		r->result.replaced++;
	}
	f2fs_inode_close(dir);
	mem_free(r->vol->ctx, entry);
	return err;
}

static int check_name(struct replay *r, const struct replay_step *step, const struct winode *parent)
{
	const uint8_t *name = inode_i_name(step->block);
	const uint32_t len = inode_i_namelen(step->block);
	const uint8_t *dir = winode_block(parent);
	bool is_encrypted = (inode_i_advise(dir) & FLAG_i_advise_encrypt) != 0;

	if ((inode_i_mode(dir) & MODE_TYPE) != MODE_DIR ||
	    footer_ino(node_footer(&r->vol->geo, dir)) != parent->node->nid)
		return volume_corrupt(r->vol, RULE_INODE_MODE, step->addr, parent->node->nid,
				      "the parent of a recovered name is no directory");
	if (len == 0 || len > NAME_MAX_BYTES ||
	    (is_encrypted && (inode_i_flags(dir) & FLAG_i_flags_casefold) && len + 4 > NAME_MAX_BYTES))
		return volume_corrupt(r->vol, RULE_DENTRY_NAME, step->addr, step->w.node->nid, "i_namelen is %u",
				      (unsigned)len);
	if (!is_encrypted && (memchr(name, '/', len) || memchr(name, 0, len) ||
			      (name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')))))
		return volume_corrupt(r->vol, RULE_DENTRY_CHARS, step->addr, step->w.node->nid, "a recovered name");
	return 0;
}

/* Set a directory's times to those of the inode that gets the new name, where these are later. */
static void touch_parent(struct winode *parent, const uint8_t *from)
{
	uint8_t *dir = winode_block(parent);
	const int64_t now = inode_i_ctime(from);
	const uint32_t nsec = inode_i_ctime_nsec(from);

	if (inode_i_mtime(dir) > now || (inode_i_mtime(dir) == now && inode_i_mtime_nsec(dir) > nsec))
		return;
	inode_set_i_mtime(dir, now);
	inode_set_i_mtime_nsec(dir, nsec);
	inode_set_i_ctime(dir, now);
	inode_set_i_ctime_nsec(dir, nsec);
	node_dirty(parent->txn, parent->node);
}

int replay_name(struct replay *r, struct replay_step *step)
{
	const uint8_t *from = step->block;
	const uint32_t len = inode_i_namelen(from);
	uint8_t *block = winode_block(&step->w);
	struct winode parent;
	uint32_t hash;
	bool there;
	int err = winode_get(r->vol, inode_i_pino(from), &parent);

	if (!err)
		err = check_name(r, step, &parent);
	if (!err)
		err = dir_hash_stored(&parent, inode_i_name(from), len, inode_i_name(from) + len, &hash);
	if (!err)
		err = make_way(r, step, &parent, hash, &there);
	if (err || there)
		return err;
	err = dir_insert_stored(&parent, inode_i_name(from), len, hash, step->w.node->nid,
				f2fs_type_of_mode(inode_i_mode(from)));
	if (err)
		return err;
	touch_parent(&parent, from);
	inode_set_i_pino(block, inode_i_pino(from));
	inode_set_i_namelen(block, len);
	memcpy(inode_i_name_w(block), inode_i_name(from), inode_SIZE_i_name);
	node_dirty(step->w.txn, step->w.node);
	r->result.names++;
	return 0;
}

/* Drop the link of an entry in a directory that is to be freed. What "." and ".." lead to does not matter. */
static int drop_entry(struct replay *r, f2fs_nid_t dir, const struct dentry_ref *ref)
{
	if (name_is_dots((const char *)ref->name, ref->name_len))
		return 0;
	if (!geometry_is_nid(&r->vol->geo, ref->ino))
		return volume_corrupt(r->vol, RULE_DENTRY_INO, F2FS_NO_BLOCK, dir,
				      "a name in a removed directory leads to inode number %u", (unsigned)ref->ino);
	return drop_link(r, ref->ino, NULL, NULL);
}

/* Take all names out of a directory that is to be freed. */
static int empty_directory(struct replay *r, f2fs_nid_t ino)
{
	struct f2fs_inode *inode = NULL;
	struct f2fs_dir *dir = NULL;
	int err = inode_open(r->vol, ino, &inode);

	if (!err)
		err = dir_open(inode, &dir);
	while (!err) {
		struct dentry_ref ref;
		uint64_t block;

		err = dir_next_stored(dir, &ref, &block);
		if (err == F2FS_ERR_NOT_FOUND) {
			err = 0;
			break;
		}
		if (!err)
			err = drop_entry(r, ino, &ref);
	}
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	return err;
}

int replay_bury(struct replay *r)
{
	struct map32 gone;
	int err = 0;

	map32_init(&gone, r->vol->ctx);
	for (size_t i = 0; i < r->dead.count && !err; i++) { /* the list grows while directories are emptied */
		f2fs_nid_t ino = *(f2fs_nid_t *)vec_at(&r->dead, i);
		struct winode w;

		if (map32_find(&gone, ino) || replay_leaves(r, ino))
			continue;
		err = map32_set(&gone, ino, 1);
		if (!err)
			err = winode_get(r->vol, ino, &w);
		if (!err && (inode_i_mode(winode_block(&w)) & MODE_TYPE) == MODE_DIR) {
			err = empty_directory(r, ino);
			if (!err)
				err = winode_get(r->vol, ino, &w);
		}
		if (!err)
			err = inode_free(&w);
	}
	map32_fini(&gone);
	return err;
}
