/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find names that occur twice in a directory. Hashes are compared first. Names are read only where hashes are equal.
 * The entries of one directory at a time are joined and sorted, so this takes no more than the largest one needs.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/unicode.h"
#include "facts/dir_judge.h"
#include "facts/dir_twins.h"
#include "facts/finding.h"
#include "volume/block_read.h"

/* An entry of the directory that is looked at. */
struct twin {
	uint32_t hash;
	f2fs_blk_t block;
	uint16_t slot;
};

static int compare_runs(const void *a, const void *b)
{
	const struct dir_run *x = a, *y = b;

	if (x->inode != y->inode)
		return x->inode > y->inode ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static int compare_twins(const void *a, const void *b)
{
	const struct twin *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash > y->hash ? 1 : -1;
	if (x->block != y->block)
		return x->block > y->block ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Copy the name of an entry; returns its length, 0 when it cannot be read. */
static uint32_t read_name(struct checker *c, const struct inode_fact *dir, const struct twin *name, uint8_t *out)
{
	struct dentry_area area;
	struct dentry_ref ref;
	uint32_t slot = name->slot;
	const uint8_t *block;

	if (volume_peek(c->vol, name->block, &block) != 0) {
		error_clear(c->ctx);
		return 0;
	}
	dir_area(c, dir, block, &area);
	if (dentry_next(&area, &slot, &ref) != DENTRY_FOUND || ref.slot != name->slot)
		return 0;
	memcpy(out, ref.name, ref.name_len);
	return ref.name_len;
}

/* Are two names one to a lookup in the directory? */
static bool is_same(const struct inode_fact *dir, const uint8_t *a, uint32_t n, const uint8_t *b, uint32_t m)
{
	uint8_t left[UNICODE_FOLD_MAX], right[UNICODE_FOLD_MAX];
	size_t left_len, right_len;

	if (n == m && memcmp(a, b, n) == 0)
		return true;
	return (dir->iflags & FLAG_i_flags_casefold) && !(dir->advise & FLAG_i_advise_encrypt) &&
	       unicode_casefold(a, n, left, &left_len) == UNICODE_OK &&
	       unicode_casefold(b, m, right, &right_len) == UNICODE_OK && left_len == right_len &&
	       memcmp(left, right, left_len) == 0;
}

/* Compare neighbours of one hash. Equal hashes of many names are an attack: only neighbours in order are compared. */
static int compare_pair(struct checker *c, const struct inode_fact *dir, const struct twin *first,
			const struct twin *second)
{
	uint8_t a[NAME_MAX_BYTES], b[NAME_MAX_BYTES];
	const uint32_t n = read_name(c, dir, first, a), m = read_name(c, dir, second, b);

	if (n == 0 || m == 0 || !is_same(dir, a, n, b, m))
		return 0;
	return problem_raise(c, &(struct finding){ .problem = P_DENTRY_TWICE,
						   .nid = dir->ino,
						   .ino = dir->ino,
						   .has_block = 1,
						   .block = second->block,
						   .has_slot = 1,
						   .slot = second->slot,
						   .entry_block = second->block,
						   .entry_slot = second->slot });
}

#define MAX_SAME_HASH 64u /* entries that one is compared with */

static int compare_all(struct checker *c, const struct inode_fact *dir, struct vec *twins)
{
	const struct twin *all;
	int err = 0;

	vec_sort(twins, compare_twins);
	all = twins->items;
	for (size_t i = 0; i + 1 < twins->count && !err; i++)
		for (size_t j = i + 1; j < twins->count && j <= i + MAX_SAME_HASH && !err; j++) {
			if (all[j].hash != all[i].hash)
				break;
			err = compare_pair(c, dir, &all[i], &all[j]);
		}
	return err;
}

static int add_run(const struct checker *c, const struct dir_run *run, struct vec *twins)
{
	const struct dir_name *names = vec_at(&c->names, run->first);
	struct twin *twin = vec_push(twins, run->count);

	if (!twin)
		return F2FS_ERR_NOMEM;
	for (uint32_t i = 0; i < run->count; i++)
		twin[i] = (struct twin){ .hash = names[i].hash, .block = run->block, .slot = names[i].slot };
	return 0;
}

int dirs_check_twins(struct checker *c)
{
	const struct dir_run *runs;
	struct vec twins;
	int err = 0;

	vec_init(&twins, c->ctx, sizeof(struct twin));
	vec_sort(&c->name_runs, compare_runs);
	runs = c->name_runs.items;
	for (size_t i = 0; i < c->name_runs.count && !err; i++) {
		err = add_run(c, &runs[i], &twins);
		if (err || (i + 1 < c->name_runs.count && runs[i + 1].inode == runs[i].inode))
			continue;
		err = compare_all(c, facts_inode_at(&c->facts, runs[i].inode), &twins);
		twins.count = 0;
	}
	vec_fini(&twins);
	vec_fini(&c->names);
	vec_fini(&c->name_runs);
	return err;
}
