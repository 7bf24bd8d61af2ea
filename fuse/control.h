/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory /.f2fs, which no listing shows: the file status, and the file control, which takes commands.
 */
#ifndef F2FSKIT_FUSE_CONTROL_H
#define F2FSKIT_FUSE_CONTROL_H

#include "fuse/mount.h"

#define CONTROL_NAME ".f2fs"

enum control_id { CONTROL_TOP = 1, CONTROL_STATUS = 2, CONTROL_COMMANDS = 3, CONTROL_CHECKPOINTS = 4 };

/* Entry number index of /.f2fs; NULL past the last. */
const char *control_entry(const struct mount *m, unsigned index, fuse_ino_t *number, mode_t *mode);
/* The kernel's number for one of enum control_id. */
fuse_ino_t control_number(unsigned id);
/*
 * Write the file status anew. It is JSON, and lasts until the next call. Its length differs each time: the kernel then
 * drops the text that it has in its cache. Returns the length.
 */
size_t control_status(struct mount *m);
/* The text that control_status() has written. */
const char *control_status_text(const struct mount *m, size_t *length);
void control_free(struct mount *m);
/* Run a command, a line of `size` bytes. An error of the library, or one of enum mount_error. */
int control_run(struct mount *m, const char *line, size_t size);

#endif
