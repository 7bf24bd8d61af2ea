/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names from entries left in directories: of files that are gone, or of those in use.
 */
#ifndef F2FSKIT_FORENSICS_PAST_ENTRIES_H
#define F2FSKIT_FORENSICS_PAST_ENTRIES_H

#include "forensics/past.h"

struct past_entry {
	f2fs_nid_t ino, dir;
	uint32_t name; /* place in text */
	uint32_t hash;
	uint8_t length, type;
	uint8_t is_cipher;
	uint8_t is_taken; /* reported already */
};

/* Which entries are asked for: those that name an inode, or a use of a number, that is gone; left ones that name an
 * inode in use; those in use, of some inodes. */
enum entries_kind { ENTRIES_GONE, ENTRIES_LEFT, ENTRIES_IN_USE };

struct past_entries {
	struct f2fs_past *past;
	enum entries_kind kind;
	struct map32 *only; /* with ENTRIES_IN_USE: the inodes */
	struct vec items; /* struct past_entry; in the end by ino, dir, name, each once */
	struct vec text;  /* uint8_t */
	struct map32 seen; /* blocks that were read */
};

void past_entries_init(struct past_entries *entries, struct f2fs_past *past, enum entries_kind kind);
void past_entries_fini(struct past_entries *entries);
/* Read all directories, in use and old, and keep the entries that are asked for. */
int past_entries_load(struct past_entries *entries);
/* Was an inode number used for several files, one after the other? */
bool past_entries_was_used(const struct f2fs_past *past, f2fs_nid_t ino);
/* Entries that name an inode. */
struct past_entry *past_entries_of(const struct past_entries *entries, f2fs_nid_t ino, size_t *count);

#endif
