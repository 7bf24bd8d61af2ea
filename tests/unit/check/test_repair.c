/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repairing small volumes that a kernel wrote: areas wiped, and thousands of bytes changed at random, in nodes,
 * directories and tables. One repair is enough: a second check finds nothing, and untouched files read as before.
 *
 *	test_repair [FIRST [LAST]]    with numbers: only the random damages of these numbers, naming each
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <f2fskit/check.h>

#include "base/unicode.h"
#include "common/seed.h"
#include "format/flags.h"
#include "format/structs.h"

static int is_telling;

static int tell(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	if (is_telling)
		printf("  %s (nid %u, inode %u, path %s): %s\n", problem->info->name, (unsigned)problem->nid,
		       (unsigned)problem->ino, problem->path, problem->message);
	return F2FS_DECIDE_FIX;
}

static int check(struct seed *seed, int repair, struct f2fs_check_result *result)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .repair = repair, .problem = tell, .threads = 1 };

	if (is_telling)
		printf(" %s\n", repair ? "repair" : "check");
	return f2fs_check(seed->ctx, seed->dev, &options, result);
}

static const char *message(const struct seed *seed)
{
	return f2fs_context_error(seed->ctx)->message;
}

/* Repair, and see that nothing is left. */
static void expect_repaired(struct seed *seed, struct f2fs_check_result *result)
{
	struct f2fs_check_result second = { F2FS_SIZED(f2fs_check_result) };
	int err = check(seed, 1, result);

	if (err)
		fail_msg("repair: %s", message(seed));
	assert_int_equal(check(seed, 0, &second), 0);
	if (second.found)
		fail_msg("%llu problems are left after %llu rounds", (unsigned long long)second.found,
			 (unsigned long long)result->rounds);
	assert_int_equal(second.state, F2FS_CHECK_SOUND);
	assert_int_equal(result->left, 0);
	assert_true(result->fixed == result->found);
}

static uint64_t hash(uint64_t h, const void *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ ((const uint8_t *)bytes)[i]) * 0x100000001B3u;
	return h;
}

/* Number of files, and a sum over their paths and contents. */
struct census {
	unsigned files;
	uint64_t sum;
};

static int count(void *user, const struct f2fs_walk_entry *entry)
{
	struct census *census = user;
	uint64_t h = hash(0xCBF29CE484222325u, entry->path, strlen(entry->path));
	struct f2fs_stat st;
	uint8_t bytes[4096];
	size_t got = 0;

	census->files++;
	if (entry->inode && f2fs_inode_stat(entry->inode, &st) == 0) {
		h = hash(h, &st.size, sizeof(st.size));
		if (f2fs_inode_read(entry->inode, 0, bytes, sizeof(bytes), &got) == 0)
			h = hash(h, bytes, got);
	}
	census->sum += h;
	return 0;
}

static void take_census(struct seed *seed, struct census *out)
{
	struct f2fs_inode *root;

	memset(out, 0, sizeof(*out));
	assert_int_equal(f2fs_volume_open(seed->ctx, seed->dev, NULL, &seed->vol), 0);
	assert_int_equal(f2fs_inode_open(seed->vol, 3, &root), 0);
	assert_int_equal(f2fs_walk(root, count, out), 0);
	f2fs_inode_close(root);
	f2fs_volume_close(seed->vol);
	seed->vol = NULL;
}

/* ---- lost areas */

enum lost { SUPERBLOCKS = 1, PACKS = 2, SIT = 4, NAT = 8, SSA = 16, ONE_SUPERBLOCK = 32, ONE_PACK = 64 };

static void wipe(struct seed *seed, const struct f2fs_geometry *geo, f2fs_blk_t first, uint32_t blocks)
{
	assert_int_equal(
		f2fs_device_zero(seed->dev, (uint64_t)first << geo->block_bits, (uint64_t)blocks << geo->block_bits),
		0);
}

static void lose(struct seed *seed, const struct f2fs_geometry *geo, unsigned lost, unsigned pack)
{
	const uint32_t segment = F2FS_SEGMENT_BLOCKS;

	if (lost & SUPERBLOCKS)
		wipe(seed, geo, 0, 2);
	if (lost & ONE_SUPERBLOCK)
		wipe(seed, geo, 0, 1);
	if (lost & PACKS)
		wipe(seed, geo, geo->cp_blkaddr, 2 * segment);
	if (lost & ONE_PACK)
		wipe(seed, geo, geo->cp_blkaddr + (2 - pack) * segment, segment);
	if (lost & SIT)
		wipe(seed, geo, geo->sit_blkaddr, geo->segment_count_sit * segment);
	if (lost & NAT)
		wipe(seed, geo, geo->nat_blkaddr, geo->segment_count_nat * segment);
	if (lost & SSA)
		wipe(seed, geo, geo->ssa_blkaddr, geo->segment_count_ssa * segment);
}

static void expect_all_back(const char *name, unsigned lost)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct census before, after;
	struct f2fs_geometry geo;
	struct seed seed;
	unsigned pack;

	assert_int_equal(seed_open(&seed, name, NULL), 0);
	geo = *f2fs_volume_geometry(seed.vol);
	f2fs_volume_checkpoint(seed.vol, NULL, &pack);
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	take_census(&seed, &before);
	assert_true(before.files > 5);
	lose(&seed, &geo, lost, pack);
	expect_repaired(&seed, &result);
	/* entries in the journals of a small volume are not in its tables yet: then nothing is lost */
	assert_int_equal(result.state, result.found ? F2FS_CHECK_REPAIRED : F2FS_CHECK_SOUND);
	take_census(&seed, &after);
	assert_int_equal(after.files, before.files);
	assert_true(after.sum == before.sum);
	seed_close(&seed);
}

static void lost_areas(void **state)
{
	static const unsigned kinds[] = {
		SUPERBLOCKS, ONE_SUPERBLOCK,	     ONE_PACK, PACKS, SIT, NAT, SSA, SIT | NAT,
		PACKS | SIT, PACKS | SIT | NAT | SSA
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		expect_all_back("plain", kinds[i]);
	expect_all_back("sections", PACKS | NAT);
	expect_all_back("sections", SIT | SUPERBLOCKS);
	expect_all_back("large-blocks", PACKS | SIT);
	expect_all_back("large-nat-bitmap", PACKS | NAT);
	expect_all_back("inline-xattr", NAT | SSA);
}

/* A volume without problems is not written. */
static void nothing_to_do(void **state)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_device *recorder;
	struct seed seed;

	(void)state;
	seed_load(&seed, "plain");
	assert_int_equal(f2fs_device_open_recorder(seed.dev, &recorder), 0);
	f2fs_device_close(seed.dev);
	seed.dev = recorder;
	expect_repaired(&seed, &result);
	assert_int_equal(result.rounds, 0);
	assert_int_equal(f2fs_device_record_count(recorder), 0);
	seed_close(&seed);
}

/* ---- random damage */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % limit);
}

/* A block of the volume that means something, by kind. */
struct targets {
	f2fs_blk_t nodes[600], inodes[600], dirs[600];
	unsigned node_count, inode_count, dir_count;
	struct f2fs_geometry geo;
};

static void add_target(f2fs_blk_t *list, unsigned *count, f2fs_blk_t addr)
{
	if (*count < 600)
		list[(*count)++] = addr;
}

static void find_targets(struct seed *seed, struct targets *t)
{
	struct f2fs_nat_info entry = { .nid = 2 };

	memset(t, 0, sizeof(*t));
	t->geo = *f2fs_volume_geometry(seed->vol);
	while (f2fs_nat_next(seed->vol, entry.nid + 1, &entry) == 0) {
		struct f2fs_inode *inode;
		struct f2fs_stat st;
		f2fs_blk_t addr;

		add_target(t->nodes, &t->node_count, entry.block_addr);
		if (entry.nid != entry.ino || f2fs_inode_open(seed->vol, entry.nid, &inode) != 0)
			continue;
		add_target(t->inodes, &t->inode_count, entry.block_addr);
		if (f2fs_inode_stat(inode, &st) == 0 && (st.mode & 0170000) == 0040000)
			for (uint64_t i = 0; i < 8; i++)
				if (f2fs_inode_block(inode, i, &addr) == 0 && addr >= t->geo.main_blkaddr &&
				    addr < t->geo.end_blkaddr)
					add_target(t->dirs, &t->dir_count, addr);
		f2fs_inode_close(inode);
	}
}

static void write_at(struct seed *seed, const struct targets *t, f2fs_blk_t addr, uint32_t offset, const void *bytes,
		     size_t n)
{
	if (offset + n > t->geo.block_size)
		n = t->geo.block_size - offset;
	assert_int_equal(f2fs_device_write(seed->dev, ((uint64_t)addr << t->geo.block_bits) + offset, bytes, n), 0);
}

static f2fs_blk_t any(const f2fs_blk_t *list, unsigned count)
{
	return list[random_below(count)];
}

/* A value that is likely to mean something. */
static uint32_t meaningful(const struct targets *t)
{
	switch (random_below(6)) {
	case 0:
		return any(t->nodes, t->node_count);
	case 1:
		return t->geo.main_blkaddr + random_below((uint32_t)(t->geo.end_blkaddr - t->geo.main_blkaddr));
	case 2:
		return random_below(80);
	case 3:
		return 0;
	case 4:
		return 0xFFFFFFFFu - random_below(3);
	default:
		return random_below(0xFFFFFFFFu);
	}
}

static void damage_block(struct seed *seed, const struct targets *t, f2fs_blk_t addr, uint32_t limit)
{
	uint8_t bytes[16];

	put_le32(bytes, meaningful(t));
	for (unsigned i = 4; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)random_below(256);
	write_at(seed, t, addr, random_below(limit) & (random_below(4) ? ~3u : ~0u), bytes,
		 random_below(3) ? 4 : 1 + random_below(16));
}

static void damage(struct seed *seed, const struct targets *t)
{
	static uint8_t block[16384];
	const uint32_t bs = t->geo.block_size;
	const uint32_t tables = t->geo.main_blkaddr - t->geo.sit_blkaddr;
	f2fs_blk_t from, to;

	switch (random_below(10)) {
	case 0: /* fixed fields of an inode */
	case 1:
		damage_block(seed, t, any(t->inodes, t->inode_count), 400);
		break;
	case 2:
		damage_block(seed, t, any(t->nodes, t->node_count), bs);
		break;
	case 3: /* footer and the bytes before it */
		damage_block(seed, t, any(t->nodes, t->node_count), 44);
		break;
	case 4:
		from = any(t->nodes, t->node_count);
		put_le32(block, meaningful(t));
		write_at(seed, t, from, bs - 4 - 4 * random_below(11), block, 4);
		break;
	case 5:
	case 6:
		if (t->dir_count)
			damage_block(seed, t, any(t->dirs, t->dir_count), random_below(2) ? 400 : bs);
		break;
	case 7: /* tables, where they are used */
		damage_block(seed, t, t->geo.sit_blkaddr + random_below(tables) / 64 * 64, bs);
		break;
	case 8: /* one block over another */
		from = any(t->nodes, t->node_count);
		to = any(t->nodes, t->node_count);
		assert_int_equal(f2fs_device_read(seed->dev, (uint64_t)from << t->geo.block_bits, block, bs), 0);
		write_at(seed, t, to, 0, block, bs);
		break;
	default: /* zeros or noise */
		memset(block, random_below(2) ? 0 : (int)random_below(256), bs);
		write_at(seed, t, random_below(2) ? any(t->nodes, t->node_count) : t->geo.nat_blkaddr, 0, block, bs);
		break;
	}
}

static const char *const seeds[] = { "plain",	     "features",     "directories",	"sections",
				     "inline-xattr", "compressed",   "casefold",	"borders",
				     "verity",	     "large-blocks", "large-nat-bitmap" };

static void damage_and_repair(unsigned number)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct targets targets;
	struct seed seed;
	const char *name = seeds[number % (sizeof(seeds) / sizeof(seeds[0]))];

	if (strcmp(name, "casefold") == 0 && !unicode_is_available())
		return; /* a repair cannot find where such names belong */
	assert_int_equal(seed_open(&seed, name, NULL), 0);
	find_targets(&seed, &targets);
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
	random_state = number * 7919u + 1;
	for (unsigned i = 0; i < 1 + number % 5; i++)
		damage(&seed, &targets);
	print_message("damage %u of %s\n", number, name);
	expect_repaired(&seed, &result);
	seed_close(&seed);
}

static void random_damage(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 220; i++)
		damage_and_repair(i);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lost_areas),
		cmocka_unit_test(nothing_to_do),
		cmocka_unit_test(random_damage),
	};

	if (argc > 1) {
		const unsigned first = (unsigned)atoi(argv[1]), last = argc > 2 ? (unsigned)atoi(argv[2]) : first;

		is_telling = argc == 2;
		for (unsigned i = first; i <= last; i++)
			damage_and_repair(i);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
