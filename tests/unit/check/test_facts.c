/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The store of facts: node ids in any order, plain inodes that look as they were put in, whole ones that stay in place.
 * Sweeps in many windows give what one gives.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/check_open.h"
#include "common/seed.h"
#include "facts/sweep.h"

#define MAX_NID 100000u
#define BLOCK_BITS 12

static const struct f2fs_geometry geo = { .max_nid = MAX_NID, .segment_count_main = 8, .block_bits = BLOCK_BITS };

/* A test's facts, under a context that stays until the end. */
static struct f2fs_context *ctx;

static void add(struct facts *f, f2fs_nid_t nid, f2fs_nid_t ino)
{
	const struct nid_fact fact = {
		.nid = nid, .ino = ino, .addr = nid + 7, .version = (uint8_t)nid, .place = NO_PLACE, .inode = NO_INODE
	};

	assert_int_equal(facts_add_nid(f, &fact), 0);
}

static void assert_node(const struct nid_fact *fact, f2fs_nid_t nid, f2fs_nid_t ino)
{
	assert_non_null(fact);
	assert_int_equal(fact->nid, nid);
	assert_int_equal(fact->ino, ino);
	assert_int_equal(fact->addr, nid + 7);
	assert_int_equal(fact->version, (uint8_t)nid);
	assert_int_equal(fact->place, NO_PLACE);
	assert_int_equal(fact->inode, NO_INODE);
	assert_int_equal(fact->kind, FACT_UNSEEN);
}

/* Every third id is in use, every ninth is a part of the one before. Some are added later than larger ones. */
static bool is_used(f2fs_nid_t nid)
{
	return nid % 3 == 0;
}

static bool is_late(f2fs_nid_t nid)
{
	return nid % 21 == 0 || nid == 3;
}

static f2fs_nid_t owner_of(f2fs_nid_t nid)
{
	return nid % 9 == 0 ? nid - 3 : nid;
}

static void finds_all(void **state)
{
	struct facts_walk walk = { 0 }, whole = { 0 };
	const struct nid_fact *fact;
	struct facts f;
	size_t count = 0;

	(void)state;
	assert_int_equal(facts_init(&f, ctx, &geo), 0);
	for (f2fs_nid_t nid = 3; nid < 50000; nid++)
		if (is_used(nid) && !is_late(nid))
			add(&f, nid, owner_of(nid));
	for (f2fs_nid_t nid = 50000; nid >= 3; nid--)
		if (is_used(nid) && is_late(nid))
			add(&f, nid, owner_of(nid));
	assert_int_equal(facts_index_nids(&f), 0);
	for (f2fs_nid_t nid = 3; nid < 50000; nid++) {
		fact = facts_nid(&f, nid);
		if (is_used(nid))
			assert_node(fact, nid, owner_of(nid));
		else
			assert_null(fact);
		assert_null(facts_inode(&f, nid));
		if (!is_used(nid))
			continue;
		assert_node(facts_next(&f, &walk), nid, owner_of(nid));
		if (owner_of(nid) != nid)
			assert_node(facts_next_whole(&f, &whole), nid, owner_of(nid));
		count++;
	}
	assert_null(facts_next(&f, &walk));
	assert_null(facts_next_whole(&f, &whole));
	assert_null(facts_nid(&f, MAX_NID));
	assert_null(facts_nid(&f, UINT32_MAX));
	assert_int_equal(facts_nid_count(&f), count);
	facts_fini(&f);
}

/* Read an inode as the nodes pass does. */
static void read_inode(struct facts *f, f2fs_nid_t nid, const struct inode_fact *inode, uint16_t owned)
{
	struct node_room room;
	struct nid_fact *fact = facts_open(f, nid, &room);

	assert_ptr_equal(fact, &room.fact);
	room.inode = *inode;
	room.inode.ino = nid;
	fact->kind = FACT_INODE;
	fact->seal = nid * 3;
	fact->owned = owned;
	assert_int_equal(facts_close(f, &room, false), 0);
}

static const struct inode_fact file = { .pino = 3,
					.mode = 0100644,
					.type = F2FS_TYPE_REGULAR,
					.advise = 1,
					.inlines = 2,
					.iflags = 0x80,
					.slots = 900,
					.node_slots = 1018,
					.uid = 1000,
					.gid = 100,
					.projid = 5,
					.links = 1,
					.policy = 77,
					.size = 12345,
					.blocks = 5 };

static void open_facts(struct facts *f, f2fs_nid_t end)
{
	assert_int_equal(facts_init(f, ctx, &geo), 0);
	for (f2fs_nid_t nid = 3; nid < end; nid++)
		add(f, nid, nid);
	assert_int_equal(facts_index_nids(f), 0);
}

static void assert_file(const struct inode_fact *inode, f2fs_nid_t ino, const struct inode_fact *like)
{
	struct inode_fact expected = *like;

	expected.ino = ino;
	assert_non_null(inode);
	assert_memory_equal(inode, &expected, sizeof(expected));
}

/* A plain inode looks the same before and after it is made whole, and has its name, its state and its blocks then. */
static void plain_looks_as_it_was(void **state)
{
	struct inode_fact dir = { .type = F2FS_TYPE_DIRECTORY, .links = 2 }, like = file;
	uint64_t blocks, counts[F2FS_TYPE_END] = { 0 };
	struct inode_fact *whole;
	struct facts f;

	(void)state;
	open_facts(&f, 10);
	read_inode(&f, 3, &dir, 0);
	read_inode(&f, 4, &file, 4);
	read_inode(&f, 5, &file, 4);
	assert_int_equal(facts_whole_count(&f), 1);
	assert_int_equal(facts_inode_count(&f), 3);
	assert_file(facts_inode(&f, 4), 4, &file);
	assert_int_equal(facts_nid(&f, 4)->inode, PLAIN_INODE);
	assert_int_equal(facts_nid(&f, 4)->owned, 4);
	assert_int_equal(facts_nid(&f, 4)->seal, 12);
	assert_false(facts_name_plain(&f, 4, F2FS_TYPE_SYMLINK, 3, 500, 6));
	assert_false(facts_name_plain(&f, 4, F2FS_TYPE_REGULAR, 5, 500, 6));
	assert_true(facts_name_plain(&f, 4, F2FS_TYPE_REGULAR, 3, 500, 6));
	assert_false(facts_name_plain(&f, 4, F2FS_TYPE_REGULAR, 3, 501, 7)); /* a second name */
	assert_true(facts_has_its_name(&f, 4) && !facts_has_its_name(&f, 5));
	facts_keep_inodes(&f);
	f.are_blocks_counted = true;
	like.parent = 3;
	like.entry_block = 500;
	like.entry_slot = 6;
	like.links_found = 1;
	like.blocks_found = 5;
	assert_file(facts_inode(&f, 4), 4, &like);
	assert_int_equal(facts_nid(&f, 4)->flags, FACT_KEPT);
	assert_ptr_equal(facts_class_of(&f, 4, &blocks), facts_class_of(&f, 5, &blocks));
	assert_int_equal(blocks, 5);
	facts_count_plain(&f, counts);
	assert_int_equal(counts[F2FS_TYPE_REGULAR], 2);

	whole = facts_edit_inode(&f, 4);
	assert_file(whole, 4, &like);
	assert_int_equal(facts_nid(&f, 4)->flags, FACT_KEPT);
	assert_int_equal(facts_nid(&f, 4)->inode, 1);
	assert_int_equal(facts_whole_count(&f), 2);
	assert_null(facts_class_of(&f, 4, &blocks));
	whole->links_found = 9;
	assert_ptr_equal(facts_inode(&f, 4), whole);
	assert_ptr_equal(facts_edit_inode(&f, 4), whole);
	assert_null(facts_edit_inode(&f, 6)); /* not read */
	assert_null(facts_edit_inode(&f, 60));
	assert_non_null(facts_dir(&f, 3));
	assert_null(facts_dir(&f, 4));
	facts_fini(&f);
}

/* An inode of which anything may be asked that a slot does not have is whole. */
static void others_are_whole(void **state)
{
	struct inode_fact others[12];
	const uint32_t count = sizeof(others) / sizeof(others[0]);
	struct facts f;

	(void)state;
	for (uint32_t i = 0; i < count; i++)
		others[i] = file;
	others[0].links = 2;
	others[1].state = INODE_XATTRS;
	others[2].cluster_blocks = 4;
	others[3].ext_len = 3;
	others[4].blocks = 6;
	others[5].size = ((uint64_t)900 << BLOCK_BITS) + 1;
	others[6].advise |= FLAG_i_advise_verity;
	others[7].type = F2FS_TYPE_FIFO; /* with a size */
	others[8].type = F2FS_TYPE_UNKNOWN;
	others[9].compr_blocks = 1;
	others[10].links = 0;
	others[11].type = F2FS_TYPE_DIRECTORY;
	open_facts(&f, 100);
	for (uint32_t i = 0; i < count; i++) {
		read_inode(&f, 10 + i, &others[i], 4);
		assert_int_equal(facts_whole_count(&f), i + 1);
		assert_file(facts_inode_at(&f, i), 10 + i, &others[i]);
		assert_int_equal(facts_nid(&f, 10 + i)->inode, i);
	}
	others[0] = file;
	others[0].ext_len = others[0].ext_seen = 3; /* right, and needed no more */
	read_inode(&f, 50, &others[0], 4);
	assert_int_equal(facts_whole_count(&f), count);
	assert_file(facts_inode(&f, 50), 50, &file);
	facts_fini(&f);
}

/* More classes than there are numbers for: the rest is whole. */
static void classes_run_out(void **state)
{
	struct inode_fact inode = file;
	struct facts f;

	(void)state;
	open_facts(&f, MAX_NID);
	for (f2fs_nid_t nid = 3; nid < 70000; nid++) {
		inode.uid = nid;
		read_inode(&f, nid, &inode, 4);
	}
	assert_int_equal(f.classes.list.count, 65536);
	for (f2fs_nid_t nid = 3; nid < 70000; nid++) {
		inode.uid = nid;
		assert_file(facts_inode(&f, nid), nid, &inode);
	}
	assert_true(facts_whole_count(&f) >= 70000 - 3 - 65536);
	facts_fini(&f);
}

static uint64_t order_sum, order_count;

static int take_order(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	(void)judged;
	assert_int_equal(footer_nid(node_footer(c->geo, block)), item->tag);
	order_sum = order_sum * 31 + item->tag;
	order_count++;
	return 0;
}

static uint64_t sweep_by(struct checker *c, uint32_t most)
{
	static const struct sweep sweep = { "order", NULL, take_order, NULL, NULL };

	order_sum = order_count = 0;
	c->max_items = most;
	assert_int_equal(sweep_kept(c, &sweep), 0);
	return order_sum;
}

static void windows_keep_the_order(void **state)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	const struct check_run run = { .options = &options, .mode = F2FS_MODE_TOLERANT };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct checker *c;
	struct seed seed;
	uint64_t whole;

	(void)state;
	seed_load(&seed, "plain");
	assert_int_equal(check_open(seed.ctx, seed.dev, &run, &result, &c), 0);
	whole = sweep_by(c, 0);
	assert_true(order_count > 10 && order_count == result.nodes);
	assert_true(sweep_by(c, 1) == whole && order_count == result.nodes);
	assert_true(sweep_by(c, 7) == whole && order_count == result.nodes);
	/* most of its inodes are plain files */
	assert_true(facts_whole_count(&c->facts) < facts_inode_count(&c->facts) / 2);
	check_close(seed.ctx, c, 0);
	seed_close(&seed);
}

static int open_context(void **state)
{
	(void)state;
	return f2fs_context_open(NULL, &ctx);
}

static int close_context(void **state)
{
	(void)state;
	f2fs_context_close(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_all),		  cmocka_unit_test(plain_looks_as_it_was),
		cmocka_unit_test(others_are_whole),	  cmocka_unit_test(classes_run_out),
		cmocka_unit_test(windows_keep_the_order),
	};

	return cmocka_run_group_tests(tests, open_context, close_context);
}
