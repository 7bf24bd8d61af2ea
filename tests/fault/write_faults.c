/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of a volume, each with the commit after it, while the n-th allocation, read, write or flush fails, for n = 1,
 * 2, ... until the fault is not met any more. A call that fails does so with the right code. The device then holds the
 * state that the failure names: the one before the change, or, with UNCERTAIN, either that or the one after it. Two
 * states are looked at: the device with all that was written, and one whose cache was lost, so that all after the last
 * flush that succeeded is gone. A commit after a failed change either says that the handle is good for a rollback only
 * or makes nothing of the change true. After a rollback, the same change works, or the handle says that it cannot be
 * used. An uncertain state is ended in turn by committing again, a rollback, and opening again, with the same
 * judgement.
 *
 *	write_faults [all]    all: every n; otherwise every n at first, then larger and larger steps
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "crash/tree_digest.h"

#define VOLUME_SIZE ((uint64_t)112 << 20) /* streams want that many free sections */
#define BLOCK 4096u
#define WANTED_SECTIONS 30u /* for a pinned file: one more than are free */
#define KEPT_SECTIONS 8u    /* that it leaves to the commit */

struct operation {
	const char *name;
	int (*run)(struct f2fs_volume *vol);
};

struct bench {
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *memory, *recorder, *dev; /* without faults, the writes, and with faults */
	struct f2fs_volume *vol;
};

enum fault { FAULT_MEMORY, FAULT_READ, FAULT_WRITE, FAULT_FLUSH, FAULT_KINDS };
static const char *const fault_names[] = { "allocation", "read", "write", "flush" };

static struct f2fs_context *base_ctx;
static struct f2fs_device *base;
static uint64_t tree_before, tree_after;
static uint8_t bytes[120 * BLOCK];
static int every_n;

/* The present operation, for messages. */
static struct {
	const char *name, *stage;
	int kind, sticky;
	unsigned long n;
} now = { .name = "the volume to start with", .kind = -1 };

static void fail(const char *what)
{
	fprintf(stderr, "%s, %s %lu%s%s: %s\n", now.name, now.kind < 0 ? "no fault" : fault_names[now.kind], now.n,
		now.sticky ? " and all later ones" : "", now.stage ? now.stage : "", what);
	abort();
}

/* ---- the changes */

static int with_inode(struct f2fs_volume *vol, const char *path, int (*run)(struct f2fs_inode *inode))
{
	struct f2fs_inode *inode;
	int err = f2fs_lookup(vol, path, 0, &inode);

	if (err)
		return err;
	err = run(inode);
	f2fs_inode_close(inode);
	return err;
}

static int create(struct f2fs_inode *dir, const char *name, unsigned mode, const char *target, size_t target_length)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new),
				       .mode = mode, .target = target, .target_length = target_length };

	return f2fs_create(dir, name, strlen(name), &spec, NULL);
}

static int create_file(struct f2fs_inode *dir)
{
	return create(dir, "new-file", 0100644, NULL, 0);
}

static int create_dir(struct f2fs_inode *dir)
{
	return create(dir, "new-directory", 040755, NULL, 0);
}

/* Without a name, and then with one. */
static int create_unnamed(struct f2fs_inode *dir)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644, .flags = F2FS_NEW_UNNAMED };
	struct f2fs_inode *inode;
	int err = f2fs_create(dir, NULL, 0, &spec, &inode);

	if (err)
		return err;
	err = f2fs_inode_write(inode, 0, bytes, 20000);
	if (!err)
		err = f2fs_link(dir, "new-file", 8, inode);
	f2fs_inode_close(inode);
	return err;
}

static int create_link(struct f2fs_inode *dir)
{
	return create(dir, "new-symlink", 0120777, (const char *)bytes, 4000);
}

static int write_small(struct f2fs_inode *inode)
{
	return f2fs_inode_write(inode, 10, bytes, 100);
}

static int write_part(struct f2fs_inode *inode)
{
	return f2fs_inode_write(inode, 20000, bytes, 6000);
}

static int write_large(struct f2fs_inode *inode)
{
	return f2fs_inode_write(inode, 1000 * (uint64_t)BLOCK, bytes, sizeof(bytes));
}

static int cut(struct f2fs_inode *inode)
{
	return f2fs_inode_truncate(inode, 50 * BLOCK + 7);
}

static int reserve(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, 0, 3 * BLOCK, 1000 * (uint64_t)BLOCK);
}

static int punch(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE, 5000, 100 * BLOCK);
}

static int zero(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, F2FS_FALLOCATE_ZERO_RANGE, 5000, 100 * BLOCK);
}

static int collapse(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, F2FS_FALLOCATE_COLLAPSE_RANGE, 4 * BLOCK, 100 * BLOCK);
}

static int insert(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, F2FS_FALLOCATE_INSERT_RANGE, 4 * BLOCK, 100 * BLOCK);
}

static int set_owner(struct f2fs_inode *inode)
{
	const struct f2fs_stat values = { .uid = 77, .gid = 78, .projid = 79, .mode = 0600 };

	return f2fs_inode_set(inode, F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_PROJID | F2FS_SET_MODE, &values);
}

static int set_pin(struct f2fs_inode *inode)
{
	const struct f2fs_stat values = { .inline_flags = 0x40 };

	return f2fs_inode_set(inode, F2FS_SET_PIN, &values);
}

static int preallocate(struct f2fs_inode *inode)
{
	return f2fs_fallocate(inode, 0, 0, 600 * (uint64_t)BLOCK);
}

static int set_attribute(struct f2fs_inode *inode)
{
	return f2fs_xattr_set(inode, "user.large", bytes, 2000);
}

static int remove_attribute(struct f2fs_inode *inode)
{
	return f2fs_xattr_remove(inode, "user.old");
}

static int move(struct f2fs_inode *dir, const char *from, const char *to, unsigned flags)
{
	return f2fs_rename(dir, from, strlen(from), dir, to, strlen(to), flags);
}

static int remove_file(struct f2fs_inode *dir)
{
	return f2fs_remove(dir, "large", 5);
}

static int remove_dir(struct f2fs_inode *dir)
{
	return f2fs_remove(dir, "empty", 5);
}

static int replace(struct f2fs_inode *dir)
{
	return move(dir, "small", "large", 0);
}

static int exchange(struct f2fs_inode *dir)
{
	return move(dir, "full", "small", F2FS_RENAME_EXCHANGE);
}

static int leave_whiteout(struct f2fs_inode *dir)
{
	return move(dir, "small", "a-name-that-takes-several-slots-of-the-directory", F2FS_RENAME_WHITEOUT);
}

static int remove_open(struct f2fs_inode *dir)
{
	struct f2fs_inode *inode;
	int err = f2fs_lookup(f2fs_inode_volume(dir), "/large", 0, &inode);

	if (err)
		return err;
	err = f2fs_remove(dir, "large", 5);
	f2fs_inode_close(inode);
	return err;
}

#define ON(function, path)                                                                                             \
	static int run_##function(struct f2fs_volume *vol)                                                             \
	{                                                                                                              \
		return with_inode(vol, path, function);                                                                \
	}
ON(create_file, "/full")
ON(create_dir, "/")
ON(create_unnamed, "/full")
ON(create_link, "/")
ON(write_small, "/small")
ON(write_part, "/large")
ON(write_large, "/small")
ON(cut, "/large")
ON(reserve, "/small")
ON(punch, "/large")
ON(zero, "/large")
ON(collapse, "/large")
ON(insert, "/large")
ON(set_owner, "/large")
ON(set_pin, "/small")
ON(preallocate, "/pinned")
ON(set_attribute, "/small")
ON(remove_attribute, "/large")
ON(remove_file, "/")
ON(remove_dir, "/")
ON(replace, "/")
ON(exchange, "/")
ON(leave_whiteout, "/")
ON(remove_open, "/")

static int run_limits(struct f2fs_volume *vol)
{
	const struct f2fs_quota quota = { .id = 3000000, .space_soft_kib = 7, .inodes_hard = 8 };

	const struct f2fs_quota_grace grace = { F2FS_SIZED(f2fs_quota_grace), 5, 6 };
	const int err = f2fs_quota_grace_set(vol, 0, &grace);

	return err ? err : f2fs_quota_set(vol, 0, F2FS_QUOTA_SPACE_SOFT | F2FS_QUOTA_INODES_HARD, &quota);
}

static int run_link(struct f2fs_volume *vol)
{
	struct f2fs_inode *dir, *inode = NULL;
	int err = f2fs_lookup(vol, "/full", 0, &dir);

	if (err)
		return err;
	err = f2fs_lookup(vol, "/small", 0, &inode);
	if (!err)
		err = f2fs_link(dir, "second-name", 11, inode);
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	return err;
}

static int run_clean(struct f2fs_volume *vol)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100 };

	return f2fs_gc(vol, &options, NULL);
}

/* Into holes of the fullest segments. */
static int run_clean_holes(struct f2fs_volume *vol)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100,
						 .target = F2FS_GC_TO_ADAPTIVE, .request_cost = 1 };

	return f2fs_gc(vol, &options, NULL);
}

/* Into holes of the same age, pinned files, too. */
static int run_clean_elsewhere(struct f2fs_volume *vol)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 100,
						 .target = F2FS_GC_TO_AGE, .move_pinned = 1 };

	return f2fs_gc(vol, &options, NULL);
}

/* A pinned file wants more whole sections than are free: some are cleaned first. The file's size stays. */
static int reserve_sections(struct f2fs_inode *inode)
{
	const struct f2fs_gc_options look = { F2FS_SIZED(f2fs_gc_options), .dry_run = 1 },
				     cleaning = { F2FS_SIZED(f2fs_gc_options) };
	struct f2fs_volume *vol = f2fs_inode_volume(inode);
	struct f2fs_gc_result found = { F2FS_SIZED(f2fs_gc_result) };
	struct f2fs_counters written = { F2FS_SIZED(f2fs_counters) };
	int err = f2fs_volume_set_gc(vol, &cleaning);

	if (!err)
		err = f2fs_gc(vol, &look, &found);
	if (err)
		return err;
	err = f2fs_fallocate(inode, F2FS_FALLOCATE_KEEP_SIZE, 0,
			     (uint64_t)WANTED_SECTIONS * F2FS_SEGMENT_BLOCKS * BLOCK);
	f2fs_volume_counters(vol, &written);
	/* when it is done again, there may be enough of them */
	if (!err && found.free_before < WANTED_SECTIONS + KEPT_SECTIONS && written.gc_sections == 0)
		fail("nothing was cleaned");
	return err;
}

static int run_reclaim(struct f2fs_volume *vol)
{
	return with_inode(vol, "/pinned", reserve_sections);
}

static int run_defrag(struct f2fs_volume *vol)
{
	const struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options), .order = F2FS_DEFRAG_TREE };
	int err = f2fs_defrag(vol, NULL, NULL);

	return err ? err : f2fs_defrag(vol, &options, NULL);
}

/* A pattern that all paths match leaves no file out, above all not the first, for whose path memory is taken. */
static int run_defrag_matching(struct f2fs_volume *vol)
{
	static const char *const large[] = { "/large" }, *const all[] = { "*" };
	struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options),
					       .order = F2FS_DEFRAG_TREE,
					       .dry_run = 1,
					       .paths = large,
					       .path_count = 1 };
	struct f2fs_defrag_result without = { F2FS_SIZED(f2fs_defrag_result) }, with = without;
	int err = f2fs_defrag(vol, &options, &without);

	options.include = all;
	options.include_count = 1;
	if (!err)
		err = f2fs_defrag(vol, &options, &with);
	if (!err && (without.files == 0 || with.files != without.files))
		fail("files that match were left out");
	return err;
}

static int run_defrag_range(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);

	return f2fs_defrag_range(vol, geo->main_blkaddr, 4 * F2FS_SEGMENT_BLOCKS,
				 geo->main_blkaddr + 8 * F2FS_SEGMENT_BLOCKS, 0, NULL);
}

static struct f2fs_hotness *hot; /* of the volume at hand */

static void end_streams(struct f2fs_volume *vol)
{
	f2fs_volume_rollback(vol);
	if (f2fs_hotness_close(hot) != 0)
		abort();
	hot = NULL;
}

/* By a placement that learns, in two streams; tear_down() ends it, lest the error be forgotten. */
static int write_placed(struct f2fs_volume *vol, uint32_t method, unsigned times)
{
	const struct f2fs_hotness_options options = { F2FS_SIZED(f2fs_hotness_options), .method = method,
						      .streams = 2, .memory = 1, .round = 100, .delays = 1 };
	/* it learns from what does not wait */
	const struct f2fs_write_options at_once = { F2FS_SIZED(f2fs_write_options), .at_once = 1 };
	struct f2fs_hotness_stat stat = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_inode *inode = NULL;
	int err;

	if (hot)
		end_streams(vol);
	err = f2fs_volume_configure(vol, &at_once);
	if (!err)
		err = f2fs_hotness_open(vol, &options, &hot);
	if (err)
		return err;
	err = f2fs_lookup(vol, "/large", 0, &inode);
	/* overwrite existing blocks again and again, some more often than others; then make a change */
	for (unsigned i = 0; i < times && !err; i++)
		err = f2fs_inode_write(inode, (uint64_t)(i * i * 7 % 30) * BLOCK,
				       bytes + (size_t)(i * i * 7 % 30) * BLOCK, 2 * BLOCK);
	f2fs_hotness_stat(hot, &stat);
	if (!err && !stat.separates) /* then nothing was tried */
		abort();
	if (!err)
		err = f2fs_inode_write(inode, 0, bytes + BLOCK, 3 * BLOCK);
	f2fs_inode_close(inode);
	return err;
}

static int run_streams(struct f2fs_volume *vol)
{
	return write_placed(vol, F2FS_HOTNESS_M2H, 200);
}

static int run_adaptive(struct f2fs_volume *vol)
{
	return write_placed(vol, F2FS_HOTNESS_ADAPTIVE, 1200);
}

static const struct operation operations[] = {
	{ "create a file", run_create_file },
	{ "create a directory", run_create_dir },
	{ "create a file without a name, and name it", run_create_unnamed },
	{ "create a symbolic link", run_create_link },
	{ "link", run_link },
	{ "set limits", run_limits },
	{ "write inside the inode", run_write_small },
	{ "write parts of blocks", run_write_part },
	{ "write many blocks", run_write_large },
	{ "truncate", run_cut },
	{ "reserve", run_reserve },
	{ "punch", run_punch },
	{ "zero", run_zero },
	{ "collapse", run_collapse },
	{ "insert", run_insert },
	{ "set owners", run_set_owner },
	{ "pin", run_set_pin },
	{ "preallocate", run_preallocate },
	{ "set an attribute", run_set_attribute },
	{ "remove an attribute", run_remove_attribute },
	{ "remove a file", run_remove_file },
	{ "remove a directory", run_remove_dir },
	{ "remove an open file", run_remove_open },
	{ "replace", run_replace },
	{ "exchange", run_exchange },
	{ "leave a whiteout", run_leave_whiteout },
	{ "write in streams", run_streams },
	{ "write in adaptive streams", run_adaptive },
	{ "clean", run_clean },
	{ "clean into holes of its age", run_clean_elsewhere },
	{ "clean into holes", run_clean_holes },
	{ "clean before a change", run_reclaim },
	{ "put in order", run_defrag },
	{ "put matching files in order", run_defrag_matching },
	{ "move a range", run_defrag_range },
};

/* ---- the volume that all start with */

static void must(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(base_ctx)->message);
	abort();
}

static int fill_part(struct f2fs_inode *inode)
{
	const struct f2fs_stat none = { .inline_flags = 0 };
	int err = set_pin(inode);

	if (!err)
		err = f2fs_fallocate(inode, 0, 0, F2FS_SEGMENT_BLOCKS * BLOCK);
	if (!err)
		err = f2fs_inode_truncate(inode, 5 * BLOCK);
	if (!err)
		err = f2fs_inode_write(inode, 0, bytes, 5 * BLOCK);
	return err ? err : f2fs_inode_set(inode, F2FS_SET_PIN, &none);
}

/* Sections with a few blocks each, which are worth cleaning. */
static void make_parts(struct f2fs_volume *vol)
{
	struct f2fs_inode *root;
	char path[] = "/part0";

	must(f2fs_lookup(vol, "/", 0, &root), "/");
	for (unsigned i = 0; i < 5; i++) {
		path[5] = (char)('0' + i);
		must(create(root, path + 1, 0100644, NULL, 0), path);
		must(with_inode(vol, path, fill_part), path);
		must(f2fs_volume_commit(vol), "commit");
	}
	f2fs_inode_close(root);
}

static void make_base(void)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA |
							      F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_INODE_CHECKSUM };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_inode *root, *full, *inode;
	struct f2fs_volume *vol;
	char name[80];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(1 + i % 251);
	must(f2fs_context_open(NULL, &base_ctx), "context");
	must(f2fs_device_open_memory(base_ctx, VOLUME_SIZE, &base), "device");
	device.device = base;
	must(f2fs_mkfs_write(base_ctx, &device, 1, &options, NULL), "mkfs");
	must(f2fs_volume_open(base_ctx, base, NULL, &vol), "open");
	must(f2fs_lookup(vol, "/", 0, &root), "/");
	must(create(root, "small", 0100644, NULL, 0), "small");
	must(create(root, "large", 0100644, NULL, 0), "large");
	must(create(root, "pinned", 0100644, NULL, 0), "pinned");
	must(with_inode(vol, "/pinned", set_pin), "pinned");
	must(create(root, "empty", 040755, NULL, 0), "empty");
	must(create(root, "full", 040755, NULL, 0), "full");
	must(with_inode(vol, "/small", write_small), "small");
	must(f2fs_lookup(vol, "/large", 0, &inode), "large");
	must(f2fs_inode_write(inode, 0, bytes, sizeof(bytes) - 5), "large");
	must(f2fs_inode_write(inode, 930 * (uint64_t)BLOCK, bytes, 10 * BLOCK + 5), "large");
	must(f2fs_xattr_set(inode, "user.old", bytes, 1000), "large");
	f2fs_inode_close(inode);
	must(f2fs_lookup(vol, "/full", 0, &full), "full");
	for (unsigned i = 0; i < 60; i++) { /* as many as go into the inode, nearly */
		snprintf(name, sizeof(name), "entry-%02u-of-a-full-directory", i);
		if (i < 44)
			must(create(full, name, 0100644, NULL, 0), name);
	}
	f2fs_inode_close(full);
	f2fs_inode_close(root);
	make_parts(vol);
	must(f2fs_volume_commit(vol), "commit");
	f2fs_volume_close(vol);
}

static void copy_base(struct f2fs_device *to)
{
	static uint8_t piece[1 << 20];
	uint64_t run;
	int is_hole;

	for (uint64_t at = 0; at < VOLUME_SIZE; at += run) {
		if (f2fs_device_extent(base, at, &run, &is_hole) != 0)
			abort();
		if (run > sizeof(piece))
			run = sizeof(piece);
		if (!is_hole && (f2fs_device_read(base, at, piece, (size_t)run) != 0 ||
				 f2fs_device_write(to, at, piece, (size_t)run) != 0))
			abort();
	}
}

/* Return a digest of the device as a new handle shows it. */
static uint64_t tree_on(struct f2fs_device *dev)
{
	struct tree_digest digest = { 0 };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(base_ctx, dev, NULL, &vol) != 0 || tree_digest(vol, &digest) != 0)
		fail(f2fs_context_error(base_ctx)->message);
	if (digest.fault)
		fail(digest.fault);
	f2fs_volume_close(vol);
	return digest.tree;
}

/* ---- the bench */

static void set_up(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	test_host_init(&b->host);
	if (f2fs_context_open(&b->host.host, &b->ctx) != 0 ||
	    f2fs_device_open_memory(b->ctx, VOLUME_SIZE, &b->memory) != 0)
		abort();
	copy_base(b->memory);
	if (f2fs_device_open_recorder(b->memory, &b->recorder) != 0 ||
	    f2fs_device_open_fault(b->recorder, &b->dev) != 0 || f2fs_volume_open(b->ctx, b->dev, NULL, &b->vol) != 0)
		abort();
}

static void tear_down(struct bench *b)
{
	if (hot)
		end_streams(b->vol);
	f2fs_volume_close(b->vol);
	f2fs_device_close(b->dev);
	f2fs_device_close(b->recorder);
	f2fs_device_close(b->memory);
	f2fs_context_close(b->ctx);
	if (b->host.live)
		fail("memory was not given back");
}

static int change_and_commit(struct bench *b, const struct operation *op, int *changed)
{
	int err = op->run(b->vol);

	*changed = !err;
	return err ? err : f2fs_volume_commit(b->vol);
}

static void arm(struct bench *b, enum fault kind, unsigned long n, int sticky)
{
	struct f2fs_fault_rule rule = { .sticky = sticky };

	rule.fail_read = kind == FAULT_READ ? n : 0;
	rule.fail_write = kind == FAULT_WRITE ? n : 0;
	rule.fail_flush = kind == FAULT_FLUSH ? n : 0;
	f2fs_device_fault_set(b->dev, &rule);
	b->host.fail_at = kind == FAULT_MEMORY ? b->host.allocations + n : 0;
	b->host.fail_after = sticky;
}

static int disarm(struct bench *b, enum fault kind, unsigned long n)
{
	const struct f2fs_fault_rule none = { 0 };
	uint64_t counts[3];

	f2fs_device_fault_counts(b->dev, &counts[0], &counts[1], &counts[2]);
	f2fs_device_fault_set(b->dev, &none);
	b->host.fail_at = 0;
	return kind == FAULT_MEMORY ? b->host.failures > 0 : counts[kind - 1] >= n;
}

/* A device as it is when all that was written after the last flush is lost. */
static struct f2fs_device *without_cache(const struct bench *b)
{
	const uint64_t count = f2fs_device_record_count(b->recorder);
	struct f2fs_device *dev;
	struct f2fs_record record;
	uint64_t durable = 0;

	if (f2fs_device_open_memory(base_ctx, VOLUME_SIZE, &dev) != 0)
		abort();
	copy_base(dev);
	for (uint64_t i = 0; i < count; i++)
		if (f2fs_device_record_at(b->recorder, i, &record) == 0 && record.kind == F2FS_RECORD_FLUSH)
			durable = i;
	for (uint64_t i = 0; i < durable; i++) {
		int err = f2fs_device_record_at(b->recorder, i, &record);

		if (!err && record.kind == F2FS_RECORD_WRITE)
			err = f2fs_device_write(dev, record.offset, record.data, (size_t)record.length);
		else if (!err && record.kind == F2FS_RECORD_ZERO)
			err = f2fs_device_zero(dev, record.offset, record.length);
		if (err)
			abort();
	}
	return dev;
}

/* Are both states as they may be? may: sums of these. */
enum { BEFORE = 1, AFTER = 2 };
static const char *check_states(const struct bench *b, int may)
{
	struct f2fs_device *lost = without_cache(b), *const states[] = { b->memory, lost };
	const char *wrong = NULL;

	for (unsigned i = 0; i < 2 && !wrong; i++) {
		const uint64_t tree = tree_on(states[i]);

		if (!(may & BEFORE && tree == tree_before) && !(may & AFTER && tree == tree_after))
			wrong = tree == tree_before  ? "the device is as before"
				: tree == tree_after ? "the device is as after"
						     : "the device is neither as before nor as after";
	}
	f2fs_device_close(lost);
	return wrong;
}

/* Open a state again, and make the change there unless it has it. */
static const char *go_on_with(struct f2fs_device *dev, const struct operation *op)
{
	struct f2fs_volume *vol;
	const char *wrong = NULL;

	if (tree_on(dev) == tree_after)
		return NULL;
	if (f2fs_volume_open(base_ctx, dev, NULL, &vol) != 0)
		return "a state does not open";
	if (op->run(vol) != 0 || f2fs_volume_commit(vol) != 0)
		wrong = "a state cannot be changed";
	if (hot)
		end_streams(vol);
	f2fs_volume_close(vol);
	return wrong ? wrong : tree_on(dev) == tree_after ? NULL : "a state was changed to something else";
}

static uint64_t version_of(const struct f2fs_volume *vol)
{
	size_t length;
	unsigned pack;
	const uint8_t *cp = f2fs_volume_checkpoint(vol, &length, &pack);
	uint64_t version = 0;

	for (unsigned i = 8; i-- > 0;)
		version = version << 8 | cp[i];
	return version;
}

/* It is not known whether the commit is permanent: end that in one way after the other. */
static const char *check_uncertain(struct bench *b, const struct operation *op, enum fault kind, int changed)
{
	static unsigned turn;
	const char *wrong = check_states(b, BEFORE | AFTER);
	const uint64_t before = version_of(b->vol);
	struct f2fs_counters first = { F2FS_SIZED(f2fs_counters) }, second = first;
	struct f2fs_device *lost;
	int again;

	if (wrong || f2fs_volume_transaction(b->vol) != F2FS_TRANSACTION_UNCERTAIN)
		return wrong ? wrong : "the volume does not say that it is uncertain";
	if (run_create_file(b->vol) != F2FS_ERR_STATE)
		return "the volume was changed all the same";
	f2fs_volume_counters(b->vol, &first);
	/* an operation with commits of its own has dropped its uncommitted changes */
	switch (changed ? turn++ % 4 : 1 + turn++ % 3) {
	case 0:
		now.stage = ", then committed again";
		if (f2fs_volume_commit(b->vol) != 0 || version_of(b->vol) != before + 1)
			return "the commit does not end well";
		f2fs_volume_counters(b->vol, &second);
		if (second.flushes != first.flushes + 1)
			return "the work was done twice";
		return check_states(b, AFTER);
	case 1:
		now.stage = ", then discarded";
		f2fs_volume_rollback(b->vol);
		if (f2fs_volume_transaction(b->vol) != F2FS_TRANSACTION_NONE)
			return "it was not discarded";
		wrong = check_states(b, BEFORE);
		if (!wrong && change_and_commit(b, op, &again) != 0)
			wrong = "it cannot be done again";
		return wrong ? wrong : check_states(b, AFTER);
	case 2:
		now.stage = ", then discarded in vain";
		arm(b, FAULT_FLUSH, 1, 1);
		f2fs_volume_rollback(b->vol);
		disarm(b, kind, 1);
		if (f2fs_volume_transaction(b->vol) != F2FS_TRANSACTION_UNCERTAIN)
			return "it says that it was discarded";
		if (run_create_file(b->vol) != F2FS_ERR_STATE || f2fs_volume_commit(b->vol) != F2FS_ERR_UNCERTAIN)
			return "the volume goes on";
		break;
	default:
		break;
	}
	wrong = check_states(b, BEFORE | AFTER);
	if (hot) /* it is of the volume that is open */
		return wrong;
	lost = without_cache(b);
	if (!wrong)
		wrong = go_on_with(lost, op);
	f2fs_device_close(lost);
	return wrong ? wrong : go_on_with(b->memory, op);
}

/* After a failure: is the device as it may be, and does the handle continue, or report that it does not? */
static const char *check_failed(struct bench *b, const struct operation *op, int changed)
{
	const int is_done = changed && f2fs_volume_transaction(b->vol) == F2FS_TRANSACTION_NONE;
	const char *wrong;
	uint64_t tree;
	int err, again;

	now.stage = ", then the device";
	tree = tree_on(b->memory);
	wrong = check_states(b, is_done ? AFTER : BEFORE);
	if (wrong)
		return wrong;
	now.stage = ", then a commit";
	if (!changed) {
		err = f2fs_volume_commit(b->vol);
		if (err && err != F2FS_ERR_STATE)
			return "the commit after it failed with another code";
		if (!err && tree_on(b->memory) != tree_before)
			return "half a change was committed";
	}
	now.stage = ", then done again";
	f2fs_volume_rollback(b->vol);
	if (tree != tree_before)
		return NULL;
	err = change_and_commit(b, op, &again);
	if (err == F2FS_ERR_STATE)
		return NULL;
	if (err) {
		fprintf(stderr, "%s\n", f2fs_context_error(b->ctx)->message);
		return "it cannot be done again";
	}
	return tree_on(b->memory) == tree_after ? NULL : "done again, it gives something else";
}

/* True as long as the operation meets the fault. */
static int run_with(const struct operation *op, enum fault kind, unsigned long n, int sticky)
{
	const int code = kind == FAULT_MEMORY ? F2FS_ERR_NOMEM : F2FS_ERR_IO;
	const char *wrong = NULL;
	struct bench b;
	int changed, err, met;

	now.kind = (int)kind;
	now.sticky = sticky;
	now.n = n;
	now.stage = NULL;
	set_up(&b);
	arm(&b, kind, n, sticky);
	err = change_and_commit(&b, op, &changed);
	if (err && f2fs_context_error(b.ctx)->code != err)
		wrong = "the context has another error";
	met = disarm(&b, kind, n);
	if (!err && tree_on(b.memory) != tree_after)
		wrong = "it succeeded with another result";
	else if (err == F2FS_ERR_UNCERTAIN && f2fs_volume_transaction(b.vol) == F2FS_TRANSACTION_UNCERTAIN)
		wrong = check_uncertain(&b, op, kind, changed);
	else if (err && (!met || (err != code && err != F2FS_ERR_UNCERTAIN)))
		wrong = met ? f2fs_error_name(err) : "it failed without a fault";
	else if (err && !wrong)
		wrong = check_failed(&b, op, changed);
	if (wrong)
		fail(wrong);
	tear_down(&b);
	return met;
}

static void test_operation(const struct operation *op)
{
	unsigned long runs = 0;
	struct bench b;
	int changed;

	now.name = op->name;
	now.kind = -1;
	now.stage = NULL;
	set_up(&b);
	if (change_and_commit(&b, op, &changed) != 0)
		fail(f2fs_context_error(b.ctx)->message);
	tree_after = tree_on(b.memory);
	tear_down(&b);
	for (int kind = 0; kind < FAULT_KINDS; kind++)
		for (int sticky = 0; sticky <= 1; sticky++)
			for (unsigned long n = 1; run_with(op, (enum fault)kind, n, sticky);
			     n += every_n || n < 6 ? 1 : n / 2)
				runs++;
	printf("%s: %lu faults\n", op->name, runs);
	fflush(stdout);
	if (runs == 0)
		fail("no fault was met");
}

int main(int argc, char **argv)
{
	every_n = argc > 1 && strcmp(argv[1], "all") == 0;
	make_base();
	tree_before = tree_on(base);
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
		test_operation(&operations[i]);
	f2fs_device_close(base);
	f2fs_context_close(base_ctx);
	return 0;
}
