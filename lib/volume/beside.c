/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Follow the writes of a volume for those beside it, see beside.h. Of the metadata the old blocks are copied to the
 * overlay that each of them has for a device, at most as much as there is; of the main area blocks are marked.
 */
#include "volume/beside.h"

#include "base/error.h"
#include "device/device.h"

struct beside {
	struct f2fs_volume *vol;  /* whose this is */
	struct f2fs_volume *base; /* NULL: it was closed */
	struct beside *next, **this; /* of those of base */
	struct map32 kept;	  /* blocks of the metadata that are in the overlay */
	struct block_marks lost;
	uint8_t *block;
	int err; /* why what base overwrote could not be kept */
};

int beside_join(struct f2fs_volume *vol, struct f2fs_volume *base)
{
	struct beside *b = mem_zalloc(vol->ctx, sizeof(*b));

	if (!b)
		return F2FS_ERR_NOMEM;
	vol->beside = b;
	b->vol = vol;
	map32_init(&b->kept, vol->ctx);
	marks_init(&b->lost, vol->ctx);
	b->block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!b->block)
		return F2FS_ERR_NOMEM;
	b->base = base;
	marks_join(&b->lost, &base->dropped);
	if (base->beside) {
		b->base = base->beside->base;
		b->err = base->beside->err;
		marks_join(&b->lost, &base->beside->lost);
	}
	if (!b->base)
		return 0;
	b->next = b->base->watchers;
	b->this = &b->base->watchers;
	if (b->next)
		b->next->this = &b->next;
	b->base->watchers = b;
	return 0;
}

void beside_close(struct f2fs_volume *vol)
{
	struct beside *b = vol->beside;

	for (struct beside *other = vol->watchers; other; other = other->next)
		other->base = NULL;
	vol->watchers = NULL;
	if (!b)
		return;
	if (b->base) {
		*b->this = b->next;
		if (b->next)
			b->next->this = b->this;
	}
	map32_fini(&b->kept);
	marks_fini(&b->lost);
	mem_free(vol->ctx, b->block);
	mem_free(vol->ctx, b);
	vol->beside = NULL;
}

int beside_check(const struct f2fs_volume *vol)
{
	if (!vol->beside || !vol->beside->err)
		return 0;
	return error_set(vol->ctx, F2FS_ERR_STATE,
			 "the volume changed, and its overwritten blocks could not be kept for this view: %s",
			 f2fs_error_text(vol->beside->err));
}

bool beside_is_lost(const struct f2fs_volume *vol, f2fs_blk_t addr)
{
	return vol->beside && marks_has(&vol->beside->lost, &vol->geo, addr);
}

/* Keep a block of the metadata as it is. */
static void keep(struct beside *b, f2fs_blk_t addr)
{
	const uint32_t bs = b->vol->geo.block_size;
	int err;

	if (b->err || map32_find(&b->kept, addr))
		return;
	err = device_read_quiet(b->vol->dev, (uint64_t)addr * bs, b->block, bs);
	if (!err)
		err = device_write_quiet(b->vol->dev, (uint64_t)addr * bs, b->block, bs);
	if (!err)
		err = map32_set(&b->kept, addr, 1);
	if (err)
		b->err = err == F2FS_ERR_NOMEM ? err : F2FS_ERR_IO;
}

void beside_note(struct f2fs_volume *base, uint64_t offset, uint64_t length)
{
	const struct f2fs_geometry *geo = &base->geo;
	const uint64_t end = (offset + length + geo->block_size - 1) >> geo->block_bits;
	const uint64_t first = offset >> geo->block_bits;

	for (struct beside *b = base->watchers; b; b = b->next) {
		const struct f2fs_error_detail detail = base->ctx->error;

		for (uint64_t addr = first; addr < end && addr < geo->main_blkaddr; addr++)
			keep(b, (f2fs_blk_t)addr);
		if (end > geo->main_blkaddr)
			marks_add(&b->lost, geo, (f2fs_blk_t)(first > geo->main_blkaddr ? first : geo->main_blkaddr),
				  end - (first > geo->main_blkaddr ? first : geo->main_blkaddr));
		base->ctx->error = detail;
	}
}
