/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of files that are gone, from entries left in directories.
 */
#ifndef F2FSKIT_FORENSICS_PAST_ENTRIES_H
#define F2FSKIT_FORENSICS_PAST_ENTRIES_H

#include "forensics/past.h"

struct past_entry {
	f2fs_nid_t ino, dir;
	uint32_t name; /* place in text */
	uint8_t length, type;
	uint8_t is_cipher;
	uint8_t is_taken; /* told already */
};

struct past_entries {
	struct f2fs_past *past;
	struct vec items; /* struct past_entry; in the end by ino, dir, name, each once */
	struct vec text;  /* uint8_t */
	struct map32 seen; /* blocks that were read */
};

void past_entries_init(struct past_entries *entries, struct f2fs_past *past);
void past_entries_fini(struct past_entries *entries);
/* Read all directories, in use and old, and keep the entries that name an inode, or a use of a number, that is gone. */
int past_entries_load(struct past_entries *entries);
/* Entries that name an inode. */
struct past_entry *past_entries_of(const struct past_entries *entries, f2fs_nid_t ino, size_t *count);

#endif
