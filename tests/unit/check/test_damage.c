/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One damage each on volumes that a kernel wrote: exactly the problems that follow are found. (tests/cases
 * has a case for each problem; these here run on foreign machines, too.) */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "base/namehash.h"
#include "base/unicode.h"
#include "common/fresh.h"
#include "common/seed.h"
#include "facts/problem.h"
#include "format/checkpoint.h"
#include "format/inode.h"
#include "format/xattr.h"
#include "volume/volume.h"

#define MAX_FOUND 400

static struct seed seed;
static const struct f2fs_geometry *geo;
static unsigned found[MAX_FOUND], found_count;

static int note(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	if (found_count < MAX_FOUND)
		found[found_count++] = problem->info->id;
	return F2FS_DECIDE_SKIP;
}

static int run_check(struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = note, .depth = F2FS_CHECK_CONTENT };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	found_count = 0;
	return f2fs_check(seed.ctx, dev, &options, &result);
}

static bool was_found(unsigned id)
{
	for (unsigned i = 0; i < found_count; i++)
		if (found[i] == id)
			return true;
	return false;
}

/* Exactly these kinds were found; the list ends with 0. */
static void expect(const char *name, struct f2fs_device *dev, const enum problem *ids)
{
	unsigned kinds = 0;

	assert_int_equal(run_check(dev), 0);
	for (; ids[kinds]; kinds++)
		if (!was_found(ids[kinds])) {
			fprintf(stderr, "%s: %s was not found\n", name, problem_row(ids[kinds])->name);
			fail();
		}
	for (unsigned i = 0; i < found_count; i++) {
		unsigned k = 0;

		while (k < kinds && ids[k] != found[i])
			k++;
		if (k == kinds) {
			fprintf(stderr, "%s: %s was found, too\n", name, problem_row(found[i])->name);
			fail();
		}
	}
}

static void begin(const char *name)
{
	assert_int_equal(seed_open(&seed, name, NULL), 0);
	geo = f2fs_volume_geometry(seed.vol);
}

static uint64_t byte_of(f2fs_blk_t addr)
{
	return (uint64_t)addr << geo->block_bits;
}

static void put(uint64_t at, const void *bytes, size_t n)
{
	assert_int_equal(f2fs_device_write(seed.dev, at, bytes, n), 0);
}

static void put32(uint64_t at, uint32_t value)
{
	uint8_t raw[4];

	put_le32(raw, value);
	put(at, raw, sizeof(raw));
}

static f2fs_nid_t ino_of(const char *path)
{
	struct f2fs_inode *inode;
	f2fs_nid_t ino;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &inode), 0);
	ino = f2fs_inode_number(inode);
	f2fs_inode_close(inode);
	return ino;
}

static f2fs_blk_t addr_of(f2fs_nid_t nid)
{
	struct f2fs_nat_info entry;

	assert_int_equal(f2fs_nat_lookup(seed.vol, nid, &entry), 0);
	return entry.block_addr;
}

/* Change bytes of an inode, and give it a right checksum. */
static void change_inode(f2fs_nid_t ino, uint32_t offset, const void *bytes, size_t n)
{
	uint8_t block[16384];
	const uint64_t at = byte_of(addr_of(ino));

	assert_int_equal(f2fs_device_read(seed.dev, at, block, geo->block_size), 0);
	memcpy(block + offset, bytes, n);
	if (inode_has_checksum(geo, block))
		extra_set_i_inode_checksum(block + INODE_ADDR_OFFSET,
					   inode_checksum(geo, block, seed.vol->checksum_seed));
	put(at, block, geo->block_size);
}

static void change_inode32(f2fs_nid_t ino, uint32_t offset, uint32_t value)
{
	uint8_t raw[4];

	put_le32(raw, value);
	change_inode(ino, offset, raw, sizeof(raw));
}

static uint32_t slot_of(f2fs_nid_t ino, uint32_t slot)
{
	struct f2fs_inode_layout layout;
	uint8_t block[16384];

	assert_int_equal(f2fs_node_read(seed.vol, ino, block), 0);
	f2fs_inode_layout(geo, block, &layout);
	return layout.slot_offset + 4 * slot;
}

static uint64_t pack_block(uint32_t index)
{
	return byte_of(geo->cp_blkaddr + (seed.vol->view->pack - 1) * F2FS_SEGMENT_BLOCKS + index);
}

static const uint8_t ff[64] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };

/* ---- damages */

static void bad_checksum(void)
{
	put(byte_of(addr_of(ino_of("/tree/size-5"))) + inode_OFS_i_mtime, ff, 2);
}

static void casefold_without_feature(void)
{
	change_inode32(ino_of("/tree/sub"), inode_OFS_i_flags, FLAG_i_flags_casefold | FLAG_i_flags_index);
}

static void root_without_node(void)
{
	const uint64_t footer = byte_of(addr_of(3)) + geo->block_size - footer_SIZE;

	put32(footer + footer_OFS_nid, 99);
	put32(footer + footer_OFS_ino, 98);
	put32(footer + footer_OFS_flag, 9 << 3);
}

static void orphan_entry(void)
{
	put32(pack_block(seed.vol->view->layout.orphan_start), 7777);
}

static void orphan_count(void)
{
	put32(pack_block(seed.vol->view->layout.orphan_start) + geo->block_size - orphan_SIZE + orphan_OFS_entry_count,
	      60000);
}

static void orphan_with_links(void)
{
	change_inode32(f2fs_orphan_at(seed.vol, 3), inode_OFS_i_links, 2);
}

/* The root gets an entry "x" for an unlinked file. */
static void orphan_with_name(void)
{
	uint8_t block[16384];
	struct f2fs_inode *root;
	f2fs_blk_t addr;
	uint8_t *entry = block + geo->dentry_offset + 2 * dentry_SIZE;

	assert_int_equal(f2fs_inode_open(seed.vol, 3, &root), 0);
	assert_int_equal(f2fs_inode_block(root, 0, &addr), 0);
	f2fs_inode_close(root);
	assert_int_equal(f2fs_device_read(seed.dev, byte_of(addr), block, geo->block_size), 0);
	assert_false(lsb_test(block, 2));
	lsb_set(block, 2);
	dentry_set_hash_code(entry, namehash_plain((const uint8_t *)"x", 1));
	dentry_set_ino(entry, f2fs_orphan_at(seed.vol, 0));
	dentry_set_name_len(entry, 1);
	dentry_set_file_type(entry, 1);
	block[geo->dentry_name_offset + 2 * DENTRY_SLOT_BYTES] = 'x';
	put(byte_of(addr), block, geo->block_size);
}

/* A journal gets one entry more, for a number that is out of range. */
static void add_to_journal(uint64_t at, unsigned n, uint32_t entry_size)
{
	uint8_t count[2];

	put_le16(count, (uint16_t)(n + 1));
	put(at, count, sizeof(count));
	put32(at + 2 + (uint64_t)n * entry_size, 0xfffffff0);
}

static void nat_journal_entry(void)
{
	const uint32_t at = seed.vol->view->layout.compact ? 0 : geo->journal_offset;

	add_to_journal(pack_block(seed.vol->view->layout.data_start) + at, f2fs_nat_journal_count(seed.vol), natj_SIZE);
}

static void sit_journal_entry(void)
{
	const struct pack_layout *layout = &seed.vol->view->layout;
	const uint32_t at = layout->compact ? geo->journal_size : 2 * geo->block_size + geo->journal_offset;

	assert_true(f2fs_sit_journal_count(seed.vol) < geo->sit_journal_max);
	add_to_journal(pack_block(seed.vol->view->layout.data_start) + at, f2fs_sit_journal_count(seed.vol), sitj_SIZE);
}

static void chain_in_a_circle(void)
{
	struct f2fs_log_head head;
	f2fs_blk_t next;

	assert_int_equal(f2fs_volume_log(seed.vol, F2FS_WARM_NODE, &head), 0);
	next = geometry_segment_start(geo, head.segno) + head.blkoff;
	put32(byte_of(next) + geo->block_size - footer_SIZE + footer_OFS_next_blkaddr, next);
}

static void cluster_without_blocks(void)
{
	const f2fs_nid_t ino = ino_of("/file-0-2");

	change_inode32(ino, slot_of(ino, 4), F2FS_COMPRESS_ADDR);
}

static void compr_blocks(void)
{
	change_inode32(ino_of("/file-0-2"), INODE_ADDR_OFFSET + extra_OFS_i_compr_blocks, 1);
}

static void cluster_data(void)
{
	struct f2fs_file_extent extent;
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(seed.vol, "/file-0-2", 0, &inode), 0);
	assert_int_equal(f2fs_inode_extent(inode, 0, &extent), 0);
	f2fs_inode_close(inode);
	put(byte_of(extent.addr) + 24, ff, 20);
}

static void verity_data(void)
{
	f2fs_blk_t addr;
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(seed.vol, "/b4096-9000", 0, &inode), 0);
	assert_int_equal(f2fs_inode_block(inode, 1, &addr), 0);
	f2fs_inode_close(inode);
	put(byte_of(addr), ff, 8);
}

/* Where the attributes of an inode with one of that index are. */
static uint32_t xattr_of(f2fs_nid_t ino, unsigned index, struct xattr_ref *ref, uint8_t *block)
{
	struct inode_layout layout;
	uint32_t offset = 0;

	assert_int_equal(f2fs_node_read(seed.vol, ino, block), 0);
	inode_layout(geo, block, &layout);
	while (xattr_next(block + layout.xattr_offset, layout.xattr_size, &offset, ref) == XATTR_FOUND)
		if (ref->index == index)
			return (uint32_t)(ref->value - block);
	fail();
	return 0;
}

static void encryption_context(void)
{
	uint8_t block[16384];
	struct xattr_ref ref;
	const f2fs_nid_t ino = ino_of("/v1-1");

	change_inode(ino, xattr_of(ino, XATTR_ENCRYPTION, &ref, block) + 1, ff, 1);
}

static void encryption_mark(void)
{
	uint8_t advise = 0;

	change_inode(ino_of("/v1-1"), inode_OFS_i_advise, &advise, 1);
}

static void verity_attribute(void)
{
	uint8_t block[16384];
	struct xattr_ref ref;
	const f2fs_nid_t ino = ino_of("/b4096-9000");

	change_inode(ino, xattr_of(ino, XATTR_VERITY, &ref, block) + 8, ff, 8);
}

static void acl(void)
{
	uint8_t block[16384];
	struct xattr_ref ref;
	const f2fs_nid_t ino = ino_of("/tree");

	change_inode(ino, xattr_of(ino, XATTR_ACL_ACCESS, &ref, block), ff, 4);
}

static void casefold_hash(void)
{
	uint8_t block[16384];
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
	f2fs_blk_t addr;

	assert_int_equal(f2fs_lookup(seed.vol, "/folded", 0, &dir), 0);
	assert_int_equal(f2fs_dir_lookup(dir, "UPPER", 5, &entry), 0);
	assert_int_equal(f2fs_inode_block(dir, entry.position / geo->dentries_per_block, &addr), 0);
	f2fs_inode_close(dir);
	assert_int_equal(f2fs_device_read(seed.dev, byte_of(addr), block, geo->block_size), 0);
	put32(byte_of(addr) + geo->dentry_offset + entry.position % geo->dentries_per_block * dentry_SIZE, 12345);
}

/* Position of an entry of a directory in blocks, and of its name. */
static uint64_t entry_of(const char *path, const char *name, uint64_t *name_at)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *dir;
	f2fs_blk_t addr;
	uint32_t slot;

	assert_int_equal(f2fs_lookup(seed.vol, path, 0, &dir), 0);
	assert_int_equal(f2fs_dir_lookup(dir, name, strlen(name), &entry), 0);
	assert_int_equal(f2fs_inode_block(dir, entry.position / geo->dentries_per_block, &addr), 0);
	f2fs_inode_close(dir);
	slot = (uint32_t)(entry.position % geo->dentries_per_block);
	*name_at = byte_of(addr) + geo->dentry_name_offset + slot * DENTRY_SLOT_BYTES;
	return byte_of(addr) + geo->dentry_offset + slot * dentry_SIZE;
}

/* Two names that are one to a directory without cases. */
static void casefold_twins(void)
{
	uint64_t name, other;
	uint8_t hash[4];

	assert_int_equal(f2fs_device_read(seed.dev, entry_of("/folded", "Name-0001", &name), hash, 4), 0);
	put(entry_of("/folded", "Name-0002", &other), hash, 4);
	put(other, "NAME-0001", 9);
}

static void orphan_block_place(void)
{
	const uint8_t place[2] = { 7, 0 };
	const uint32_t first = seed.vol->view->layout.orphan_start;

	put(pack_block(first) + geo->block_size - orphan_SIZE + orphan_OFS_blk_addr, place, 2);
}

#define MAX_EXPECTED 10

static const struct damage {
	const char *name, *seed;
	void (*run)(void);
	enum problem expected[MAX_EXPECTED];
} damages[] = {
	{ "checksum", "features", bad_checksum, { P_INODE_CHECKSUM } },
	{ "casefold", "plain", casefold_without_feature, { P_INODE_CASEFOLD } },
	{ "no root", "plain", root_without_node, { P_INODE_REBUILT, P_LINKS_DIR } },
	{ "orphan entry", "orphans", orphan_entry, { P_ORPHAN_ENTRY, P_FILE_LOST } },
	{ "orphan count", "orphans", orphan_count, { P_ORPHAN_BLOCK, P_FILE_LOST } },
	{ "orphan block", "orphans", orphan_block_place, { P_ORPHAN_BLOCK } },
	{ "casefold twins", "casefold", casefold_twins, { P_DENTRY_TWICE } },
	{ "orphan links", "orphans", orphan_with_links, { P_ORPHAN_COUNT } },
	{ "orphan with a name", "orphans", orphan_with_name, { P_ORPHAN_LINKED } },
	{ "NAT journal", "plain", nat_journal_entry, { P_NAT_JOURNAL } },
	{ "SIT journal", "large-blocks", sit_journal_entry, { P_SIT_JOURNAL } },
	{ "chain", "fsync-chain", chain_in_a_circle, { P_CP_CHAIN_LOOP } },
	{ "cluster", "compressed", cluster_without_blocks, { P_CLUSTER, P_SIT_EXTRA, P_CLUSTER_DATA } },
	{ "compr_blocks", "compressed", compr_blocks, { P_COMPR_BLOCKS } },
	{ "cluster data", "compressed", cluster_data, { P_CLUSTER_DATA } },
	{ "verity data", "verity", verity_data, { P_VERITY_DATA } },
	{ "verity attribute", "verity", verity_attribute, { P_VERITY } },
	{ "encryption context", "encrypted", encryption_context, { P_ENCRYPT_RESTORED } },
	{ "encryption mark", "encrypted", encryption_mark, { P_ENCRYPT_MARK } },
	{ "acl", "features", acl, { P_ACL_SHAPE } },
	{ "casefold hash", "casefold", casefold_hash, { P_DENTRY_HASH } },
};

static void damages_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		if (strcmp(damages[i].seed, "casefold") == 0 && !unicode_is_available())
			continue;
		begin(damages[i].seed);
		damages[i].run();
		expect(damages[i].name, seed.dev, damages[i].expected);
		seed_close(&seed);
	}
}

/* The end of the blocks in use, by the SIT. */
static uint64_t end_of_use(void)
{
	uint64_t end = geo->main_blkaddr;

	for (f2fs_seg_t segno = 0; segno < geo->segment_count_main; segno++) {
		struct f2fs_segment_info entry;

		assert_int_equal(f2fs_sit_lookup(seed.vol, segno, &entry), 0);
		for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++)
			if (msb_test(entry.valid_map, i))
				end = geometry_segment_start(geo, segno) + i + 1;
	}
	return end;
}

static void the_end_of_use_is_reported(void **state)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	(void)state;
	begin("sections");
	assert_int_equal(f2fs_check(seed.ctx, seed.dev, NULL, &result), 0);
	assert_true(result.end_block == end_of_use());
	seed_close(&seed);
}

static void healthy_volumes_are_clean(void **state)
{
	static const enum problem pending[] = { P_CP_PENDING, P_NONE };
	static const char *const names[] = { "plain", "features", "encrypted", "verity", "orphans", "fastboot" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		begin(names[i]);
		expect(names[i], seed.dev, pending + 1);
		seed_close(&seed);
	}
	begin("fsync-chain");
	expect("fsync-chain", seed.dev, pending);
	seed_close(&seed);
}

/* A segment with blocks in use that no log writes to. */
static f2fs_seg_t closed_segment(void)
{
	for (f2fs_seg_t segno = 0; segno < geo->segment_count_main; segno++) {
		struct f2fs_segment_info entry;
		struct f2fs_log_head head;
		bool is_log = false;

		assert_int_equal(f2fs_sit_lookup(seed.vol, segno, &entry), 0);
		for (unsigned log = 0; log < F2FS_LOG_COUNT; log++)
			is_log |= f2fs_volume_log(seed.vol, log, &head) == 0 && head.segno == segno;
		if (entry.valid_blocks > 0 && !is_log)
			return segno;
	}
	fail();
	return 0;
}

/* Blocks that the device does not give. */
static void unreadable_blocks_are_reported(void **state)
{
	const struct {
		const char *name;
		uint64_t block;
		enum problem problem;
	} * row, rows[] = {
		{ "node", 1, P_NODE_UNREADABLE }, { "directory", 2, P_DIR_UNREADABLE }, { "NAT", 3, P_NAT_UNREADABLE },
		{ "SIT", 4, P_SIT_UNREADABLE },	  { "pack", 5, P_PACK_UNREADABLE },
	};

	(void)state;
	for (row = rows; row < rows + sizeof(rows) / sizeof(rows[0]); row++) {
		struct f2fs_fault_rule rule = { 0 };
		struct f2fs_device *fault;
		struct f2fs_inode *root;
		f2fs_blk_t addr = 0;

		begin("directories");
		switch (row->block) {
		case 1:
			addr = addr_of(ino_of("/first"));
			break;
		case 2:
			assert_int_equal(f2fs_inode_open(seed.vol, 3, &root), 0);
			assert_int_equal(f2fs_inode_block(root, 0, &addr), 0);
			f2fs_inode_close(root);
			break;
		case 3:
			addr = geometry_nat_block(geo, 0, msb_test(seed.vol->view->nat_bitmap, 0));
			break;
		case 4:
			addr = geometry_sit_block(geo, 0, msb_test(seed.vol->view->sit_bitmap, 0));
			put32(byte_of(addr + 1) - 4, 1); /* after the entries: no hole */
			break;
		case 5:
			addr = (f2fs_blk_t)(pack_block(seed.vol->view->layout.data_start) >> geo->block_bits);
			break;
		default:
			fail();
		}
		assert_int_equal(f2fs_device_open_fault(seed.dev, &fault), 0);
		rule.bad_offset = byte_of(addr);
		rule.bad_length = geo->block_size;
		f2fs_device_fault_set(fault, &rule);
		assert_int_equal(run_check(fault), 0);
		if (!was_found(row->problem)) {
			fprintf(stderr, "%s is not reported\n", row->name);
			fail();
		}
		f2fs_device_close(fault);
		seed_close(&seed);
	}
}

/* A file of several segments, and the summary of one of them gone. */
static void unreadable_summaries_are_reported(void **state)
{
	static const uint8_t data[1 << 20];
	struct f2fs_fault_rule rule = { 0 };
	struct f2fs_device *fault;
	struct f2fs_inode *file;
	struct fresh f;

	(void)state;
	fresh_open(&f, 128 << 20, 0);
	file = fresh_make(&f, "file", 0100644);
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(f2fs_inode_write(file, (uint64_t)i << 20, data, sizeof(data)), 0);
	f2fs_inode_close(file);
	fresh_reopen(&f);
	seed.ctx = f.ctx;
	seed.vol = f.vol;
	geo = f2fs_volume_geometry(f.vol);
	assert_int_equal(f2fs_device_open_fault(f.dev, &fault), 0);
	rule.bad_offset = byte_of(geo->ssa_blkaddr + closed_segment());
	rule.bad_length = geo->block_size;
	f2fs_device_fault_set(fault, &rule);
	expect("summary", fault, (const enum problem[]){ P_SSA_UNREADABLE, P_NONE });
	f2fs_device_close(fault);
	fresh_close(&f);
}

/* Data past the end of a short image is reported once, not block by block. */
static void short_images_are_reported(void **state)
{
	struct f2fs_device *part;

	(void)state;
	begin("plain");
	assert_int_equal(f2fs_device_open_slice(seed.dev, 0, byte_of(geo->main_blkaddr + 512), &part), 0);
	assert_int_equal(run_check(part), 0);
	assert_true(was_found(P_DEVICE_SHORT));
	f2fs_device_close(part);
	seed_close(&seed);
}

static int stop(void *user, const struct f2fs_problem *problem)
{
	(void)problem;
	return ++*(int *)user == 2 ? F2FS_DECIDE_STOP : F2FS_DECIDE_SKIP;
}

static int refuse(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	(void)problem;
	return F2FS_ERR_CANCELED;
}

static void the_caller_decides(void **state)
{
	int count = 0;
	struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .problem = stop, .user = &count };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	(void)state;
	begin("orphans");
	orphan_count();
	assert_int_equal(f2fs_check(seed.ctx, seed.dev, &options, &result), 0);
	assert_int_equal(count, 2);
	assert_true(result.found > 2);
	options.problem = refuse;
	assert_int_equal(f2fs_check(seed.ctx, seed.dev, &options, &result), F2FS_ERR_CANCELED);
	options.problem = NULL;
	assert_int_equal(f2fs_check(seed.ctx, seed.dev, &options, &result), 0);
	assert_true(result.found > 2 && result.state == F2FS_CHECK_LEFT);
	options.problem = note;
	options.max_findings = 3;
	found_count = 0;
	assert_int_equal(f2fs_check(seed.ctx, seed.dev, &options, &result), 0);
	assert_int_equal(found_count, 3);
	seed_close(&seed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_volumes_are_clean),	 cmocka_unit_test(damages_are_found),
		cmocka_unit_test(the_end_of_use_is_reported),	 cmocka_unit_test(unreadable_blocks_are_reported),
		cmocka_unit_test(short_images_are_reported),	 cmocka_unit_test(the_caller_decides),
		cmocka_unit_test(unreadable_summaries_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
