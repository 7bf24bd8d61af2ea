/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: reading them in the kernel's order (FORMAT files 5).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/crypto.h"
#include "file/crypto_name.h"
#include "file/dir_read.h"
#include "file/dir_scan.h"
#include "file/inode_life.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/name.h"
#include "file/page_store.h"
#include "format/dentry.h"
#include "volume/block_read.h"

#define NAMES_TRIED 32u /* of a directory, by a key that nothing else proves */

struct f2fs_dir {
	struct f2fs_inode *inode;
	struct dentry_area area;
	uint64_t next_block; /* to be read after this one */
	uint64_t block;	     /* the one in data */
	uint64_t own_loaded; /* blocks so far */
	uint64_t *loaded;    /* own_loaded, or the count of a walk over all its directories */
	uint32_t slot;	     /* next in the area; area.slots = 0 before the first block */
	uint64_t rollbacks;  /* of the volume, when data was loaded */
	uint64_t least;	     /* position before which entries are skipped */
	bool was_inline;     /* when it was opened: it returns the entries of that time */
	uint8_t data[];	     /* one block, of entries or the inode with them: nobody changes it meanwhile */
};

int dir_need(const struct f2fs_inode *inode)
{
	if (inode_type(inode) == MODE_DIR)
		return 0;
	return error_set(inode->vol->ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", (unsigned)inode->ino);
}

int dir_peek_block(struct f2fs_inode *inode, uint64_t index, const uint8_t **out, uint64_t *span)
{
	struct map_run run;
	uint32_t addr;
	int err;

	*out = inode_page(inode, index);
	*span = 1;
	if (*out)
		return 0;
	err = map_find(inode, index, &run);
	if (err || !run.slots) { /* a node is missing or damaged: the blocks below it are skipped together */
		if (err != F2FS_ERR_NOT_FOUND)
			*span = run.count;
		return err;
	}
	addr = get_le32(run.slots);
	if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR)
		return 0;
	if (!geometry_is_main(&inode->vol->geo, addr))
		return inode_corrupt(inode, RULE_NODE_ADDR, "directory block %llu points at %u",
				     (unsigned long long)index, (unsigned)addr);
	err = inode_judge(inode, index, addr, 1);
	return err ? err : volume_peek(inode->vol, addr, out);
}

/* Take over the entries that are inside the inode. */
static void take_inode(struct f2fs_dir *dir)
{
	memcpy(dir->data, dir->inode->block, dir->inode->vol->geo.block_size);
	dentry_area_of_inode(dir->data, &dir->inode->layout, &dir->area);
}

static int open_reader(struct f2fs_inode *inode, struct f2fs_dir **out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_dir *dir;
	int err;

	err = inode_sync(inode);
	if (!err)
		err = dir_need(inode);
	if (err)
		return err;
	dir = mem_alloc(ctx, sizeof(*dir) + inode->vol->geo.block_size);
	if (!dir)
		return F2FS_ERR_NOMEM;
	memset(dir, 0, sizeof(*dir));
	if (inode_i_current_depth(inode->block) > DIR_MAX_DEPTH)
		log_message(ctx, F2FS_LOG_WARNING, "directory inode %u: i_current_depth is %u, read as %u",
			    (unsigned)inode->ino, (unsigned)inode_i_current_depth(inode->block), DIR_MAX_DEPTH);
	dir->inode = inode;
	dir->loaded = &dir->own_loaded;
	dir->was_inline = dir_is_inline(inode);
	dir->rollbacks = inode->vol->files.rollbacks;
	if (dir->was_inline)
		take_inode(dir);
	*out = dir;
	return 0;
}

static bool is_dots(const struct dentry_ref *ref)
{
	return ref->name[0] == '.' && (ref->name_len == 1 || (ref->name_len == 2 && ref->name[1] == '.'));
}

/* Try a key on the names of a directory, until one is readable. */
static int try_key(struct f2fs_inode *inode, struct file_key *key)
{
	const struct fscrypt_context context = key->of.context;
	uint32_t readable = 0, unreadable = 0;
	struct dentry_ref ref;
	struct f2fs_dir *dir;
	uint64_t block;
	int err = open_reader(inode, &dir);

	if (err)
		return err;
	for (unsigned n = 0; n < NAMES_TRIED && !err && !readable; n++) {
		err = dir_next_stored(dir, &ref, &block);
		if (err || is_dots(&ref))
			continue;
		if (crypto_judge_name(inode->vol, key, ref.name, ref.name_len) > 0)
			readable++;
		else
			unreadable++;
	}
	f2fs_dir_close(dir);
	keyring_learn(inode->vol, &context, readable, unreadable);
	if (keyring_fit(inode->vol, &context) == KEY_WRONG)
		volume_note(inode->vol, "a key is wrong: it does not decrypt the names in directory inode %u",
			    (unsigned)inode->ino);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	error_clear(inode->vol->ctx);
	return 0;
}

int dir_try_key(struct f2fs_inode *inode)
{
	struct file_key *key = NULL;
	int err = 0;

	if (inode_is_encrypted(inode) && keyring_count(inode->vol) && inode_type(inode) == MODE_DIR)
		err = crypto_find(inode, &key);
	if (err || !key || keyring_fit(inode->vol, &key->of.context) != KEY_UNTRIED)
		return err;
	return try_key(inode, key);
}

int dir_open(struct f2fs_inode *inode, struct f2fs_dir **out)
{
	int err = dir_try_key(inode);

	return err ? err : open_reader(inode, out);
}

int f2fs_dir_open(struct f2fs_inode *inode, struct f2fs_dir **out)
{
	error_clear(inode->vol->ctx);
	return dir_open(inode, out);
}

void f2fs_dir_close(struct f2fs_dir *dir)
{
	if (dir)
		mem_free(dir->inode->vol->ctx, dir);
}

void dir_count_into(struct f2fs_dir *dir, uint64_t *loaded)
{
	dir->loaded = loaded;
}

/* Blocks that follow each other (or have only holes between them) and cannot be read. */
struct lost {
	int err; /* of the first; 0: there are none */
	uint64_t first, last;
	struct f2fs_error_detail detail;
};

static void add_lost(struct lost *lost, const struct f2fs_context *ctx, int err, uint64_t first, uint64_t last)
{
	if (!lost->err) {
		lost->err = err;
		lost->first = first;
		lost->detail = ctx->error;
	}
	lost->last = last;
}

/* Report them as one failure: a number on the device must not decide how many messages there are. */
static int tell_lost(struct f2fs_dir *dir, const struct lost *lost)
{
	struct f2fs_error_detail *error = &dir->inode->vol->ctx->error;
	const size_t n = strlen(lost->detail.message);

	*error = lost->detail;
	if (lost->last > lost->first)
		snprintf(error->message + n, sizeof(error->message) - n, " (directory blocks %llu to %llu are lost)",
			 (unsigned long long)lost->first, (unsigned long long)lost->last);
	return lost->err;
}

/* Take over a block that exists. Slots that share blocks could make a directory endless, so no more blocks are read
 * than the volume has. */
static int take_block(struct f2fs_dir *dir, uint64_t index, const uint8_t *data)
{
	const struct f2fs_geometry *geo = &dir->inode->vol->geo;

	if (*dir->loaded >= geo->end_blkaddr - geo->main_blkaddr) {
		dir->next_block = UINT64_MAX;
		return inode_corrupt(dir->inode, RULE_DIR_BLOCKS, "directory block %llu", (unsigned long long)index);
	}
	++*dir->loaded;
	memcpy(dir->data, data, geo->block_size);
	dentry_area_of_block(geo, dir->data, &dir->area);
	dir->block = index;
	dir->slot = 0;
	return 0;
}

/* Load the next block that exists; NOT_FOUND at the end. Blocks that cannot be read are stepped over by the next call.
 */
static int load_next_block(struct f2fs_dir *dir)
{
	struct f2fs_context *ctx = dir->inode->vol->ctx;
	struct lost lost = { 0 };
	uint64_t blocks;
	int err = inode_sync(dir->inode); /* its blocks move as it is changed */

	if (!err)
		err = dir_need(dir->inode);
	if (err)
		return err;
	dir->area.slots = 0;
	blocks = dir->was_inline ? 0 : inode_i_size(dir->inode->block) >> dir->inode->vol->geo.block_bits;
	while (dir->next_block < blocks) {
		const uint64_t index = dir->next_block;
		const uint8_t *data;
		uint64_t span;

		err = dir_peek_block(dir->inode, index, &data, &span);
		if (err == F2FS_ERR_NOT_FOUND || (!err && data && lost.err))
			break;
		dir->next_block = index + span;
		if (err && err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO && err != F2FS_ERR_OVERWRITTEN)
			return err;
		if (err)
			add_lost(&lost, ctx, err, index, dir->next_block < blocks ? dir->next_block - 1 : blocks - 1);
		else if (data)
			return take_block(dir, index, data);
	}
	if (lost.err)
		return tell_lost(dir, &lost);
	return error_set(ctx, F2FS_ERR_NOT_FOUND, "no further directory entry");
}

void dir_tell(const struct f2fs_dir *dir, struct dir_place *out)
{
	out->block = dir->block;
	out->next_block = dir->next_block;
	out->slot = dir->slot;
	out->is_inside = dir->area.slots > 0;
}

int dir_seek(struct f2fs_dir *dir, const struct dir_place *to)
{
	const uint8_t *data;
	uint64_t span;
	int err;

	dir->next_block = to->next_block;
	dir->slot = to->slot;
	if (!to->is_inside || dir->was_inline)
		return 0;
	dir->area.slots = 0;
	err = dir_peek_block(dir->inode, to->block, &data, &span);
	if (err || !data)
		return err;
	memcpy(dir->data, data, dir->inode->vol->geo.block_size);
	dentry_area_of_block(&dir->inode->vol->geo, dir->data, &dir->area);
	dir->block = to->block;
	if (dir->next_block <= to->block) /* it was in the inode then */
		dir->next_block = to->block + 1;
	return 0;
}

/*
 * The reader's block may be of changes that were dropped since: continue at the same place of the present directory.
 * Names that were there all the time have kept their places, unless the entries moved out of the inode meanwhile.
 */
static int follow_rollback(struct f2fs_dir *dir)
{
	struct f2fs_inode *inode = dir->inode;
	struct dir_place place;
	int err;

	if (inode->is_past || (dir->rollbacks == inode->vol->files.rollbacks && !inode_is_dead(inode)))
		return 0;
	err = inode_sync(inode);
	if (!err)
		err = dir_need(inode);
	if (err)
		return err;
	if (dir_is_inline(inode) && !dir->was_inline)
		return error_set(inode->vol->ctx, F2FS_ERR_STATE,
				 "directory inode %u is as before the changes that it was read with: open it again",
				 (unsigned)inode->ino);
	dir_tell(dir, &place);
	if (dir_is_inline(inode))
		take_inode(dir);
	else if (!dir->was_inline)
		err = dir_seek(dir, &place);
	if (err == F2FS_ERR_NOT_FOUND) { /* the directory is shorter now */
		error_clear(inode->vol->ctx);
		err = 0;
	}
	if (!err)
		dir->rollbacks = inode->vol->files.rollbacks;
	return err;
}

int dir_present(struct f2fs_inode *inode, uint64_t block, const struct dentry_ref *ref, struct f2fs_dirent *out)
{
	size_t length;
	int err;

	out->ino = ref->ino;
	out->hash = ref->hash;
	out->type = ref->type <= F2FS_TYPE_SYMLINK ? ref->type : F2FS_TYPE_UNKNOWN;
	out->position = block * inode->vol->geo.dentries_per_block + ref->slot;
	out->raw_len = ref->name_len;
	memcpy(out->raw_name, ref->name, ref->name_len);
	if (!geometry_is_nid(&inode->vol->geo, ref->ino))
		return inode_corrupt(inode, RULE_DENTRY_INO, "inode number %u in slot %u of directory block %llu",
				     (unsigned)ref->ino, (unsigned)ref->slot, (unsigned long long)block);
	if (inode_is_encrypted(inode) && !is_dots(ref)) {
		err = crypto_show(inode, ref->hash, ref->name, ref->name_len, out->name, sizeof(out->name), &length);
		out->name_len = err ? 0 : (uint16_t)length;
		return err;
	}
	if (memchr(ref->name, '/', ref->name_len) || memchr(ref->name, 0, ref->name_len))
		return inode_corrupt(inode, RULE_DENTRY_CHARS, "slot %u of directory block %llu", (unsigned)ref->slot,
				     (unsigned long long)block);
	memcpy(out->name, ref->name, ref->name_len);
	out->name[ref->name_len] = '\0';
	out->name_len = ref->name_len;
	return 0;
}

static uint64_t position_of(const struct f2fs_dir *dir, const struct dentry_ref *ref)
{
	return dir->block * dir->inode->vol->geo.dentries_per_block + ref->slot;
}

/* The next entry without clearing the last error. */
static int next_entry(struct f2fs_dir *dir, struct dentry_ref *ref)
{
	int gone = follow_rollback(dir);

	if (gone)
		return gone;
	for (;;) {
		enum dentry_scan found = DENTRY_END;

		work_note(dir->inode->vol->ctx);
		if (dir->area.slots)
			found = dentry_next(&dir->area, &dir->slot, ref);
		if (found != DENTRY_END && position_of(dir, ref) < dir->least)
			continue;
		if (found == DENTRY_FOUND)
			return 0;
		if (found == DENTRY_BAD)
			return inode_corrupt(dir->inode, RULE_DENTRY_NAME,
					     "name_len %u in slot %u of directory block %llu", (unsigned)ref->name_len,
					     (unsigned)ref->slot, (unsigned long long)dir->block);
		int err = load_next_block(dir);

		if (err)
			return err;
	}
}

int dir_next_stored(struct f2fs_dir *dir, struct dentry_ref *ref, uint64_t *block)
{
	int err = next_entry(dir, ref);

	*block = dir->block;
	return err;
}

int dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out)
{
	struct dentry_ref ref;
	int err;

	err = next_entry(dir, &ref);
	return err ? err : dir_present(dir->inode, dir->block, &ref, out);
}

int f2fs_dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out)
{
	error_clear(dir->inode->vol->ctx);
	return dir_next(dir, out);
}

/*
 * Names are looked at from the start of the block that the position is in: one that was made since may cover the place
 * where another one began.
 */
int f2fs_dir_seek(struct f2fs_dir *dir, uint64_t position)
{
	struct f2fs_inode *inode = dir->inode;
	int err;

	error_clear(inode->vol->ctx);
	err = inode_sync(inode);
	if (!err)
		err = dir_need(inode);
	if (err)
		return err;
	dir->was_inline = dir_is_inline(inode);
	dir->rollbacks = inode->vol->files.rollbacks;
	dir->least = position;
	dir->own_loaded = 0;
	dir->block = 0;
	dir->slot = 0;
	dir->area.slots = 0;
	dir->next_block = position / inode->vol->geo.dentries_per_block;
	if (dir->was_inline)
		take_inode(dir);
	return 0;
}

int dir_need_empty(struct f2fs_volume *vol, f2fs_nid_t ino)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	int err = inode_open(vol, ino, &inode);

	if (err)
		return err;
	err = dir_open(inode, &dir);
	if (!err) {
		do {
			err = dir_next(dir, &entry);
		} while (!err && name_is_dots(entry.name, entry.name_len));
		f2fs_dir_close(dir);
		if (!err)
			err = error_set(vol->ctx, F2FS_ERR_NOT_EMPTY, "directory inode %u is not empty", (unsigned)ino);
		else if (err == F2FS_ERR_NOT_FOUND)
			err = 0;
	}
	f2fs_inode_close(inode);
	return err;
}
