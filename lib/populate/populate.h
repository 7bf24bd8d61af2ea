/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of filling a volume.
 */
#ifndef F2FSKIT_POPULATE_POPULATE_H
#define F2FSKIT_POPULATE_POPULATE_H

#include <f2fskit/populate.h>
#include <stdbool.h>

/* Copy a caller's options. Compression options, if any, go to *compression. Then own points to it. */
int populate_take(struct f2fs_context *ctx, struct f2fs_populate_options *own,
		  struct f2fs_populate_compression *compression, const struct f2fs_populate_options *given);
/* f2fs_populate(); is_dry: files get zeros for contents. */
int populate_run(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
		 struct f2fs_populate_result *result, bool is_dry);

#endif
