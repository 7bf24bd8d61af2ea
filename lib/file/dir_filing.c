/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remember the names of a casefolded directory that a search by hash does not find: those that were filed by the rules
 * of another version of Unicode (FORMAT files 5.4), and those whose folded form is too long to be searched for. A
 * directory is looked through once; from then on a name that is not there costs as little as in any other directory.
 *
 * The memory is a filter: a name outside it does not exist, a name in it is looked for. Directories change through
 * dir_write.c, which keeps it true. Other changes must call filing_forget().
 */
#include "base/error.h"
#include "base/namehash.h"
#include "file/dir_filing.h"
#include "file/dir_read.h"
#include "file/last_names.h"
#include "file/write.h"
#include "format/dentry.h"

/* Most directories remembered, 16 to 43 bytes each; beyond that all are forgotten. */
#define MAX_DIRS 16384u
#define MAX_ODD 65536u

static uint32_t odd_key(f2fs_nid_t dir, uint32_t hash)
{
	return (hash ^ dir * 0x9E3779B1u) & 0x7FFFFFFFu;
}

void filing_forget(struct f2fs_volume *vol, f2fs_nid_t dir)
{
	map32_remove(&vol->files.filing.dirs, dir);
	last_names_forget(vol, dir);
}

/* Remember a name that a search by its hash does not find. */
static int add_odd(struct f2fs_volume *vol, f2fs_nid_t dir, uint32_t hash)
{
	if (vol->files.filing.odd.count >= MAX_ODD)
		volume_forget_filing(vol);
	return map32_set(&vol->files.filing.odd, odd_key(dir, hash), 1);
}

static bool is_known(const struct f2fs_volume *vol, f2fs_nid_t dir)
{
	return map32_find(&vol->files.filing.dirs, dir) != NULL;
}

bool filing_whole_hash(const uint8_t *name, size_t length, uint32_t *hash)
{
	uint8_t fold[UNICODE_WHOLE_MAX];
	size_t fold_length;

	if (unicode_casefold_whole(name, length, fold, &fold_length) != UNICODE_OK || fold_length <= UNICODE_FOLD_MAX)
		return false;
	*hash = namehash_plain(fold, fold_length);
	return true;
}

int filing_add(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length)
{
	uint32_t hash;

	if (!is_known(vol, dir) || !filing_whole_hash(name, length, &hash))
		return 0;
	return add_odd(vol, dir, hash);
}

/* Would a search by the hash of its name find this entry? */
static bool is_in_place(const struct f2fs_inode *dir, uint64_t block, const struct dentry_ref *ref, uint32_t hash)
{
	const uint32_t depth = inode_i_current_depth(dir->block);

	if (ref->hash != hash)
		return false;
	if (inode_has_inline(dir->block, FLAG_i_inline_inline_dentry))
		return true;
	for (unsigned level = 0; level < depth && level < DIR_MAX_DEPTH; level++) {
		uint64_t start = dentry_bucket_start(level, inode_i_dir_level(dir->block), hash);

		if (block >= start && block - start < dentry_bucket_blocks(level))
			return true;
	}
	return false;
}

static int note_entry(struct f2fs_inode *dir, uint64_t block, const struct dentry_ref *ref)
{
	uint32_t hash;
	int err = 0;

	if (namehash_casefold(ref->name, ref->name_len, &hash) == UNICODE_TOO_LONG) {
		uint32_t whole;

		if (filing_whole_hash(ref->name, ref->name_len, &whole))
			err = add_odd(dir->vol, dir->ino, whole);
	}
	if (!err && !is_in_place(dir, block, ref, hash))
		err = add_odd(dir->vol, dir->ino, hash);
	return err;
}

static int look_through(struct f2fs_inode *inode)
{
	struct f2fs_volume *vol = inode->vol;
	struct dentry_ref ref;
	struct f2fs_dir *dir;
	uint64_t block;
	int err = dir_open(inode, &dir);

	if (err)
		return err;
	if (vol->files.filing.dirs.count >= MAX_DIRS)
		volume_forget_filing(vol);
	/* when a directory has more odd names than are remembered, this is forgotten on the way */
	err = map32_set(&vol->files.filing.dirs, inode->ino, 1);
	while (!err || err == F2FS_ERR_CORRUPT) {
		err = dir_next_stored(dir, &ref, &block);
		if (!err)
			err = note_entry(inode, block, &ref);
	}
	f2fs_dir_close(dir);
	if (err != F2FS_ERR_NOT_FOUND) {
		filing_forget(vol, inode->ino);
		return err;
	}
	error_clear(vol->ctx);
	return 0;
}

int filing_may_have(struct f2fs_inode *dir, uint32_t hash, bool *out)
{
	int err = is_known(dir->vol, dir->ino) ? 0 : look_through(dir);

	*out = !is_known(dir->vol, dir->ino) || map32_find(&dir->vol->files.filing.odd, odd_key(dir->ino, hash));
	return err;
}
