/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the items to copy by a walk ahead. Without a total a progress bar can only show the part that was done.
 */
#include "populate/total.h"

#include <string.h>

#include "populate/run.h"

/*
 * Count an item. A file with several names is copied once. It is left out here, because the copied name is not known
 * yet.
 */
static int count(struct populate *p, const struct source_item *item)
{
	const bool is_dir = (item->mode & MODE_TYPE) == MODE_DIR;
	enum source_choice choice;
	int err = source_choose_item(&p->src, &choice);

	if (err)
		return err;
	if (choice == SOURCE_EXCLUDED && is_dir)
		p->src.ops->skip(&p->src);
	if (choice == SOURCE_WANTED && !item->has_links)
		p->src.progress.total += item->stored;
	return 0;
}

static int walk(struct populate *p)
{
	int err = 0;

	while (!err) {
		struct source_item item;

		memset(&item, 0, sizeof(item));
		err = p->src.ops->next(&p->src, &item);
		if (!err)
			err = count(p, &item);
		else if (err != SOURCE_END && err != F2FS_ERR_NOMEM && !p->src.is_broken)
			err = 0; /* copying meets and reports the same */
		if (!err)
			err = source_progress(&p->src, 0);
	}
	return err == SOURCE_END ? 0 : err;
}

int populate_total(struct populate *p)
{
	int err;

	if (!(p->opt.flags & F2FS_POPULATE_TOTAL) || !p->src.opt.directory || p->src.opt.manifest || p->src.opt.tar)
		return 0;
	p->is_ahead = true;
	p->src.progress.phase = "counting";
	p->src.opt.only_counts = true;
	err = source_open(&p->src);
	if (!err)
		err = walk(p);
	source_close(&p->src);
	p->src.opt.only_counts = false;
	p->is_ahead = false;
	if (err != F2FS_ERR_CANCELED && err != F2FS_ERR_NOMEM)
		err = 0; /* opening the directory for copying reports its faults */
	return err;
}
