/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading a damaged quota file: first along the tree, as far as it leads; what that finds counts. Then every block that
 * looks like a leaf is looked through for entries that the tree does not lead to any more. Numbers that no quota can be
 * are left out.
 */
#include "format/quota_rescue.h"

#include "format/quota_tree.h"
#include "format/quota_walk.h"
#include "format/structs.h"

#define WEEK 604800u
#define MAX_GRACE (10u * 365u * 86400u) /* seconds */
#define MAX_SPACE ((uint64_t)1 << 53)	/* KiB: the kernel counts bytes in 63 bits */
#define MAX_INODES ((uint64_t)1 << 48)	/* node ids have 32 bits */
#define MAX_TIME ((uint64_t)1 << 40)	/* seconds since 1970 */

struct search {
	struct quota_rescue *out;
	struct quota_file file;
	struct quota_work *work;
	struct vec missing; /* uint32_t: ids that the tree knows, but not their leaf */
};

static int add_id(struct vec *ids, uint32_t id)
{
	uint32_t *lost = vec_push(ids, 1);

	if (!lost)
		return F2FS_ERR_NOMEM;
	*lost = id;
	return 0;
}

/* Clear a number that cannot be; true: it was one. */
static bool clear_beyond(uint64_t *number, uint64_t most)
{
	const bool is_beyond = *number > most;

	if (is_beyond)
		*number = 0;
	return is_beyond;
}

/* Is there a number in an entry that cannot be? It becomes zero. */
static bool clean(struct quota_entry *e)
{
	bool is_bad = clear_beyond(&e->inodes_soft, MAX_INODES);

	is_bad |= clear_beyond(&e->inodes_hard, MAX_INODES);
	is_bad |= clear_beyond(&e->space_soft, MAX_SPACE);
	is_bad |= clear_beyond(&e->space_hard, MAX_SPACE);
	is_bad |= clear_beyond(&e->inodes_grace, MAX_TIME);
	is_bad |= clear_beyond(&e->space_grace, MAX_TIME);
	return is_bad;
}

static int keep(void *user, const struct quota_entry *entry)
{
	struct search *s = user;
	struct quota_entry *kept;
	int err;

	if (entry->id == UINT32_MAX || map32_find(&s->out->index, entry->id))
		return 0;
	err = map32_set(&s->out->index, entry->id, s->out->entries.count);
	if (err)
		return err;
	kept = vec_push(&s->out->entries, 1);
	if (!kept)
		return F2FS_ERR_NOMEM;
	*kept = *entry;
	return clean(kept) ? add_id(&s->out->lost, entry->id) : 0;
}

static int note_problem(void *user, const struct quota_problem *problem)
{
	struct search *s = user;

	return problem->kind == QUOTA_NO_ENTRY ? add_id(&s->missing, problem->id) : 0;
}

/* The header as far as it can be believed; the rest as every quota file has it. */
static int take_header(struct search *s, enum quota_type type, uint64_t size)
{
	const uint64_t blocks = size / QUOTA_BLOCK_SIZE;
	uint8_t raw[qhead_SIZE];
	int err = s->file.read(s->file.user, 0, raw, sizeof(raw));

	if (err)
		return err;
	s->file.type = type;
	s->file.version = 1;
	s->file.blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
	s->out->space_grace = s->out->inodes_grace = WEEK;
	if (qhead_dqh_magic(raw) != quota_magic(type) || qhead_dqh_version(raw) > 1)
		return 0;
	s->file.version = qhead_dqh_version(raw);
	s->out->has_grace = qhead_dqi_bgrace(raw) - 1 < MAX_GRACE && qhead_dqi_igrace(raw) - 1 < MAX_GRACE;
	if (!s->out->has_grace)
		return 0;
	s->out->space_grace = qhead_dqi_bgrace(raw);
	s->out->inodes_grace = qhead_dqi_igrace(raw);
	return 0;
}

/* An entry with something where there is always zero. */
static bool is_overwritten(const struct search *s, const uint8_t *raw)
{
	return s->file.version == 1 && quota_dqb_pad(raw) != 0;
}

/* Is this a leaf: as many entries as it says, most of which can be, and nothing else? */
static bool is_leaf(const struct search *s, const uint8_t *leaf)
{
	unsigned used = 0, bad = 0;

	for (unsigned i = 0; i < quota_leaf_entries(&s->file); i++) {
		const uint8_t *raw = quota_leaf_entry(&s->file, leaf, i);
		struct quota_entry entry;

		if (!quota_entry_is_used(&s->file, raw))
			continue;
		used++;
		quota_entry_decode(&s->file, raw, &entry);
		bad += clean(&entry) || is_overwritten(s, raw);
	}
	return used > 2 * bad && qleaf_dqdh_entries(leaf) == used && qleaf_dqdh_pad1(leaf) == 0 &&
	       qleaf_dqdh_pad2(leaf) == 0;
}

static int search_leaves(struct search *s)
{
	int err = 0;

	for (uint32_t block = QUOTA_ROOT + 1; block < s->file.blocks && !err; block++) {
		err = quota_read_block(&s->file, block, s->work->leaf);
		if (err || !is_leaf(s, s->work->leaf))
			continue;
		for (unsigned i = 0; i < quota_leaf_entries(&s->file) && !err; i++) {
			const uint8_t *raw = quota_leaf_entry(&s->file, s->work->leaf, i);
			struct quota_entry entry;

			if (!quota_entry_is_used(&s->file, raw) || is_overwritten(s, raw))
				continue;
			quota_entry_decode(&s->file, raw, &entry);
			err = keep(s, &entry);
		}
	}
	return err;
}

static int tell_missing(struct search *s)
{
	int err = 0;

	for (size_t i = 0; i < s->missing.count && !err; i++) {
		const uint32_t id = *(const uint32_t *)vec_at(&s->missing, i);

		if (!quota_rescue_find(s->out, id))
			err = add_id(&s->out->lost, id);
	}
	return err;
}

int quota_rescue(struct quota_rescue *out, struct f2fs_context *ctx, enum quota_type type,
		 int (*read)(void *user, uint64_t offset, void *buf, size_t n), void *user, uint64_t size)
{
	struct search s = { .out = out, .file = { .read = read, .user = user } };
	const struct quota_visitor visitor = { .user = &s, .entry = keep, .problem = note_problem };
	int err;

	memset(out, 0, sizeof(*out));
	vec_init(&out->entries, ctx, sizeof(struct quota_entry));
	vec_init(&out->lost, ctx, sizeof(uint32_t));
	map32_init(&out->index, ctx);
	vec_init(&s.missing, ctx, sizeof(uint32_t));
	s.work = mem_alloc(ctx, sizeof(*s.work));
	if (!s.work)
		return F2FS_ERR_NOMEM;
	err = take_header(&s, type, size);
	if (!err && s.file.blocks > QUOTA_ROOT)
		err = quota_walk(&s.file, s.work, &visitor);
	if (err >= 0)
		err = search_leaves(&s);
	if (!err)
		err = tell_missing(&s);
	vec_fini(&s.missing);
	mem_free(ctx, s.work);
	return err;
}

void quota_rescue_fini(struct quota_rescue *rescue)
{
	vec_fini(&rescue->entries);
	vec_fini(&rescue->lost);
	map32_fini(&rescue->index);
}

const struct quota_entry *quota_rescue_find(const struct quota_rescue *rescue, uint32_t id)
{
	const uint64_t *index = id == UINT32_MAX ? NULL : map32_find(&rescue->index, id);

	return index ? vec_at(&rescue->entries, (size_t)*index) : NULL;
}
