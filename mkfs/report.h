/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the result of mkfs.f2fs: the "Info:" lines that scripts know from f2fs-tools, or one record as text or JSON.
 */
#ifndef F2FSKIT_MKFS_REPORT_H
#define F2FSKIT_MKFS_REPORT_H

#include "arguments.h"

/* Lines known before writing, and those for when it is done. */
void report_start(const struct arguments *a, const struct f2fs_layout *layout);
void report_end(const struct arguments *a, const struct f2fs_mkfs_result *result);

/* Print the layout and the result (NULL: none, it is a plan) as text or JSON. Returns 0, or -1 when it did not get out.
 */
int report_record(const struct arguments *a, const struct f2fs_layout *layout, const struct f2fs_mkfs_result *result);

#endif
