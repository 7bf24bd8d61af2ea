/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking a name up in a directory, by its hash (FORMAT files 5).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/namehash.h"
#include "base/nokey.h"
#include "base/part.h"
#include "base/unicode.h"
#include "file/crypto.h"
#include "file/crypto_name.h"
#include "file/dir_filing.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/dir_scan.h"
#include "file/inode_sync.h"
#include "file/name.h"
#include "format/dentry.h"

/* The search key of a lookup. */
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

/* With the key: look for the ciphertext; in a casefolded directory for what deciphers to the same folded name. */
static int prepare_hidden(struct f2fs_inode *dir, struct wanted *w)
{
	const bool casefold = inode_is_casefold(dir);
	size_t hidden;
	int err;

	if (w->len > NAME_MAX_BYTES)
		return F2FS_ERR_NOT_FOUND;
	err = crypto_hide(dir->vol, w->file_key, w->name, w->len, w->hidden, NAME_MAX_BYTES, &hidden);
	if (!err && !casefold)
		w->hash = namehash_plain(w->hidden, hidden);
	else if (!err)
		err = crypto_hash_folded(dir->vol, w->file_key, w->name, w->len, &w->hash);
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
		int err = dir_try_key(dir);

		if (!err)
			err = crypto_find(dir, &w->file_key);
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
			int err = dir_peek_block(dir, start + i, &data, &span);

			if (err == F2FS_ERR_NOT_FOUND)
				return err;
			if (err)
				return err;
			if (!data)
				continue;
			dentry_area_of_block(&dir->vol->geo, data, &area);
			if (search_area(&area, w, &ref))
				return dir_present(dir, start + i, &ref, out);
		}
	}
	return F2FS_ERR_NOT_FOUND;
}

/* Search an inline directory, or the buckets of the hash. */
static int search(struct f2fs_inode *dir, const struct wanted *w, struct f2fs_dirent *out)
{
	struct dentry_area area;
	struct dentry_ref ref;

	if (!dir_is_inline(dir))
		return search_levels(dir, w, out);
	dentry_area_of_inode(dir->block, &dir->layout, &area);
	return search_area(&area, w, &ref) ? dir_present(dir, 0, &ref, out) : F2FS_ERR_NOT_FOUND;
}

/* Search every entry. */
static int search_all(struct f2fs_inode *inode, const struct wanted *w, struct f2fs_dirent *out)
{
	struct f2fs_dir *dir;
	struct dentry_ref ref;
	uint64_t block;
	int err = dir_open(inode, &dir);

	if (err)
		return err;
	while ((err = dir_next_stored(dir, &ref, &block)) != F2FS_ERR_NOT_FOUND) {
		if (err == F2FS_ERR_CORRUPT || (!err && !matches(w, &ref)))
			continue;
		if (!err)
			err = dir_present(inode, block, &ref, out);
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

int dir_find(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	struct f2fs_context *ctx = dir->vol->ctx;
	struct wanted w;
	int err = inode_sync(dir);

	if (!err)
		err = dir_need(dir);
	if (err)
		return err;
	if (length == 0 || length >= F2FS_NAME_ROOM || (length > NAME_MAX_BYTES && !inode_is_encrypted(dir)))
		return error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "a name has 1 to 255 bytes, not %llu",
				 (unsigned long long)length);
	err = prepare(dir, name, length, &w);
	if (err)
		return err;
	err = w.by_hash || dir_is_inline(dir) ? search(dir, &w, out) : F2FS_ERR_NOT_FOUND;
	if (err != F2FS_ERR_NOT_FOUND)
		return err;
	if (inode_is_casefold(dir) && !inode_is_encrypted(dir))
		err = search_odd(dir, &w, out);
	if (err == F2FS_ERR_NOT_FOUND && inode_is_casefold(dir) && !unicode_is_available())
		err = error_set(ctx, F2FS_ERR_UNSUPPORTED,
				"cannot look up a name in any case: %s; only exact names are found",
				part_why_not(PART_CASEFOLD));
	return err;
}

int dir_find_stored(struct f2fs_inode *dir, const uint8_t *name, size_t length, uint32_t hash, struct f2fs_dirent *out)
{
	struct wanted w = { .name = name, .len = length, .hash = hash, .by_hash = true };
	int err = inode_sync(dir);

	if (!err)
		err = dir_need(dir);
	if (!err && inode_is_casefold(dir) && !inode_is_encrypted(dir))
		w.folded = unicode_casefold(name, length, w.fold, &w.fold_len) == UNICODE_OK;
	return err ? err : search(dir, &w, out);
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

/*
 * Is it open whether an encrypted directory has a name? Without the key only names as they are listed can be looked
 * for. (Those have no minor hash here, unlike names in clear that happen to be base64.)
 */
static bool is_hidden(struct f2fs_inode *dir, const char *name, size_t length, int *err)
{
	struct file_key *file_key = NULL;
	struct nokey_name key;

	*err = 0;
	if (!inode_is_encrypted(dir) || name_is_dots(name, length))
		return false;
	*err = crypto_find(dir, &file_key);
	return !*err && !file_key && (nokey_decode(name, length, &key) != 0 || key.minor_hash != 0);
}

static int report_missing(struct f2fs_inode *dir, const char *name, size_t length)
{
	char shown[160], what[200];
	int err;

	f2fs_text_printable(name, length, shown, sizeof(shown));
	if (is_hidden(dir, name, length, &err)) {
		snprintf(what, sizeof(what), "cannot look for \"%s\": names", shown);
		return crypto_refuse(dir, what);
	}
	if (err)
		return err;
	return error_set(dir->vol->ctx, F2FS_ERR_NOT_FOUND, "no such file or directory (\"%s\" in directory inode %u)",
			 shown, (unsigned)dir->ino);
}

int dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	int err;

	err = inode_sync(dir);
	if (err)
		return err; /* not the error of a missing name, even if the directory itself is gone */
	err = dir_find(dir, name, length, out);
	return err == F2FS_ERR_NOT_FOUND ? report_missing(dir, name, length) : err;
}

int f2fs_dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out)
{
	error_clear(dir->vol->ctx);
	return dir_lookup(dir, name, length, out);
}
