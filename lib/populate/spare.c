/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Protect entries that could not be read from the source: they are not absent, so the entry at their path in the volume
 * is never deleted. That entry is found at once, because the item's path may become another file's. It is kept as an
 * inode number, whatever the spelling of its name.
 */
#include "base/error.h"
#include "populate/place.h"
#include "populate/report.h"
#include "populate/run.h"
#include "populate/spare.h"
#include "source/path.h"

int populate_spare(struct populate *p)
{
	struct vec clean;
	f2fs_nid_t ino;
	int err;

	if (!(p->opt.flags & F2FS_POPULATE_DELETE) || p->is_ahead)
		return 0;
	if (p->levels.count == 0) { /* the source's top: nothing of the volume is open yet */
		p->spares_all = true;
		return 0;
	}
	vec_init(&clean, p->ctx, 1);
	err = source_clean_path(&p->src, source_path(&p->src), &clean);
	if (!err) {
		err = populate_place_find(p, clean.items, &ino);
		err = err == F2FS_ERR_NOT_DIR ? 0 : err; /* where a file ends the way, that file */
	}
	if (!err)
		err = map32_set(&p->spared, ino, 1);
	vec_fini(&clean);
	if (!err || populate_is_fatal(p, err))
		return err;
	/* a path that leads out of the tree, or to nothing, has nothing to be spared */
	if (err != F2FS_ERR_INVALID && err != F2FS_ERR_NOT_FOUND && err != F2FS_ERR_NAME_TOO_LONG)
		p->spares_all = true;
	error_clear(p->ctx);
	return 0;
}
