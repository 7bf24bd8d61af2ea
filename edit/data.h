/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy contents out of the volume and into it.
 */
#ifndef F2FSKIT_EDIT_DATA_H
#define F2FSKIT_EDIT_DATA_H

#include "edit/paths.h"

/* Write the contents of a file to a stream. */
int edit_copy_out(struct edit *e, struct f2fs_inode *inode, const char *what, FILE *to);
/* Write all of a file of the host, holes kept. */
int edit_copy_in(struct edit *e, struct f2fs_inode *inode, uint64_t at, const char *what, int fd);
/* Make a file empty, or make an empty file (*is_new); mode as of edit_new(). */
int edit_open_empty(struct edit *e, const struct edit_name *name, const uint32_t *mode, struct f2fs_inode **out,
		    int *is_new);
/*
 * Undo a partial copy to a name. A new file is removed, the contents of an existing one are lost unless rolled back.
 * The file's handle is closed.
 */
void edit_undo_file(struct edit *e, const struct edit_name *name, int is_new);

#endif
