/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of nodes that a search found: making it, and the question that everything else is built on: which node
 * stood at this place of this inode at that time?
 */
#include "base/error.h"
#include "base/sized.h"
#include "forensics/blank.h"
#include "forensics/past.h"
#include "forensics/past_claims.h"
#include "forensics/past_scan.h"
#include "volume/beside.h"
#include "volume/nat_read.h"

#include <f2fskit/write.h>
#include <string.h>

#define NEAR 4096u /* versions that are looked through around one */

/* Nodes of one id: the oldest first. */
static int compare_ages(const void *a, const void *b)
{
	const struct past_node *x = a, *y = b;

	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* By inode, node id, then the oldest first. */
static int compare_nodes(const void *a, const void *b)
{
	const struct past_node *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	if (x->nid != y->nid)
		return x->nid < y->nid ? -1 : 1;
	return compare_ages(a, b);
}

/* The first node that is not before (ino, nid). */
static size_t first_from(const struct f2fs_past *past, f2fs_nid_t ino, f2fs_nid_t nid)
{
	const struct past_node key = { .ino = ino, .nid = nid, .age = UINT32_MAX };

	return vec_first(&past->nodes, compare_nodes, &key);
}

const struct past_node *past_find(const struct f2fs_past *past, f2fs_nid_t ino, f2fs_nid_t nid, size_t *count)
{
	const size_t first = first_from(past, ino, nid);

	*count = first_from(past, ino, nid + 1) - first;
	return *count ? vec_at(&past->nodes, first) : NULL;
}

const struct past_node *past_find_all(const struct f2fs_past *past, f2fs_nid_t ino, size_t *count)
{
	const size_t first = first_from(past, ino, 0);

	*count = first_from(past, ino + 1, 0) - first;
	return *count ? vec_at(&past->nodes, first) : NULL;
}

int past_need_fresh(const struct f2fs_past *past)
{
	if (past->generation == past->vol->generation)
		return beside_check(past->vol);
	return error_set(past->vol->ctx, F2FS_ERR_STATE, "the volume was changed since it was searched for old nodes");
}

int past_need_now(const struct f2fs_past *past)
{
	if (past->as_of)
		return error_set(past->vol->ctx, F2FS_ERR_STATE,
				 "old versions and free blocks can be read from the volume only, not from a view of an "
				 "earlier checkpoint");
	return past_need_fresh(past);
}

int past_need_all(const struct f2fs_past *past)
{
	if (past->options.ino)
		return error_set(past->vol->ctx, F2FS_ERR_INVALID, "the search was for inode %u only",
				 (unsigned)past->options.ino);
	return past_need_now(past);
}

int past_need_inode(const struct f2fs_past *past, f2fs_nid_t ino)
{
	const struct f2fs_geometry *geo = &past->vol->geo;

	if (past->options.ino && past->options.ino != ino)
		return error_set(past->vol->ctx, F2FS_ERR_INVALID, "the search was for inode %u, not for %u",
				 (unsigned)past->options.ino, (unsigned)ino);
	if (!geometry_is_nid(geo, ino))
		return error_set(past->vol->ctx, F2FS_ERR_RANGE, "inode numbers go from %u to %u",
				 (unsigned)geo->root_ino, (unsigned)geo->max_nid - 1);
	return past_need_fresh(past);
}

/* Return the first of some nodes of one id that is younger than age, or as old and not before addr. */
static size_t position_of(const struct past_node *nodes, size_t count, uint32_t age, f2fs_blk_t addr)
{
	const struct past_node key = { .age = age, .addr = addr };

	return sorted_first(nodes, count, sizeof(key), compare_ages, &key);
}

/* Look for other uses of the inode number around one version. A version that is too far away is taken for another use:
 * then less is claimed. */
static void find_uses(const struct past_node *nodes, size_t count, size_t at, struct past_time *out)
{
	size_t steps = 0;

	for (size_t i = at; i-- > 0 && !out->has_before && steps < NEAR; steps++) {
		if (nodes[i].place == out->generation)
			continue;
		out->has_before = true;
		out->before_age = nodes[i].age;
	}
	steps = 0;
	for (size_t i = at + 1; i < count && !out->is_succeeded; i++) {
		out->is_succeeded = nodes[i].place != out->generation || ++steps == NEAR;
		if (nodes[i].place != out->generation)
			continue;
		out->last_addr = nodes[i].addr;
		if (out->has_next)
			continue;
		out->has_next = true;
		out->next_age = nodes[i].age;
		out->next_addr = nodes[i].addr;
	}
}

const struct past_node *past_before(const struct f2fs_past *past, const struct past_node *nodes, size_t count,
				    bool *is_unsure)
{
	const size_t end = count ? position_of(nodes, count, past->as_of_age, UINT32_MAX) : 0;

	*is_unsure = end > 1 && nodes[end - 2].age == nodes[end - 1].age;
	return end ? &nodes[end - 1] : NULL;
}

bool past_time_of(struct f2fs_past *past, const uint8_t *block, f2fs_blk_t addr, struct past_time *out)
{
	const uint8_t *footer = node_footer(&past->vol->geo, block);
	const f2fs_nid_t ino = footer_ino(footer);
	struct f2fs_nat_info entry;
	size_t count, at;
	const struct past_node *nodes = past_find(past, ino, ino, &count);

	memset(out, 0, sizeof(*out));
	out->ino = ino;
	out->age = past->newest - (uint32_t)footer_cp_ver(footer);
	out->generation = inode_i_generation(block);
	out->is_current = nat_get(past->vol, ino, &entry) == 0 && entry.block_addr == addr;
	at = position_of(nodes, count, out->age, addr);
	if (at == count || nodes[at].addr != addr)
		return false;
	find_uses(nodes, count, at, out);
	out->is_last = !out->has_next;
	return true;
}

/* Is a node of the same use of the inode number, as far as ages show? */
static bool is_of_time(const struct past_time *time, const struct past_node *node)
{
	return !time->has_before || node->age <= time->before_age;
}

/* The youngest of nodes [0, end) that stood at a place, and whether others are as young. */
static void choose_before(const struct past_time *time, const struct past_node *nodes, size_t end, uint32_t place,
			  struct past_choice *out)
{
	for (size_t i = end, steps = 0; i-- > 0 && steps < NEAR; steps++) {
		const struct past_node *node = &nodes[i];

		if (!is_of_time(time, node) || (out->node && node->age != out->node->age))
			break;
		if (node->place != place)
			continue;
		out->is_unsure = out->node != NULL;
		if (out->is_unsure)
			break;
		out->node = node;
	}
}

void past_choose(const struct f2fs_past *past, const struct past_time *time, f2fs_nid_t nid, uint32_t place,
		 struct past_choice *out)
{
	const bool wants_newest = time->is_last && !time->is_succeeded;
	size_t count, end;
	const struct past_node *nodes = past_find(past, time->ino, nid, &count);

	memset(out, 0, sizeof(*out));
	end = wants_newest ? count : position_of(nodes, count, time->age, UINT32_MAX);
	choose_before(time, nodes, end, place, out);
	/* a view shows nothing that was written after it */
	for (size_t i = end, steps = 0;
	     !out->node && !past->as_of && !time->is_succeeded && i < count && steps < NEAR; i++, steps++) {
		if (time->has_next && nodes[i].age <= time->next_age)
			break;
		if (nodes[i].place == place)
			out->node = &nodes[i];
	}
	out->is_later = out->node && out->node->age < time->age;
}

static void init(struct f2fs_past *past, struct f2fs_volume *vol, const struct f2fs_past_options *options)
{
	const uint64_t other = vol->pack_version[2 - vol->view->pack];

	past->vol = vol;
	past->generation = vol->generation;
	past->failed_before = vol->failed_reads;
	if (options)
		past->options = *options;
	past->has_newest = vol->pack_state[vol->view->pack - 1] == 0;
	past->newest = (uint32_t)cp_checkpoint_ver(vol->view->cp);
	if (vol->pack_state[2 - vol->view->pack] == 0 && (int64_t)(other - cp_checkpoint_ver(vol->view->cp)) > 0)
		past->newest = (uint32_t)other;
	if (!past->has_newest)
		past->newest = UINT32_MAX;
	past->is_clean = past->has_newest && (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_unmount);
	vec_init(&past->nodes, vol->ctx, sizeof(struct past_node));
	map32_init(&past->claims, vol->ctx);
	blank_init(&past->blanks, vol->ctx);
}

static int check_options(struct f2fs_volume *vol, const struct f2fs_past_options *o)
{
	if (o && (o->flags & ~(unsigned)F2FS_PAST_THOROUGH))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "unknown flags of a search: %x", o->flags);
	if (o && o->ino && !geometry_is_nid(&vol->geo, o->ino))
		return error_set(vol->ctx, F2FS_ERR_RANGE, "inode numbers go from %u to %u",
				 (unsigned)vol->geo.root_ino, (unsigned)vol->geo.max_nid - 1);
	if (f2fs_volume_transaction(vol) != F2FS_TRANSACTION_NONE)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "cannot judge old blocks while changes wait for their commit: commit or roll back "
				 "first");
	return 0;
}

int past_open(struct f2fs_volume *vol, const struct f2fs_past_options *options, struct f2fs_past **out)
{
	struct f2fs_past *past;
	int err;

	err = check_options(vol, options);
	if (err)
		return err;
	if (vol->as_of) /* it was searched when it was opened */
		return past_copy(vol->as_of, vol, out);
	past = mem_zalloc(vol->ctx, sizeof(*past));
	if (!past)
		return F2FS_ERR_NOMEM;
	init(past, vol, options);
	past->segment = mem_zalloc(vol->ctx, sizeof(*past->segment));
	err = past->segment ? past_scan(past) : F2FS_ERR_NOMEM;
	if (!err)
		err = past_claim(past);
	if (err) {
		f2fs_past_close(past);
		return err;
	}
	vec_sort(&past->nodes, compare_nodes);
	error_clear(vol->ctx);
	*out = past;
	return 0;
}

int f2fs_past_open(struct f2fs_volume *vol, const struct f2fs_past_options *options, struct f2fs_past **out)
{
	struct f2fs_past_options own;
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	return err ? err : past_open(vol, &own, out);
}

int past_copy(const struct f2fs_past *past, struct f2fs_volume *vol, struct f2fs_past **out)
{
	struct f2fs_past *copy = mem_zalloc(vol->ctx, sizeof(*copy));
	struct past_node *nodes;
	size_t at = 0;
	uint32_t addr;
	uint64_t value;
	int err = 0;

	if (!copy)
		return F2FS_ERR_NOMEM;
	init(copy, vol, &past->options);
	copy->stat = past->stat;
	copy->newest = past->newest;
	copy->has_newest = past->has_newest;
	copy->is_clean = past->is_clean;
	copy->as_of = past->as_of;
	copy->as_of_age = past->as_of_age;
	copy->segment = mem_zalloc(vol->ctx, sizeof(*copy->segment));
	nodes = past->nodes.count ? vec_push(&copy->nodes, past->nodes.count) : NULL;
	if (!copy->segment || (past->nodes.count && !nodes))
		err = F2FS_ERR_NOMEM;
	if (!err && nodes)
		memcpy(nodes, past->nodes.items, past->nodes.count * sizeof(*nodes));
	while (!err && map32_each(&past->claims, &at, &addr, &value))
		err = map32_set(&copy->claims, addr, value);
	if (err) {
		f2fs_past_close(copy);
		return err;
	}
	*out = copy;
	return 0;
}

void f2fs_past_close(struct f2fs_past *past)
{
	if (!past)
		return;
	vec_fini(&past->nodes);
	map32_fini(&past->claims);
	blank_fini(&past->blanks, past->vol->ctx);
	mem_free(past->vol->ctx, past->segment);
	mem_free(past->vol->ctx, past);
}

void f2fs_past_stat(const struct f2fs_past *past, struct f2fs_past_stat *out)
{
	struct f2fs_past_stat own = past->stat;

	own.unreadable += past->vol->failed_reads - past->failed_before;
	own.newest = past->has_newest ? past_last(past) : 0;
	sized_give(out, &own, sizeof(own));
}
