/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute the room for a batch. Old blocks stay in use until the commit, so a batch needs room for all moved blocks,
 * and wins nothing before that. With many free sections it is enough that each section fits. With few of them a batch
 * is begun only if it is proved beforehand that it wins room; moved blocks may fill holes of segments that are no
 * victims.
 */
#include <string.h>

#include "base/bitmap.h"
#include "gc/live.h"
#include "gc/room.h"
#include "gc/run.h"
#include "gc/victims.h"
#include "log/segment_choose.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/streams.h"
#include "volume/zone_map.h"

enum {
	LOOK_SECTIONS = 64, /* with more free sections than that holes need not be counted */
	HOLES_KEPT = 64,    /* that logs may need to end in */
	NODE_LOGS = 3
};

/* Blocks that find no hole. */
static uint64_t beyond(uint64_t n, uint64_t holes)
{
	holes = holes > HOLES_KEPT ? holes - HOLES_KEPT : 0;
	return n > holes ? n - holes : 0;
}

/* Return the sections that a log begins for n blocks, and for the block after them, where it ends. */
static uint64_t data_sections(const struct run *r, uint64_t n)
{
	n = beyond(n, r->holes.data_holes);
	return n < r->log_rooms[0] ? 0 : (n - r->log_rooms[0]) / r->victims.view.blocks + 1;
}

/* The same for nodes: how many go to which log is not known, so it is the most that can be. */
static uint64_t node_sections(const struct run *r, uint64_t n)
{
	uint64_t sections;

	n = beyond(n, r->holes.node_holes);
	sections = n / r->victims.view.blocks;
	for (unsigned i = 1; i <= NODE_LOGS; i++)
		sections += r->log_rooms[i] <= n;
	return sections;
}

/* Blocks of pinned files share no section with others. */
static uint64_t pinned_sections(const struct run *r, uint64_t n)
{
	return (n + r->victims.view.blocks - 1) / r->victims.view.blocks;
}

/* Nodes that a batch writes with the victim at hand, each victim's by themselves: the most that it can be. A node that
 * owns blocks of several victims is written once, so they are no more than the volume has; that lets larger batches
 * begin, when no small one can be proved to win. */
static uint64_t nodes_with(const struct run *r)
{
	const uint64_t nodes = r->nodes + r->live.owners + (r->live.blocks.count - r->live.data);
	const uint64_t all = r->vol->txn->valid_nodes;

	return r->shares_nodes && nodes > all ? all : nodes;
}

bool room_fits(const struct run *r)
{
	return data_sections(r, r->data + r->live.data - r->live.pinned) +
		       pinned_sections(r, r->pinned + r->live.pinned) +
		       node_sections(r, nodes_with(r)) <=
	       r->free_sections;
}

void room_note(struct run *r, uint32_t section)
{
	r->result->next_section = section;
	r->result->next_blocks = (uint32_t)r->live.blocks.count;
	r->result->next_nodes = r->live.owners;
}

uint32_t room_predict(const struct run *r)
{
	const uint64_t spent = (r->data + r->pinned + r->nodes + r->victims.view.blocks - 1) / r->victims.view.blocks;
	const uint64_t won = (uint64_t)r->victims.free + r->result->sections;

	return (uint32_t)(won > spent ? won - spent : 0);
}

/* How many victims the limits let a batch take at most. */
static size_t most_victims(const struct run *r)
{
	const struct f2fs_gc_options *o = &r->options;
	size_t most = r->victims.count;

	if (o->sections && most > o->sections - r->result->sections)
		most = o->sections - r->result->sections;
	return most;
}

size_t room_plan_dry(const struct run *r)
{
	const struct f2fs_gc_options *o = &r->options;
	const struct gc_candidate *list = r->victims.list.items;
	size_t n = 0, most = most_victims(r);
	uint64_t blocks = 0;

	if (o->free_goal && most > o->free_goal - r->victims.free)
		most = o->free_goal - r->victims.free;
	for (; n < most && (n == 0 || o->dry_run || blocks + list[n].valid <= BATCH_BLOCKS); n++)
		blocks += list[n].valid;
	return n;
}

/* Bar a victim, and count its holes as lost (sign -1) or there again (+1). */
static int set_victim(struct run *r, uint32_t section, int sign)
{
	struct txn *txn = r->vol->txn;
	const f2fs_seg_t first = section * r->vol->geo.segs_per_sec, end = first + r->vol->geo.segs_per_sec;
	int err = sign < 0 ? segments_bar(txn, first, end) : segments_unbar(txn, first, end);

	for (f2fs_seg_t i = first; i < end && !err && (r->fills_holes || r->plugs); i++) {
		struct segment *s;
		uint64_t *holes;

		err = segment_get(txn, i, &s);
		if (err || s->valid == 0 || (s->type >= F2FS_HOT_NODE && !r->fills_holes))
			continue;
		holes = s->type >= F2FS_HOT_NODE ? &r->holes.node_holes : &r->holes.data_holes;
		if (sign < 0)
			*holes -= *holes < F2FS_SEGMENT_BLOCKS - s->valid ? *holes : F2FS_SEGMENT_BLOCKS - s->valid;
		else
			*holes += F2FS_SEGMENT_BLOCKS - s->valid;
	}
	return err;
}

/* Does a batch of that many victims win room? Their unused blocks are then together, as whole sections and in the logs,
 * so that each batch wins. */
static bool wins(const struct run *r, size_t victims)
{
	return (uint64_t)victims * r->victims.view.blocks >
	       beyond(r->data, r->holes.data_holes) + r->pinned + beyond(r->nodes, r->holes.node_holes);
}

static uint64_t sections_spent(const struct run *r)
{
	return data_sections(r, r->data) + pinned_sections(r, r->pinned) + node_sections(r, r->nodes);
}

static bool is_enough(const struct run *r, size_t victims)
{
	const uint64_t spent = sections_spent(r);

	return r->options.free_goal && victims > spent && r->victims.free + victims - spent >= r->options.free_goal;
}

/*
 * Is the next victim the first that would no longer fit into holes, while those before it win something? As long as
 * there are holes each victim wins a section; after that it takes several to win one. So the batch ends, and the next
 * one starts with exact counts instead of worst cases.
 */
static bool ends_holes(const struct run *r, size_t proved)
{
	const uint64_t more = r->live.data - r->live.pinned, holes = r->holes.data_holes;

	return (r->fills_holes || r->plugs) && proved > sections_spent(r) &&
	       beyond(r->data + more, holes) > beyond(r->data, holes);
}

/*
 * Choose the fewest victims that are proved to win room, and more of them up to the goal. Victims still without proof
 * when room ends are dropped.
 */
static int plan_with_proof(struct run *r, size_t *count)
{
	struct gc_candidate *list = r->victims.list.items;
	const size_t most = most_victims(r);
	size_t chosen = 0, proved = 0;
	bool goes_on = true;
	int err = 0;

	for (size_t i = 0; i < r->victims.count && chosen < most && goes_on && !err; i++) {
		const struct gc_candidate next = list[i];

		if (msb_test(r->left, next.section)) /* since the first plan */
			continue;
		err = live_find(&r->live, next.section);
		if (!err && r->live.verdict != LIVE_CONFIRMED) {
			gc_leave(r, next.section);
			continue;
		}
		if (!err && chosen == 0)
			room_note(r, next.section);
		if (!err)
			err = set_victim(r, next.section, -1);
		if (err)
			break;
		if (!room_fits(r) || r->data + r->pinned + r->live.data > BATCH_BLOCKS ||
		    (proved == chosen && ends_holes(r, proved))) {
			err = set_victim(r, next.section, 1);
			break;
		}
		r->data += r->live.data - r->live.pinned;
		r->pinned += r->live.pinned;
		r->nodes = nodes_with(r);
		list[i] = list[chosen]; /* one that is left alone, if another: each stays in the list once */
		list[chosen++] = next;
		if (wins(r, chosen))
			proved = chosen;
		goes_on = r->nodes < BATCH_NODES && !(proved == chosen && is_enough(r, chosen));
	}
	while (!err && chosen > proved)
		err = set_victim(r, list[--chosen].section, 1);
	if (proved > 0)
		r->result->next_section = r->result->next_blocks = r->result->next_nodes = 0;
	*count = proved;
	return err;
}

/* Blocks that an appending log can take before it begins a section. */
static int log_room(struct txn *txn, unsigned type, uint64_t *out)
{
	const struct head *head = &txn->heads[head_of(txn, type)];
	const uint32_t sps = txn->vol->geo.segs_per_sec;
	int err = 0;

	*out = head->alloc_type == ALLOC_APPEND ? zones_usable(txn->vol, head->segno) - head->blkoff : 0;
	for (f2fs_seg_t i = head->segno + 1; i % sps != 0 && head->alloc_type == ALLOC_APPEND && !err; i++) {
		struct segment *s;

		err = segment_get(txn, i, &s);
		if (!err && segment_is_free(s) && !s->is_barred && !segment_is_current(txn, i))
			*out += zones_usable(txn->vol, i);
	}
	return err;
}

/* Count the room of the logs in their present segments, and the holes if they are filled. */
static int look(struct run *r)
{
	struct txn *txn = r->vol->txn;
	int err = segment_needs_holes(txn, &r->fills_holes);

	if (!err && (r->fills_holes || r->plugs))
		err = space_look(txn, &r->holes);
	if (!r->fills_holes)
		r->holes.node_holes = 0;
	if (!err)
		err = log_room(txn, F2FS_COLD_DATA, &r->log_rooms[0]);
	for (unsigned i = 0; i < NODE_LOGS && !err; i++)
		err = log_room(txn, F2FS_HOT_NODE + i, &r->log_rooms[1 + i]);
	return err;
}

int room_plan(struct run *r, size_t *count)
{
	const struct f2fs_placement *placement = placement_of(r->vol);
	const struct gc_candidate *list = r->victims.list.items;
	int err = 0;

	r->data = r->pinned = r->nodes = 0;
	memset(&r->holes, 0, sizeof(r->holes));
	memset(r->log_rooms, 0, sizeof(r->log_rooms));
	r->fills_holes = r->shares_nodes = false;
	r->free_sections = r->victims.free;
	if (placement && placement->moving && r->victims.free > 2 * placement->streams) { /* each may begin a section */
		r->free_sections -= placement->streams;
		r->vol->txn->fills_streams = true;
	}
	*count = room_plan_dry(r);
	if (r->victims.free <= LOOK_SECTIONS) {
		err = look(r);
		if (!err)
			err = plan_with_proof(r, count);
		if (!err && *count == 0) {
			r->shares_nodes = true;
			r->data = r->pinned = r->nodes = 0;
			err = plan_with_proof(r, count);
		}
		r->data = r->pinned = r->nodes = 0;
		return err;
	}
	for (size_t i = 0; i < *count && !err; i++)
		err = set_victim(r, list[i].section, -1);
	return err;
}
