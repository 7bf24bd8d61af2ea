/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Free blocks and nodes in use no more. Free is what neither the SIT has nor a node that was written after the last
 * checkpoint names.
 */
#include "forensics/leftovers.h"

#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "forensics/slack.h"
#include "volume/block_read.h"
#include "volume/sit_read.h"

const char *f2fs_leftover_kind_name(int kind)
{
	static const char *const names[] = { "free", "node", "slack" };

	return kind >= 0 && kind <= F2FS_LEFTOVER_SLACK ? names[kind] : "?";
}

static int compare_places(const void *a, const void *b)
{
	const struct past_node *const *x = a, *const *y = b;

	return ((*x)->addr > (*y)->addr) - ((*x)->addr < (*y)->addr);
}

int leftovers_init(struct leftovers *l, struct f2fs_past *past)
{
	memset(l, 0, sizeof(*l));
	l->past = past;
	l->holes.dev = past->vol->dev;
	l->count = past->nodes.count;
	if (l->count == 0)
		return 0;
	l->nodes = mem_calloc(past->vol->ctx, l->count, sizeof(l->nodes[0]));
	if (!l->nodes)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < l->count; i++)
		l->nodes[i] = vec_at(&past->nodes, i);
	qsort(l->nodes, l->count, sizeof(l->nodes[0]), compare_places);
	return 0;
}

void leftovers_fini(struct leftovers *l)
{
	mem_free(l->past->vol->ctx, (void *)l->nodes);
	l->nodes = NULL;
}

/* Blocks that are not in use; a SIT that cannot be read says nothing, so none. */
static int mark_free(struct leftovers *l, f2fs_seg_t segno, uint8_t *blocks)
{
	struct f2fs_volume *vol = l->past->vol;
	const f2fs_blk_t start = geometry_segment_start(&vol->geo, segno);
	struct f2fs_segment_info sit;
	int err = sit_lookup(vol, segno, &sit);

	memset(blocks, LEFTOVER_USED, F2FS_SEGMENT_BLOCKS);
	if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
		return err;
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++)
		if (!msb_test(sit.valid_map, i) && !map32_find(&l->past->claims, start + i))
			blocks[i] = LEFTOVER_FREE;
	error_clear(vol->ctx);
	return 0;
}

static void unmark_holes(struct leftovers *l, f2fs_blk_t start, uint8_t *blocks)
{
	const uint64_t bs = l->past->vol->geo.block_size;

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS;) {
		const uint64_t hole = blocks[i] == LEFTOVER_FREE ? holes_at(&l->holes, (start + i) * bs) / bs : 0;
		const uint32_t end = hole < F2FS_SEGMENT_BLOCKS - i ? i + (uint32_t)hole : F2FS_SEGMENT_BLOCKS;

		if (end == i)
			i++;
		for (; i < end; i++)
			blocks[i] = LEFTOVER_USED;
	}
}

int leftovers_of_segment(struct leftovers *l, f2fs_seg_t segno, bool with_holes, uint8_t *blocks, size_t *first)
{
	const f2fs_blk_t start = geometry_segment_start(&l->past->vol->geo, segno);
	int err = mark_free(l, segno, blocks);

	if (err)
		return err;
	while (l->next < l->count && l->nodes[l->next]->addr < start)
		l->next++;
	*first = l->next;
	if (!with_holes)
		unmark_holes(l, start, blocks);
	for (size_t i = l->next; i < l->count && l->nodes[i]->addr - start < F2FS_SEGMENT_BLOCKS; i++)
		if (blocks[l->nodes[i]->addr - start] == LEFTOVER_FREE)
			blocks[l->nodes[i]->addr - start] = LEFTOVER_NODE;
	return 0;
}

/* Ranges on their way to the caller; free ones are reported when they end. */
struct teller {
	struct leftovers list;
	unsigned flags;
	int (*visit)(void *user, const struct f2fs_leftover *range);
	void *user;
	struct f2fs_leftover row; /* free blocks so far; length 0: none */
};

static int flush(struct teller *t)
{
	int err = t->row.length ? t->visit(t->user, &t->row) : 0;

	t->row.length = 0;
	return err;
}

static int tell_node(struct teller *t, const struct past_node *node)
{
	const uint64_t bs = t->list.past->vol->geo.block_size;
	const struct f2fs_leftover range = { .kind = F2FS_LEFTOVER_NODE,
					     .offset = node->addr * bs,
					     .length = bs,
					     .ino = node->ino,
					     .nid = node->nid,
					     .age = node->age };

	return t->flags & F2FS_LEFTOVERS_NODES ? t->visit(t->user, &range) : 0;
}

static int tell_segment(struct teller *t, f2fs_seg_t segno)
{
	const struct f2fs_geometry *geo = &t->list.past->vol->geo;
	const f2fs_blk_t start = geometry_segment_start(geo, segno);
	uint8_t blocks[F2FS_SEGMENT_BLOCKS];
	size_t node;
	int err = leftovers_of_segment(&t->list, segno, t->flags & F2FS_LEFTOVERS_EMPTY, blocks, &node);

	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++) {
		const uint64_t offset = (uint64_t)(start + i) << geo->block_bits;

		while (node < t->list.count && t->list.nodes[node]->addr < start + i)
			node++;
		if (blocks[i] == LEFTOVER_FREE && (t->flags & F2FS_LEFTOVERS_FREE)) {
			if (t->row.length == 0)
				t->row.offset = offset;
			t->row.length += geo->block_size;
			continue;
		}
		err = flush(t);
		if (!err && blocks[i] == LEFTOVER_NODE)
			err = tell_node(t, t->list.nodes[node]);
	}
	return err;
}

static int tell_blocks(struct teller *t)
{
	struct f2fs_past *past = t->list.past;
	struct f2fs_progress progress = { .task = "leftovers", .phase = "blocks", .unit = "segments" };
	int err = leftovers_init(&t->list, past);

	progress.total = past->vol->geo.segment_count_main;
	for (f2fs_seg_t i = 0; i < past->vol->geo.segment_count_main && !err; i++) {
		err = tell_segment(t, i);
		progress.done = i + 1;
		if (!err && i % 64 == 0)
			err = progress_report(past->vol->ctx, &progress);
	}
	if (!err)
		err = flush(t);
	leftovers_fini(&t->list);
	return err;
}

int f2fs_past_list_leftovers(struct f2fs_past *past, unsigned flags,
			     int (*visit)(void *user, const struct f2fs_leftover *range), void *user)
{
	const unsigned kinds = F2FS_LEFTOVERS_FREE | F2FS_LEFTOVERS_NODES | F2FS_LEFTOVERS_SLACK;
	struct teller t = { .list.past = past, .visit = visit, .user = user };
	int err;

	error_clear(past->vol->ctx);
	if (flags & ~(kinds | F2FS_LEFTOVERS_EMPTY))
		return error_set(past->vol->ctx, F2FS_ERR_INVALID, "unknown flags: %x", flags);
	err = past_need_now(past);
	if (err)
		return err;
	t.flags = flags & kinds ? flags : flags | kinds;
	if (t.flags & (F2FS_LEFTOVERS_FREE | F2FS_LEFTOVERS_NODES))
		err = tell_blocks(&t);
	if (!err && (t.flags & F2FS_LEFTOVERS_SLACK))
		err = leftovers_slack(past, t.flags & F2FS_LEFTOVERS_EMPTY, visit, user);
	if (!err)
		error_clear(past->vol->ctx);
	return err;
}

int f2fs_volume_read(struct f2fs_volume *vol, uint64_t offset, void *buffer, size_t length)
{
	const uint64_t start = (uint64_t)vol->geo.main_blkaddr << vol->geo.block_bits;
	const uint64_t end = (uint64_t)vol->geo.end_blkaddr << vol->geo.block_bits;

	error_clear(vol->ctx);
	if (offset < start || offset > end || length > end - offset)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "%llu bytes at %llu are not in the main area",
				 (unsigned long long)length, (unsigned long long)offset);
	if (length == 0)
		return 0;
	return volume_read(vol, (f2fs_blk_t)(offset >> vol->geo.block_bits), offset & (vol->geo.block_size - 1), buffer,
			   length);
}
