/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements that learn: the public calls. The entries of a method are guesses, so its failures (memory, the sidecar)
 * only lose entries and never fail a write.
 */
#include "base/sized.h"
#include "hot/hotness.h"

#include <string.h>

#include "base/error.h"
#include "hot/death.h"
#include "hot/hot_cache.h"
#include "hot/levels.h"
#include "hot/lifespan.h"
#include "hot/m2h.h"
#include "log/run.h"
#include "log/streams.h"

static const struct {
	const char *name, *text;
	int (*begin)(struct f2fs_hotness *h);
} methods[] = {
	[F2FS_HOTNESS_M2H] = { .begin = m2h_begin },
	[F2FS_HOTNESS_DEATH] = { .begin = death_begin },
	[F2FS_HOTNESS_LIFESPAN] = { .begin = lifespan_begin },
	[F2FS_HOTNESS_ADAPTIVE] = { .begin = levels_begin },
};
static const char *const names[][2] = {
#define ROW(id, number, name, text) [number] = { name, text },
	F2FS_HOTNESS_TABLE(ROW)
#undef ROW
};
#define METHODS (sizeof(methods) / sizeof(methods[0]))

int f2fs_hotness_find(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (strcmp(names[i][0], name) == 0)
			return (int)i;
	return -1;
}

const char *f2fs_hotness_name(unsigned method)
{
	return method < METHODS ? names[method][0] : NULL;
}

const char *f2fs_hotness_text(unsigned method)
{
	return method < METHODS ? names[method][1] : NULL;
}

uint64_t f2fs_hotness_sidecar_bytes(const struct f2fs_volume *vol)
{
	return hot_sidecar_bytes(vol->geo.segment_count_main);
}

static void drop(struct f2fs_hotness *h)
{
	if (h->end)
		h->end(h);
	mem_free(h->vol->ctx, h);
}

int f2fs_hotness_open(struct f2fs_volume *vol, const struct f2fs_hotness_options *options, struct f2fs_hotness **out)
{
	struct f2fs_hotness_options own;
	struct f2fs_hotness *h;
	int err;

	error_clear(vol->ctx);
	*out = NULL;
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (err)
		return err;
	if (own.method >= METHODS)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no placement method %u",
				 (unsigned)own.method);
	if (own.sidecar && own.method != F2FS_HOTNESS_M2H)
		return error_set(vol->ctx, F2FS_ERR_INVALID,
				 "the placement %s keeps nothing in a sidecar, only %s does", names[own.method][0],
				 names[F2FS_HOTNESS_M2H][0]);
	if (vol->txn)
		return error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that were not committed");
	h = mem_zalloc(vol->ctx, sizeof(*h));
	if (!h)
		return F2FS_ERR_NOMEM;
	h->vol = vol;
	h->options = own;
	err = methods[h->options.method].begin(h);
	h->placement.user = h;
	h->placement.streams = h->options.streams;
	if (!err)
		err = streams_set(vol, &h->placement, h->is_limited);
	if (err) {
		struct f2fs_error_detail detail = vol->ctx->error;

		drop(h);
		vol->ctx->error = detail;
		return err;
	}
	*out = h;
	return 0;
}

int f2fs_hotness_close(struct f2fs_hotness *h)
{
	int err;

	if (!h)
		return 0;
	error_clear(h->vol->ctx);
	err = streams_set(h->vol, NULL, false);
	if (err)
		return err;
	drop(h);
	return 0;
}

void f2fs_hotness_stat(const struct f2fs_hotness *h, struct f2fs_hotness_stat *out)
{
	struct f2fs_hotness_stat own = { .written = h->written, .known = h->known };

	h->stat(h, &own);
	sized_give(out, &own, sizeof(own));
}
