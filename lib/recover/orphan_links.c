/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find listed orphans that still have a name. The list has no checksum, and a damaged entry may name any file. A mount
 * deletes that file, a recovery here does not.
 *
 * An orphan is named in no directory that is in use. A removed directory, which has no links, counts for nothing. Linux
 * does not write its blocks any more, and they still name files that were open in it. One lookup is enough: in the
 * directory and by the name that the inode remembers. The orphan's links are 0, except for files that were open for an
 * atomic write, whose links the kernel does not write. If an inode has links and its remembered name is gone, another
 * directory may name it. Then only a search of the whole tree can decide.
 */
#include "base/error.h"
#include "base/namehash.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/dir_scan.h"
#include "file/inode_read.h"
#include "file/object.h"
#include "recover/orphan_links.h"
#include "recover/run.h"

struct search {
	struct f2fs_volume *vol;
	struct map32 doubted; /* inodes with links that another directory may name */
	struct map32 linked;  /* inodes with a name */
	struct map32 seen;    /* directories of the search */
	struct vec dirs;      /* f2fs_nid_t: the same, in the order in which they were found */
	bool is_blind;	      /* part of the tree could not be read */
};

static bool is_final(int err)
{
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

/* Look for the name that an inode remembers in a directory. NOT_FOUND: the directory has no such name. */
static int find_remembered(struct f2fs_inode *dir, const uint8_t *inode, struct f2fs_dirent *out)
{
	const uint8_t *name = inode_i_name(inode);
	const uint32_t length = inode_i_namelen(inode);

	if (inode_type(dir) != MODE_DIR || inode_i_links(dir->block) == 0 || length == 0 || length > NAME_MAX_BYTES)
		return F2FS_ERR_NOT_FOUND;
	if (!inode_is_encrypted(dir))
		return dir_find(dir, (const char *)name, length, out);
	if (!inode_is_casefold(dir))
		return dir_find_stored(dir, name, length, namehash_plain(name, length), out);
	if (length + 4 > NAME_MAX_BYTES)
		return F2FS_ERR_NOT_FOUND;
	return dir_find_stored(dir, name, length, get_le32(name + length), out);
}

int inode_find_named(struct f2fs_volume *vol, f2fs_nid_t ino, const uint8_t *block, bool *is_named)
{
	struct f2fs_dirent *entry = mem_alloc(vol->ctx, sizeof(*entry));
	struct f2fs_inode *dir = NULL;
	int err = F2FS_ERR_NOMEM;

	*is_named = false;
	if (entry)
		err = inode_open(vol, inode_i_pino(block), &dir);
	if (!err)
		err = find_remembered(dir, block, entry);
	if (!err)
		*is_named = entry->ino == ino;
	f2fs_inode_close(dir);
	mem_free(vol->ctx, entry);
	if (is_final(err))
		return err;
	error_clear(vol->ctx);
	return 0;
}

static int judge(struct search *s, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	bool is_named = false;
	int err;

	if (!geometry_is_nid(&s->vol->geo, ino) || map32_find(&s->doubted, ino) || map32_find(&s->linked, ino))
		return 0;
	err = inode_open(s->vol, ino, &inode);
	if (err) { /* deleting it fails, and reports why */
		error_clear(s->vol->ctx);
		return is_final(err) ? err : 0;
	}
	err = inode_find_named(s->vol, ino, inode->block, &is_named);
	if (!err && is_named)
		err = map32_set(&s->linked, ino, 1);
	else if (!err && inode_i_links(inode->block) > 0)
		err = map32_set(&s->doubted, ino, 1);
	f2fs_inode_close(inode);
	return err;
}

/* ---- the search of the whole tree ---- */

static int note_dir(struct search *s, f2fs_nid_t ino)
{
	f2fs_nid_t *place;
	int err;

	if (!geometry_is_nid(&s->vol->geo, ino) || map32_find(&s->seen, ino))
		return 0;
	err = map32_set(&s->seen, ino, 1);
	place = err ? NULL : vec_push(&s->dirs, 1);
	if (!place)
		return F2FS_ERR_NOMEM;
	*place = ino;
	return 0;
}

static int note_entry(struct search *s, const struct dentry_ref *ref)
{
	int err = 0;

	if (ref->name_len <= 2 && ref->name[0] == '.' && (ref->name_len == 1 || ref->name[1] == '.'))
		return 0;
	if (map32_find(&s->doubted, ref->ino)) {
		map32_remove(&s->doubted, ref->ino);
		err = map32_set(&s->linked, ref->ino, 1);
	}
	return !err && ref->type == F2FS_TYPE_DIRECTORY ? note_dir(s, ref->ino) : err;
}

static int search_dir(struct search *s, f2fs_nid_t ino)
{
	struct f2fs_inode *inode = NULL;
	struct f2fs_dir *dir = NULL;
	struct dentry_ref ref;
	uint64_t block;
	int err = inode_open(s->vol, ino, &inode);

	if (!err)
		err = dir_open(inode, &dir);
	s->is_blind |= err != 0;
	while (!err) {
		err = dir_next_stored(dir, &ref, &block);
		if (!err)
			err = note_entry(s, &ref);
		if (err == F2FS_ERR_CORRUPT) { /* of one entry or block */
			s->is_blind = true;
			err = 0;
		}
	}
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	if (is_final(err))
		return err;
	if (err != F2FS_ERR_NOT_FOUND)
		s->is_blind = true;
	error_clear(s->vol->ctx);
	return 0;
}

/*
 * Search the tree for names. An inode still in doubt after all names were read is an orphan. If some could not be read,
 * it is not deleted.
 */
static int search_tree(struct search *s)
{
	uint32_t ino;
	uint64_t value;
	size_t at = 0;
	int err = note_dir(s, s->vol->geo.root_ino);

	for (size_t i = 0; i < s->dirs.count && s->doubted.count > 0 && !err; i++)
		err = search_dir(s, *(f2fs_nid_t *)vec_at(&s->dirs, i));
	while (!err && s->is_blind && map32_each(&s->doubted, &at, &ino, &value))
		err = map32_set(&s->linked, ino, 1);
	return err;
}

int orphans_find_linked(struct f2fs_volume *vol, struct map32 *linked)
{
	struct search s = { .vol = vol };
	int err = 0;

	map32_init(&s.doubted, vol->ctx);
	map32_init(&s.seen, vol->ctx);
	vec_init(&s.dirs, vol->ctx, sizeof(f2fs_nid_t));
	s.linked = *linked;
	for (uint32_t i = 0; i < chain_orphans(vol) && !err; i++)
		err = judge(&s, *(f2fs_nid_t *)vec_at(&vol->view->orphans, i));
	if (!err && s.doubted.count > 0)
		err = search_tree(&s);
	*linked = s.linked;
	map32_fini(&s.doubted);
	map32_fini(&s.seen);
	vec_fini(&s.dirs);
	return err;
}
