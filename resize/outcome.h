/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What resizing came to, or would, as text or JSON.
 */
#ifndef F2FSKIT_RESIZE_OUTCOME_H
#define F2FSKIT_RESIZE_OUTCOME_H

#include <f2fskit/resize.h>

/* Show it; is_done: it was done. Returns 0, or -1 when writing failed. */
int outcome_text(const char *path, const struct f2fs_resize_result *result, int is_done);
int outcome_json(const struct f2fs_resize_result *result, int is_done);

#endif
