/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Resize a volume: examine it and its device, plan the steps, refuse impossible ones, then take them one by one. After
 * each step the volume is opened again, as any other program would open it.
 */
#include "resize/resize.h"

#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "gc/empty.h"
#include "device/device.h"
#include "file/change.h"
#include "file/write.h"
#include "format/superblock.h"
#include "fragments/aliases.h"
#include "log/superblocks.h"
#include "log/txn.h"
#include "resize/estimate.h"
#include "resize/fits.h"
#include "resize/now.h"
#include "resize/reduce.h"
#include "resize/relayout.h"
#include "resize/shrink.h"
#include "resize/stages.h"
#include "volume/heads_read.h"

#define ADDRESS_LIMIT 0xFFFFFFFEu /* block addresses end below this one */

const char *f2fs_resize_kind_name(unsigned kind)
{
	static const char *const names[] = { "unknown", "shrink", "extend", "relayout", "home", "reserve", "reduce" };

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

/* ---- planning ---- */

static int check_kind(struct resize *r)
{
	const struct f2fs_geometry *geo = &r->vol->geo;

	if (r->is_borrowed)
		return 0;
	if (volume_is_locked(r->vol))
		return error_set(r->ctx, F2FS_ERR_UNSUPPORTED, "the feature ro was turned on: turn it off to resize");
	if (geometry_has(geo, F2FS_FEAT_RO))
		return error_set(r->ctx, F2FS_ERR_UNSUPPORTED, "read-only volumes cannot be resized: make a new one");
	if (cp_ckpt_flags(r->vol->view->cp) & FLAG_ckpt_flags_fsck)
		return error_set(r->ctx, F2FS_ERR_STATE, "the checkpoint asks for a check: run fsck.f2fs first");
	if (r->options->overprovision != 0 && !(r->options->overprovision > 0 && r->options->overprovision < 100))
		return error_set(r->ctx, F2FS_ERR_INVALID,
				 "the overprovision ratio must be above 0 and below 100 percent");
	return 0;
}

/* The length of the device whose size changes. */
static int look_at_device(struct resize *r)
{
	const unsigned devices = superblock_device_count(r->vol->sb);
	struct f2fs_device *last = NULL;
	char path[65] = "";
	int err = 0;

	if (devices <= 1) {
		r->device_bytes = f2fs_device_info(r->dev)->size - r->open.offset;
		return 0;
	}
	memcpy(path, sbdev_path(superblock_device(r->vol->sb, devices - 1)), 64);
	if (r->open.devices)
		last = f2fs_device_ref(r->open.devices[devices - 2]);
	else
		err = r->open.open_device(r->open.user, path, &last);
	if (err)
		return err;
	r->device_bytes = f2fs_device_info(last)->size;
	f2fs_device_close(last);
	return 0;
}

static uint32_t segment_bits(const struct resize *r)
{
	return r->vol->geo.block_bits + 9;
}

/* Bytes of the device that a volume of that many segments takes. */
static uint64_t bytes_of(const struct resize *r, uint32_t segments)
{
	if (superblock_device_count(r->vol->sb) > 1)
		return (uint64_t)(segments - r->other_segments) << segment_bits(r);
	return ((uint64_t)r->home << r->vol->geo.block_bits) + ((uint64_t)segments << segment_bits(r));
}

/* Return the segments of a volume that takes that number of bytes of the device: whole zones at the end. */
static int segments_of(struct resize *r, uint64_t bytes, uint32_t *segments)
{
	const struct stage_volume *v = &r->now;
	const bool is_single = superblock_device_count(r->vol->sb) <= 1;
	const uint64_t before = is_single ? (uint64_t)r->home << r->vol->geo.block_bits : 0;
	const uint32_t zone = stage_zone(v), rest = v->meta_segments % zone;
	const uint64_t limit = (ADDRESS_LIMIT - (uint64_t)r->home) / F2FS_SEGMENT_BLOCKS;
	uint64_t n = sub_or_zero(bytes, before) >> segment_bits(r);

	if (bytes > (uint64_t)r->vol->geo.block_size << 32)
		return error_set(r->ctx, F2FS_ERR_TOO_BIG,
				 "too large: the largest size with blocks of %u bytes is %u TiB",
				 (unsigned)r->vol->geo.block_size, (unsigned)r->vol->geo.block_size >> 8);
	n += r->other_segments;
	n = n > limit ? limit : n;
	n = n > rest ? (n - rest) / zone * zone + rest : 0;
	*segments = (uint32_t)n;
	return 0;
}

static int choose_target(struct resize *r)
{
	const struct f2fs_resize_options *o = r->options;
	int err = 0;

	r->target_bytes = o->size ? o->size : r->device_bytes;
	r->target = r->now.shape.segment_count;
	if (o->to_minimum)
		r->target = stage_smallest(&r->now);
	else if (!o->keep_size)
		err = segments_of(r, r->target_bytes, &r->target);
	if (o->to_minimum || o->keep_size)
		r->target_bytes = bytes_of(r, r->target);
	if (!err && !o->to_minimum && o->size > r->device_bytes && !o->dry_run)
		err = error_set(r->ctx, F2FS_ERR_RANGE, "the device has %llu bytes, not %llu",
				(unsigned long long)r->device_bytes, (unsigned long long)o->size);
	return err;
}

static int refuse_plan(struct resize *r, enum stage_result why, uint32_t missing)
{
	const char *of_last = superblock_device_count(r->vol->sb) > 1 ? " of the last device" : "";
	const unsigned long long bytes = bytes_of(r, stage_smallest(&r->now));

	switch (why) {
	case STAGE_TOO_SMALL:
		return error_set(r->ctx, F2FS_ERR_NOSPC,
				 "%llu bytes%s are too small for the blocks in use: the smallest size is %llu (%llu "
				 "MiB)",
				 (unsigned long long)r->target_bytes, of_last, bytes, (bytes + (1u << 20) - 1) >> 20);
	case STAGE_NO_ROOM:
		return error_set(r->ctx, F2FS_ERR_NOSPC,
				 "too little is free to write new areas: %u segments (%llu blocks) more would have "
				 "to be free",
				 (unsigned)missing, (unsigned long long)missing * F2FS_SEGMENT_BLOCKS);
	case STAGE_IN_ORDER:
		return error_set(r->ctx, F2FS_ERR_UNSUPPORTED,
				 "new areas cannot be written: %s",
				 f2fs_device_info(r->dev)->caps & F2FS_DEVICE_ZONED
					 ? "the zones that can be written anywhere end too early"
					 : "an image file does not record which zones can be written anywhere; do it "
					   "on the zoned device");
	case STAGE_RESERVED:
		return error_set(r->ctx, F2FS_ERR_NOSPC,
				 "with this overprovision ratio the volume cannot hold the blocks in use");
	case STAGE_ODD_AREAS:
		return error_set(r->ctx, F2FS_ERR_UNSUPPORTED,
				 "the areas of the volume are no whole zones: they cannot be rewritten");
	default:
		return error_set(r->ctx, F2FS_ERR_TOO_BIG, "there are no areas for %u segments", (unsigned)r->target);
	}
}

/* Does the volume offer less than it has, as one that a resize has left which made it larger? A kernel that mounts it
 * takes the checkpoint's flag away. */
static bool offers_less(const struct resize *r)
{
	const uint32_t main_segments = r->vol->geo.segment_count_main;
	const uint8_t *cp = r->vol->view->cp;
	const uint64_t offered = stage_offered(&r->now, cp_user_block_count(cp), cp_rsvd_segment_count(cp),
					       cp_overprov_segment_count(cp));
	struct stage_room room;

	return offered < stage_held(&r->now, main_segments) / F2FS_SEGMENT_BLOCKS &&
	       stage_room(&r->now, main_segments, false, &room) &&
	       room.user_blocks > cp_user_block_count(r->vol->view->cp);
}

/*
 * Does the volume offer space that its zones do not hold, as f2fs-tools make it? No kernel can run GC on it when it is
 * full.
 */
static bool offers_more(const struct resize *r)
{
	const uint32_t main_segments = r->vol->geo.segment_count_main;
	const uint64_t kept = stage_held(&r->now, (F2FS_LOG_COUNT + 2) * r->vol->geo.segs_per_sec),
		       held = stage_held(&r->now, main_segments);
	struct stage_room room;

	return cp_user_block_count(r->vol->view->cp) + kept > held &&
	       held < (uint64_t)main_segments * F2FS_SEGMENT_BLOCKS &&
	       stage_room(&r->now, main_segments, false, &room) &&
	       room.user_blocks < cp_user_block_count(r->vol->view->cp);
}

/* Are the numbers of the checkpoint those of the volume's size? */
static bool numbers_are_right(const struct resize *r)
{
	const uint8_t *cp = r->vol->view->cp;
	struct stage_room room;

	if (cp_ckpt_flags(cp) & FLAG_ckpt_flags_resizefs)
		return false;
	if (r->options->overprovision == 0 && !r->options->keep_size)
		return !offers_less(r) && !offers_more(r);
	return stage_room(&r->now, r->vol->geo.segment_count_main, false, &room) &&
	       room.user_blocks == cp_user_block_count(cp) && room.overprovision == cp_overprov_segment_count(cp);
}

/* Relayout needs the start of the volume for itself, up to where the areas are between hops: on one device. */
static int check_devices(struct resize *r, const struct f2fs_resize_step *step)
{
	const uint64_t reach = (uint64_t)r->now.meta_segments + step->moved;

	if (superblock_device_count(r->vol->sb) <= 1 ||
	    reach <= sbdev_total_segments(superblock_device(r->vol->sb, 0)) + r->now.dead_segments)
		return 0;
	return error_set(r->ctx, F2FS_ERR_UNSUPPORTED,
			 "the first device is too small for new areas: they need %llu segments of it for a while",
			 (unsigned long long)reach);
}

/* Segments of the areas that the volume does not need in the end. */
static uint32_t spare_segments(const struct resize *r)
{
	struct stage_volume at = r->now;
	struct f2fs_layout layout;

	for (uint32_t i = 0; i < r->result->step_count; i++)
		stage_take(&at, &r->result->steps[i]);
	return (uint32_t)sub_or_zero(at.meta_segments, stage_lesser(&at, at.shape.segment_count, &layout));
}

static int plan(struct resize *r)
{
	struct f2fs_resize_result *result = r->result;
	struct stage_volume from = r->now;
	struct stage_room room;
	enum stage_result why;
	uint32_t missing;
	int err = 0;

	from.keeps_areas |= r->options->keep_size != 0;
	why = stage_plan(&from, r->target, result->steps, &result->step_count, &missing, &room);
	if (why) {
		result->step_count = 0;
		return refuse_plan(r, why, missing);
	}
	result->spare_segments = spare_segments(r);
	if (r->target < r->now.least_segments)
		return error_set(r->ctx, F2FS_ERR_UNSUPPORTED,
				 "a volume keeps all of its devices: the last one cannot be smaller than a zone");
	if (result->step_count == 0 && !numbers_are_right(r)) {
		if (!stage_room(&r->now, r->vol->geo.segment_count_main, false, &room))
			return error_set(r->ctx, F2FS_ERR_NOSPC,
					 "with this overprovision ratio the volume cannot hold the blocks in use");
		result->steps[result->step_count++] =
			(struct f2fs_resize_step){ .kind = F2FS_RESIZE_RESERVE, .segments = r->target };
	}
	if (result->step_count > 0)
		result->new_user_blocks = room.user_blocks;
	for (uint32_t i = 0; i < result->step_count && !err; i++)
		if (result->steps[i].kind == F2FS_RESIZE_RELAYOUT)
			err = check_devices(r, &result->steps[i]);
	return err;
}

struct emptied {
	struct resize *r;
	const struct gc_range *range;
};

static int refuse_alias(void *user, const struct alias *alias)
{
	const struct emptied *e = user;
	const struct f2fs_geometry *geo = &e->r->vol->geo;
	const uint64_t first = geometry_segment_start(geo, e->range->first);
	const uint64_t end = first + (uint64_t)(e->range->end - e->range->first) * F2FS_SEGMENT_BLOCKS;

	if (alias->end <= first || alias->first >= end)
		return 0;
	return error_set(e->r->ctx, F2FS_ERR_UNSUPPORTED,
			 "blocks %llu to %llu cannot be emptied: /%s stands for a device there",
			 (unsigned long long)alias->first, (unsigned long long)alias->end - 1, alias->path);
}

/* See whether all that is in use in a range can be moved. */
static int look_at_range(struct resize *r, struct gc_range *range)
{
	struct emptied e = { r, range };
	int err = aliases_each(r->vol, refuse_alias, &e);

	return err ? err : gc_range_look(r->vol, range);
}

/*
 * Find the main segments that a step empties, in today's numbers. Returns false after the first new areas, which
 * renumber segments.
 */
static bool emptied_by(const struct resize *r, uint32_t i, struct gc_range *range)
{
	const struct f2fs_resize_step *steps = r->result->steps;

	*range = (struct gc_range){ .first = 0, .end = steps[i].moved };
	if (r->now.dead_segments || i > 1 || (i == 1 && steps[0].kind != F2FS_RESIZE_SHRINK))
		return false;
	if (steps[i].kind == F2FS_RESIZE_SHRINK)
		*range = resize_tail(r, steps[i].segments);
	else if (steps[i].kind != F2FS_RESIZE_REDUCE && (steps[i].kind != F2FS_RESIZE_RELAYOUT || i > 0))
		return false;
	return range->end > range->first;
}

/* Check that all blocks that the first steps have to move are movable. *kind: of the step that fails. */
static int look_at_moves(struct resize *r, uint32_t *kind)
{
	struct gc_range sample = { 0 };
	int err = 0;

	for (uint32_t i = 0; i < r->result->step_count && !err; i++) {
		struct gc_range range;

		if (!emptied_by(r, i, &range))
			continue;
		*kind = r->result->steps[i].kind;
		err = look_at_range(r, &range);
		r->result->blocks_to_move += range.used_blocks;
		if (sample.used_blocks == 0)
			sample = range;
	}
	if (err || !r->options->dry_run || r->is_borrowed)
		return err;
	return resize_estimate(r, sample.used_blocks ? &sample : NULL);
}

static void describe(struct resize *r, bool is_after)
{
	struct f2fs_resize_result *result = r->result;
	const uint32_t segments = r->now.shape.segment_count;

	result->new_segments = is_after ? segments : r->target;
	result->new_bytes = bytes_of(r, result->new_segments);
	result->new_user_blocks = cp_user_block_count(r->vol->view->cp);
	if (is_after)
		return;
	result->old_segments = segments;
	result->old_bytes = bytes_of(r, segments);
	result->old_user_blocks = cp_user_block_count(r->vol->view->cp);
	result->minimum_bytes = bytes_of(r, stage_smallest(&r->now));
	result->device_bytes = r->device_bytes;
	result->device_is_short =
		superblock_device_count(r->vol->sb) <= 1 && result->old_bytes > r->device_bytes;
}

/* ---- doing ---- */

/* Both superblocks must agree before one of them is written: otherwise the other one could bring an old size back. */
static int mend_superblocks(struct resize *r)
{
	uint8_t sb[sb_SIZE];

	if (r->vol->sb_state[1 - r->vol->sb_copy] == 0 && memcmp(r->vol->sb, r->vol->sb_other, sb_SIZE) == 0)
		return 0;
	memcpy(sb, r->vol->sb, sizeof(sb));
	return superblock_replace(r->vol, sb);
}

/* May the volume be written? Beginning a transaction shows it, and its error is the reason. */
static int check_writable(struct resize *r)
{
	int err = superblock_writable(r->vol);

	if (!err)
		err = change_start(r->vol);
	if (err)
		return err;
	txn_drop(r->vol);
	return 0;
}

static int take_step(struct resize *r, const struct f2fs_resize_step *step)
{
	switch (step->kind) {
	case F2FS_RESIZE_SHRINK:
		return resize_shrink(r, step->segments);
	case F2FS_RESIZE_EXTEND:
		return resize_extend(r, step->segments);
	case F2FS_RESIZE_RELAYOUT:
		return resize_relayout(r, step);
	case F2FS_RESIZE_HOME:
		return resize_home(r, step->segments);
	case F2FS_RESIZE_REDUCE:
		return resize_reduce(r, step);
	default:
		return resize_commit(r);
	}
}

static int take_steps(struct resize *r)
{
	const struct f2fs_resize_result *result = r->result;
	int err = check_writable(r);

	if (!err)
		err = mend_superblocks(r);
	for (uint32_t i = 0; i < result->step_count && !err; i++) {
		err = resize_report(r, f2fs_resize_kind_name(result->steps[i].kind), i, result->step_count, "steps");
		if (!err)
			err = take_step(r, &result->steps[i]);
	}
	return err;
}

static int look(struct resize *r)
{
	int err = r->is_borrowed ? 0 : f2fs_volume_open(r->ctx, r->dev, &r->open, &r->vol);

	if (!err)
		err = check_kind(r);
	if (!err)
		err = resize_look(r);
	return err || r->is_borrowed ? err : look_at_device(r);
}

static int prepare(struct resize *r, uint32_t *kind)
{
	int err = choose_target(r);

	if (!err)
		describe(r, false);
	if (!err)
		err = plan(r);
	return err ? err : look_at_moves(r, kind);
}

/* Blocks in the way of smaller areas are no reason to refuse a size: then the areas stay as large as they are. */
static int prepare_without(struct resize *r, int why)
{
	uint32_t kind;

	if (why != F2FS_ERR_UNSUPPORTED && why != F2FS_ERR_STATE && why != F2FS_ERR_IO)
		return why;
	log_message(r->ctx, F2FS_LOG_INFO, "tables stay as large as they are: %s", r->ctx->error.message);
	error_clear(r->ctx);
	r->keeps_areas = r->now.keeps_areas = true;
	r->result->step_count = 0;
	r->result->blocks_to_move = 0;
	return prepare(r, &kind);
}

int resize_run(struct resize *r)
{
	uint32_t kind = 0;
	int err = look(r);

	if (err)
		return err;
	err = prepare(r, &kind);
	if (err && kind == F2FS_RESIZE_REDUCE)
		err = prepare_without(r, err);
	if (err || r->options->dry_run)
		return err;
	err = take_steps(r);
	if (r->vol)
		describe(r, true);
	return err;
}

static int resize(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
		  const struct f2fs_resize_options *options, struct f2fs_resize_result *out)
{
	struct f2fs_resize_result result = { 0 };
	struct resize r = { .ctx = ctx, .dev = dev, .options = options, .result = &result };
	struct f2fs_error_detail detail;
	int err = sized_check(ctx, out, sizeof(result));

	if (!err)
		err = sized_take(ctx, &r.open, sizeof(r.open), open);
	if (err)
		return err;
	err = resize_run(&r);
	detail = ctx->error;
	f2fs_volume_close(r.vol);
	ctx->error = detail;
	sized_give(out, &result, sizeof(result));
	return err;
}

int f2fs_resize(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
		const struct f2fs_resize_options *options, struct f2fs_resize_result *result)
{
	struct f2fs_resize_options own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	return err ? err : resize(ctx, dev, open, &own, result);
}

int f2fs_resize_plan(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
		     const struct f2fs_resize_options *options, struct f2fs_resize_result *result)
{
	struct f2fs_resize_options own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), options);
	own.dry_run = 1;
	return err ? err : resize(ctx, dev, open, &own, result);
}

int f2fs_resize_minimum(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *open,
			uint64_t *in_place, uint64_t *anew)
{
	static const struct f2fs_resize_options none;
	struct f2fs_resize_result unused;
	struct resize r = { .ctx = ctx, .dev = dev, .options = &none, .result = &unused };
	struct f2fs_error_detail detail;
	uint32_t segments;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &r.open, sizeof(r.open), open);
	if (!err)
		err = look(&r);
	if (!err && in_place)
		*in_place = bytes_of(&r, stage_smallest(&r.now));
	if (!err && anew) {
		segments = stage_anew(&r.now, r.now.shape.segment_count);
		if (segments == 0)
			segments = r.now.shape.segment_count;
		*anew = ((uint64_t)r.home << r.vol->geo.block_bits) + ((uint64_t)segments << segment_bits(&r));
	}
	detail = ctx->error;
	f2fs_volume_close(r.vol);
	ctx->error = detail;
	return err;
}
