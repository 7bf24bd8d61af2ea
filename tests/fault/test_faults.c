/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Public operations while the n-th allocation, read, write or flush fails, for n = 1, 2, ... until the operation runs
 * without meeting the fault. Each time the call must fail with the right code (or bear the fault and give what it gives
 * without), keep the contract of errors, leave handles that can be closed, and give back all memory. A read that fails
 * once makes no difference to operations that read a volume. An operation that changes a volume changes it as it would
 * without a failed read, or fails with IO; when a superblock or a checkpoint pack cannot be read, it writes nothing.
 *
 *	test_faults SEED_FOLDER [all | few]    all: every n; otherwise every n at first, then larger and larger steps,
 *					       with few sooner
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/exercise.h"
#include "common/test_host.h"
#include "fuzz/compact.h"

#define VOLUME_SIZE ((uint64_t)64 << 20)

/* What an operation works on: a context whose host fails on demand, and a volume (or nothing yet) in memory. */
struct bench {
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *memory; /* without faults */
	struct f2fs_device *dev;    /* the same through the fault injector */
	uint64_t digest;	    /* of the operation's results */
	uint64_t expected;	    /* digest of the run without a fault; 0 in that run */
	uint64_t content;	    /* hash of the device afterwards */
};

struct operation {
	const char *name;
	const char *seed; /* volume to load, NULL: an empty device */
	int (*run)(struct bench *b);
	int writes; /* fails with failing writes and flushes, too */
	int bears;  /* may succeed in spite of a failed read: there is a second copy, or single files fail */
	int opens;  /* works on a volume, so a failed read is tried again */
	int (*is_good)(struct bench *b); /* is another result good, too? NULL: no */
	unsigned more_bits; /* that a block has, as all of the volume: 2 for blocks of 16 KiB */
};

static const char *seed_folder;
static int every_n;
static unsigned long first_n = 150, step_of = 7; /* all n below first_n, then steps of n / step_of */

static void fail(const char *name, const char *fault, unsigned long n, const char *what)
{
	fprintf(stderr, "%s, %s %lu: %s\n", name, fault, n, what);
	abort();
}

/* Digest the contents of a device, without its holes. */
static uint64_t hash_device(struct f2fs_device *dev)
{
	static uint8_t block[65536];
	const uint64_t size = f2fs_device_info(dev)->size;
	uint64_t hash = 0xCBF29CE484222325u, run;
	int is_hole;

	for (uint64_t at = 0; at < size; at += run) {
		if (f2fs_device_extent(dev, at, &run, &is_hole) != 0)
			abort();
		if (is_hole)
			continue;
		if (run > sizeof(block))
			run = sizeof(block);
		if (f2fs_device_read(dev, at, block, (size_t)run) != 0)
			abort();
		for (uint64_t i = 0; i < run; i++)
			if (block[i])
				hash = (hash ^ block[i] ^ (at + i) << 8) * 0x100000001B3u;
	}
	return hash;
}

/* ---- the device stack */

static int open_slice(struct f2fs_device *inner, struct f2fs_device **out)
{
	return f2fs_device_open_slice(inner, 4096, 0, out);
}

static int open_overlay(struct f2fs_device *inner, struct f2fs_device **out)
{
	return f2fs_device_open_overlay(inner, 1 << 20, NULL, out);
}

static int open_cache(struct f2fs_device *inner, struct f2fs_device **out)
{
	return f2fs_device_open_cache(inner, 1 << 20, out);
}

static void ignore_read(void *user, uint64_t offset, uint64_t length, int failed)
{
	(void)user;
	(void)offset;
	(void)length;
	(void)failed;
}

static int open_watch(struct f2fs_device *inner, struct f2fs_device **out)
{
	return f2fs_device_open_watch(inner, ignore_read, NULL, out);
}

/* The layers over a device of two halves, the lowest first. */
static int (*const stack_layers[])(struct f2fs_device *inner, struct f2fs_device **out) = {
	open_slice, f2fs_device_open_recorder, open_overlay, open_cache, f2fs_device_open_fault, open_watch,
};
enum { STACK_HEIGHT = sizeof(stack_layers) / sizeof(stack_layers[0]) };

static int run_device_stack(struct bench *b)
{
	const struct f2fs_device_part halves[2] = { { .device = b->dev, .offset = 0, .length = 1 << 20 },
						    { .device = b->dev, .offset = 1 << 20, .length = 1 << 20 } };
	struct f2fs_device *foot = NULL, *stack[STACK_HEIGHT] = { NULL }, *top, *overlay = NULL;
	uint8_t bytes[5000], back[5000];
	int rc = f2fs_device_open_multi(b->ctx, halves, 2, &foot);

	memset(bytes, 0x5a, sizeof(bytes));
	top = foot;
	for (unsigned i = 0; i < STACK_HEIGHT && rc == 0; i++) {
		rc = stack_layers[i](top, &stack[i]);
		top = stack[i];
		if (stack_layers[i] == open_overlay)
			overlay = top;
	}
	if (rc == 0)
		rc = f2fs_device_write(top, 1043000, bytes, sizeof(bytes));
	if (rc == 0)
		rc = f2fs_device_zero(top, 1045000, 100);
	if (rc == 0)
		rc = f2fs_device_read(top, 1043000, back, sizeof(back));
	if (rc == 0)
		b->digest = memcmp(bytes, back, 2000) == 0 && back[2050] == 0;
	if (rc == 0)
		rc = f2fs_device_overlay_apply(overlay);
	if (rc == 0)
		rc = f2fs_device_flush(top);
	if (rc == 0)
		b->digest += hash_device(b->memory);
	for (unsigned i = STACK_HEIGHT; i-- > 0;)
		f2fs_device_close(stack[i]);
	f2fs_device_close(foot);
	return rc;
}

/* ---- operations */

static int run_memory(struct bench *b)
{
	struct f2fs_device *copy;
	uint8_t block[4096] = { 1 };
	int rc = f2fs_device_fork_memory(b->memory, &copy);

	if (rc != 0)
		return rc;
	for (uint64_t at = 0; at + sizeof(block) <= VOLUME_SIZE && rc == 0; at += VOLUME_SIZE / 20)
		rc = f2fs_device_write(copy, at, block, sizeof(block));
	if (rc == 0)
		rc = f2fs_device_zero(copy, 0, VOLUME_SIZE / 2);
	f2fs_device_close(copy);
	return rc;
}

/* The undo file is what fails: nothing on the target may change without its record, and playing back gives it back. */
static int run_undo(struct bench *b)
{
	struct f2fs_device *target, *undo = NULL;
	uint8_t bytes[5000];
	uint64_t before;
	int rc;

	memset(bytes, 0x5a, sizeof(bytes));
	rc = f2fs_device_open_memory(b->ctx, 1 << 20, &target);
	if (rc != 0)
		return rc;
	rc = f2fs_device_write(target, 3000, "old bytes", 9);
	before = rc == 0 ? hash_device(target) : 0;
	if (rc == 0)
		rc = f2fs_device_open_undo(target, b->dev, &undo);
	for (uint64_t at = 1000; at < 1000000 && rc == 0; at += 300000)
		rc = f2fs_device_write(undo, at, bytes, sizeof(bytes));
	f2fs_device_close(undo);
	if (rc == 0)
		rc = f2fs_undo_play(b->dev, target, 1, NULL);
	if (rc == 0 && hash_device(target) != before)
		fail("undo", "", 0, "the old bytes are not back");
	b->digest = before;
	f2fs_device_close(target);
	return rc;
}

/* The rest could not be read, so there is no seal: as with a file that was cut, the old bytes are there. */
static int is_good_undo(struct bench *b)
{
	return b->digest == b->expected;
}

static int run_open(struct bench *b)
{
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, NULL, &vol);

	if (rc == 0)
		f2fs_volume_close(vol);
	return rc;
}

/* The checkpoint packs are gone: the whole main area is read. */
static int run_rescue(struct bench *b)
{
	const struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options), .mode = F2FS_MODE_RESCUE };
	struct f2fs_volume *vol;
	int rc = f2fs_device_zero(b->memory, 512 * 4096, 1024 * 4096);

	if (rc == 0)
		rc = f2fs_volume_open(b->ctx, b->dev, &options, &vol);
	if (rc == 0)
		f2fs_volume_close(vol);
	return rc;
}

static int run_exercise(struct bench *b)
{
	static const struct exercise_limits limits = {
		.entries = 30, .table = 30, .extents = 20, .bytes = 20000, .identities = 30
	};
	struct exercise_result result;
	int rc = exercise_device(b->ctx, b->dev, NULL, &limits, &result);

	b->digest = result.digest;
	/* single readers fail by themselves: the caller gets their error */
	return rc ? rc : result.no_memory ? F2FS_ERR_NOMEM : result.damage ? F2FS_ERR_IO : 0;
}

static int count_problem(void *user, const struct f2fs_problem *problem)
{
	uint64_t *digest = user;

	*digest = *digest * 31 + problem->info->id;
	return F2FS_DECIDE_SKIP;
}

/* Unreadable parts are findings. */
static int run_check(struct bench *b)
{
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	const struct f2fs_check_options options = {
		F2FS_SIZED(f2fs_check_options),
		.depth = F2FS_CHECK_CONTENT, .problem = count_problem, .user = &b->digest, .threads = 1
	};
	int rc = f2fs_check(b->ctx, b->dev, &options, &result);

	return rc ? rc : result.found ? F2FS_ERR_IO : 0;
}

/* Zero the NAT, and with it the way to every node. */
static int lose_nat(struct bench *b)
{
	return f2fs_device_zero(b->memory, 2560 * 4096, 1024 * 4096);
}

/* Zero all nodes but the root: inodes, nodes below them, and attributes. */
static int lose_nodes(struct bench *b)
{
	struct f2fs_nat_info found = { .nid = 3 };
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->memory, NULL, &vol);

	if (rc != 0)
		return rc;
	while (rc == 0 && (rc = f2fs_nat_next(vol, found.nid + 1, &found)) == 0)
		rc = f2fs_device_zero(b->memory, (uint64_t)found.block_addr * 4096, 4096);
	f2fs_volume_close(vol);
	return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
}

/* Format the bench's device and open the volume, through dev. */
static int make_volume(struct bench *b, const struct f2fs_mkfs_options *options, struct f2fs_device *dev,
		       struct f2fs_volume **vol)
{
	struct f2fs_mkfs_device device = { .device = b->memory };
	int rc = f2fs_mkfs_write(b->ctx, &device, 1, options, NULL);

	return rc ? rc : f2fs_volume_open(b->ctx, dev, NULL, vol);
}

#define LINKS 60u
#define LONG_NAME 100u /* bytes, so that few names take several blocks */

/* Give the file further names in the directory, which nothing else remembers. */
static int link_often(struct f2fs_inode *dir, struct f2fs_inode *file)
{
	int rc = 0;

	for (unsigned i = 0; i < LINKS && rc == 0; i++) {
		char name[LONG_NAME + 1];

		snprintf(name, sizeof(name), "%0*u", (int)LONG_NAME, i);
		rc = f2fs_link(dir, name, LONG_NAME, file);
	}
	return rc;
}

/* Write the block of the directory that has a name again, without this name. *addr is its new place. */
static int rewrite_block(struct f2fs_volume *vol, struct f2fs_inode *dir, const char *name, f2fs_blk_t *addr)
{
	struct f2fs_file_extent extent;
	struct f2fs_dirent entry;
	int rc = f2fs_dir_lookup(dir, name, strlen(name), &entry);

	if (rc == 0)
		rc = f2fs_remove(dir, name, strlen(name));
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = f2fs_inode_extent(dir, entry.position / f2fs_volume_geometry(vol)->dentries_per_block, &extent);
	if (rc == 0)
		*addr = extent.addr;
	return rc;
}

/* Make a directory of several blocks, and zero one of them. Only its older copy has the names. */
static int lose_names(struct bench *b)
{
	static const struct f2fs_new folder = { F2FS_SIZED(f2fs_new), .mode = 040755 },
				     file = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "names" };
	struct f2fs_inode *root = NULL, *dir = NULL, *linked = NULL;
	struct f2fs_volume *vol;
	f2fs_blk_t addr;
	int rc = make_volume(b, &options, b->memory, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_lookup(vol, "/", 0, &root);
	if (rc == 0)
		rc = f2fs_create(root, "d", 1, &folder, &dir);
	if (rc == 0)
		rc = f2fs_create(dir, "file", 4, &file, &linked);
	if (rc == 0)
		rc = link_often(dir, linked);
	if (rc == 0)
		rc = f2fs_create(dir, "gone", 4, &file, NULL);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = rewrite_block(vol, dir, "gone", &addr);
	f2fs_inode_close(linked);
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
	f2fs_volume_close(vol);
	return rc ? rc : f2fs_device_zero(b->memory, (uint64_t)addr * 4096, 4096);
}

/* Count the names of /d. */
static unsigned count_names(struct bench *b)
{
	struct f2fs_inode *inode = NULL;
	struct f2fs_dir *dir = NULL;
	struct f2fs_dirent entry;
	struct f2fs_volume *vol;
	unsigned count = 0;

	if (f2fs_volume_open(b->ctx, b->memory, NULL, &vol) != 0)
		return 0;
	if (f2fs_lookup(vol, "/d", 2, &inode) == 0 && f2fs_dir_open(inode, &dir) == 0)
		while (f2fs_dir_next(dir, &entry) == 0)
			count++;
	f2fs_dir_close(dir);
	f2fs_inode_close(inode);
	f2fs_volume_close(vol);
	return count;
}

/* Whatever fails during a repair, the next one continues there, and leaves no findings. */
static int repair_after(struct bench *b, int (*lose)(struct bench *b))
{
	const struct f2fs_check_options repair = { F2FS_SIZED(f2fs_check_options), .repair = 1, .threads = 1 },
					check = { F2FS_SIZED(f2fs_check_options), .threads = 1 };
	const uint64_t fail_at = b->host.fail_at, before = b->host.allocations;
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	struct f2fs_error_detail detail;
	int again, rc;

	b->host.fail_at = 0;
	rc = lose(b);
	b->host.fail_at = fail_at ? fail_at + b->host.allocations - before : 0;
	if (rc == 0)
		rc = f2fs_check(b->ctx, b->dev, &repair, &result);
	if (rc == 0 && result.left > 0) /* it says so */
		rc = f2fs_context_fail(b->ctx, F2FS_ERR_IO, "something is left");
	detail = *f2fs_context_error(b->ctx);
	b->host.fail_at = 0;
	again = f2fs_check(b->ctx, b->memory, &repair, &result);
	if (again == 0)
		again = f2fs_check(b->ctx, b->memory, &check, &result);
	if (again != 0 || result.found != 0)
		fail("repair", "", 0, "another one does not get over it");
	b->host.fail_at = fail_at;
	return rc ? f2fs_context_fail(b->ctx, rc, detail.message) : 0;
}

static int run_repair(struct bench *b)
{
	return repair_after(b, lose_nat);
}

static int run_repair_nodes(struct bench *b)
{
	return repair_after(b, lose_nodes);
}

static int run_repair_names(struct bench *b)
{
	const uint64_t fail_at = b->host.fail_at;
	const int rc = repair_after(b, lose_names);
	const struct f2fs_error_detail detail = *f2fs_context_error(b->ctx);

	b->host.fail_at = 0;
	if (count_names(b) != LINKS + 3) /* two dots and the file */
		fail("repair, lost names", "", 0, "names did not come back");
	b->host.fail_at = fail_at;
	return rc ? f2fs_context_fail(b->ctx, rc, detail.message) : 0;
}

/* New and changed files are fsynced; one of the fsyncs has to commit. Successful fsyncs are there. */
static int run_fsync(struct bench *b)
{
	static const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	static const char bytes[9000] = "fsync";
	const struct f2fs_write_part parts[] = { { 0, bytes, 9000 }, { 5000000, bytes, 100 } };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "fsync" };
	struct f2fs_inode *dir = NULL, *inode = NULL;
	struct f2fs_volume *vol;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_lookup(vol, "/", 0, &dir);
	if (rc == 0)
		rc = f2fs_create(dir, "new", 3, &spec, &inode);
	if (rc == 0)
		rc = f2fs_inode_write(inode, 0, bytes, 100);
	if (rc == 0)
		rc = f2fs_fsync(inode, 0);
	if (rc == 0)
		rc = f2fs_inode_write_atomic(inode, parts, 2);
	if (rc == 0)
		rc = f2fs_rename(dir, "new", 3, dir, "newer", 5, 0);
	if (rc == 0)
		rc = f2fs_fsync(inode, 0);
	if (rc == 0)
		rc = f2fs_inode_write(inode, 4096, bytes, 4096);
	if (rc == 0)
		rc = f2fs_fsync(inode, F2FS_FSYNC_DATA);
	if (rc == 0)
		b->digest = hash_device(b->memory);
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	f2fs_volume_close(vol);
	return rc;
}

static uint64_t digest_of(struct bench *b, const struct f2fs_open_options *options)
{
	static const struct exercise_limits limits = { .entries = 30, .extents = 20, .bytes = 20000 };
	const uint64_t fail_at = b->host.fail_at;
	struct exercise_result result;

	struct f2fs_volume *vol;

	b->host.fail_at = 0;
	if (f2fs_volume_open(b->ctx, b->memory, options, &vol) != 0)
		fail("recover", "", 0, "it fails without a fault");
	f2fs_volume_close(vol);
	if (exercise_device(b->ctx, b->memory, NULL, &limits, &result) != 0 || result.damage > 0)
		fail("recover", "", 0, "the volume is damaged");
	b->host.fail_at = fail_at;
	return result.digest;
}

/* Whatever fails, nothing is lost: the next recovery leads to the same volume. */
static int run_recover(struct bench *b)
{
	const struct f2fs_open_options apply = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };
	struct f2fs_error_detail detail;
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, NULL, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_recover(vol, NULL, NULL);
	detail = *f2fs_context_error(b->ctx);
	f2fs_volume_close(vol);
	b->digest = digest_of(b, &apply);
	if (b->expected && b->digest != b->expected)
		fail("recover", "", 0, "another volume came out");
	if (rc != 0)
		f2fs_context_fail(b->ctx, rc, detail.message);
	return rc;
}

static int run_recovered_view(struct bench *b)
{
	const struct f2fs_open_options view = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_VIEW };
	const uint64_t before = hash_device(b->memory);
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, &view, &vol);

	const struct f2fs_error_detail detail = *f2fs_context_error(b->ctx);

	if (rc == 0)
		f2fs_volume_close(vol);
	if (hash_device(b->memory) != before)
		fail("recovered view", "", 0, "the device was changed");
	return rc ? f2fs_context_fail(b->ctx, rc, detail.message) : 0;
}

/* Close a volume that a change gave rc for, and return that: whatever failed, the volume is whole. */
static int close_and_judge(struct bench *b, struct f2fs_volume *vol, int rc, const struct exercise_limits *limits,
			   const char *name)
{
	const struct f2fs_error_detail detail = *f2fs_context_error(b->ctx);
	const uint64_t fail_at = b->host.fail_at;
	struct exercise_result result;

	f2fs_volume_close(vol);
	b->host.fail_at = 0;
	if (exercise_device(b->ctx, b->memory, NULL, limits, &result) != 0 || result.damage > 0)
		fail(name, "", 0, "the volume is damaged");
	b->host.fail_at = fail_at;
	return rc ? f2fs_context_fail(b->ctx, rc, detail.message) : 0;
}

/* Whatever fails, the volume stays whole, with the old names or the new ones. */
static int run_names(struct bench *b)
{
	static const uint8_t uuid[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };
	static const struct exercise_limits limits = { .entries = 30, .extents = 20, .bytes = 20000 };
	const struct f2fs_features_options features = { F2FS_SIZED(f2fs_features_options),
							.on = F2FS_FEAT_LOST_FOUND | F2FS_FEAT_EXTRA_ATTR,
							.off = F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_FLEXIBLE_INLINE_XATTR,
							.convert = 1,
							.large_nat = F2FS_LARGE_NAT_ON };
	const struct f2fs_compression lzo = { .algorithm = F2FS_COMPRESS_LZO };
	const struct f2fs_compress_files_options pack = { F2FS_SIZED(f2fs_compress_files_options),
							  .how = &lzo,
							  .directories = 1 };
	const struct f2fs_compress_files_options unpack = { F2FS_SIZED(f2fs_compress_files_options) };
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, NULL, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_volume_set_label(vol, "new");
	if (rc == 0)
		rc = f2fs_volume_set_uuid(vol, uuid, F2FS_UUID_FORCE);
	if (rc == 0)
		rc = f2fs_volume_add_features(vol, F2FS_FEAT_ENCRYPT | F2FS_FEAT_CASEFOLD, 1);
	if (rc == 0)
		rc = f2fs_volume_set_hash_only(vol, 1);
	if (rc == 0)
		rc = f2fs_volume_set_features(vol, &features, NULL);
	if (rc == 0)
		rc = f2fs_compress_files(vol, &pack, NULL);
	if (rc == 0)
		rc = f2fs_compress_files(vol, &unpack, NULL);
	return close_and_judge(b, vol, rc, &limits, "label, UUID, features and compression");
}

/* All tables move; a failure leaves the old ones in force, or the new ones. */
static int run_packed_ssa(struct bench *b)
{
	static const struct exercise_limits limits = { .entries = 30, .extents = 20, .bytes = 20000 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .block_size = 16384 };
	struct f2fs_volume *vol;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_volume_add_features(vol, F2FS_FEAT_LOST_FOUND | F2FS_FEAT_PACKED_SSA, 0);
	if (rc == 0)
		rc = f2fs_volume_set_label(vol, "packed");
	return close_and_judge(b, vol, rc, &limits, "packed_ssa");
}

/* Fields of every kind of place are read, and one is written. */
static int run_fields(struct bench *b)
{
	static const char *const addresses[] = { "sb[1].magic",	     "cp[1].checkpoint_ver", "nat[3].ino",
						 "sit[0].type",	     "ssa[0][0].nid",	     "inode[3].i_mode",
						 "dentry[3][0].ino", "nat_journal.count",    "node[3].footer.nid" };
	struct f2fs_inject_value *value = calloc(1, sizeof(*value));
	struct f2fs_inject *inject = NULL;
	int rc = f2fs_inject_open(b->ctx, b->dev, NULL, &inject);

	if (!value)
		abort();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]) && rc == 0; i++) {
		rc = f2fs_inject_get(inject, addresses[i], value);
		b->digest = b->digest * 31 + value->number;
	}
	if (rc == 0)
		rc = f2fs_inject_set(inject, "inode[3].i_generation", "77", 0, NULL);
	if (rc == 0)
		rc = f2fs_inject_get(inject, "inode[3].i_generation", value);
	b->digest = b->digest * 31 + value->number;
	f2fs_inject_close(inject);
	free(value);
	return rc;
}

/* A file is compressed, released, changed in part and sealed; freed blocks are discarded. */
static int change_engine(struct f2fs_volume *vol, struct f2fs_inode *dir, struct f2fs_inode **inode)
{
	static const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	static const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
							   .discard = 1, .logs = 4, .compress_names = "txt" };
	static char bytes[60000];
	int rc = f2fs_volume_configure(vol, &options);

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i % 100);
	if (rc == 0)
		rc = f2fs_create(dir, "a.txt", 5, &spec, inode);
	if (rc == 0)
		rc = f2fs_inode_write(*inode, 0, bytes, sizeof(bytes));
	if (rc == 0)
		rc = f2fs_compress_release(*inode, NULL);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = f2fs_compress_reserve(*inode, NULL);
	if (rc == 0)
		rc = f2fs_inode_write(*inode, 20000, "change", 6);
	if (rc == 0)
		rc = f2fs_verity_enable(*inode, NULL);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	return rc ? rc : f2fs_volume_trim(vol, 0, NULL);
}

static int run_engine(struct bench *b)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "engine", .has_time = 1,
						   .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION |
							      F2FS_FEAT_VERITY };
	struct f2fs_inode *dir = NULL, *inode = NULL;
	struct f2fs_volume *vol;
	char text[100] = "";
	size_t done;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_lookup(vol, "/", 0, &dir);
	if (rc == 0)
		rc = change_engine(vol, dir, &inode);
	if (rc == 0)
		rc = f2fs_inode_read(inode, 19990, text, sizeof(text), &done);
	if (rc == 0)
		b->digest = memcmp(text + 10, "change", 6) == 0;
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	f2fs_volume_close(vol);
	return rc;
}

/* The result of a view of an earlier checkpoint: the files of that time, or the error that they are lost. */
enum beside { BESIDE_RIGHT = 1, BESIDE_LOST = 2 };

static int is_good_beside(struct bench *b)
{
	return b->digest == BESIDE_LOST;
}

/* Read the file of a view that was open while its volume was changed. */
static int read_view(struct bench *b, struct f2fs_volume *view)
{
	struct f2fs_inode *inode;
	char text[8] = "";
	size_t done = 0;
	int rc = f2fs_lookup(view, "/file", 0, &inode);

	if (rc == 0) {
		rc = f2fs_inode_read(inode, 5000, text, 5, &done);
		f2fs_inode_close(inode);
	}
	if (rc == F2FS_ERR_OVERWRITTEN || rc == F2FS_ERR_STATE || (b->expected && rc == F2FS_ERR_NOT_FOUND)) {
		b->digest = BESIDE_LOST;
		return 0;
	}
	if (rc == 0 && memcmp(text, "first", 5) != 0)
		fail("view", "", 0, "it shows what came later");
	b->digest = BESIDE_RIGHT;
	return rc;
}

static int change_file(struct f2fs_volume *vol, struct f2fs_inode *inode, const char *text)
{
	int rc = f2fs_inode_write(inode, 5000, text, strlen(text));

	return rc ? rc : f2fs_volume_commit(vol);
}

/* Open a view, change the volume and commit it three times, so that all copies of its tables are new. */
static int change_beside(struct bench *b, struct f2fs_volume *vol, struct f2fs_inode *inode, struct f2fs_volume **out)
{
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };
	struct f2fs_volume *view = NULL;
	struct f2fs_past *past;
	int rc = f2fs_past_open(vol, NULL, &past);

	if (rc != 0)
		return rc;
	f2fs_past_stat(past, &stat);
	rc = f2fs_volume_open_as_of(past, stat.newest, &view);
	f2fs_past_close(past);
	if (rc == 0)
		rc = change_file(vol, inode, "second");
	if (rc == 0)
		rc = change_file(vol, inode, "third");
	if (rc == 0)
		rc = change_file(vol, inode, "fourth");
	if (rc == 0)
		rc = read_view(b, view);
	*out = view;
	return rc;
}

static int run_beside(struct bench *b)
{
	static const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "beside" };
	struct f2fs_inode *dir = NULL, *inode = NULL;
	struct f2fs_volume *vol, *view = NULL;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_lookup(vol, "/", 0, &dir);
	if (rc == 0)
		rc = f2fs_create(dir, "file", 4, &spec, &inode);
	if (rc == 0)
		rc = change_file(vol, inode, "first");
	if (rc == 0)
		rc = change_beside(b, vol, inode, &view);
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	f2fs_volume_close(vol);
	if (rc == 0) /* it outlives its volume */
		rc = read_view(b, view);
	f2fs_volume_close(view);
	return rc;
}

/* A manifest in memory, given by and by. */
static int give_manifest(void *user, void *buffer, size_t length, size_t *got)
{
	const char **left = user;

	*got = strlen(*left) < 100 ? strlen(*left) : 100;
	*got = *got < length ? *got : length;
	memcpy(buffer, *left, *got);
	*left += *got;
	return 0;
}

/* Fill a volume, then make it equal to a smaller tree. */
static int run_populate(struct bench *b)
{
	static const char full[] =
		"{\"path\":\"a/b/c\",\"mode\":\"0640\",\"mtime\":[1,2],\"xattrs\":{\"user.x\":\"00ff\"}}\n"
		"{\"path\":\"a/link\",\"type\":\"symlink\",\"target\":\"b/c\"}\n"
		"{\"path\":\"a/again\",\"type\":\"link\",\"target\":\"a/b/c\"}\n"
		"{\"path\":\"dev\",\"type\":\"character\",\"major\":1,\"minor\":3}\n"
		"{\"path\":\"a\",\"type\":\"directory\",\"mode\":\"0700\"}\n";
	static const char small[] = "{\"path\":\"a/b\"}\n{\"path\":\"dev\",\"type\":\"fifo\"}\n";
	static const char *const texts[] = { full, small };
	const struct f2fs_populate_rule rule = { .pattern = "a/**", .set = F2FS_SET_UID | F2FS_SET_GID, .uid = 5 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "populate", .has_time = 1 };
	struct f2fs_populate_result result = { F2FS_SIZED(f2fs_populate_result) };
	struct f2fs_volume *vol;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	for (unsigned i = 0; i < 2 && rc == 0; i++) {
		const char *left = texts[i];
		const struct f2fs_input input = { .read = give_manifest, .user = &left };
		const struct f2fs_populate_options populate = { F2FS_SIZED(f2fs_populate_options), .manifest = &input,
								.existing = F2FS_EXISTING_REPLACE,
								.flags = F2FS_POPULATE_DELETE | F2FS_POPULATE_PACK,
								.rules = &rule,
								.rule_count = 1 };

		rc = f2fs_populate(vol, &populate, &result);
		if (rc == 0)
			rc = f2fs_volume_commit(vol);
	}
	if (rc == 0)
		b->digest = result.deleted * 1000 + result.replaced * 100 + result.files * 10 + result.specials;
	f2fs_volume_close(vol);
	return rc;
}

/* A volume beside itself: an unreadable block would be reported, so that counts as failing. */
static int run_diff(struct bench *b)
{
	struct f2fs_diff_result result = { F2FS_SIZED(f2fs_diff_result) };
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, NULL, &vol);

	if (rc != 0)
		return rc;
	const struct f2fs_diff_options options = { F2FS_SIZED(f2fs_diff_options),
						   .volume = vol, .fields = F2FS_DIFF_ALL };

	rc = f2fs_diff(vol, &options, &result);
	if (rc == 0 && result.unreadable)
		rc = f2fs_context_fail(b->ctx, F2FS_ERR_IO, "not everything could be read");
	if (rc == 0)
		b->digest = result.compared * 1000 + result.changed + result.added + result.removed;
	f2fs_volume_close(vol);
	return rc;
}

static int run_mkfs(struct bench *b)
{
	struct f2fs_mkfs_device device = { .device = b->dev };
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
					     .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA | F2FS_FEAT_LOST_FOUND |
							F2FS_FEAT_SB_CHECKSUM };
	int rc;

	rc = f2fs_mkfs_write(b->ctx, &device, 1, &options, NULL);
	if (rc == 0)
		b->digest = hash_device(b->memory);
	return rc;
}

/* A discard that failed is borne, and the checkpoint says so: another volume, but a sound one. */
static int is_good_mkfs(struct bench *b)
{
	static const struct exercise_limits limits = { .entries = 30, .table = 30, .extents = 20, .bytes = 20000 };
	struct exercise_result result;

	return exercise_device(b->ctx, b->memory, NULL, &limits, &result) == 0 && result.damage == 0 &&
	       result.entries > 1;
}

/* Bring a file back that was deleted and is whole, and read it. */
static int undelete_and_read(struct bench *b, struct f2fs_volume *vol)
{
	const struct f2fs_undelete_options options = { F2FS_SIZED(f2fs_undelete_options), .into = "/" };
	struct f2fs_undelete_result result = { F2FS_SIZED(f2fs_undelete_result) };
	struct f2fs_inode *inode;
	struct f2fs_past *past;
	static uint8_t bytes[9000];
	size_t done = 0;
	int rc = f2fs_past_open(vol, NULL, &past);

	if (rc != 0)
		return rc;
	rc = f2fs_undelete(past, &options, &result);
	f2fs_past_close(past);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = f2fs_lookup(vol, "/file", 0, &inode);
	if (rc != 0)
		return rc;
	rc = f2fs_inode_read(inode, 0, bytes, sizeof(bytes), &done);
	f2fs_inode_close(inode);
	b->digest = result.whole * 100000 + done + bytes[8999];
	return rc;
}

static int run_undelete(struct bench *b)
{
	static const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "undelete" };
	struct f2fs_inode *dir = NULL, *inode = NULL;
	static uint8_t bytes[9000];
	struct f2fs_volume *vol;
	int rc = make_volume(b, &options, b->dev, &vol);

	if (rc != 0)
		return rc;
	memset(bytes, 7, sizeof(bytes));
	rc = f2fs_lookup(vol, "/", 0, &dir);
	if (rc == 0)
		rc = f2fs_create(dir, "file", 4, &spec, &inode);
	if (rc == 0)
		rc = f2fs_inode_write(inode, 0, bytes, sizeof(bytes));
	if (rc == 0)
		rc = f2fs_xattr_set(inode, "user.kept", "value", 5);
	f2fs_inode_close(inode);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = f2fs_remove(dir, "file", 4);
	f2fs_inode_close(dir);
	if (rc == 0)
		rc = f2fs_volume_commit(vol);
	if (rc == 0)
		rc = undelete_and_read(b, vol);
	f2fs_volume_close(vol);
	return rc;
}

/* The only memory of the context that it takes is that of the keyring. */
static int run_passphrase(struct bench *b)
{
	struct f2fs_volume *vol;
	int rc = f2fs_volume_open(b->ctx, b->dev, NULL, &vol);

	if (rc != 0)
		return rc;
	rc = f2fs_volume_add_passphrase(vol, "phrase", 6, (const uint8_t *)"salt", 4, NULL);
	f2fs_volume_close(vol);
	return rc == F2FS_ERR_UNSUPPORTED ? 0 : rc; /* built without libcrypto */
}

static const struct operation operations[] = {
	{ "memory device", NULL, run_memory, 0, 0, 0, NULL, 0 },
	{ "device stack", NULL, run_device_stack, 1, 0, 0, NULL, 0 },
	{ "undo", NULL, run_undo, 1, 0, 0, is_good_undo, 0 },
	{ "open", "seed-plain", run_open, 0, 1, 1, NULL, 0 },
	{ "open, large NAT bitmap", "seed-large-nat-bitmap", run_open, 0, 1, 1, NULL, 0 },
	{ "rescue", "seed-plain", run_rescue, 0, 1, 1, NULL, 0 },
	{ "read everything", "seed-plain", run_exercise, 0, 1, 1, NULL, 0 },
	{ "read everything, features", "seed-features", run_exercise, 0, 1, 1, NULL, 0 },
	{ "read everything, compressed", "seed-compressed", run_exercise, 0, 1, 1, NULL, 0 },
	{ "read everything, encrypted", "seed-encrypted", run_exercise, 0, 1, 1, NULL, 0 },
	{ "read everything, verity", "seed-verity", run_exercise, 0, 1, 1, NULL, 0 },
	{ "read everything, orphans", "seed-orphans", run_exercise, 0, 1, 1, NULL, 0 },
	{ "check", "seed-plain", run_check, 0, 1, 1, NULL, 0 },
	{ "check, features", "seed-features", run_check, 0, 1, 1, NULL, 0 },
	{ "check, verity", "seed-verity", run_check, 0, 1, 1, NULL, 0 },
	{ "diff", "seed-plain", run_diff, 0, 1, 1, NULL, 0 },
	{ "recover", "seed-fsync-mixed", run_recover, 1, 0, 1, NULL, 0 },
	{ "recover, orphans", "seed-orphans", run_recover, 1, 0, 1, NULL, 0 },
	{ "recovered view", "seed-fsync-mixed", run_recovered_view, 0, 1, 1, NULL, 0 },
	{ "label, UUID, features and compression", "seed-features", run_names, 1, 1, 1, NULL, 0 },
	{ "packed_ssa", NULL, run_packed_ssa, 1, 1, 1, NULL, 2 },
	{ "fields", "seed-features", run_fields, 1, 1, 1, NULL, 0 },
	{ "repair", "seed-plain", run_repair, 1, 1, 1, NULL, 0 },
	{ "repair, lost nodes", "seed-plain", run_repair_nodes, 1, 1, 1, NULL, 0 },
	{ "repair, lost nodes, features", "seed-features", run_repair_nodes, 1, 1, 1, NULL, 0 },
	{ "repair, lost names", NULL, run_repair_names, 1, 1, 1, NULL, 0 },
	{ "mkfs", NULL, run_mkfs, 1, 0, 0, is_good_mkfs, 0 },
	{ "populate", NULL, run_populate, 1, 1, 1, NULL, 0 },
	{ "fsync", NULL, run_fsync, 1, 1, 1, NULL, 0 },
	{ "compress, seal, discard", NULL, run_engine, 1, 1, 1, NULL, 0 },
	{ "view beside a writer", NULL, run_beside, 1, 0, 1, is_good_beside, 0 },
	{ "undelete", NULL, run_undelete, 1, 0, 1, NULL, 0 },
	{ "passphrase", "seed-plain", run_passphrase, 0, 1, 1, NULL, 0 },
};

/* ---- the bench */

static uint8_t *read_seed(const char *name, size_t *size)
{
	char path[4096];
	uint8_t *data = malloc(1 << 20);
	gzFile file;
	int n;

	snprintf(path, sizeof(path), "%s/%s.gz", seed_folder, name);
	file = gzopen(path, "rb");
	if (!data || !file) {
		fprintf(stderr, "cannot read %s\n", path);
		exit(1);
	}
	n = gzread(file, data, 1 << 20);
	gzclose(file);
	if (n <= 0)
		exit(1);
	*size = (size_t)n;
	return data;
}

static void set_up(struct bench *b, const struct operation *op)
{
	memset(b, 0, sizeof(*b));
	test_host_init(&b->host);
	if (f2fs_context_open(&b->host.host, &b->ctx) != 0)
		abort();
	if (f2fs_device_open_memory(b->ctx, VOLUME_SIZE << op->more_bits, &b->memory) != 0)
		abort();
	if (op->seed) {
		struct compact c;
		size_t size;
		uint8_t *data = read_seed(op->seed, &size);

		if (!compact_open(&c, data, size) || compact_load(&c, b->memory) != 0)
			abort();
		free(data);
	}
	if (f2fs_device_open_fault(b->memory, &b->dev) != 0)
		abort();
}

static void tear_down(struct bench *b)
{
	f2fs_device_close(b->dev);
	f2fs_device_close(b->memory);
	f2fs_context_close(b->ctx);
}

static unsigned long next_n(unsigned long n)
{
	return every_n || n < first_n ? n + 1 : n + n / step_of;
}

/* Results of the run without a fault, and the device after it: the measure for runs that tolerate their fault. */
struct measure {
	uint64_t digest, content;
};

static struct measure run_unharmed(const struct operation *op)
{
	struct measure unharmed;
	struct bench b;
	int rc;

	set_up(&b, op);
	rc = op->run(&b);
	unharmed.digest = b.digest;
	unharmed.content = hash_device(b.memory);
	if (rc != 0)
		fail(op->name, "without a fault", 0, f2fs_error_name(rc));
	tear_down(&b);
	if (b.host.live)
		fail(op->name, "without a fault", 0, "memory was not given back");
	return unharmed;
}

static int is_good(const struct operation *op, struct bench *b, uint64_t digest)
{
	return b->digest == digest || (op->is_good && op->is_good(b));
}

/* Fail allocation n (and all later ones): true as long as the operation gets that far. */
static int run_without_memory(const struct operation *op, unsigned long n, int after, uint64_t digest)
{
	struct bench b;
	int rc;

	set_up(&b, op);
	b.expected = digest;
	b.host.fail_at = b.host.allocations + n;
	b.host.fail_after = after;
	rc = op->run(&b);
	b.host.fail_at = 0;
	if (b.host.failures && rc != F2FS_ERR_NOMEM && !(rc == 0 && is_good(op, &b, digest)))
		fail(op->name, "allocation", n, rc ? f2fs_error_name(rc) : "it succeeded with another result");
	if (!b.host.failures && rc != 0)
		fail(op->name, "allocation", n, "it failed without a fault");
	if (rc != 0 && f2fs_context_error(b.ctx)->code == 0 && op->run != run_exercise)
		fail(op->name, "allocation", n, "the context has another error");
	tear_down(&b);
	if (b.host.live)
		fail(op->name, "allocation", n, "memory was not given back");
	return b.host.failures > 0;
}

enum fault { FAULT_READ, FAULT_WRITE, FAULT_FLUSH };
static const char *const fault_names[] = { "read", "write", "flush" };

/* May an operation have succeeded, or failed, in spite of a fault of the device? */
static int is_answer(const struct operation *op, enum fault kind, int sticky, struct bench *b, int rc,
		     const struct measure *unharmed)
{
	const int is_same = b->digest == unharmed->digest && b->content == unharmed->content;

	if (kind == FAULT_READ && op->opens && !sticky)
		return rc == 0 && is_same;
	if (rc == F2FS_ERR_IO || (rc == F2FS_ERR_UNCERTAIN && kind != FAULT_READ))
		return 1;
	if (rc == 0)
		return kind == FAULT_READ && op->writes ? is_same || (op->is_good && op->is_good(b)) :
							  op->bears || is_good(op, b, unharmed->digest);
	return op->bears && (rc == F2FS_ERR_CORRUPT || rc == F2FS_ERR_NOT_F2FS);
}

static int run_with_fault(const struct operation *op, enum fault kind, unsigned long n, int sticky,
			  const struct measure *unharmed)
{
	struct f2fs_fault_rule rule = { .sticky = sticky };
	uint64_t counts[3];
	struct bench b;
	int rc, met;

	set_up(&b, op);
	b.expected = unharmed->digest;
	rule.fail_read = kind == FAULT_READ ? n : 0;
	rule.fail_write = kind == FAULT_WRITE ? n : 0;
	rule.fail_flush = kind == FAULT_FLUSH ? n : 0;
	f2fs_device_fault_set(b.dev, &rule);
	rc = op->run(&b);
	f2fs_device_fault_counts(b.dev, &counts[0], &counts[1], &counts[2]);
	b.content = hash_device(b.memory);
	met = counts[kind] >= n;
	if (!met && rc != 0)
		fail(op->name, fault_names[kind], n, "it failed without a fault");
	if (met && !is_answer(op, kind, sticky, &b, rc, unharmed))
		fail(op->name, fault_names[kind], n, rc ? f2fs_error_name(rc) : "it succeeded with another result");
	tear_down(&b);
	if (b.host.live)
		fail(op->name, fault_names[kind], n, "memory was not given back");
	return met;
}

/* A superblock copy or a checkpoint pack cannot be read: what would write does not, and says so. */
static void run_without_roots(const struct operation *op)
{
	static const uint64_t roots[] = { 0, 4096, 512 * 4096, 1024 * 4096 };

	for (unsigned i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		const struct f2fs_fault_rule rule = { .bad_offset = roots[i] << op->more_bits, .bad_length = 4096 };
		uint64_t counts[3];
		struct bench b;
		int rc;

		set_up(&b, op);
		f2fs_device_fault_set(b.dev, &rule);
		rc = op->run(&b);
		f2fs_device_fault_counts(b.dev, &counts[0], &counts[1], &counts[2]);
		if (rc != F2FS_ERR_IO)
			fail(op->name, "without root", i, rc ? f2fs_error_name(rc) : "it succeeded");
		if (counts[FAULT_WRITE] > 0)
			fail(op->name, "without root", i, "it wrote");
		tear_down(&b);
	}
}

static void test_operation(const struct operation *op)
{
	const struct measure unharmed = run_unharmed(op);
	const uint64_t digest = unharmed.digest;
	unsigned long n, runs = 0;

	if (op->opens && op->writes)
		run_without_roots(op);

	for (int after = 0; after <= 1; after++)
		for (n = 1; run_without_memory(op, n, after, digest); n = next_n(n))
			runs++;
	for (int sticky = 0; sticky <= 1; sticky++) {
		for (n = 1; run_with_fault(op, FAULT_READ, n, sticky, &unharmed); n = next_n(n))
			runs++;
		for (n = 1; op->writes && run_with_fault(op, FAULT_WRITE, n, sticky, &unharmed); n = next_n(n))
			runs++;
		for (n = 1; op->writes && run_with_fault(op, FAULT_FLUSH, n, sticky, &unharmed); n = next_n(n))
			runs++;
	}
	printf("%s: %lu faults\n", op->name, runs);
	fflush(stdout);
	if (runs == 0)
		fail(op->name, "no fault", 0, "was met");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	seed_folder = argv[1];
	every_n = argc > 2 && strcmp(argv[2], "all") == 0;
	if (argc > 2 && strcmp(argv[2], "few") == 0) {
		first_n = 20;
		step_of = 2;
	}
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		test_operation(&operations[i]);
	return 0;
}
