/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Try other readings of the roots before a repair changes many inodes in the same way. If many inodes have the same
 * fault, the roots may be wrong instead of the inodes. So the volume is checked by other readings of its roots
 * (readings.def), each in memory over the device. If a reading has nearly no findings of this kind and nearly no
 * others, the user is asked: under that reading, the data that a repair would clear is kept.
 *
 * A reading costs a check up to the pass that finds the kind, and that check's memory beside the running one's.
 * Readings are tried only when more than HANDFUL inodes are damaged, which never happens on a sound volume.
 */
#include <string.h>

#include "base/error.h"
#include "check/check_open.h"
#include "device/device.h"
#include "device/overlay.h"
#include "facts/finding.h"
#include "format/superblock.h"
#include "repair/readings.h"
#include "volume/weigh.h"

#define HANDFUL 4u
#define NEARLY_NONE 4u /* at most one in this many is left */

enum how { READING_OTHER_COPY, READING_OLDER_PACK, READING_FEATURE };

static const struct reading {
	enum how how;
	uint32_t feature;
	const char *text;
} readings[] = {
#define READING(how, feature, text) { READING_##how, feature, text },
#include "repair/readings.def"
#undef READING
};
enum { READING_COUNT = sizeof(readings) / sizeof(readings[0]) };

/* Inodes with damage: with all of it, and by kind. */
struct tally {
	uint32_t all;
	uint32_t of[PROBLEM_LIMIT];
	struct vec seen;	  /* uint64_t: problem and inode, ascending */
	const struct tally *asks; /* of another reading: the one that asks, */
	enum problem kind;	  /* its subject */
	uint32_t known;		  /* and how many inodes with it there are here */
	bool is_none; /* nothing can be read so */
};

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Is it damage of an inode, so that a repair may clear something? An inode that only lost its name gets a new one. */
static bool counts(const struct finding *f)
{
	const struct f2fs_problem_info *row = problem_row((enum problem)f->problem);

	return (f->ino || f->nid) && !f->is_left && row->severity >= F2FS_SEVERITY_DAMAGE &&
	       strcmp(row->group, "links") != 0;
}

static uint64_t key_at(const struct tally *t, size_t i)
{
	return *(uint64_t *)vec_at(&t->seen, i);
}

static int count(struct checker *c, struct tally *t)
{
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);
		uint64_t *key = counts(f) ? vec_push(&t->seen, 1) : NULL;

		if (key)
			*key = (uint64_t)f->problem << 32 | (f->ino ? f->ino : f->nid);
		else if (counts(f))
			err = F2FS_ERR_NOMEM;
	}
	vec_sort(&t->seen, compare);
	for (size_t i = 0; i < t->seen.count; i++) {
		const uint64_t key = key_at(t, i);

		if (i > 0 && key == key_at(t, i - 1))
			continue;
		t->of[key >> 32]++;
		t->all++;
	}
	for (size_t i = 0; t->asks && i < t->asks->seen.count; i++) {
		const uint64_t key = key_at(t->asks, i);

		if (key >> 32 == t->kind && (i == 0 || key != key_at(t->asks, i - 1)))
			t->known += facts_inode(&c->facts, (f2fs_nid_t)key) != NULL;
	}
	t->is_none = c->is_impossible;
	return err;
}

static bool is_possible(const struct checker *c, const struct reading *r)
{
	const struct f2fs_volume *vol = c->vol;

	switch (r->how) {
	case READING_OTHER_COPY:
		return vol->sb_state[0] == 0 && vol->sb_state[1] == 0 &&
		       superblocks_disagree(vol->sb, vol->sb_other);
	case READING_OLDER_PACK:
		return vol->pack_state[0] == 0 && vol->pack_state[1] == 0 && c->mode != F2FS_MODE_RESCUE;
	default:
		return true;
	}
}

static void read_so(const struct checker *c, const struct reading *r, uint8_t *sb)
{
	memcpy(sb, r->how == READING_OTHER_COPY ? c->vol->sb_other : c->vol->sb, sb_SIZE);
	sb_set_feature(sb, sb_feature(sb) ^ r->feature);
	if ((sb_feature(sb) & F2FS_FEAT_CASEFOLD) && sb_s_encoding(sb) == 0)
		sb_set_s_encoding(sb, 1);
	if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM)
		sb_set_crc(sb, superblock_crc(sb));
}

/* Make the device of the reading: the roots are written, the rest shows through. */
static int lay_over(const struct checker *c, const struct reading *r, struct f2fs_device *over)
{
	const uint64_t start = c->options.open ? c->options.open->offset : 0;
	uint8_t sb[sb_SIZE];
	int err = 0;

	if (r->how == READING_OLDER_PACK) { /* the newer one is no pack any more, by neither of its ends */
		const f2fs_blk_t first = volume_pack_in_use(c->vol);
		const f2fs_blk_t last = first + cp_cp_pack_total_block_count(c->vol->view->cp) - 1;

		memset(sb, 0, sizeof(sb));
		err = device_write(over, start + (uint64_t)first * c->geo->block_size, sb, sizeof(sb));
		return err ? err : device_write(over, start + (uint64_t)last * c->geo->block_size, sb, sizeof(sb));
	}
	read_so(c, r, sb);
	if (superblock_check(sb) != RULE_NONE)
		return F2FS_ERR_CORRUPT;
	for (unsigned copy = 0; copy < 2 && !err; copy++)
		err = device_write(over, start + ((uint64_t)copy << c->geo->block_bits) + SB_OFFSET, sb, sizeof(sb));
	return err;
}

/* Check by another reading. A reading that does not work out counts for nothing. */
static int try_reading(struct checker *c, const struct reading *r, const char *pass, struct tally *t)
{
	struct f2fs_check_options options = c->options;
	const struct check_run run = { .options = &options, .mode = c->mode, .last = pass, .as_is = true };
	void (*const log)(void *, enum f2fs_log_level, const char *) = c->ctx->host.log;
	struct f2fs_check_result result;
	struct checker *other = NULL;
	struct f2fs_device *over;
	int err = device_new_overlay(c->dev, 0, NULL, &over);

	if (err)
		return err;
	options.repair = 0;
	options.problem = NULL;
	options.only = options.except = NULL;
	c->ctx->host.log = NULL; /* a log line about the roots under this reading is not true of the device */
	err = lay_over(c, r, over);
	if (!err)
		err = check_open(c->ctx, over, &run, &result, &other);
	if (!err)
		err = count(other, t);
	check_close(c->ctx, other, err);
	f2fs_device_close(over);
	c->ctx->host.log = log;
	if (err && err != F2FS_ERR_NOMEM && err != F2FS_ERR_CANCELED) {
		error_clear(c->ctx);
		t->is_none = true;
		return 0;
	}
	return err;
}

static int raise_reading(struct checker *c, const struct reading *r, const struct tally *now, const struct tally *then)
{
	c->is_frozen = true;
	return problem_raise(c, &(struct finding){ .problem = P_ROOTS_READING,
						   .has_values = 1,
						   .has_slot = 1,
						   .slot = then->kind,
						   .found = now->of[then->kind],
						   .expected = then->of[then->kind],
						   .text = r->text });
}

static void tally_init(struct tally *t, struct f2fs_context *ctx)
{
	memset(t, 0, sizeof(*t));
	vec_init(&t->seen, ctx, sizeof(uint64_t));
	t->is_none = true;
}

/* Does the other reading have the same inodes, and nearly no damage? */
static bool is_better(const struct tally *now, const struct tally *then)
{
	const enum problem kind = then->kind;

	return !then->is_none && then->known >= now->of[kind] - now->of[kind] / NEARLY_NONE &&
	       then->of[kind] * NEARLY_NONE <= now->of[kind] && then->all * NEARLY_NONE <= now->all;
}

/* The kind of damage that most inodes have. */
static enum problem most_frequent(const struct tally *t)
{
	unsigned best = 0;

	for (unsigned i = 0; i < PROBLEM_LIMIT; i++)
		if (t->of[i] > t->of[best])
			best = i;
	return (enum problem)best;
}

static int compare_readings(struct checker *c, struct tally *now, struct tally *then)
{
	enum problem kind;
	int err = count(c, now);

	kind = most_frequent(now);
	if (err || now->of[kind] <= HANDFUL)
		return err;
	for (unsigned i = 0; i < READING_COUNT && !err; i++) {
		bool is_found;

		if (!is_possible(c, &readings[i]))
			continue;
		tally_init(then, c->ctx);
		then->asks = now;
		then->kind = kind;
		err = try_reading(c, &readings[i], problem_row(kind)->group, then);
		is_found = !err && is_better(now, then);
		vec_fini(&then->seen);
		if (is_found)
			return raise_reading(c, &readings[i], now, then);
	}
	return err;
}

int readings_try(struct checker *c, const struct decisions *d)
{
	struct tally *tallies;
	int err;

	if (d->is_barred[P_ROOTS_READING] || !c->vol || c->is_impossible || c->is_frozen || c->cut_end)
		return 0;
	tallies = mem_alloc(c->ctx, 2 * sizeof(*tallies));
	if (!tallies)
		return F2FS_ERR_NOMEM;
	tally_init(&tallies[0], c->ctx);
	err = compare_readings(c, &tallies[0], &tallies[1]);
	vec_fini(&tallies[0].seen);
	mem_free(c->ctx, tallies);
	return err;
}
