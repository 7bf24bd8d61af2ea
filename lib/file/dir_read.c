/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories: reading them in the kernel's order, and looking a name up by its hash (FORMAT files 5).
 */
#include <stdio.h>
#include <string.h>

#include "base/namehash.h"
#include "base/nokey.h"
#include "base/unicode.h"
#include "file/crypto.h"
#include "format/dentry.h"

struct f2fs_dir {
	struct f2fs_inode *inode;
	struct dentry_area area;
	uint64_t next_block; /* to be read after this one */
	uint64_t block;	     /* the one in data */
	uint64_t own_loaded; /* blocks so far */
	uint64_t *loaded;    /* own_loaded, or what a walk counts over all its directories */
	uint32_t slot;	     /* next in the area; area.slots = 0 before the first block */
	bool was_inline;     /* when it was opened: it gives what it had then */
	uint8_t data[];	     /* one block, of entries or the inode with them: nobody changes it meanwhile */
};

static bool is_inline(const struct f2fs_inode *inode)
{
	return inode_has_inline(inode->block, FLAG_i_inline_inline_dentry);
}

static int need_directory(const struct f2fs_inode *inode)
{
	if (inode_type(inode) == MODE_DIR)
		return 0;
	return error_set(inode->vol->ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", (unsigned)inode->ino);
}

/* Point at a dentry block through the cache; *out is NULL for a hole, *span the blocks that this, or the error, holds
 * for. */
static int peek_dentry_block(struct f2fs_inode *inode, uint64_t index, const uint8_t **out, uint64_t *span)
{
	struct map_run run;
	uint32_t addr;
	int err;

	*out = inode_page(inode, index);
	*span = 1;
	if (*out)
		return 0;
	err = map_find(inode, index, &run);
	if (err || !run.slots) { /* nothing hangs on this node, or all of it is lost */
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

int dir_open(struct f2fs_inode *inode, struct f2fs_dir **out)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	struct f2fs_dir *dir;
	int err;

	err = inode_sync(inode);
	if (!err)
		err = need_directory(inode);
	if (err)
		return err;
	dir = mem_alloc(ctx, sizeof(*dir) + inode->vol->geo.block_size);
	if (!dir)
		return F2FS_ERR_NOMEM;
	memset(dir, 0, sizeof(*dir));
	dir->inode = inode;
	dir->loaded = &dir->own_loaded;
	dir->was_inline = is_inline(inode);
	if (dir->was_inline) {
		memcpy(dir->data, inode->block, inode->vol->geo.block_size);
		dentry_area_of_inode(dir->data, &inode->layout, &dir->area);
	}
	*out = dir;
	return 0;
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

/* They are one failure, however many: a number on the device must not become as many messages. */
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

/* Take over a block that exists. Slots that share blocks would have no end: no more are read than there are. */
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
		err = need_directory(dir->inode);
	if (err)
		return err;
	dir->area.slots = 0;
	blocks = dir->was_inline ? 0 : inode_i_size(dir->inode->block) >> dir->inode->vol->geo.block_bits;
	while (dir->next_block < blocks) {
		const uint64_t index = dir->next_block;
		const uint8_t *data;
		uint64_t span;

		err = peek_dentry_block(dir->inode, index, &data, &span);
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

static bool is_dots(const struct dentry_ref *ref)
{
	return ref->name[0] == '.' && (ref->name_len == 1 || (ref->name_len == 2 && ref->name[1] == '.'));
}

/* Fill the public entry; the name as presented. */
static int present(struct f2fs_inode *inode, uint64_t block, const struct dentry_ref *ref, struct f2fs_dirent *out)
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

/* The next entry without clearing the last error. */
static int next_entry(struct f2fs_dir *dir, struct dentry_ref *ref)
{
	for (;;) {
		enum dentry_scan found = DENTRY_END;

		work_note(dir->inode->vol->ctx);
		if (dir->area.slots)
			found = dentry_next(&dir->area, &dir->slot, ref);
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
	return err ? err : present(dir->inode, dir->block, &ref, out);
}

int f2fs_dir_next(struct f2fs_dir *dir, struct f2fs_dirent *out)
{
	error_clear(dir->inode->vol->ctx);
	return dir_next(dir, out);
}

/* What a lookup compares with. */
struct wanted {
	const uint8_t *name;
	size_t len;
	uint32_t hash;
	bool by_hash; /* hash is known */
	bool folded;  /* compare folded names */
	bool whole;   /* also those that are longer than a lookup takes */
	uint8_t fold[UNICODE_WHOLE_MAX];
	size_t fold_len;
	bool nokey; /* compare with ciphertext */
	struct nokey_name key;
	struct f2fs_volume *vol; /* with file_key: */
	struct file_key *file_key;    /* names are enciphered; NULL: not, or unknown */
	uint8_t hidden[NAME_MAX_BYTES]; /* the name, enciphered */
};

static bool name_is_dots(const char *name, size_t len)
{
	return len > 0 && len <= 2 && name[0] == '.' && name[len - 1] == '.';
}

/* With the key: look for the ciphertext; in a casefolded directory for what deciphers to the same folded name. */
static int prepare_hidden(struct f2fs_inode *dir, struct wanted *w)
{
	const bool casefold = inode_is_casefold(dir);
	size_t hidden;
	int err;

	if (w->len > NAME_MAX_BYTES)
		return F2FS_ERR_NOT_FOUND;
	err = crypto_hide(dir->vol, w->file_key, w->name, w->len, w->hidden, NAME_MAX_BYTES, &hidden);
	if (!err)
		err = crypto_hash(dir->vol, w->file_key, casefold, w->name, w->len, w->hidden, hidden, &w->hash);
	if (casefold)
		w->folded = unicode_casefold(w->name, w->len, w->fold, &w->fold_len) == UNICODE_OK;
	w->vol = dir->vol;
	w->name = w->hidden;
	w->len = hidden;
	return err;
}

static int prepare(struct f2fs_inode *dir, const char *name, size_t len, struct wanted *w)
{
	memset(w, 0, sizeof(*w));
	w->name = (const uint8_t *)name;
	w->len = len;
	w->by_hash = true;
	if (name_is_dots(name, len))
		return 0; /* hash 0 */
	if (inode_is_encrypted(dir)) {
		int err = crypto_find(dir, &w->file_key);

		if (err || w->file_key)
			return err ? err : prepare_hidden(dir, w);
		w->nokey = nokey_decode(name, len, &w->key) == 0;
		w->hash = w->nokey ? w->key.hash : 0;
		return 0;
	}
	if (!inode_is_casefold(dir)) {
		w->hash = namehash_plain(w->name, len);
		return 0;
	}
	w->by_hash = namehash_casefold(w->name, len, &w->hash) != UNICODE_UNAVAILABLE;
	w->folded = unicode_casefold(w->name, len, w->fold, &w->fold_len) == UNICODE_OK;
	return 0;
}

/* Does a stored name fold to the wanted one? */
static bool folds_alike(const struct wanted *w, const uint8_t *name, size_t len, bool *can_fold)
{
	uint8_t fold[UNICODE_WHOLE_MAX];
	size_t fold_len;

	*can_fold = unicode_casefold(name, len, fold, &fold_len) == UNICODE_OK;
	return *can_fold && fold_len == w->fold_len && memcmp(fold, w->fold, fold_len) == 0;
}

static bool matches_hidden(const struct wanted *w, const struct dentry_ref *ref)
{
	uint8_t clear[NAME_MAX_BYTES];
	size_t length;
	bool can_fold;

	return ref->name_len <= sizeof(clear) &&
	       crypto_open_name(w->vol, w->file_key, ref->name, ref->name_len, clear, &length) &&
	       folds_alike(w, clear, length, &can_fold);
}

static bool matches(const struct wanted *w, const struct dentry_ref *ref)
{
	uint8_t fold[UNICODE_WHOLE_MAX];
	size_t fold_len;
	bool can_fold;

	if (w->nokey)
		return nokey_matches(&w->key, ref->name, ref->name_len) == 1;
	if (w->whole)
		return unicode_casefold_whole(ref->name, ref->name_len, fold, &fold_len) == UNICODE_OK &&
		       fold_len == w->fold_len && memcmp(fold, w->fold, fold_len) == 0;
	if (w->folded && w->file_key)
		return matches_hidden(w, ref);
	if (w->folded) {
		const bool alike = folds_alike(w, ref->name, ref->name_len, &can_fold);

		if (can_fold)
			return alike;
	}
	return ref->name_len == w->len && memcmp(ref->name, w->name, w->len) == 0;
}

/* Search one area; 1 found, 0 not. */
static int search_area(const struct dentry_area *area, const struct wanted *w, struct dentry_ref *ref)
{
	uint32_t slot = 0;
	enum dentry_scan found;

	if (w->by_hash && !dentry_may_have_hash(area, w->hash))
		return 0;
	while ((found = dentry_next(area, &slot, ref)) != DENTRY_END)
		if (found == DENTRY_FOUND && (!w->by_hash || ref->hash == w->hash) && matches(w, ref))
			return 1;
	return 0;
}

/* Search the buckets of the hash, level by level. NOT_FOUND when the name is not there. */
static int search_levels(struct f2fs_inode *dir, const struct wanted *w, struct f2fs_dirent *out)
{
	const uint32_t depth = inode_i_current_depth(dir->block);
	const unsigned dir_level = inode_i_dir_level(dir->block);

	for (unsigned level = 0; level < depth && level < DIR_MAX_DEPTH; level++) {
		uint64_t start = dentry_bucket_start(level, dir_level, w->hash);

		for (unsigned i = 0; i < dentry_bucket_blocks(level); i++) {
			struct dentry_area area;
			struct dentry_ref ref;
			const uint8_t *data;
			uint64_t span;
			int err = peek_dentry_block(dir, start + i, &data, &span);

			if (err == F2FS_ERR_NOT_FOUND)
				return err;
			if (err)
				return err;
			if (!data)
				continue;
			dentry_area_of_block(&dir->vol->geo, data, &area);
			if (search_area(&area, w, &ref))
				return present(dir, start + i, &ref, out);
		}
	}
	return F2FS_ERR_NOT_FOUND;
}

/* Search every entry. */
static int search_all(struct f2fs_inode *inode, const struct wanted *w, struct f2fs_dirent *out)
{
	struct f2fs_dir *dir;
	struct dentry_ref ref;
	int err = dir_open(inode, &dir);

	if (err)
		return err;
	while ((err = next_entry(dir, &ref)) != F2FS_ERR_NOT_FOUND) {
		if (err == F2FS_ERR_CORRUPT || (!err && !matches(w, &ref)))
			continue;
		if (!err)
			err = present(inode, dir->block, &ref, out);
		break;
	}
	f2fs_dir_close(dir);
	if (err == F2FS_ERR_NOT_FOUND)
		error_clear(inode->vol->ctx);
	return err;
}

/* Search for a casefolded name whose hash was made by other rules, unless the volume says that there are none. */
static int search_odd(struct f2fs_inode *dir, struct wanted *w, struct f2fs_dirent *out)
{
	bool maybe = true;
	int err = 0;

	if (w->by_hash && (sb_s_encoding_flags(dir->vol->sb) & FLAG_s_encoding_flags_hashonly))
		return F2FS_ERR_NOT_FOUND;
	if (w->by_hash && !dir->is_past)
		err = filing_may_have(dir, w->hash, &maybe);
	w->by_hash = false;
	if (err || !maybe)
		return err ? err : F2FS_ERR_NOT_FOUND;
	return search_all(dir, w, out);
}

int dir_find_twin(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	struct wanted w = { .whole = true };
	uint32_t hash;
	bool maybe;
	int err;

	if (!inode_is_casefold(dir) || inode_is_encrypted(dir) ||
	    !filing_whole_hash((const uint8_t *)name, length, &hash))
		return F2FS_ERR_NOT_FOUND;
	unicode_casefold_whole((const uint8_t *)name, length, w.fold, &w.fold_len);
	err = filing_may_have(dir, hash, &maybe);
	if (err || !maybe)
		return err ? err : F2FS_ERR_NOT_FOUND;
	return search_all(dir, &w, out);
}

/* Search an inline directory, or the buckets of the hash. */
static int search(struct f2fs_inode *dir, const struct wanted *w, struct f2fs_dirent *out)
{
	struct dentry_area area;
	struct dentry_ref ref;

	if (!is_inline(dir))
		return search_levels(dir, w, out);
	dentry_area_of_inode(dir->block, &dir->layout, &area);
	return search_area(&area, w, &ref) ? present(dir, 0, &ref, out) : F2FS_ERR_NOT_FOUND;
}

int dir_find_stored(struct f2fs_inode *dir, const uint8_t *name, size_t length, uint32_t hash, struct f2fs_dirent *out)
{
	struct wanted w = { .name = name, .len = length, .hash = hash, .by_hash = true };
	int err = inode_sync(dir);

	if (!err)
		err = need_directory(dir);
	if (!err && inode_is_casefold(dir) && !inode_is_encrypted(dir))
		w.folded = unicode_casefold(name, length, w.fold, &w.fold_len) == UNICODE_OK;
	return err ? err : search(dir, &w, out);
}

static int report_missing(struct f2fs_inode *dir, const char *name, size_t length)
{
	char shown[300];

	f2fs_text_printable(name, length, shown, sizeof(shown));
	return error_set(dir->vol->ctx, F2FS_ERR_NOT_FOUND, "no such file or directory (\"%s\" in directory inode %u)",
			 shown, (unsigned)dir->ino);
}

int dir_find(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	struct f2fs_context *ctx = dir->vol->ctx;
	struct wanted w;
	int err = inode_sync(dir);

	if (!err)
		err = need_directory(dir);
	if (err)
		return err;
	if (length == 0 || length >= F2FS_NAME_ROOM || (length > NAME_MAX_BYTES && !inode_is_encrypted(dir)))
		return error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "a name has 1 to 255 bytes, not %llu",
				 (unsigned long long)length);
	err = prepare(dir, name, length, &w);
	if (err)
		return err;
	err = w.by_hash || is_inline(dir) ? search(dir, &w, out) : F2FS_ERR_NOT_FOUND;
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	if (inode_is_casefold(dir) && !inode_is_encrypted(dir))
		err = search_odd(dir, &w, out);
	return err;
}

int dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	int err;

	err = inode_sync(dir);
	if (err)
		return err; /* a directory that is not there any more is another matter */
	err = dir_find(dir, name, length, out);
	return err == F2FS_ERR_NOT_FOUND ? report_missing(dir, name, length) : err;
}

int f2fs_dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	error_clear(dir->vol->ctx);
	return dir_lookup(dir, name, length, out);
}
