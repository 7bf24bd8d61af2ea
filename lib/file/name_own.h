/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guard inodes against entries that name the wrong one.
 */
#ifndef F2FSKIT_FILE_NAME_OWN_H
#define F2FSKIT_FILE_NAME_OWN_H

#include "file/winode.h"

/* Ask this before an inode loses a name or gets another one. CORRUPT: the entry of dir names an inode that is not its
 * own, so that the inode would lose a name that it keeps. */
int name_need_own(const struct f2fs_inode *dir, const struct f2fs_dirent *entry, struct winode *w);

#endif
