/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep the list of a file's data regions short: when it grows too long its smallest holes become data.
 */
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "sink/limits.h"
#include "sink/report.h"
#include "sink/sink.h"
#include "sink/tarregions.h"

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

/* A file whose regions are looked for. */
struct search {
	struct sink *sink;
	const struct sink_entry *entry;
	uint64_t size;
	bool *is_told; /* a problem with its contents was */
	bool is_over;  /* there cannot be as many blocks */
};

static int tell_lost(const struct search *s, int err)
{
	const struct sink_entry *e = s->entry;
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino, .what = "contents" };

	if (err == F2FS_ERR_NOMEM || *s->is_told)
		return err == F2FS_ERR_NOMEM ? err : 0;
	*s->is_told = true;
	return sink_problem(s->sink, F2FS_PROBLEM_UNREADABLE, &place);
}

static int add_extent(struct search *s, struct tar_regions *r, const struct f2fs_file_extent *extent)
{
	const uint32_t bits = s->sink->vol->geo.block_bits;
	const uint64_t end = (extent->file_block + extent->count) << bits;
	uint64_t blocks = extent->count;
	int err;

	if (extent->kind == F2FS_EXTENT_HOLE || extent->kind == F2FS_EXTENT_RESERVED)
		return 0;
	if (extent->kind == F2FS_EXTENT_COMPRESSED)
		blocks = 1;
	else if (extent->kind == F2FS_EXTENT_WAITING) /* in memory, so they are not too many */
		blocks = 0;
	err = sink_take_blocks(s->sink, s->entry->inode, blocks);
	if (err) {
		s->is_over = true;
		return tell_lost(s, err);
	}
	return tar_regions_add(r, extent->file_block << bits, end < s->size ? end : s->size);
}

static int load_tree(struct search *s, struct tar_regions *r)
{
	const uint32_t bits = s->sink->vol->geo.block_bits;
	const uint64_t end = (s->size + ((uint64_t)1 << bits) - 1) >> bits;
	struct f2fs_file_extent extent;
	int err = 0;

	for (uint64_t block = 0; !err && !s->is_over && block < end; block += extent.count) {
		err = map_extent(s->entry->inode, block, end - block, &extent);
		if (err == F2FS_ERR_NOT_FOUND)
			return 0;
		if (extent.count == 0 || extent.count > end - block)
			extent.count = end - block;
		err = err ? tell_lost(s, err) : add_extent(s, r, &extent);
	}
	return err;
}

/* Contents that are one extent by definition. */
static int add_alias(const struct search *s, struct tar_regions *r)
{
	const uint64_t bytes = (uint64_t)inode_i_ext_len(s->entry->inode->block) << s->sink->vol->geo.block_bits;

	return tar_regions_add(r, 0, bytes < s->size ? bytes : s->size);
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

int tar_regions_load(struct sink *sink, const struct sink_entry *e, uint64_t size, struct tar_regions *r, bool *is_told)
{
	const bool is_inline = inode_has_inline(e->inode->block, FLAG_i_inline_inline_data);
	struct search s = { .sink = sink, .entry = e, .size = size, .is_told = is_told };
	int err = 0;

	r->list.count = 0;
	r->min_gap = 0;
	if (!size)
		return 0;
	if (is_inline && size > e->inode->layout.inline_size)
		err = tell_lost(&s, inode_corrupt(e->inode, RULE_INODE_INLINE_DATA, "%llu bytes",
						  (unsigned long long)size));
	else if (inode_is_alias(e->inode))
		err = add_alias(&s, r);
	else if (is_inline || !sink_keeps(sink, F2FS_KEEP_HOLES))
		err = tar_regions_add(r, 0, size);
	else
		err = load_tree(&s, r);
	sink->bytes_planned += tar_regions_bytes(r);
	return err ? err : sink_check_limit(sink);
}
