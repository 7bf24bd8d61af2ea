/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of data regions of a file, bounded: when it grows too long its smallest holes are given up.
 */
#include "task/extract_tar.h"

void tar_regions_init(struct tar_regions *r, struct f2fs_context *ctx)
{
	vec_init(&r->list, ctx, sizeof(struct tar_region));
	r->min_gap = 0;
}

void tar_regions_fini(struct tar_regions *r)
{
	vec_fini(&r->list);
}

bool tar_regions_have_holes(const struct tar_regions *r, uint64_t size)
{
	const struct tar_region *only = r->list.items;

	if (!size)
		return false;
	return r->list.count != 1 || only->offset > 0 || only->end < size;
}

/* Double the smallest hole until half of the list is free. */
static void give_up_holes(struct tar_regions *r)
{
	struct tar_region *list = r->list.items;

	while (r->list.count > TAR_MOST_REGIONS / 2) {
		size_t kept = 0;

		r->min_gap = r->min_gap ? r->min_gap * 2 : 4096;
		for (size_t i = 1; i < r->list.count; i++) {
			if (list[i].offset - list[kept].end <= r->min_gap)
				list[kept].end = list[i].end;
			else
				list[++kept] = list[i];
		}
		r->list.count = kept + 1;
	}
}

int tar_regions_add(struct tar_regions *r, uint64_t offset, uint64_t end)
{
	struct tar_region *last = r->list.count ? vec_at(&r->list, r->list.count - 1) : NULL;

	if (last && offset - last->end <= r->min_gap) {
		last->end = end;
		return 0;
	}
	if (r->list.count >= TAR_MOST_REGIONS)
		give_up_holes(r);
	last = vec_push(&r->list, 1);
	if (!last)
		return F2FS_ERR_NOMEM;
	*last = (struct tar_region){ offset, end };
	return 0;
}

/* The slots of one node. */
static int add_slots(struct tar_regions *r, struct f2fs_inode *inode, uint64_t block, const struct map_run *run,
		     uint64_t size)
{
	const uint32_t bits = inode->vol->geo.block_bits;
	int err = 0;

	for (uint64_t i = 0, n; i < run->count && !err; i += n) {
		const uint32_t slot = get_le32(run->slots + i * 4);
		const uint64_t offset = (block + i) << bits;
		uint64_t end;

		n = 1;
		if (offset >= size)
			break;
		if (slot == F2FS_NULL_ADDR || slot == F2FS_NEW_ADDR)
			continue;
		if (inode->layout.is_compressed && slot == F2FS_COMPRESS_ADDR)
			n = inode->layout.cluster_blocks;
		end = (block + i + n) << bits;
		err = tar_regions_add(r, offset, end < size ? end : size);
	}
	return err;
}

static int tell_lost(struct extract *x, const struct extract_entry *e, int err, bool *is_told)
{
	const struct extract_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino, .what = "contents" };

	if (err == F2FS_ERR_NOMEM || *is_told)
		return err == F2FS_ERR_NOMEM ? err : 0;
	*is_told = true;
	return extract_problem(x, F2FS_PROBLEM_UNREADABLE, &place);
}

static int load_tree(struct extract *x, const struct extract_entry *e, uint64_t size, struct tar_regions *r,
		     bool *is_told)
{
	const uint32_t bits = x->vol->geo.block_bits;
	const uint64_t end = (size + ((uint64_t)1 << bits) - 1) >> bits;
	uint64_t block = 0;
	int err = 0;

	while (!err && block < end) {
		struct map_run run;

		err = map_find(e->inode, block, &run);
		if (err == F2FS_ERR_NOT_FOUND)
			return 0;
		if (err)
			err = tell_lost(x, e, err, is_told);
		else if (run.slots)
			err = add_slots(r, e->inode, block, &run, size);
		block = run.count < end - block ? block + run.count : end;
	}
	return err;
}

uint64_t tar_regions_bytes(const struct tar_regions *r)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < r->list.count; i++) {
		const struct tar_region *region = vec_at(&r->list, i);

		bytes += region->end - region->offset;
	}
	return bytes;
}

int tar_regions_load(struct extract *x, const struct extract_entry *e, uint64_t size, struct tar_regions *r,
		     bool *is_told)
{
	int err = 0;

	r->list.count = 0;
	r->min_gap = 0;
	if (!size)
		return 0;
	if (inode_has_inline(e->inode->block, FLAG_i_inline_inline_data) || inode_is_alias(e->inode) ||
	    !extract_keeps(x, F2FS_KEEP_HOLES))
		err = tar_regions_add(r, 0, size);
	else
		err = load_tree(x, e, size, r, is_told);
	x->bytes_planned += tar_regions_bytes(r);
	return err ? err : extract_check_limit(x);
}
