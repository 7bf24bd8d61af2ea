/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cleaning by itself: changes of volumes that are nearly full, or have no free section, find room while users have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "log/log.h"

#define MIB (1u << 20)
#define BLOCK 4096u
#define STEP 256u

static struct fresh v;
static uint8_t bytes[STEP * BLOCK];
static uint32_t seed;

static uint32_t next_random(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}

static void need(int err, const char *what)
{
	if (err)
		fail_msg("%s: %s", what, f2fs_context_error(v.ctx)->message);
}

static void configure(uint8_t logging, bool commits, bool cleans)
{
	const struct f2fs_write_options options = { .logging = logging, .commit_when_full = commits };
	const struct f2fs_clean_options cleaning = { 0 };

	need(f2fs_volume_configure(v.vol, &options), "configure");
	need(f2fs_volume_set_cleaning(v.vol, cleans ? &cleaning : NULL), "set cleaning");
}

static uint64_t room(void)
{
	struct f2fs_volume_stat st;

	f2fs_volume_statfs(v.vol, &st);
	return st.user_blocks - st.valid_blocks;
}

/* One file with a share of what users may have; each block holds its number. */
static struct f2fs_inode *fill(unsigned percent, uint32_t *blocks)
{
	struct f2fs_inode *inode = fresh_make(&v, "data", 0100644);

	*blocks = (uint32_t)(room() * percent / 100);
	for (uint32_t i = 0; i < *blocks; i += STEP) {
		const uint32_t n = *blocks - i < STEP ? *blocks - i : STEP;

		for (uint32_t k = 0; k < n; k++) {
			const uint32_t number = i + k;

			memcpy(bytes + (size_t)k * BLOCK, &number, 4);
		}
		need(f2fs_inode_write(inode, (uint64_t)i * BLOCK, bytes, (size_t)n * BLOCK), "fill");
	}
	need(f2fs_volume_commit(v.vol), "commit");
	return inode;
}

static int overwrite(struct f2fs_inode *inode, uint32_t blocks, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		const uint32_t at = next_random() % blocks;

		memcpy(bytes, &at, 4);
		err = f2fs_inode_write(inode, (uint64_t)at * BLOCK, bytes, BLOCK);
	}
	return err;
}

static void must_be_whole(struct f2fs_inode **inode, uint32_t blocks)
{
	struct f2fs_check_result found;

	fresh_reopen_keep(&v, inode, "/data");
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t number;
		size_t done;

		need(f2fs_inode_read(*inode, (uint64_t)i * BLOCK, &number, 4, &done), "read");
		assert_int_equal(number, i);
	}
	need(f2fs_check(v.ctx, v.dev, NULL, &found), "check");
	assert_int_equal(found.found, 0);
}

static void must_say(const char *words)
{
	if (!strstr(f2fs_context_error(v.ctx)->message, words))
		fail_msg("no \"%s\" in: %s", words, f2fs_context_error(v.ctx)->message);
}

/* Normal logging: without cleaning there is soon no free segment, with it changes go on at any share. */
static void normal_logging_goes_on(void **state)
{
	static const unsigned shares[] = { 60, 99 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct f2fs_inode *inode;
		uint32_t blocks;

		seed = 1;
		fresh_open(&v, 100 * MIB, 0);
		configure(F2FS_LOGGING_NORMAL, true, true);
		inode = fill(shares[i], &blocks);
		need(overwrite(inode, blocks, 3000), "overwrite");
		must_be_whole(&inode, blocks);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

static void without_leave_it_says_so(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	seed = 1;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_NORMAL, true, false);
	inode = fill(80, &blocks);
	assert_int_equal(overwrite(inode, blocks, 20000), F2FS_ERR_NOSPC);
	must_say("cleaning could win up to ");
	must_say("f2fs_volume_set_cleaning");
	f2fs_volume_discard(v.vol);
	configure(F2FS_LOGGING_NORMAL, false, true);
	assert_int_equal(overwrite(inode, blocks, 20000), F2FS_ERR_NOSPC);
	must_say("commit_when_full");
	f2fs_volume_discard(v.vol);
	/* between transactions it needs no leave */
	for (unsigned i = 0; i < 30; i++) {
		need(overwrite(inode, blocks, 200), "overwrite");
		need(f2fs_volume_commit(v.vol), "commit");
	}
	must_be_whole(&inode, blocks);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* What is cleaned before the first change is no part of it: discarding gives what was there. */
static void all_or_nothing_holds(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;
	uint64_t version;

	(void)state;
	seed = 1;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_NORMAL, true, false);
	inode = fill(80, &blocks);
	while (overwrite(inode, blocks, 10) == 0)
		need(f2fs_volume_commit(v.vol), "commit");
	f2fs_volume_discard(v.vol);
	configure(F2FS_LOGGING_NORMAL, false, true);
	version = cp_checkpoint_ver(v.vol->cp);
	memset(bytes, 0xff, BLOCK);
	need(f2fs_inode_write(inode, 0, bytes, BLOCK), "write");
	assert_true(cp_checkpoint_ver(v.vol->cp) > version);
	version = cp_checkpoint_ver(v.vol->cp);
	need(f2fs_inode_write(inode, 5 * BLOCK, bytes, BLOCK), "write");
	assert_int_equal(cp_checkpoint_ver(v.vol->cp), version);
	f2fs_volume_discard(v.vol);
	must_be_whole(&inode, blocks);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Segments of data with holes are no help to nodes: they need free ones. */
static void nodes_find_room(void **state)
{
	(void)state;
	for (unsigned cleans = 0; cleans < 2; cleans++) {
		struct f2fs_inode *inode;
		uint32_t blocks;
		int err = 0;
		unsigned n = 0;

		fresh_open(&v, 300 * MIB, 0);
		configure(F2FS_LOGGING_ADAPTIVE, true, cleans);
		inode = fill(96, &blocks);
		/* half of the blocks, each second one */
		for (uint32_t i = 0; i < blocks - 40; i += 2)
			need(f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE,
					    (uint64_t)i * BLOCK, BLOCK),
			     "punch");
		need(f2fs_volume_commit(v.vol), "commit");
		while (!err && room() > 100) {
			const struct f2fs_new spec = { .mode = 0040755 };
			struct f2fs_inode *root, *made;
			char name[20];

			snprintf(name, sizeof(name), "%u", n++);
			need(f2fs_lookup(v.vol, "/", 0, &root), "root");
			err = f2fs_create(root, name, strlen(name), &spec, &made);
			f2fs_inode_close(root);
			if (!err)
				f2fs_inode_close(made);
		}
		if (cleans)
			need(err, "create");
		else
			assert_int_equal(err, F2FS_ERR_NOSPC);
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

/* Make a volume whose sections are all in use, each in part. */
static struct f2fs_inode *scatter(uint32_t *blocks)
{
	struct f2fs_inode *inode = fill(90, blocks);

	for (uint32_t i = 1; i < *blocks; i += 2)
		need(f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE, (uint64_t)i * BLOCK,
				    BLOCK),
		     "punch");
	need(f2fs_volume_commit(v.vol), "commit");
	return inode;
}

static int preallocate_into(struct f2fs_inode *file, uint64_t size)
{
	const struct f2fs_stat pin = { .inline_flags = FLAG_i_inline_pin_file };

	need(f2fs_inode_set(file, F2FS_SET_PIN, &pin), "pin");
	return f2fs_fallocate(file, 0, 0, size);
}

static int preallocate(uint64_t size)
{
	struct f2fs_inode *file = fresh_make(&v, "pinned", 0100644);
	int err = preallocate_into(file, size);

	f2fs_inode_close(file);
	return err;
}

static void pinned_files_get_their_sections(void **state)
{
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_ADAPTIVE, true, false);
	inode = scatter(&blocks);
	assert_int_equal(preallocate(24 * MIB), F2FS_ERR_NOSPC);
	must_say("cleaning could win up to ");
	f2fs_volume_discard(v.vol);
	configure(F2FS_LOGGING_ADAPTIVE, true, true);
	need(preallocate(24 * MIB), "preallocate");
	need(f2fs_volume_commit(v.vol), "commit");
	/* more than there is: the numbers are told, and the volume stays as it is */
	f2fs_inode_close(inode);
	fresh_reopen(&v);
	configure(F2FS_LOGGING_ADAPTIVE, true, true);
	{
		struct f2fs_check_result found;

		need(f2fs_check(v.ctx, v.dev, NULL, &found), "check");
		assert_int_equal(found.found, 0);
	}
	fresh_close(&v);
}

static void what_cannot_be_won_is_told(void **state)
{
	const struct f2fs_clean_options none = { .used_limit = 1 };
	struct f2fs_inode *inode;
	uint32_t blocks;

	(void)state;
	fresh_open(&v, 100 * MIB, 0);
	configure(F2FS_LOGGING_ADAPTIVE, true, false);
	inode = scatter(&blocks);
	need(f2fs_volume_set_cleaning(v.vol, &none), "set cleaning");
	assert_int_equal(preallocate(24 * MIB), F2FS_ERR_NOSPC);
	must_say("a pinned file needs 12 free sections");
	must_say("; cleaning emptied 0 sections: ");
	assert_int_equal(f2fs_volume_transaction(v.vol), F2FS_TRANSACTION_OPEN);
	f2fs_volume_discard(v.vol);
	f2fs_inode_close(inode);
	fresh_close(&v);
}

/* Zoned volumes have no holes to fill: all that is freed comes back by cleaning. */
static void zoned_volumes_go_on(void **state)
{
	const struct f2fs_mkfs_options options = { .feature = F2FS_FEATURE_LOST_FOUND };
	const struct f2fs_zone_options zones = { .zone_bytes = 4 * MIB, .conventional = 12 };

	(void)state;
	for (unsigned cleans = 0; cleans < 2; cleans++) {
		struct f2fs_inode *inode;
		uint32_t blocks;
		int err;

		seed = 1;
		fresh_open_zoned(&v, 256 * MIB, &options, &zones);
		configure(F2FS_LOGGING_ADAPTIVE, true, cleans);
		inode = fill(70, &blocks);
		err = overwrite(inode, blocks, 20000);
		if (cleans) {
			need(err, "overwrite");
			must_be_whole(&inode, blocks);
		} else {
			assert_int_equal(err, F2FS_ERR_NOSPC);
		}
		f2fs_inode_close(inode);
		fresh_close(&v);
	}
}

static void options_are_checked(void **state)
{
	const struct f2fs_clean_options wrong[] = { { .policy = 99 }, { .used_limit = 101 }, { .dry_run = 1 } };
	const struct f2fs_write_options bad[] = { { .logging = 3 }, { .low_is_exact = 2 } };

	(void)state;
	fresh_open(&v, 64 * MIB, 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(f2fs_volume_set_cleaning(v.vol, &wrong[i]), F2FS_ERR_INVALID);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(f2fs_volume_configure(v.vol, &bad[i]), F2FS_ERR_INVALID);
	for (unsigned i = 0; f2fs_logging_name(i); i++)
		assert_int_equal(f2fs_logging_find(f2fs_logging_name(i)), (int)i);
	assert_int_equal(f2fs_logging_find("other"), -1);
	fresh_close(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_logging_goes_on),
		cmocka_unit_test(without_leave_it_says_so),
		cmocka_unit_test(all_or_nothing_holds),
		cmocka_unit_test(nodes_find_room),
		cmocka_unit_test(pinned_files_get_their_sections),
		cmocka_unit_test(what_cannot_be_won_is_told),
		cmocka_unit_test(zoned_volumes_go_on),
		cmocka_unit_test(options_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
