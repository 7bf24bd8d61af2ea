/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print the result of resizing, or of a dry run, as text or JSON.
 */
#ifndef F2FSKIT_RESIZE_OUTCOME_H
#define F2FSKIT_RESIZE_OUTCOME_H

#include <f2fskit/resize.h>

#define OUTCOME_TEXT 8400 /* bytes of two paths, and the text between them */

/* The object of the sizes. */
struct outcome_subject {
	const char *path;	/* of the volume's first device */
	const char *last;	/* of its last one; NULL: only the volume's table names it */
	int is_last_of_several; /* sizes are of the last device, not of the whole volume */
};

/* Show it; is_done: it was done. Returns 0, or -1 when writing failed. */
int outcome_text(const struct outcome_subject *of, const struct f2fs_resize_result *result, int is_done);
int outcome_json(const struct f2fs_resize_result *result, int is_done);

#endif
