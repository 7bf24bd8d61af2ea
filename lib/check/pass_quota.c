/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 8, quota: the hidden quota files are well formed and have the counted usage of each owner. Needs block counts
 * and links. Usage is that of all inodes but the quota files themselves (FORMAT files 9.3).
 */
#include "format/quota.h"

#include <string.h>

#include "base/error.h"
#include "check/passes.h"
#include "check/quota_left.h"
#include "facts/finding.h"
#include "file/data_read.h"
#include "file/inode_read.h"
#include "file/object.h"
#include "file/run.h"
#include "format/quota_walk.h"
#include "format/superblock.h"

struct usage {
	uint32_t id;
	uint64_t inodes, space;
	bool is_listed; /* in the quota file */
};

/* The tree of a quota file has small blocks, so pieces of the file are kept. */
#define WINDOW 16384u

struct quota_check {
	struct checker *c;
	enum quota_type type;
	f2fs_nid_t ino;
	struct f2fs_inode *file;
	struct map32 index; /* id -> index in usage */
	struct vec usage;   /* struct usage */
	bool is_damaged;
	uint8_t *window;
	uint64_t window_at;
	size_t window_size; /* 0: nothing was read */
};

static struct usage *find_usage(struct quota_check *q, uint32_t id)
{
	uint64_t *index = map32_find(&q->index, id);
	struct usage *usage;

	if (index)
		return vec_at(&q->usage, (size_t)*index);
	if (map32_set(&q->index, id, q->usage.count) != 0)
		return NULL;
	usage = vec_push(&q->usage, 1);
	if (usage)
		usage->id = id;
	return usage;
}

/* Return the owner whom an inode counts for, and its blocks; UINT32_MAX: nobody. */
static uint32_t owner_of(const struct facts *facts, f2fs_nid_t ino, enum quota_type type, uint64_t *blocks)
{
	const struct inode_class *class = facts_class_of(facts, ino, blocks);
	const struct inode_fact *inode = class ? NULL : facts_inode(facts, ino);
	const uint32_t ids[] = { class ? class->uid : inode->uid, class ? class->gid : inode->gid,
				 class ? class->projid : inode->projid };

	if (inode && (inode->state & INODE_HIDDEN))
		return UINT32_MAX;
	if (inode)
		*blocks = inode->blocks_found;
	return ids[type];
}

static int count_usage(struct quota_check *q)
{
	const struct facts *facts = &q->c->facts;

	for (uint32_t i = 0; i < facts_inode_count(facts); i++) {
		uint64_t blocks;
		const uint32_t id = owner_of(facts, facts_ino_nth(facts, i), q->type, &blocks);
		struct usage *usage = id == UINT32_MAX ? NULL : find_usage(q, id);

		if (id == UINT32_MAX)
			continue;
		if (!usage)
			return F2FS_ERR_NOMEM;
		usage->inodes++;
		usage->space += (blocks - 1) << facts->geo->block_bits;
	}
	return 0;
}

static int raise_usage(struct quota_check *q, enum problem problem, uint32_t id, uint64_t found, uint64_t expected)
{
	return problem_raise(q->c, &(struct finding){ .problem = (uint16_t)problem,
						      .nid = q->ino,
						      .ino = q->ino,
						      .has_slot = 1,
						      .slot = id,
						      .has_values = 1,
						      .found = found,
						      .expected = expected,
						      .text = quota_type_name(q->type) });
}

static int raise_limits(struct quota_check *q, uint32_t id)
{
	return problem_raise(q->c, &(struct finding){ .problem = P_QUOTA_LIMITS,
						      .nid = q->ino,
						      .ino = q->ino,
						      .has_slot = 1,
						      .slot = id,
						      .text = quota_type_name(q->type) });
}

static int compare_usage(struct quota_check *q, uint32_t id, const struct usage *counted, uint64_t inodes,
			 uint64_t space)
{
	int err = 0;

	if (counted->space != space)
		err = raise_usage(q, P_QUOTA_SPACE, id, space, counted->space);
	if (!err && counted->inodes != inodes)
		err = raise_usage(q, P_QUOTA_INODES, id, inodes, counted->inodes);
	return err;
}

static int take_entry(void *user, const struct quota_entry *entry)
{
	static const struct usage nothing;
	struct quota_check *q = user;
	uint64_t *index = entry->id == UINT32_MAX ? NULL : map32_find(&q->index, entry->id);
	struct usage *counted = index ? vec_at(&q->usage, (size_t)*index) : NULL;

	if (counted)
		counted->is_listed = true;
	return compare_usage(q, entry->id, counted ? counted : &nothing, entry->inodes, entry->space);
}

static int raise_tree(struct quota_check *q, const char *text)
{
	q->is_damaged = true;
	return problem_raise(
		q->c,
		&(struct finding){
			.problem = P_QUOTA_TREE, .rule = RULE_QUOTA_TREE, .nid = q->ino, .ino = q->ino, .text = text });
}

static int take_problem(void *user, const struct quota_problem *problem)
{
	struct quota_check *q = user;

	return q->is_damaged ? 0 : raise_tree(q, quota_problem_text(problem->kind));
}

static int read_file(void *user, uint64_t offset, void *buffer, size_t n)
{
	struct quota_check *q = user;
	const uint64_t at = offset - offset % WINDOW, size = inode_i_size(q->file->block);

	if (offset + n > at + WINDOW || offset + n > size)
		return data_read(q->file, offset, buffer, n);
	if (q->window_size == 0 || q->window_at != at) {
		const size_t most = size - at < WINDOW ? (size_t)(size - at) : WINDOW;
		int err = data_read(q->file, at, q->window, most);

		q->window_at = at;
		q->window_size = err ? 0 : most;
		if (err) { /* of another block, perhaps */
			error_clear(q->c->ctx);
			return data_read(q->file, offset, buffer, n);
		}
	}
	memcpy(buffer, q->window + (offset - at), n);
	return 0;
}

static int walk_file(struct quota_check *q)
{
	const struct quota_visitor visitor = { .user = q, .entry = take_entry, .problem = take_problem };
	struct f2fs_context *ctx = q->c->ctx;
	struct quota_work *work = mem_alloc(ctx, sizeof(*work));
	struct quota_file file;
	uint8_t *map;
	int rc = work ? quota_open(&file, read_file, q, inode_i_size(q->file->block)) : F2FS_ERR_NOMEM;

	if (rc == QUOTA_OK && file.type != q->type) {
		rc = raise_tree(q, "it has the wrong type");
	} else if (rc == QUOTA_DAMAGED) {
		rc = raise_tree(q, quota_problem_text(file.last_problem.kind));
	} else if (rc == QUOTA_OK) {
		map = mem_alloc(ctx, quota_check_size(&file) + 1);
		rc = map ? quota_check(&file, work, map, &visitor) : F2FS_ERR_NOMEM;
		mem_free(ctx, map);
	}
	mem_free(ctx, work);
	return rc > 0 ? 0 : rc;
}

static int check_unlisted(struct quota_check *q)
{
	int err = 0;

	for (size_t i = 0; i < q->usage.count && !err && !q->is_damaged; i++) {
		const struct usage *usage = vec_at(&q->usage, i);

		if (!usage->is_listed)
			err = compare_usage(q, usage->id, usage, 0, 0);
	}
	return err;
}

/* Errors of the image while reading the file are damage of the file. */
static int map_error(struct quota_check *q, int err)
{
	if (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO && err != F2FS_ERR_DAMAGED_DATA && err != F2FS_ERR_RANGE)
		return err;
	error_clear(q->c->ctx);
	return q->is_damaged ? 0 : raise_tree(q, "it cannot be read");
}

/* Report the owners whose limits are lost because their quota file is to be rebuilt. */
static int tell_lost(struct quota_check *q)
{
	struct quota_rescue left;
	int err;

	if (q->c->plain.feature & ~q->c->geo->feature & F2FS_FEAT_EXTRA_ATTR)
		return 0; /* all is read wrong until that is right */
	err = quota_read_left(q->c, q->type, &left);

	for (size_t i = 0; i < q->usage.count && !err; i++) {
		const uint32_t id = ((const struct usage *)vec_at(&q->usage, i))->id;

		if (!quota_rescue_find(&left, id))
			err = raise_limits(q, id);
	}
	for (size_t i = 0; i < left.lost.count && !err; i++) {
		const uint32_t id = *(const uint32_t *)vec_at(&left.lost, i);

		if (quota_rescue_find(&left, id) || !map32_find(&q->index, id))
			err = raise_limits(q, id);
	}
	if (!err && !left.has_grace)
		err = problem_raise(q->c, &(struct finding){ .problem = P_QUOTA_GRACE,
							     .nid = q->ino,
							     .ino = q->ino,
							     .text = quota_type_name(q->type) });
	quota_rescue_fini(&left);
	return err;
}

static int check_file(struct quota_check *q)
{
	const struct inode_fact *inode = facts_inode(&q->c->facts, q->ino);
	int err;

	err = count_usage(q);
	if (!err && (!inode || inode->type != F2FS_TYPE_REGULAR || inode->links != 1)) {
		err = problem_raise(q->c, &(struct finding){ .problem = P_QUOTA_INODE,
							     .nid = q->ino,
							     .ino = q->ino,
							     .text = quota_type_name(q->type) });
		return err ? err : tell_lost(q);
	}
	if (!err)
		err = inode_open(q->c->vol, q->ino, &q->file);
	if (!err) {
		q->window = mem_alloc(q->c->ctx, WINDOW);
		err = q->window ? walk_file(q) : F2FS_ERR_NOMEM;
		mem_free(q->c->ctx, q->window);
		f2fs_inode_close(q->file);
	}
	if (err)
		err = map_error(q, err);
	if (!err && q->is_damaged)
		return tell_lost(q);
	return err ? err : check_unlisted(q);
}

int pass_quota(struct checker *c)
{
	int err = 0;

	if (!geometry_has(c->geo, F2FS_FEAT_QUOTA))
		return 0;
	for (unsigned type = 0; type <= QUOTA_PROJECT && !err; type++) {
		struct quota_check q = { .c = c, .type = (enum quota_type)type, .ino = sb_qf_ino(c->vol->sb, type) };

		if (q.ino == 0)
			continue;
		vec_init(&q.usage, c->ctx, sizeof(struct usage));
		map32_init(&q.index, c->ctx);
		err = check_file(&q);
		vec_fini(&q.usage);
		map32_fini(&q.index);
	}
	return err;
}
