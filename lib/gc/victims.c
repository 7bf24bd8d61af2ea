/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of sections that may be collected: partly used, no log in them. The SIT is read through once; nothing is
 * kept of sections that are free or full, so memory follows the number of those in between.
 */
#include "base/bitmap.h"
#include "gc/live.h"
#include "gc/policies.h"
#include "gc/run.h"
#include "gc/victims.h"
#include "log/segments.h"
#include "log/streams.h"
#include "volume/clock.h"
#include "volume/heads_read.h"
#include "volume/sit_read.h"
#include "volume/zone_map.h"

/* The SIT's entries of a section. */
struct section_state {
	uint32_t valid;
	uint64_t mtimes; /* sum */
	uint64_t heat;	 /* sum */
	bool has_log;
	bool is_barred; /* by the volume */
};

static bool is_log(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	return volume_has_log_in(vol, segno) || stream_is_in(vol, segno) ||
	       (vol->txn && segment_is_current(vol->txn, segno));
}

uint32_t gc_section_blocks(const struct f2fs_volume *vol)
{
	return zones_section_blocks(vol);
}

static int add_section(struct victims *v, uint32_t section, const struct section_state *s)
{
	const uint64_t mtime = s->mtimes / v->view.segments;
	struct gc_candidate *c;

	v->view.min_mtime = mtime < v->view.min_mtime ? mtime : v->view.min_mtime;
	v->view.max_mtime = mtime > v->view.max_mtime ? mtime : v->view.max_mtime;
	if (s->has_log)
		return 0;
	v->free += s->valid == 0 && !s->is_barred;
	if (s->is_barred || s->valid == 0 || s->valid >= v->view.blocks)
		return 0;
	v->partly++;
	c = vec_push(&v->list, 1);
	if (!c)
		return F2FS_ERR_NOMEM;
	*c = (struct gc_candidate){ .section = section, .valid = s->valid, .mtime = mtime,
				       .heat = s->heat / v->view.segments };
	return 0;
}

static uint64_t heat_of(const struct f2fs_volume *vol, f2fs_seg_t segno, const uint8_t *raw)
{
	const struct f2fs_placement *p = placement_of(vol);

	return p && p->heat ? p->heat(p->user, segno, sit_vblocks(raw) & 0x3ff) : sit_mtime(raw);
}

/* Go through the entries of one SIT block; *s is the section that continues from the block before. */
static int add_entries(struct f2fs_volume *vol, struct victims *v, f2fs_seg_t first, const uint8_t *entries,
		       struct section_state *s)
{
	const uint32_t sps = vol->geo.segs_per_sec, left = vol->geo.segment_count_main - first;
	const uint32_t count = left < vol->geo.sit_per_block ? left : vol->geo.sit_per_block;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *raw = entries + (size_t)i * sit_SIZE;
		int err;

		s->valid += sit_vblocks(raw) & 0x3ff;
		s->mtimes += sit_mtime(raw);
		s->heat += heat_of(vol, first + i, raw);
		s->has_log = s->has_log || is_log(vol, first + i);
		s->is_barred = first + i >= vol->barred.first && first + i < vol->barred.end;
		if ((first + i + 1) % sps != 0)
			continue;
		err = add_section(v, (first + i) / sps, s);
		*s = (struct section_state){ 0 };
		if (err)
			return err;
	}
	return 0;
}

/* Leave out sections that are not worth it. */
static void sift(struct victims *v, uint32_t used_limit, const uint8_t *left)
{
	struct gc_candidate *list = v->list.items;
	size_t n = 0;

	for (size_t i = 0; i < v->list.count; i++)
		if ((uint64_t)list[i].valid * 100 <= (uint64_t)v->view.blocks * used_limit &&
		    !msb_test(left, list[i].section))
			list[n++] = list[i];
	v->list.count = n;
}

/* Put the list in order. A policy of the host's own may not change the volume meanwhile. */
static void rank(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct victims *v)
{
	v->view.has_heat = placement_of(vol) && placement_of(vol)->heat;
	v->view.cost = options->cost;
	v->view.user = options->user;
	vol->gc.is_choosing = true;
	v->count = gc_policy_sort(gc_policy_of(options), &v->view, v->list.items, v->list.count);
	vol->gc.is_choosing = false;
}

int victims_find(struct f2fs_volume *vol, const struct f2fs_gc_options *options, const uint8_t *left,
		 struct victims *out)
{
	const struct f2fs_geometry *geo = &vol->geo;
	uint8_t *entries = mem_calloc(vol->ctx, geo->sit_per_block, sit_SIZE);
	struct section_state state = { 0 };
	int err = entries ? 0 : F2FS_ERR_NOMEM;

	*out = (struct victims){ .view = { .now = volume_clock(vol) } };
	out->view.min_mtime = out->view.max_mtime = out->view.now;
	out->view.blocks = gc_section_blocks(vol);
	out->view.segments = (out->view.blocks + F2FS_SEGMENT_BLOCKS - 1) / F2FS_SEGMENT_BLOCKS;
	vec_init(&out->list, vol->ctx, sizeof(struct gc_candidate));
	for (f2fs_seg_t at = 0; at < geo->segment_count_main && !err; at += geo->sit_per_block) {
		const uint32_t rest = geo->segment_count_main - at;

		err = sit_read(vol, at, rest < geo->sit_per_block ? rest : geo->sit_per_block, entries);
		if (!err)
			err = add_entries(vol, out, at, entries, &state);
	}
	mem_free(vol->ctx, entries);
	if (err) {
		victims_free(out);
		return err;
	}
	sift(out, options->used_limit, left);
	rank(vol, options, out);
	return 0;
}

void victims_free(struct victims *victims)
{
	vec_fini(&victims->list);
}

void gc_leave(struct run *r, uint32_t section)
{
	const struct live *live = &r->live;
	const bool is_pinned = live->verdict == LIVE_PINNED;

	msb_set(r->left, section);
	r->result->pinned += is_pinned;
	r->result->unconfirmed += live->verdict == LIVE_UNCONFIRMED;
	r->result->unreadable += live->verdict == LIVE_UNREADABLE;
	log_message(r->vol->ctx, is_pinned ? F2FS_LOG_INFO : F2FS_LOG_WARNING,
		    "section %u is left alone: block %u, of node %u: %s", (unsigned)section, (unsigned)live->at,
		    (unsigned)live->nid, live->why);
}
