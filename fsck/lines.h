/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The summary of a check in the lines that scripts look for in the output of f2fs-tools.
 */
#ifndef F2FSKIT_FSCK_LINES_H
#define F2FSKIT_FSCK_LINES_H

#include "findings.h"

/* vol: the volume as it is now, NULL when it cannot be opened. */
void classic_summary(const struct report *r, const struct f2fs_check_result *result, struct f2fs_volume *vol);

#endif
