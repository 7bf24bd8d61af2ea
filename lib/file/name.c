/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names: create, link, remove, with the link counts and parents that go with them (FORMAT files 2.8, 5.6).
 */
#include "file/name.h"

#include <f2fskit/write.h>
#include <string.h>

#include "base/devnum.h"
#include "base/error.h"
#include "base/sized.h"
#include "file/acl_inherit.h"
#include "file/change.h"
#include "file/crypto.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/dir_write.h"
#include "file/handle_list.h"
#include "file/inode_attr.h"
#include "file/inode_free.h"
#include "file/inode_new.h"
#include "file/inode_past.h"
#include "file/inode_read.h"
#include "file/last_names.h"
#include "file/name_own.h"
#include "file/orphan.h"
#include "file/pages.h"
#include "file/winode.h"
#include "format/dentry.h"
#include "log/chain.h"
#include "log/nodes.h"
#include "log/space.h"

int dir_get(struct f2fs_inode *dir, bool writes_name, struct winode *out)
{
	struct f2fs_context *ctx = dir->vol->ctx;
	const unsigned ino = (unsigned)dir->ino;
	struct file_key *key;
	int err = winode_get(dir->vol, dir->ino, out);

	if (err)
		return err;
	if (!winode_is_dir(out))
		return error_set(ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", ino);
	if (inode_i_links(winode_block(out)) == 0)
		return error_set(ctx, F2FS_ERR_NOT_FOUND, "directory inode %u was removed", ino);
	return writes_name && winode_is_encrypted(out) ? crypto_need_for(out, "names in the directory", &key) : 0;
}

int name_need_no_twin(struct f2fs_inode *dir, const char *name, size_t length, f2fs_nid_t but)
{
	struct f2fs_dirent entry;
	int err = dir_find_twin(dir, name, length, &entry);

	if (err == F2FS_ERR_NOT_FOUND || (!err && entry.ino == but))
		return 0;
	return err ? err
		   : error_set(dir->vol->ctx, F2FS_ERR_EXISTS,
			       "the name exists already, with other letters that fold to the same");
}

/* Fail with EXISTS when the name is there. */
static int need_absent(struct f2fs_inode *dir, const struct stored_name *name)
{
	struct f2fs_dirent entry;
	int err;

	if (!name->is_casefold && last_names_are_before(dir->vol, dir->ino, name->bytes, name->len))
		return 0;
	err = dir_find(dir, name->given, name->given_len, &entry);
	if (err == F2FS_ERR_NOT_FOUND) {
		error_clear(dir->vol->ctx);
		return name_need_no_twin(dir, name->given, name->given_len, 0);
	}
	return err ? err : error_set(dir->vol->ctx, F2FS_ERR_EXISTS, "the name exists already");
}

void links_add(struct winode *w, int change)
{
	inode_set_i_links(winode_block(w), inode_i_links(winode_block(w)) + (uint32_t)change);
	node_dirty(w->txn, w->node);
}

static int need_link_room(const struct winode *w)
{
	if (inode_i_links(winode_block(w)) < UINT32_MAX)
		return 0;
	return error_set(w->txn->vol->ctx, F2FS_ERR_RANGE, "inode %u has as many links as there can be",
			 (unsigned)w->node->nid);
}

static void set_dir_times(struct winode *dir, const struct f2fs_time *t)
{
	uint8_t *block = winode_block(dir);

	inode_set_i_mtime(block, t->seconds);
	inode_set_i_mtime_nsec(block, t->nanoseconds);
	inode_set_i_ctime(block, t->seconds);
	inode_set_i_ctime_nsec(block, t->nanoseconds);
	node_dirty(dir->txn, dir->node);
}

static int check_device(struct f2fs_volume *vol, const struct f2fs_new *spec)
{
	const uint32_t type = spec->mode & MODE_TYPE;

	if ((type != MODE_CHR && type != MODE_BLK) ||
	    (spec->rdev_major <= DEVNUM_MAJOR_MAX && spec->rdev_minor <= DEVNUM_MINOR_MAX))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_RANGE, "device number %u:%u is out of range: at most %u:%u can be stored",
			 (unsigned)spec->rdev_major, (unsigned)spec->rdev_minor, DEVNUM_MAJOR_MAX, DEVNUM_MINOR_MAX);
}

static int check_target(const struct winode *parent, const struct f2fs_new *spec)
{
	/* enciphered ones have their length in front */
	const uint32_t most = parent->txn->vol->geo.block_size - (winode_is_encrypted(parent) ? 3 : 1);

	if ((spec->mode & MODE_TYPE) != MODE_LNK)
		return 0;
	if (spec->target_length > 0 && spec->target_length <= most && !memchr(spec->target, 0, spec->target_length))
		return 0;
	return error_set(parent->txn->vol->ctx, F2FS_ERR_INVALID,
			 "the target of a symbolic link has 1 to %u bytes and no NUL", (unsigned)most);
}

static int check_dir_level(struct f2fs_volume *vol, const struct f2fs_new *spec)
{
	if (spec->dir_level == 0 || ((spec->mode & MODE_TYPE) == MODE_DIR && spec->dir_level <= F2FS_DIR_LEVEL_MOST))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_INVALID,
			 "dir_level is 0 to %u for a directory, and 0 for another type, not %u", F2FS_DIR_LEVEL_MOST,
			 (unsigned)spec->dir_level);
}

/* A symlink's target: inside the inode, else in block 0. */
static int store_bytes(struct winode *w, const void *bytes, size_t length)
{
	uint8_t *block = winode_block(w), *page;
	int err = 0;

	if (length <= w->layout.inline_size) {
		memcpy(block + w->layout.inline_offset, bytes, length);
		inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_data_exist);
	} else {
		inode_set_i_inline(block, inode_i_inline(block) & (uint8_t)~FLAG_i_inline_inline_data);
		winode_touch(w);
		err = page_get(w, 0, true, &page);
		if (!err)
			memcpy(page, bytes, length);
	}
	inode_set_i_size(block, length);
	node_dirty(w->txn, w->node);
	return err;
}

static int store_target(struct winode *w, const struct f2fs_new *spec)
{
	uint8_t *hidden;
	size_t size;
	int err;

	if (!winode_is_encrypted(w))
		return store_bytes(w, spec->target, spec->target_length);
	err = crypto_hide_target(w, spec->target, spec->target_length, &hidden, &size);
	if (err)
		return err;
	err = store_bytes(w, hidden, size);
	mem_free(w->txn->vol->ctx, hidden);
	return err;
}

/* Everything is checked: make the inode and its name, unless that is NULL. */
static int create_checked(struct winode *parent, const struct stored_name *name, const struct f2fs_new *spec,
			  struct acl_heritage *acl, struct winode *w)
{
	const uint32_t kept = acl->count > 0 || (spec->mode & MODE_TYPE) == MODE_LNK ? 0 : spec->umask & 0777;
	const struct inode_spec inner = { .mode = (uint16_t)(spec->mode & ~kept),
					  .uid = spec->uid,
					  .gid = spec->gid,
					  .rdev_major = spec->rdev_major,
					  .rdev_minor = spec->rdev_minor,
					  .atime = spec->atime,
					  .mtime = spec->mtime,
					  .ctime = spec->ctime,
					  .crtime = spec->crtime };
	int err = inode_make(parent, name, &inner, w);

	if (!err)
		err = acl_heritage_give(acl, w);
	if (!err && spec->dir_level > 0)
		inode_set_i_dir_level(winode_block(w), (uint8_t)spec->dir_level);
	if (!err && (spec->mode & MODE_TYPE) == MODE_LNK)
		err = store_target(w, spec);
	if (!err && !name)
		return orphan_make(w);
	if (!err)
		err = dir_insert(parent, name, w->node->nid, f2fs_type_of_mode((uint16_t)spec->mode));
	if (err)
		return err;
	if ((spec->mode & MODE_TYPE) == MODE_DIR)
		links_add(parent, 1);
	set_dir_times(parent, &spec->ctime);
	return 0;
}

/* Can the name be given, or be left out? */
static int check_new_name(struct f2fs_inode *dir, struct winode *parent, const char *name, size_t length,
			  struct stored_name *stored)
{
	int err;

	if (!name)
		return orphans_need_room(parent->txn);
	err = dir_store_name(parent, name, length, stored);
	return err ? err : need_absent(dir, stored);
}

static int create(struct f2fs_inode *dir, const char *name, size_t length, const struct f2fs_new *spec, f2fs_nid_t *ino)
{
	struct acl_heritage acl = { NULL, 0 };
	struct stored_name stored;
	struct winode parent, w;
	int err = owner_check(dir->vol->ctx, spec->uid, spec->gid, 0);

	if (!err)
		err = dir_get(dir, true, &parent);
	if (!err)
		err = check_new_name(dir, &parent, name, length, &stored);
	if (!err)
		err = check_target(&parent, spec);
	if (!err)
		err = check_device(dir->vol, spec);
	if (!err)
		err = check_dir_level(dir->vol, spec);
	if (!err && (spec->mode & MODE_TYPE) == MODE_DIR)
		err = need_link_room(&parent);
	if (!err)
		err = space_need(parent.txn, NAME_BLOCKS);
	if (!err && !(spec->flags & F2FS_NEW_EXACT))
		err = acl_heritage_load(dir, &parent, (uint16_t)spec->mode, &acl);
	if (!err)
		err = create_checked(&parent, name ? &stored : NULL, spec, &acl, &w);
	acl_heritage_drop(dir->vol, &acl);
	if (!err)
		*ino = w.node->nid;
	return err;
}

static int check_unnamed(struct f2fs_volume *vol, const char *name, const struct f2fs_new *spec, int has_out)
{
	const bool is_unnamed = (spec->flags & F2FS_NEW_UNNAMED) != 0;

	if (is_unnamed == !name && (!is_unnamed || ((spec->mode & MODE_TYPE) == MODE_REG && has_out)))
		return 0;
	return error_set(vol->ctx, F2FS_ERR_INVALID,
			 is_unnamed ? "only an open regular file can be made without a name" : "a name is needed");
}

int f2fs_create(struct f2fs_inode *dir, const char *name, size_t length, const struct f2fs_new *spec,
		struct f2fs_inode **out)
{
	struct change change;
	struct f2fs_new own;
	f2fs_nid_t ino = 0;
	int err = sized_take(dir->vol->ctx, &own, sizeof(own), spec);

	if (err)
		return err;
	err = change_begin_on(&change, dir);
	if (!err)
		err = check_unnamed(dir->vol, name, &own, out != NULL);
	if (!err)
		err = create(dir, name, length, &own, &ino);
	if (!err && out)
		err = inode_open(dir->vol, ino, out);
	if (!err && out)
		(*out)->rules = dir->rules;
	return change_end(&change, err);
}

void name_remember(struct winode *w, const struct winode *parent, const struct stored_name *name, bool lost_pino)
{
	uint8_t *block = winode_block(w);

	inode_set_i_pino(block, parent->node->nid);
	winode_put_name(w, name);
	if (lost_pino)
		inode_set_i_advise(block, inode_i_advise(block) | (uint8_t)FLAG_i_advise_lost_pino);
}

int name_need_project(const struct winode *dir, const struct winode *w)
{
	const uint32_t end = extra_OFS_i_projid + 4;
	const uint8_t *above = winode_block(dir), *block = winode_block(w);
	uint32_t wanted, has;

	if (!(inode_i_flags(above) & FLAG_i_flags_projinherit))
		return 0;
	wanted = inode_has_extra(above, end) ? extra_i_projid(inode_extra(above)) : 0;
	has = inode_has_extra(block, end) ? extra_i_projid(inode_extra(block)) : 0;
	if (wanted == has)
		return 0;
	return error_set(dir->txn->vol->ctx, F2FS_ERR_XDEV, "inode %u is of project %u, the directory of project %u",
			 (unsigned)w->node->nid, (unsigned)has, (unsigned)wanted);
}

static int link_name(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *inode)
{
	struct stored_name stored;
	struct winode parent, w;
	int err = dir_get(dir, true, &parent);

	if (!err)
		err = winode_get(dir->vol, inode->ino, &w);
	if (!err && winode_is_dir(&w))
		err = error_set(dir->vol->ctx, F2FS_ERR_IS_DIR, "directories have one name");
	if (!err && inode_i_links(winode_block(&w)) == 0 && !orphan_is_unnamed(&w))
		err = error_set(dir->vol->ctx, F2FS_ERR_NOT_FOUND, "inode %u was removed", (unsigned)inode->ino);
	if (!err)
		err = need_link_room(&w);
	if (!err)
		err = name_need_project(&parent, &w);
	if (!err)
		err = crypto_need_same(&parent, &w);
	if (!err)
		err = dir_store_name(&parent, name, length, &stored);
	if (!err)
		err = need_absent(dir, &stored);
	if (!err)
		err = space_need(parent.txn, NAME_BLOCKS);
	if (!err)
		err = dir_insert(&parent, &stored, inode->ino, f2fs_type_of_mode(inode_i_mode(winode_block(&w))));
	if (err)
		return err;
	name_remember(&w, &parent, &stored, true);
	if (inode_i_links(winode_block(&w)) == 0)
		orphan_end(&w);
	links_add(&w, 1);
	winode_stamp(&w, STAMP_CTIME);
	return 0;
}

int f2fs_link(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_inode *inode)
{
	struct change change;
	int err = change_begin_on(&change, dir);

	if (!err)
		err = inode_need_current(inode);
	if (!err)
		err = link_name(dir, name, length, inode);
	return change_end(&change, err);
}

int name_drop(struct winode *parent, f2fs_nid_t ino)
{
	struct winode w;
	bool is_linked;
	int err = winode_get(parent->txn->vol, ino, &w);

	if (err)
		return err;
	winode_stamp(&w, STAMP_CTIME);
	is_linked = !winode_is_dir(&w) && inode_i_links(winode_block(&w)) > 1;
	if (winode_is_dir(&w) || is_linked)
		err = chain_note(parent->txn, parent->node->nid, CHAIN_NAME_LIVES);
	if (err)
		return err;
	if (is_linked) {
		links_add(&w, -1);
		return 0;
	}
	if (winode_is_dir(&w))
		links_add(parent, -1);
	return inode_is_open(parent->txn->vol, ino) ? orphan_make(&w) : inode_free(&w);
}

static int remove_name(struct f2fs_inode *dir, const char *name, size_t length)
{
	struct f2fs_dirent entry;
	struct winode parent, w;
	int err = dir_get(dir, false, &parent);

	if (!err && name_is_dots(name, length))
		err = error_set(dir->vol->ctx, F2FS_ERR_INVALID, "\".\" and \"..\" cannot be removed");
	if (!err)
		err = dir_lookup(dir, name, length, &entry);
	if (!err)
		err = winode_get(dir->vol, entry.ino, &w);
	if (!err)
		err = name_need_own(dir, &entry, &w);
	if (!err && winode_is_dir(&w))
		err = dir_need_empty(dir->vol, entry.ino);
	if (!err)
		err = orphans_need_room(parent.txn);
	if (!err)
		err = dir_remove(&parent, &entry);
	return err ? err : name_drop(&parent, entry.ino);
}

int f2fs_remove(struct f2fs_inode *dir, const char *name, size_t length)
{
	struct change change;
	int err = change_begin_on(&change, dir);

	if (!err)
		err = remove_name(dir, name, length);
	return change_end(&change, err);
}
