/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look up files of atomic writes.
 */
#include "fuse/atomic_list.h"
#include "fuse/mount.h"

uint64_t atomic_size(const struct mount *m, const struct f2fs_stat *st)
{
	for (const struct atomic_file *a = m->atomic_files; a; a = a->next)
		if (a->known->ino == st->ino && a->known->space == SPACE_VOLUME)
			return a->size;
	return st->size;
}
