/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Recovery on small volumes that the kernel left unclean, as they are and with the chain bent in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/seed.h"
#include "format/node.h"
#include "volume/volume.h"

static struct seed seed;

/* A number that changes with every byte of the device. */
static uint64_t hash_of_device(void)
{
	static uint8_t block[65536];
	uint64_t hash = 0xCBF29CE484222325u, run, size = f2fs_device_info(seed.dev)->size;
	int is_hole;

	for (uint64_t at = 0; at < size; at += run) {
		assert_int_equal(f2fs_device_extent(seed.dev, at, &run, &is_hole), 0);
		if (is_hole)
			continue;
		if (run > sizeof(block))
			run = sizeof(block);
		assert_int_equal(f2fs_device_read(seed.dev, at, block, (size_t)run), 0);
		for (uint64_t i = 0; i < run; i++)
			if (block[i])
				hash = (hash ^ block[i] ^ (at + i) << 8) * 0x100000001B3u;
	}
	return hash;
}

static struct f2fs_recovery *plan_of(struct f2fs_recovery_summary *summary)
{
	struct f2fs_recovery *plan;

	assert_int_equal(f2fs_recovery_open(seed.vol, &plan), 0);
	f2fs_recovery_summarize(plan, summary);
	return plan;
}

/* Close the volume, keep the device. */
static void shut(void)
{
	f2fs_volume_close(seed.vol);
	seed.vol = NULL;
}

static int reopen(int recover)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .recover = recover };

	shut();
	return f2fs_volume_open(seed.ctx, seed.dev, &options, &seed.vol);
}

/* Does a file begin with these bytes? */
static void must_begin(const char *path, const char *bytes)
{
	struct f2fs_inode *inode;
	char text[16] = "";
	size_t done;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), 0);
	assert_int_equal(f2fs_inode_read(inode, 0, text, strlen(bytes), &done), 0);
	assert_string_equal(text, bytes);
	f2fs_inode_close(inode);
}

static void must_be_absent(const char *path)
{
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), F2FS_ERR_NOT_FOUND);
}

/* One node of the chain, through the hands of a test. */
static void with_node(uint64_t index, void (*change)(uint8_t *block, uint8_t *footer))
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan = plan_of(&summary);
	struct f2fs_recovery_node node;
	uint8_t block[4096];

	assert_int_equal(f2fs_recovery_node_at(plan, index, &node), 0);
	f2fs_recovery_close(plan);
	assert_int_equal(f2fs_device_read(seed.dev, (uint64_t)node.addr * 4096, block, 4096), 0);
	change(block, block + 4096 - footer_SIZE);
	assert_int_equal(f2fs_device_write(seed.dev, (uint64_t)node.addr * 4096, block, 4096), 0);
}

static void the_plan_is_that_of_a_mount(void **state)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery_inode inode;
	struct f2fs_recovery_node node;
	struct f2fs_recovery *plan;
	uint64_t pending, hash;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	hash = hash_of_device();
	plan = plan_of(&summary);
	assert_int_equal(f2fs_volume_pending(seed.vol, &pending), 0);
	assert_int_equal(summary.fsynced, pending);
	assert_int_equal(summary.end, F2FS_CHAIN_FOREIGN);
	assert_true(summary.needs_recovery && summary.inodes == 1 && summary.new_inodes == 1 && summary.orphans == 0);
	assert_int_equal(f2fs_recovery_inode_at(plan, 0, &inode), 0);
	assert_true(inode.is_new && inode.has_name && inode.parent == 3 && inode.size == 5000);
	assert_string_equal(inode.name, "new");
	assert_int_equal(f2fs_recovery_inode_at(plan, 1, &inode), F2FS_ERR_NOT_FOUND);
	assert_int_equal(f2fs_recovery_node_at(plan, 0, &node), 0);
	assert_true(node.addr == summary.start && node.is_fsynced && node.is_replayed);
	assert_int_equal(f2fs_recovery_node_at(plan, summary.nodes, &node), F2FS_ERR_NOT_FOUND);
	f2fs_recovery_close(plan);
	assert_true(hash_of_device() == hash);
	seed_close(&seed);
}

static int count_blocks(void *user, const struct f2fs_file_extent *range)
{
	if (range->kind == F2FS_EXTENT_DATA)
		*(uint64_t *)user += range->count;
	return 0;
}

static int stop_at_once(void *user, const struct f2fs_file_extent *range)
{
	(void)user;
	(void)range;
	return 77;
}

static void the_ranges_are_the_blocks_that_change(void **state)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan;
	uint64_t blocks = 0;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	plan = plan_of(&summary);
	assert_int_equal(f2fs_recovery_list_ranges(plan, 0, count_blocks, &blocks), 0);
	assert_int_equal(blocks, 2); /* 5000 bytes */
	assert_int_equal(f2fs_recovery_list_ranges(plan, 0, stop_at_once, NULL), 77);
	assert_int_equal(f2fs_recovery_list_ranges(plan, 1, count_blocks, &blocks), F2FS_ERR_NOT_FOUND);
	f2fs_recovery_close(plan);
	seed_close(&seed);
}

static void the_view_leaves_the_device_alone(void **state)
{
	struct f2fs_inode *root;
	uint64_t hash, pending;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	hash = hash_of_device();
	must_be_absent("/new");
	assert_int_equal(reopen(F2FS_RECOVER_VIEW), 0);
	must_begin("/kept", "over");
	assert_int_equal(f2fs_volume_pending(seed.vol, &pending), 0);
	assert_int_equal(pending, 0);
	assert_int_equal(f2fs_lookup(seed.vol, "/new", 0, &root), 0);
	f2fs_inode_close(root);
	/* and nothing writes to the discarded device */
	assert_int_equal(f2fs_lookup(seed.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_remove(root, "new", 3), F2FS_ERR_READ_ONLY);
	f2fs_inode_close(root);
	shut();
	assert_true(hash_of_device() == hash);
	assert_int_equal(reopen(3), F2FS_ERR_INVALID);
	seed_close(&seed);
}

static void a_recovered_volume_can_be_changed(void **state)
{
	struct f2fs_recover_result result = { F2FS_SIZED(f2fs_recover_result) };
	struct f2fs_inode *root;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	assert_int_equal(f2fs_lookup(seed.vol, "/", 0, &root), 0);
	assert_int_equal(f2fs_remove(root, "kept", 4), F2FS_ERR_STATE);
	assert_non_null(strstr(f2fs_context_error(seed.ctx)->message, "--recover"));
	assert_int_equal(f2fs_recover(seed.vol, NULL, &result), 0);
	assert_true(result.changed && result.inodes == 1 && result.new_inodes == 1 && result.names == 1);
	assert_true(result.blocks == 2 && result.replaced == 0 && result.orphans == 0);
	must_begin("/kept", "over");
	assert_int_equal(f2fs_remove(root, "kept", 4), 0);
	assert_int_equal(f2fs_recover(seed.vol, NULL, NULL),
			 0); /* needs nothing: changes nothing, also not what waits */
	f2fs_inode_close(root);
	assert_int_equal(f2fs_volume_commit(seed.vol), 0);
	assert_int_equal(reopen(F2FS_RECOVER_NONE), 0);
	must_be_absent("/kept");
	assert_int_equal(f2fs_recover(seed.vol, NULL, &result), 0);
	assert_false(result.changed);
	seed_close(&seed);
}

static void the_chain_can_be_given_up(void **state)
{
	const struct f2fs_recover_options drop = { F2FS_SIZED(f2fs_recover_options), .flags = F2FS_RECOVER_DROP_CHAIN };
	struct f2fs_recover_result result = { F2FS_SIZED(f2fs_recover_result) };
	uint64_t pending;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	assert_int_equal(f2fs_recover(seed.vol, &drop, &result), 0);
	assert_true(result.changed && result.nodes == 0);
	must_be_absent("/new");
	assert_int_equal(f2fs_volume_pending(seed.vol, &pending), 0);
	assert_int_equal(pending, 0);
	seed_close(&seed);
}

static void orphans_are_deleted(void **state)
{
	struct f2fs_recover_result result = { F2FS_SIZED(f2fs_recover_result) };
	struct f2fs_volume_stat before = { F2FS_SIZED(f2fs_volume_stat) }, after = { F2FS_SIZED(f2fs_volume_stat) };
	uint32_t orphans;

	(void)state;
	assert_int_equal(seed_open(&seed, "orphans", NULL), 0);
	orphans = f2fs_orphan_count(seed.vol);
	assert_true(orphans > 0);
	f2fs_volume_statfs(seed.vol, &before);
	assert_int_equal(f2fs_recover(seed.vol, NULL, &result), 0);
	assert_int_equal(result.orphans, orphans);
	f2fs_volume_statfs(seed.vol, &after);
	assert_int_equal(after.valid_inodes, before.valid_inodes - orphans);
	assert_int_equal(f2fs_orphan_count(seed.vol), 0);
	seed_close(&seed);
}

static void every_kind_of_node_is_applied(void **state)
{
	struct f2fs_recover_result result = { F2FS_SIZED(f2fs_recover_result) };
	struct f2fs_inode *inode;
	struct f2fs_xattr xattr;
	struct f2fs_stat st;

	(void)state;
	assert_int_equal(seed_open(&seed, "fsync-mixed", NULL), 0);
	assert_int_equal(f2fs_recover(seed.vol, NULL, &result), 0);
	assert_true(result.orphans == 1 && result.replaced == 2 && result.names == 3 && result.new_inodes == 3);
	must_begin("/dir/replaced", "another");
	must_begin("/dir/was-directory", "a file now");
	must_be_absent("/dir/not-synced");
	assert_int_equal(f2fs_lookup(seed.vol, "/dir", 0, &inode), 0);
	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	assert_int_equal(st.nlink, 2);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_lookup(seed.vol, "/dir/attributed", 0, &inode), 0);
	assert_int_equal(f2fs_xattr_get(inode, "user.large", &xattr), 0);
	assert_int_equal(xattr.value_size, 3000);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_lookup(seed.vol, "/inline", 0, &inode), 0);
	assert_int_equal(f2fs_inode_stat(inode, &st), 0);
	assert_true(st.uid == 1000 && st.gid == 1000 && st.size == 3000);
	f2fs_inode_close(inode);
	seed_close(&seed);
}

/* ---- chains that contradict themselves or the volume */

static f2fs_blk_t chain_start;

static void lead_back(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_next_blkaddr(footer, chain_start);
}

static void lead_outside(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_next_blkaddr(footer, 0xFFFFFFF0u);
}

static void foreign_version(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_cp_ver(footer, footer_cp_ver(footer) ^ 1);
}

static void foreign_inode(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_ino(footer, 0xFFFFFF00u);
	footer_set_nid(footer, 0xFFFFFF00u);
}

static void free_inode(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_ino(footer, 100);
}

static void not_a_file(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	inode_set_i_mode(block, 0040755);
}

static void name_too_long(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	inode_set_i_namelen(block, 300);
}

static void name_with_slash(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	inode_i_name_w(block)[1] = '/';
}

static void name_of_dots(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	inode_set_i_namelen(block, 2);
	memcpy(inode_i_name_w(block), "..", 2);
}

static void no_such_parent(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	inode_set_i_pino(block, 1000);
}

static void parent_is_itself(uint8_t *block, uint8_t *footer)
{
	inode_set_i_pino(block, footer_ino(footer));
}

static void slot_outside(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	put_le32(block + 360, 5); /* slot 0: a block of the metadata */
}

static void slot_of_a_node(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	put_le32(block + 360, chain_start);
}

static void slots_that_share(uint8_t *block, uint8_t *footer)
{
	(void)footer;
	put_le32(block + 364, get_le32(block + 360));
}

static void taken_number(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_ino(footer, 3);
	footer_set_nid(footer, 3);
}

static void other_place(uint8_t *block, uint8_t *footer)
{
	(void)block;
	footer_set_flag(footer, footer_flag(footer) | 9 << 3);
}

/* What comes of a chain whose first node was changed. */
#define try_chain(change, end, expected) run_chain(#change, change, end, expected)
static void run_chain(const char *name, void (*change)(uint8_t *block, uint8_t *footer), int plan_end, int expected)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	uint64_t hash;
	int rc;

	assert_int_equal(seed_open(&seed, "fsync-chain", NULL), 0);
	f2fs_recovery_close(plan_of(&summary));
	chain_start = summary.start;
	with_node(0, change);
	assert_int_equal(reopen(F2FS_RECOVER_NONE), 0);
	f2fs_recovery_close(plan_of(&summary));
	assert_int_equal(summary.end, plan_end);
	hash = hash_of_device();
	rc = f2fs_recover(seed.vol, NULL, NULL);
	if (rc != expected)
		print_message("%s: %s\n", name, f2fs_context_error(seed.ctx)->message);
	assert_int_equal(f2fs_context_error(seed.ctx)->code, rc);
	assert_int_equal(rc, expected);
	if (plan_end == F2FS_CHAIN_LOOP)
		assert_string_equal(f2fs_context_error(seed.ctx)->rule, "CHAIN_LOOP");
	if (rc) { /* blocks of the checkpoint are unchanged: the volume still opens and reads */
		must_be_absent("/new");
		assert_int_equal(reopen(F2FS_RECOVER_NONE), 0);
		assert_int_equal(reopen(F2FS_RECOVER_VIEW), expected);
		assert_true(hash_of_device() == hash);
	}
	seed_close(&seed);
}

static void chains_end_where_they_must(void **state)
{
	(void)state;
	try_chain(lead_back, F2FS_CHAIN_LOOP, F2FS_ERR_CORRUPT);
	try_chain(lead_outside, F2FS_CHAIN_OUTSIDE, 0);
	try_chain(foreign_version, F2FS_CHAIN_FOREIGN, 0);
	try_chain(foreign_inode, F2FS_CHAIN_FOREIGN, 0);
	try_chain(free_inode, F2FS_CHAIN_FOREIGN, 0);
	try_chain(slots_that_share, F2FS_CHAIN_FOREIGN, 0); /* the later slot gets the block, as in the kernel */
}

static void what_contradicts_the_volume_is_refused(void **state)
{
	(void)state;
	try_chain(not_a_file, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(name_too_long, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(name_with_slash, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(name_of_dots, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(no_such_parent, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(parent_is_itself, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(slot_outside, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(slot_of_a_node, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(taken_number, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
	try_chain(other_place, F2FS_CHAIN_FOREIGN, F2FS_ERR_CORRUPT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plan_is_that_of_a_mount),
		cmocka_unit_test(the_ranges_are_the_blocks_that_change),
		cmocka_unit_test(the_view_leaves_the_device_alone),
		cmocka_unit_test(a_recovered_volume_can_be_changed),
		cmocka_unit_test(the_chain_can_be_given_up),
		cmocka_unit_test(orphans_are_deleted),
		cmocka_unit_test(every_kind_of_node_is_applied),
		cmocka_unit_test(chains_end_where_they_must),
		cmocka_unit_test(what_contradicts_the_volume_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
