/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of a volume, read from bytes. The first byte chooses features; then follow operations on a handful of names,
 * with commits, rollbacks and reopening. As long as the volume is sound, no call may find damage, committed data is
 * read back equal, and the checker finds nothing. An operation that damages bytes of nodes, directories and tables
 * ends that promise: from there on everything may fail, but no more.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/test_host.h"
#include "crash/tree_digest.h"
#include "fuzz/fuzz.h"

#define VOLUME_SIZE ((uint64_t)64 << 20)
#define MAX_STEPS 400u
#define HANDLES 4u
#define BLOCK 4096u

struct bench {
	const uint8_t *data;
	size_t left;
	struct test_host host;
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *handles[HANDLES];
	int damaged;
};

static uint8_t bytes[64 * BLOCK];

static void expect(int condition)
{
	if (!condition)
		abort();
}

static unsigned take(struct bench *b)
{
	if (b->left == 0)
		return 0;
	b->left--;
	return *b->data++;
}

static uint64_t take_number(struct bench *b)
{
	uint64_t n = take(b);

	n |= (uint64_t)take(b) << 8;
	return n << take(b) % 8;
}

/* A sound volume never looks damaged, and only a device that is full or an argument makes a call fail. */
static int judge(const struct bench *b, int err)
{
	expect(b->damaged || (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO && err != F2FS_ERR_NOMEM));
	expect(err == 0 || f2fs_context_error(b->ctx)->code == err);
	return err;
}

/* ---- names: three directories, eight names in each */

static const char *take_name(struct bench *b, size_t *length)
{
	static const char *const names[] = { "a", "b", "dir-1", "dir-2", "file.mp4", "A", "x.y.z", NULL };
	static char name[255];
	unsigned i = take(b);

	if (names[i % 8]) {
		*length = strlen(names[i % 8]);
		return names[i % 8];
	}
	memset(name, 'n', sizeof(name));
	name[0] = (char)('a' + i / 8);
	*length = 1 + take(b) % 255;
	return name;
}

static struct f2fs_inode *take_dir(struct bench *b)
{
	static const char *const paths[] = { "/", "/dir-1", "/dir-2", "/dir-1/dir-2" };
	struct f2fs_inode *dir = NULL;

	if (judge(b, f2fs_lookup(b->vol, paths[take(b) % 4], 0, &dir)) != 0)
		judge(b, f2fs_lookup(b->vol, "/", 0, &dir));
	return dir;
}

static struct f2fs_inode *take_inode(struct bench *b)
{
	struct f2fs_inode *dir = take_dir(b), *inode = NULL;
	struct f2fs_dirent entry;
	size_t length;
	const char *name = take_name(b, &length);

	if (dir && judge(b, f2fs_dir_lookup(dir, name, length, &entry)) == 0)
		judge(b, f2fs_inode_open(b->vol, entry.ino, &inode));
	f2fs_inode_close(dir);
	return inode;
}

/* ---- operations */

static void do_create(struct bench *b)
{
	static const uint16_t modes[] = { 0100644, 0100600, 040755, 040700, 0120777, 020600, 060600, 010600 };
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = modes[take(b) % 8], .uid = take(b) };
	struct f2fs_inode *dir = take_dir(b);
	size_t length;
	const char *name = take_name(b, &length);

	spec.target = (const char *)bytes;
	spec.target_length = (size_t)(take_number(b) % 5000);
	if (dir)
		judge(b, f2fs_create(dir, name, length, &spec, NULL));
	f2fs_inode_close(dir);
}

static void do_remove(struct bench *b)
{
	struct f2fs_inode *dir = take_dir(b);
	size_t length;
	const char *name = take_name(b, &length);

	if (dir)
		judge(b, f2fs_remove(dir, name, length));
	f2fs_inode_close(dir);
}

static void do_rename(struct bench *b)
{
	struct f2fs_inode *from = take_dir(b), *to = take_dir(b);
	size_t length, new_length;
	const char *name = take_name(b, &length), *new_name;
	char copy[255];

	memcpy(copy, name, length);
	new_name = take_name(b, &new_length);
	if (from && to)
		judge(b, f2fs_rename(from, copy, length, to, new_name, new_length, take(b) % 8));
	f2fs_inode_close(from);
	f2fs_inode_close(to);
}

static void do_link(struct bench *b)
{
	struct f2fs_inode *inode = take_inode(b), *dir = take_dir(b);
	size_t length;
	const char *name = take_name(b, &length);

	if (inode && dir)
		judge(b, f2fs_link(dir, name, length, inode));
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
}

static void change_file(struct bench *b, struct f2fs_inode *inode)
{
	static const unsigned flags[] = { 0x00, 0x01, 0x03, 0x08, 0x10, 0x11, 0x20, 0xff };
	const unsigned what = take(b);
	uint64_t at = take_number(b), length = take_number(b);

	if (what & 64) {
		at &= ~(uint64_t)(BLOCK - 1);
		length &= ~(uint64_t)(BLOCK - 1);
	}
	if (what % 8 < 3)
		judge(b, f2fs_inode_write(inode, at, bytes, (size_t)(length % sizeof(bytes))));
	else if (what % 8 == 3)
		judge(b, f2fs_inode_truncate(inode, at));
	else
		judge(b, f2fs_fallocate(inode, flags[what / 8 % 8], at, length));
}

static void do_change(struct bench *b)
{
	struct f2fs_inode *inode = take_inode(b);

	if (inode)
		change_file(b, inode);
	f2fs_inode_close(inode);
}

static void do_handle(struct bench *b)
{
	struct f2fs_inode **handle = &b->handles[take(b) % HANDLES];

	if (*handle && take(b) % 2) {
		change_file(b, *handle);
		return;
	}
	f2fs_inode_close(*handle);
	*handle = take_inode(b);
}

static void do_set(struct bench *b)
{
	struct f2fs_inode *inode = take_inode(b);
	struct f2fs_stat values = { .mode = take(b), .uid = take(b), .gid = take(b), .projid = take(b) };
	unsigned which = (unsigned)take_number(b);

	values.flags = (uint32_t)take_number(b);
	values.advise = (uint8_t)take(b);
	values.inline_flags = (uint8_t)take(b);
	if (inode)
		judge(b, f2fs_inode_set(inode, which, &values));
	f2fs_inode_close(inode);
}

static void do_attribute(struct bench *b)
{
	static const char *const names[] = {
		"user.a", "user.b", "trusted.c", "security.d", "system.advise", "none.x", "system.posix_acl_access",
		"user."
	};
	struct f2fs_inode *inode = take_inode(b);
	const char *name = names[take(b) % 8];
	size_t size = (size_t)(take_number(b) % 5000);

	if (inode && size % 5 == 0)
		judge(b, f2fs_xattr_remove(inode, name));
	else if (inode)
		judge(b, f2fs_xattr_set(inode, name, bytes, size));
	f2fs_inode_close(inode);
}

static void do_compress(struct bench *b)
{
	const struct f2fs_compression how = { .algorithm = (uint8_t)(take(b) % 5),
					      .log_cluster = (uint8_t)(take(b) % 9) };
	struct f2fs_inode *inode = take_inode(b);
	const unsigned what = take(b) % 4;

	if (inode && what < 2)
		judge(b, f2fs_compress_set(inode, what ? &how : NULL));
	else if (inode)
		judge(b, what == 2 ? f2fs_compress_release(inode, NULL) : f2fs_compress_reserve(inode, NULL));
	f2fs_inode_close(inode);
}

static void close_handles(struct bench *b)
{
	for (unsigned i = 0; i < HANDLES; i++) {
		f2fs_inode_close(b->handles[i]);
		b->handles[i] = NULL;
	}
}

/* 0 when the volume is open afterwards. */
static int reopen(struct bench *b)
{
	close_handles(b);
	f2fs_volume_close(b->vol);
	b->vol = NULL;
	return judge(b, f2fs_volume_open(b->ctx, b->dev, NULL, &b->vol));
}

static int on_problem(void *user, const struct f2fs_problem *problem)
{
	const struct bench *b = user;

	if (!b->damaged && problem->info->severity != F2FS_SEVERITY_NOTE) {
		fprintf(stderr, "%s\n", problem->message);
		abort();
	}
	return F2FS_DECIDE_SKIP;
}

static void check_volume(struct bench *b)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = on_problem, .user = b, .threads = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };
	int err = f2fs_check(b->ctx, b->dev, &options, &result);

	expect(b->damaged || (err == 0 && result.found == 0));
}

/* The commit has the state before it, and another reader sees the same. */
static int do_commit(struct bench *b)
{
	struct tree_digest before = { 0 }, after = { 0 };
	int known = tree_digest_files(b->vol, &before), err;

	close_handles(b);
	err = judge(b, f2fs_volume_commit(b->vol));
	if (err) { /* a call failed half-way before, or the volume has no segment left */
		f2fs_volume_rollback(b->vol);
		return reopen(b);
	}
	check_volume(b);
	err = reopen(b);
	if (err || b->damaged)
		return err;
	expect(known == 0 && tree_digest_files(b->vol, &after) == 0 && before.tree == after.tree);
	return 0;
}

/* Damage some bytes of a node, of a directory's block or of a table. */
static int do_damage(struct bench *b)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(b->vol);
	struct f2fs_nat_info entry;
	uint64_t at, n = 1 + take(b) % 8;
	uint8_t piece[8];

	f2fs_volume_rollback(b->vol);
	b->damaged = 1;
	if (f2fs_nat_next(b->vol, 3 + take(b) % 64, &entry) == 0 && take(b) % 4)
		at = (uint64_t)entry.block_addr * BLOCK + take_number(b) % (BLOCK - 8);
	else
		at = (uint64_t)geo->cp_blkaddr * BLOCK + (uint64_t)(take(b) * 256 + take(b)) * 16;
	for (unsigned i = 0; i < n; i++)
		piece[i] = (uint8_t)take(b);
	if (at + n <= VOLUME_SIZE && f2fs_device_write(b->dev, at, piece, (size_t)n) != 0)
		abort();
	return reopen(b);
}

static int run_step(struct bench *b)
{
	static void (*const changes[])(struct bench * b) = { do_create, do_create,    do_remove, do_rename,
							     do_link,	do_change,    do_change, do_handle,
							     do_set,	do_attribute, do_change, do_compress };
	const unsigned what = take(b);

	if (what % 16 < 12) {
		changes[what % 16](b);
		return 0;
	}
	if (what % 16 < 14)
		return do_commit(b);
	if (what % 16 == 14) {
		f2fs_volume_rollback(b->vol);
		return 0;
	}
	return what >= 0xe0 ? do_damage(b) : reopen(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t features[] = {
		0,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_QUOTA | F2FS_FEAT_PROJECT_QUOTA,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION | F2FS_FEAT_FLEXIBLE_INLINE_XATTR,
		F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_CASEFOLD | F2FS_FEAT_INODE_CRTIME,
	};
	struct bench b = { .data = data, .left = size };
	struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .feature = features[take(&b) % 4] };
	struct f2fs_mkfs_device device = { 0 };

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(1 + i / 7 % 250);
	test_host_init(&b.host);
	if (f2fs_context_open(&b.host.host, &b.ctx) != 0 || f2fs_device_open_memory(b.ctx, VOLUME_SIZE, &b.dev) != 0)
		abort();
	device.device = b.dev;
	expect(f2fs_mkfs_write(b.ctx, &device, 1, &options, NULL) == 0);
	if (reopen(&b) == 0) {
		unsigned step = 0;
		int err = 0;

		while (!err && b.left > 0 && step++ < MAX_STEPS)
			err = run_step(&b);
		if (!err)
			do_commit(&b);
	}
	close_handles(&b);
	f2fs_volume_close(b.vol);
	f2fs_device_close(b.dev);
	f2fs_context_close(b.ctx);
	expect(b.host.live == 0);
	return 0;
}
