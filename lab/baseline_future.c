/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Place blocks by their deaths, which are known, as FK (future knowledge) of SepBIT's comparison does. A block that
 * dies within the next segment of written blocks is of the first class, and each further class has twice the time.
 * Users' writes and moved blocks are placed alike. Victims are greedy.
 *
 * This is a policy that knows the future, not a bound: victims and classes could be chosen better. lab/bound.h has
 * bounds. FK has six classes of one segment each, the last one open; powers of two need no number of segments. Time
 * is counted in blocks that users wrote. When overwrites wait for a checkpoint, the second run may write some blocks
 * at other times than the first. A block then dies at the first recorded time that is still to come.
 */
#include "lab/baseline_future.h"

#include <stdlib.h>
#include <string.h>

#include "lab/baseline.h"

#define NEVER UINT64_MAX
enum { EMPTY = 0 };

/* A block of a file; keys are numbers from 1. */
struct name {
	uint64_t file_block;
	f2fs_nid_t ino;
	uint32_t key; /* EMPTY: no name */
};

struct event {
	uint64_t time;
	uint32_t key;
};

struct lab_future {
	struct name *names; /* a table of a power of two, at most half full */
	uint32_t room, keys;
	struct event *events; /* in the order of time; after the turn by key, then time */
	size_t count, event_room;
	size_t *first, *at; /* [keys + 2] after the turn: the events of a key; the one that comes next */
	int is_known, is_short; /* of memory */
};

/* A placement of it. */
struct future_view {
	struct f2fs_geometry geo;
	struct lab_future *future;
	uint64_t now;
	uint32_t keys[]; /* by address */
};

static size_t hash_of(f2fs_nid_t ino, uint64_t file_block)
{
	uint64_t h = (file_block + 1) * 0x9e3779b97f4a7c15u ^ ino * 0xc2b2ae3d27d4eb4fu;

	return (size_t)(h ^ h >> 29);
}

static struct name *slot_of(const struct lab_future *f, f2fs_nid_t ino, uint64_t file_block)
{
	size_t at = hash_of(ino, file_block) & (f->room - 1);

	while (f->names[at].key != EMPTY && (f->names[at].ino != ino || f->names[at].file_block != file_block))
		at = (at + 1) & (f->room - 1);
	return &f->names[at];
}

static int grow(struct lab_future *f)
{
	struct name *old = f->names;
	const uint32_t room = f->room;

	if (room && f->keys < room / 2)
		return 0;
	f->names = room < 1u << 30 ? calloc(room ? (size_t)room * 2 : 4096, sizeof(*f->names)) : NULL;
	if (!f->names) {
		f->names = old;
		return -1;
	}
	f->room = room ? room * 2 : 4096;
	for (uint32_t i = 0; i < room; i++)
		if (old[i].key != EMPTY)
			*slot_of(f, old[i].ino, old[i].file_block) = old[i];
	free(old);
	return 0;
}

/* The key of a block, a new one while recording. EMPTY: nothing is known about it. */
static uint32_t key_of(struct lab_future *f, f2fs_nid_t ino, uint64_t file_block)
{
	struct name *name;

	if (!f->is_known && grow(f)) {
		f->is_short = 1;
		return EMPTY;
	}
	if (!f->room)
		return EMPTY;
	name = slot_of(f, ino, file_block);
	if (name->key == EMPTY && !f->is_known)
		*name = (struct name){ file_block, ino, ++f->keys };
	return name->key;
}

static void record(struct lab_future *f, uint32_t key, uint64_t time)
{
	if (f->is_known || key == EMPTY || f->is_short)
		return;
	if (f->count == f->event_room) {
		const size_t room = f->event_room ? f->event_room * 2 : 65536;
		struct event *more = realloc(f->events, room * sizeof(*more));

		if (!more) {
			f->is_short = 1;
			return;
		}
		f->events = more;
		f->event_room = room;
	}
	f->events[f->count++] = (struct event){ time, key };
}

/* The first event of a key after a time. Times of questions never go back. */
static uint64_t next_after(struct lab_future *f, uint32_t key, uint64_t time)
{
	if (key == EMPTY)
		return NEVER;
	while (f->at[key] < f->first[key + 1] && f->events[f->at[key]].time <= time)
		f->at[key]++;
	return f->at[key] < f->first[key + 1] ? f->events[f->at[key]].time : NEVER;
}

static unsigned class_of(struct future_view *v, uint32_t key, uint64_t time)
{
	const uint64_t death = next_after(v->future, key, time);
	unsigned class = 0;

	if (death == NEVER)
		return F2FS_STREAMS - 1;
	for (uint64_t left = (death - time) / F2FS_SEGMENT_BLOCKS; left && class < F2FS_STREAMS - 2; left /= 2)
		class++;
	return class;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	struct future_view *v = user;

	(void)old;
	if (!v->future->is_known)
		return F2FS_STREAM_NONE;
	return class_of(v, key_of(v->future, ino, file_block), v->now + 1);
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct future_view *v = user;
	const uint32_t key = key_of(v->future, ino, file_block);

	record(v->future, key, ++v->now);
	if (old)
		v->keys[lab_baseline_index(&v->geo, old)] = EMPTY;
	v->keys[lab_baseline_index(&v->geo, addr)] = key;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	struct future_view *v = user;

	(void)ino;
	if (!v->future->is_known)
		return F2FS_STREAM_NONE;
	return class_of(v, v->keys[lab_baseline_index(&v->geo, old)], v->now);
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct future_view *v = user;
	uint32_t *from = &v->keys[lab_baseline_index(&v->geo, old)];

	v->keys[lab_baseline_index(&v->geo, addr)] = *from;
	*from = EMPTY;
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct future_view *v = user;
	uint32_t *from = &v->keys[lab_baseline_index(&v->geo, addr)];

	record(v->future, *from, v->now);
	*from = EMPTY;
}

struct lab_future *lab_future_new(void)
{
	return calloc(1, sizeof(struct lab_future));
}

/* Sort the events by key; those of one key stay in the order of time. */
int lab_future_turn(struct lab_future *f)
{
	struct event *sorted = malloc((f->count + 1) * sizeof(*sorted));

	f->first = calloc((size_t)f->keys + 2, sizeof(*f->first));
	f->at = calloc((size_t)f->keys + 2, sizeof(*f->at));
	if (f->is_short || !sorted || !f->first || !f->at) {
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < f->count; i++)
		f->first[f->events[i].key + 1]++;
	for (uint32_t key = 0; key <= f->keys; key++)
		f->first[key + 1] += f->first[key];
	memcpy(f->at, f->first, ((size_t)f->keys + 2) * sizeof(*f->at));
	for (size_t i = 0; i < f->count; i++)
		sorted[f->at[f->events[i].key]++] = f->events[i];
	memcpy(f->at, f->first, ((size_t)f->keys + 2) * sizeof(*f->at));
	free(f->events);
	f->events = sorted;
	f->is_known = 1;
	return 0;
}

void lab_future_free(struct lab_future *f)
{
	if (!f)
		return;
	free(f->names);
	free(f->events);
	free(f->first);
	free(f->at);
	free(f);
}

size_t lab_future_placement(struct lab_future *future, const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t size = sizeof(struct future_view) +
			    ((size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS + 1) * sizeof(uint32_t);
	struct future_view *v = calloc(1, size);

	if (!v)
		return 0;
	v->geo = *geo;
	v->future = future;
	out->user = v;
	out->streams = future->is_known ? F2FS_STREAMS : 1;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	out->freed = freed;
	return size;
}
