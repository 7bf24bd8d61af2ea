/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write entries of directories.
 */
#ifndef F2FSKIT_FILE_DIR_WRITE_H
#define F2FSKIT_FILE_DIR_WRITE_H

#include "file/winode.h"

/* A name as a directory stores it. */
struct stored_name {
	const char *given; /* the name itself, not NUL-terminated; the caller's */
	size_t given_len;
	uint8_t bytes[255]; /* ciphertext in an encrypted directory */
	uint32_t len, hash;
	bool is_cipher, is_casefold; /* as its directory is */
};
/* Compute it from a name. Refuses names that no directory, or not this one, can have. */
int dir_store_name(struct winode *dir, const char *name, size_t len, struct stored_name *out);
/* Write it into the inode that it names. */
void winode_put_name(struct winode *w, const struct stored_name *name);
/* Add an entry with a name that the directory does not have. */
int dir_insert(struct winode *dir, const struct stored_name *name, f2fs_nid_t ino, unsigned type);
/* The same with a stored name, ciphertext perhaps, and its hash. */
int dir_insert_stored(struct winode *dir, const uint8_t *name, uint32_t len, uint32_t hash, f2fs_nid_t ino,
		      unsigned type);
/* The hash of a stored name; suffix: the four bytes after a name that is encrypted and casefolded. */
int dir_hash_stored(struct winode *dir, const uint8_t *name, uint32_t len, const uint8_t *suffix, uint32_t *hash);
int dir_remove(struct winode *dir, const struct f2fs_dirent *entry);
int dir_replace(struct winode *dir, const struct f2fs_dirent *entry, f2fs_nid_t ino, unsigned type);
/* Move all entries of an inline directory into blocks. */
int dir_move_out(struct winode *dir);
/* Fill the inline area or first block of a new directory with "." and "..". */
int dir_make_empty(struct winode *dir, f2fs_nid_t parent);

#endif
