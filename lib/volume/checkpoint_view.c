/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hold what a checkpoint says.
 */
#include "volume/checkpoint_view.h"

#include <string.h>

void checkpoint_view_init(struct checkpoint_view *view, struct f2fs_context *ctx)
{
	memset(view, 0, sizeof(*view));
	map32_init(&view->nat_journal_index, ctx);
	vec_init(&view->orphans, ctx, sizeof(f2fs_nid_t));
}

static void free_bytes(struct f2fs_context *ctx, const uint8_t *bytes)
{
	mem_free(ctx, (void *)bytes);
}

void checkpoint_view_fini(struct checkpoint_view *view, struct f2fs_context *ctx)
{
	free_bytes(ctx, view->cp);
	free_bytes(ctx, view->nat_journal);
	free_bytes(ctx, view->sit_journal);
	view->nat_journal = view->sit_journal = view->cp = NULL;
	map32_fini(&view->nat_journal_index);
	vec_fini(&view->orphans);
}

static int copy_bytes(const uint8_t **to, const uint8_t *from, size_t size, struct f2fs_context *ctx)
{
	uint8_t *bytes;

	if (!from)
		return 0;
	bytes = mem_alloc(ctx, size);
	if (!bytes)
		return F2FS_ERR_NOMEM;
	memcpy(bytes, from, size);
	*to = bytes;
	return 0;
}

static int copy_map(struct map32 *to, const struct map32 *from)
{
	size_t at = 0;
	uint32_t key;
	uint64_t value;
	int err = 0;

	while (!err && map32_each(from, &at, &key, &value))
		err = map32_set(to, key, value);
	return err;
}

int checkpoint_view_copy(struct checkpoint_view *view, const struct checkpoint_view *from,
			 const struct f2fs_geometry *geo, struct f2fs_context *ctx)
{
	int err = copy_bytes(&view->cp, from->cp, (size_t)(1 + geo->cp_payload) << geo->block_bits, ctx);

	if (err || !view->cp)
		return err;
	view->sit_bitmap = view->cp + (from->sit_bitmap - from->cp);
	view->nat_bitmap = view->cp + (from->nat_bitmap - from->cp);
	view->layout = from->layout;
	view->pack = from->pack;
	err = copy_bytes(&view->nat_journal, from->nat_journal, geo->journal_size, ctx);
	if (!err)
		err = copy_bytes(&view->sit_journal, from->sit_journal, geo->journal_size, ctx);
	if (!err)
		err = copy_map(&view->nat_journal_index, &from->nat_journal_index);
	return err ? err : vec_append(&view->orphans, &from->orphans);
}

void checkpoint_view_adopt(struct checkpoint_view *view, const uint8_t *cp, unsigned pack,
			   const struct f2fs_geometry *geo, struct f2fs_context *ctx)
{
	uint32_t sit, nat;

	if (cp != view->cp)
		free_bytes(ctx, view->cp);
	view->cp = cp;
	view->pack = pack;
	checkpoint_pack_layout(cp, geo, &view->layout);
	checkpoint_bitmaps(cp, geo, &sit, &nat);
	view->sit_bitmap = cp + sit;
	view->nat_bitmap = cp + nat;
}
