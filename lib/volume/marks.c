/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of blocks of the main area, see marks.h.
 */
#include "volume/marks.h"

#include "base/bitmap.h"

#define MAP_BYTES (F2FS_SEGMENT_BLOCKS / 8)

void marks_init(struct block_marks *m, struct f2fs_context *ctx)
{
	map32_init(&m->index, ctx);
	vec_init(&m->maps, ctx, MAP_BYTES);
	m->has_all = false;
}

void marks_fini(struct block_marks *m)
{
	map32_fini(&m->index);
	vec_fini(&m->maps);
	m->has_all = false;
}

static uint8_t *find_map(const struct block_marks *m, f2fs_seg_t segno)
{
	const uint64_t *number = map32_find(&m->index, segno);

	return number ? vec_at(&m->maps, (size_t)*number) : NULL;
}

/* Find or make the map of a segment; NULL: memory is short. */
static uint8_t *need_map(struct block_marks *m, f2fs_seg_t segno)
{
	struct f2fs_context *ctx = m->maps.ctx;
	struct f2fs_error_detail detail;
	uint8_t *map = find_map(m, segno);

	if (map)
		return map;
	detail = ctx->error;
	map = vec_push(&m->maps, 1);
	if (map && map32_set(&m->index, segno, m->maps.count - 1) == 0)
		return map;
	ctx->error = detail;
	m->has_all = true;
	return NULL;
}

bool marks_has(const struct block_marks *m, const struct f2fs_geometry *geo, f2fs_blk_t addr)
{
	const uint8_t *map = m->maps.count ? find_map(m, geometry_segment_of(geo, addr)) : NULL;

	return m->has_all || (map && msb_test(map, geometry_offset_of(geo, addr)));
}

void marks_add(struct block_marks *m, const struct f2fs_geometry *geo, f2fs_blk_t addr, uint64_t count)
{
	uint8_t *map = NULL;

	for (uint64_t i = 0; i < count && !m->has_all; i++) {
		const uint32_t offset = geometry_offset_of(geo, addr + (f2fs_blk_t)i);

		if (!map || offset == 0)
			map = need_map(m, geometry_segment_of(geo, addr + (f2fs_blk_t)i));
		if (map)
			msb_set(map, offset);
	}
}

void marks_join(struct block_marks *m, const struct block_marks *other)
{
	size_t at = 0;
	uint32_t segno;
	uint64_t number;

	m->has_all |= other->has_all;
	while (!m->has_all && map32_each(&other->index, &at, &segno, &number)) {
		const uint8_t *from = vec_at(&other->maps, (size_t)number);
		uint8_t *to = need_map(m, segno);

		for (unsigned i = 0; to && i < MAP_BYTES; i++)
			to[i] |= from[i];
	}
}

void marks_remove(struct block_marks *m, const struct block_marks *other)
{
	size_t at = 0;
	uint32_t segno;
	uint64_t number;

	while (map32_each(&other->index, &at, &segno, &number)) {
		const uint8_t *from = vec_at(&other->maps, (size_t)number);
		uint8_t *to = find_map(m, segno);

		for (unsigned i = 0; to && i < MAP_BYTES; i++)
			to[i] &= (uint8_t)~from[i];
	}
}
