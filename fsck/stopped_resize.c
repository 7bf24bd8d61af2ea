/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The second hop is one of resize.f2fs, of a volume that keeps its size; a volume that cannot take it works as it is.
 */
#include "stopped_resize.h"

#include <f2fskit/resize.h>
#include <stdio.h>

void stopped_resize_finish(struct session *s)
{
	const struct f2fs_resize_options options = { F2FS_SIZED(f2fs_resize_options), .keep_size = 1 };
	const struct arguments *a = s->arguments;
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };

	if (f2fs_resize(s->ctx, s->opened.device, &s->opened.options, &options, &result))
		cli_warning(s->cli, "%s: the areas stay where they are: %s", a->image.path,
			    f2fs_context_error(s->ctx)->message);
	else if (result.step_count > 0 && !a->is_quiet && !a->is_json)
		printf("Info: the areas of %s are at its start again\n", a->image.path);
}
