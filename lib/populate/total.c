/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What there is to copy, counted by a walk ahead: without a total a progress bar can only show what was done.
 */
#include <string.h>

#include "source/populate.h"

/* A file with several names is copied once; it is left out here, as which of its names is copied is not known yet. */
static int count(struct populate *p, const struct populate_item *item)
{
	const bool is_dir = (item->mode & MODE_TYPE) == MODE_DIR;
	enum populate_choice choice;
	int err = populate_choose_item(p, &choice);

	if (err)
		return err;
	if (choice == POPULATE_EXCLUDED && is_dir)
		p->ops->skip(p);
	if (choice == POPULATE_WANTED && !item->has_links)
		p->progress.total += item->stored;
	return 0;
}

static int walk(struct populate *p)
{
	int err = 0;

	while (!err) {
		struct populate_item item;

		memset(&item, 0, sizeof(item));
		err = p->ops->next(p, &item);
		if (!err)
			err = count(p, &item);
		else if (err != POPULATE_END && err != F2FS_ERR_NOMEM && !p->is_broken)
			err = 0; /* the same will be found and told when it is copied */
		if (!err)
			err = populate_progress(p, 0);
	}
	return err == POPULATE_END ? 0 : err;
}

int populate_total(struct populate *p)
{
	int err;

	if (!(p->opt.flags & F2FS_POPULATE_TOTAL) || !p->opt.directory || p->opt.manifest || p->opt.tar)
		return 0;
	p->is_ahead = true;
	p->progress.phase = "counting";
	err = populate_host_open(p, p->opt.directory);
	if (!err)
		err = walk(p);
	if (p->ops)
		p->ops->close(p);
	p->ops = NULL;
	p->path.count = 0;
	p->is_ahead = false;
	p->is_broken = false;
	if (err != F2FS_ERR_CANCELED && err != F2FS_ERR_NOMEM)
		err = 0; /* what is wrong with the directory is told when it is opened for copying */
	return err;
}
