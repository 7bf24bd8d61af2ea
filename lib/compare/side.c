/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hand the values of an item to the caller of a comparison. An archive cannot be asked again later.
 */
#include "compare/side.h"

#include <string.h>

static unsigned known_fields(const struct source_item *item, bool is_ready)
{
	static const struct {
		unsigned given, field;
	} rows[] = {
		{ GIVEN_OWNER, F2FS_DIFF_OWNER }, { GIVEN_MTIME, F2FS_DIFF_MTIME },
		{ GIVEN_FLAGS, F2FS_DIFF_FLAGS }, { GIVEN_PROJECT, F2FS_DIFF_PROJECT },
	};
	const uint32_t type = item->mode & MODE_TYPE;
	unsigned known = F2FS_DIFF_TYPE;

	if (item->link)
		return F2FS_DIFF_LINKS;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		known |= item->given & rows[i].given ? rows[i].field : 0;
	if ((item->given & GIVEN_MODE) && type != MODE_LNK)
		known |= F2FS_DIFF_MODE;
	if (type == MODE_REG)
		known |= F2FS_DIFF_SIZE;
	if (type == MODE_CHR || type == MODE_BLK)
		known |= F2FS_DIFF_DEVICE;
	if (item->nlink)
		known |= F2FS_DIFF_LINKS;
	if (is_ready && type == MODE_LNK)
		known |= F2FS_DIFF_TARGET;
	return is_ready ? known | F2FS_DIFF_XATTRS : known;
}

void compare_side(const struct compare *c, const struct source_item *item, bool is_ready, struct f2fs_diff_side *side)
{
	*side = (struct f2fs_diff_side){
		.known = known_fields(item, is_ready),
		.mode = item->mode,
		.uid = item->uid,
		.gid = item->gid,
		.rdev_major = item->rdev_major,
		.rdev_minor = item->rdev_minor,
		.nlink = item->nlink,
		.flags = item->flags,
		.projid = item->projid,
		.size = item->size,
		.mtime = item->mtime,
		.link = item->link,
	};
	if (side->known & F2FS_DIFF_TARGET) {
		side->target = item->target;
		side->target_length = item->target_length;
	}
	if (side->known & F2FS_DIFF_XATTRS) {
		side->xattrs = c->src.attributes.items;
		side->xattrs_length = c->src.attributes.count;
	}
}
