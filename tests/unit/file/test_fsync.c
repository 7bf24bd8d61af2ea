/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes of an fsync, commits in its place, and the state that it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/seed.h"

#define SIZE (80u << 20)
#define BLOCK 4096u

/* A new volume in memory under a recorder. */
struct subject {
	struct f2fs_context *ctx;
	struct f2fs_device *memory, *recorder;
	struct f2fs_volume *vol;
};

static struct subject s;
static uint8_t bytes[64 * BLOCK];
static bool forget_cache; /* the device was changed without the volume's knowledge */

static void open_volume(void)
{
	assert_int_equal(f2fs_volume_open(s.ctx, s.recorder, NULL, &s.vol), 0);
}

static int set_up(void **state)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options),
						   .feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_COMPRESSION };
	struct f2fs_mkfs_device device = { 0 };

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &s.ctx), 0);
	assert_int_equal(f2fs_device_open_memory(s.ctx, SIZE, &s.memory), 0);
	device.device = s.memory;
	assert_int_equal(f2fs_mkfs_write(s.ctx, &device, 1, &options, NULL), 0);
	assert_int_equal(f2fs_device_open_recorder(s.memory, &s.recorder), 0);
	open_volume();
	memset(bytes, 'b', sizeof(bytes));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_volume_close(s.vol);
	f2fs_device_close(s.recorder);
	f2fs_device_close(s.memory);
	f2fs_context_close(s.ctx);
	return 0;
}

static struct f2fs_inode *look(const char *path)
{
	struct f2fs_inode *inode;

	assert_int_equal(f2fs_lookup(s.vol, path, 0, &inode), 0);
	return inode;
}

static struct f2fs_inode *make(const char *top, const char *name, uint32_t mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = mode };
	struct f2fs_inode *dir = look(top), *inode;

	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &inode), 0);
	f2fs_inode_close(dir);
	return inode;
}

static void write_at(struct f2fs_inode *inode, uint64_t offset, size_t length)
{
	assert_int_equal(f2fs_inode_write(inode, offset, bytes, length), 0);
}

static void commit(void)
{
	assert_int_equal(f2fs_volume_commit(s.vol), 0);
}

/* The writes since the records were cleared last. */
struct traffic {
	uint64_t written; /* bytes */
	unsigned flushes;
	bool twice; /* a byte was written more than once */
};

static struct traffic take_traffic(void)
{
	struct traffic t = { 0 };
	struct f2fs_record a, b;

	for (uint64_t i = 0; i < f2fs_device_record_count(s.recorder); i++) {
		assert_int_equal(f2fs_device_record_at(s.recorder, i, &a), 0);
		t.flushes += a.kind == F2FS_RECORD_FLUSH;
		if (a.kind != F2FS_RECORD_WRITE)
			continue;
		t.written += a.length;
		for (uint64_t k = 0; k < i; k++) {
			assert_int_equal(f2fs_device_record_at(s.recorder, k, &b), 0);
			if (b.kind == F2FS_RECORD_WRITE && a.offset < b.offset + b.length &&
			    b.offset < a.offset + a.length)
				t.twice = true;
		}
	}
	f2fs_device_record_clear(s.recorder);
	return t;
}

static void check_fsync(struct f2fs_inode *inode, unsigned flags, unsigned blocks)
{
	struct traffic t;

	f2fs_device_record_clear(s.recorder);
	assert_int_equal(f2fs_fsync(inode, flags), 0);
	t = take_traffic();
	assert_int_equal(t.written, blocks * BLOCK);
	assert_int_equal(t.flushes, blocks ? 2 : 0);
	assert_false(t.twice);
}

static void an_fsync_writes_what_it_must(void **state)
{
	const struct f2fs_stat times = { .atime = { 5, 6 }, .mtime = { 7, 8 } };
	struct f2fs_inode *inode = make("/", "file", 0100644), *far = make("/", "far", 0100644);

	(void)state;
	write_at(inode, 0, BLOCK);
	write_at(far, 2000 * BLOCK, BLOCK);
	commit();
	for (unsigned i = 1; i < 10; i++) { /* appends: data and the inode */
		write_at(inode, i * BLOCK, BLOCK);
		check_fsync(inode, 0, 2);
	}
	write_at(inode, 0, BLOCK); /* overwritten, and a part of a block */
	check_fsync(inode, F2FS_FSYNC_DATA, 2);
	write_at(inode, 7, 20);
	check_fsync(inode, 0, 2);
	for (unsigned i = 1; i < 10; i++) { /* far from the inode: data and a direct node, which has the size, too */
		write_at(far, (2000u + i) * BLOCK, BLOCK);
		check_fsync(far, i % 2 ? F2FS_FSYNC_DATA : 0, 2);
	}
	write_at(far, 2010 * BLOCK, 100); /* the end of the file is within a block: the inode is needed, too */
	check_fsync(far, F2FS_FSYNC_DATA, 3);
	assert_int_equal(f2fs_inode_truncate(far, 2005 * BLOCK), 0);
	check_fsync(far, 0, 2);
	check_fsync(far, 0, 0); /* nothing has changed */
	assert_int_equal(f2fs_inode_set(far, F2FS_SET_ATIME | F2FS_SET_MTIME, &times), 0);
	check_fsync(far, F2FS_FSYNC_DATA, 0);
	check_fsync(far, 0, 1);
	f2fs_inode_close(inode);
	f2fs_inode_close(far);
	inode = make("/", "small", 0100644); /* contents inside the inode */
	write_at(inode, 0, 100);
	check_fsync(inode, 0, 1);
	f2fs_inode_close(inode);
}

static uint64_t pending(void)
{
	uint64_t nodes;

	assert_int_equal(f2fs_volume_pending(s.vol, &nodes), 0);
	return nodes;
}

/* The chain continues past the end of segments, and nodes that were not fsynced do not break it. */
static void the_chain_is_long(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644), *other;

	(void)state;
	commit();
	for (unsigned i = 0; i < 1300; i++) {
		char name[16];

		write_at(inode, (uint64_t)(i % 50) * BLOCK, BLOCK);
		assert_int_equal(f2fs_fsync(inode, 0), 0);
		if (i % 40 != 0)
			continue;
		snprintf(name, sizeof(name), "other%u", i);
		other = make("/", name, 0100644);
		write_at(other, 0, 3 * BLOCK);
		f2fs_inode_close(other);
	}
	assert_int_equal(pending(), 1300);
	f2fs_inode_close(inode);
}

static void what_was_fsynced_waits_for_recovery(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644);
	struct f2fs_volume_stat before = { F2FS_SIZED(f2fs_volume_stat) }, after = { F2FS_SIZED(f2fs_volume_stat) };

	(void)state;
	commit();
	f2fs_volume_statfs(s.vol, &before);
	write_at(inode, 0, 3 * BLOCK);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	f2fs_volume_rollback(s.vol);
	assert_int_equal(pending(), 1);
	assert_int_equal(f2fs_inode_write(inode, 0, bytes, 1), F2FS_ERR_STATE);
	f2fs_inode_close(inode);
	f2fs_volume_close(s.vol);
	open_volume();
	assert_int_equal(pending(), 1);
	f2fs_volume_statfs(s.vol, &after);
	assert_int_equal(before.valid_blocks, after.valid_blocks);
}

static void a_commit_ends_the_chain(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644);

	(void)state;
	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	assert_int_equal(pending(), 1);
	commit();
	assert_int_equal(pending(), 0);
	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	assert_int_equal(pending(), 1);
	f2fs_inode_close(inode);
	commit();
}

/* Blocks that were fsynced are not handed out again although the file is gone: a recovery brings it back. */
static void fsynced_blocks_rest(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644), *root = look("/");
	struct f2fs_file_extent extent, other;

	(void)state;
	write_at(inode, 0, sizeof(bytes));
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	assert_int_equal(f2fs_inode_extent(inode, 0, &extent), 0);
	f2fs_inode_close(inode);
	assert_int_equal(f2fs_remove(root, "file", 4), 0);
	inode = make("/", "filler", 0100644);
	for (unsigned i = 0; i < 150; i++) {
		/* far more than there is, were it not freed again */
		write_at(inode, 0, sizeof(bytes));
		assert_int_equal(f2fs_inode_extent(inode, 0, &other), 0);
		assert_true(other.addr + other.count <= extent.addr || extent.addr + extent.count <= other.addr);
	}
	f2fs_inode_close(inode);
	f2fs_inode_close(root);
}

/* A volume that is fsynced for ever, and never committed: now and then an fsync commits, so that there always is room.
 */
static void fsyncs_go_on_for_ever(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644);
	unsigned in_chain = 0;

	(void)state;
	commit();
	for (unsigned i = 0; i < 3000; i++) {
		write_at(inode, (uint64_t)(i % 3) * BLOCK, 20 * BLOCK);
		assert_int_equal(f2fs_fsync(inode, 0), 0);
		f2fs_device_record_clear(s.recorder);
		in_chain += pending() > 0;
	}
	assert_true(in_chain > 2900);
	f2fs_inode_close(inode);
}

static void writes_can_be_synchronous(void **state)
{
	struct f2fs_inode *inode = make("/", "file", 0100644);

	(void)state;
	assert_int_equal(f2fs_volume_set_sync(s.vol, 3), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_volume_set_sync(s.vol, F2FS_SYNC_DATA), 0);
	for (unsigned i = 1; i < 6; i++) {
		write_at(inode, 0, i);
		assert_int_equal(pending(), i);
	}
	assert_int_equal(f2fs_volume_set_sync(s.vol, F2FS_SYNC_ALL), 0);
	write_at(inode, 0, 9);
	assert_int_equal(pending(), 6);
	assert_int_equal(f2fs_volume_set_sync(s.vol, F2FS_SYNC_NONE), 0);
	write_at(inode, 0, 9);
	assert_int_equal(pending(), 6);
	f2fs_inode_close(inode);
}

static void several_pieces_at_once(void **state)
{
	struct f2fs_write_part parts[20];
	struct f2fs_inode *inode = make("/", "file", 0100644);

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		parts[i].offset = (uint64_t)i * 700 * BLOCK;
		parts[i].data = bytes;
		parts[i].length = BLOCK;
	}
	commit();
	assert_int_equal(f2fs_inode_write_atomic(inode, parts, 20), 0);
	assert_int_equal(pending(), 1); /* one mark for all */
	f2fs_inode_close(inode);
}

/* Pieces that fit one by one, but not together: nothing is written, and the transaction continues. */
static void pieces_that_do_not_fit(void **state)
{
	const unsigned count = SIZE / BLOCK;
	struct f2fs_write_part *parts = calloc(count, sizeof(*parts));
	struct f2fs_inode *inode = make("/", "file", 0100644);
	struct f2fs_stat before, after;

	(void)state;
	for (unsigned i = 0; i < count; i++)
		parts[i] = (struct f2fs_write_part){ (uint64_t)i * 2 * BLOCK, bytes, BLOCK };
	write_at(inode, 0, 5 * BLOCK);
	assert_int_equal(f2fs_inode_stat(inode, &before), 0);
	assert_int_equal(f2fs_inode_write_atomic(inode, parts, count), F2FS_ERR_NOSPC);
	assert_int_equal(f2fs_volume_transaction(s.vol), F2FS_TRANSACTION_OPEN);
	assert_int_equal(f2fs_inode_stat(inode, &after), 0);
	assert_int_equal(after.size, before.size);
	assert_int_equal(after.blocks, before.blocks);
	for (unsigned i = 0; i < 5; i++)
		parts[i].offset = (uint64_t)i * BLOCK;
	assert_int_equal(f2fs_inode_write_atomic(inode, parts, 5), 0);
	f2fs_inode_close(inode);
	free(parts);
	commit();
}

/* ---- when there is a commit instead */

static void no_change(struct f2fs_inode *inode)
{
	write_at(inode, 0, BLOCK);
}

static void add_name(struct f2fs_inode *inode)
{
	struct f2fs_inode *root = look("/");

	assert_int_equal(f2fs_link(root, "second", 6, inode), 0);
	f2fs_inode_close(root);
}

static void rename_it(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	(void)inode;
	assert_int_equal(f2fs_rename(dir, "file", 4, dir, "moved", 5, 0), 0);
	f2fs_inode_close(dir);
}

static void move_by_link(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	add_name(inode);
	assert_int_equal(f2fs_remove(dir, "file", 4), 0);
	f2fs_inode_close(dir);
}

static void take_name(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_remove(dir, "old", 3), 0);
	f2fs_inode_close(dir);
}

/* The old file of that name is still alive: a recovery that gives the name to a new file would lose it. */
static void move_other(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_rename(dir, "old", 3, dir, "older", 5, 0), 0);
	f2fs_inode_close(dir);
}

static void move_other_away(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir"), *root = look("/");

	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_rename(dir, "old", 3, root, "older", 5, 0), 0);
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
}

static void exchange_others(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir"), *root = look("/");

	write_at(inode, 0, BLOCK);
	f2fs_inode_close(make("/", "apart", 0100644));
	assert_int_equal(f2fs_rename(root, "apart", 5, dir, "old", 3, F2FS_RENAME_EXCHANGE), 0);
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
}

static void link_other(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir"), *old = look("/dir/old");

	write_at(inode, 0, BLOCK);
	add_name(old);
	assert_int_equal(f2fs_remove(dir, "old", 3), 0);
	f2fs_inode_close(old);
	f2fs_inode_close(dir);
}

static void replace_link(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir"), *root = look("/"), *old = look("/dir/old");

	write_at(inode, 0, BLOCK);
	add_name(old);
	f2fs_inode_close(make("/", "apart", 0100644));
	assert_int_equal(f2fs_rename(root, "apart", 5, dir, "old", 3, 0), 0);
	f2fs_inode_close(old);
	f2fs_inode_close(dir);
	f2fs_inode_close(root);
}

/* Files that the last commit has below a directory would be left without a name. */
static void remove_directory(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	write_at(inode, 0, BLOCK);
	f2fs_inode_close(make("/dir", "sub", 040755));
	assert_int_equal(f2fs_remove(dir, "sub", 3), 0);
	f2fs_inode_close(dir);
}

static void change_directory(struct f2fs_inode *inode)
{
	struct f2fs_inode *dir = look("/dir");

	write_at(inode, 0, BLOCK);
	assert_int_equal(f2fs_xattr_set(dir, "user.a", "1", 1), 0);
	f2fs_inode_close(dir);
}

static void lose_node(struct f2fs_inode *inode)
{
	assert_int_equal(f2fs_inode_truncate(inode, 100), 0);
}

/* Blocks past the end of a file without a flag for it: as the kernel leaves them after some fallocate calls. */
static void reserve_behind(struct f2fs_inode *inode)
{
	const f2fs_nid_t ino = f2fs_inode_number(inode);
	struct f2fs_nat_info entry;
	uint8_t advise;

	assert_int_equal(f2fs_fallocate(inode, F2FS_FALLOCATE_KEEP_SIZE, 0, 6 * BLOCK), 0);
	commit();
	assert_int_equal(f2fs_nat_lookup(s.vol, ino, &entry), 0);
	assert_int_equal(f2fs_device_read(s.memory, (uint64_t)entry.block_addr * BLOCK + 2, &advise, 1), 0);
	assert_int_equal(advise, 0x10); /* FADVISE_KEEP_SIZE */
	advise = 0;
	f2fs_volume_rollback(s.vol);
	assert_int_equal(f2fs_device_write(s.memory, (uint64_t)entry.block_addr * BLOCK + 2, &advise, 1), 0);
	forget_cache = true;
}

static void compress_it(struct f2fs_inode *inode)
{
	struct f2fs_compression how = { .algorithm = F2FS_COMPRESS_LZO };

	assert_int_equal(f2fs_compress_set(inode, &how), 0);
	write_at(inode, 0, BLOCK);
}

static void use_up_room(struct f2fs_inode *inode)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	for (unsigned turn = 0; turn < 2; turn++) {
		struct f2fs_inode *filler = make("/", "filler", 0100644), *root = look("/");

		f2fs_volume_statfs(s.vol, &st);
		for (uint64_t i = 0; i < st.free_blocks * 9 / 16; i++)
			write_at(filler, i * BLOCK, BLOCK);
		f2fs_inode_close(filler);
		assert_int_equal(f2fs_remove(root, "filler", 6), 0);
		f2fs_inode_close(root);
	}
	write_at(inode, 0, BLOCK);
}

static const struct row {
	int reason;
	bool is_new;	 /* the file was not there at the last commit */
	bool in_new_dir; /* nor its directory */
	uint32_t mode;
	uint64_t size;
	void (*change)(struct f2fs_inode *inode);
} commits[] = {
	{ F2FS_FSYNC_NONE, false, false, 0100644, 0, no_change },
	{ F2FS_FSYNC_NONE, true, false, 0100644, 0, no_change },
	{ F2FS_FSYNC_NOT_REGULAR, true, false, 010644, 0, NULL },
	{ F2FS_FSYNC_COMPRESSED, true, false, 0100644, 0, compress_it },
	{ F2FS_FSYNC_LINKS, false, false, 0100644, 0, add_name },
	{ F2FS_FSYNC_LINKS, true, false, 0100644, 0, add_name },
	{ F2FS_FSYNC_IDENTITY, false, false, 0100644, 0, rename_it },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, rename_it },
	{ F2FS_FSYNC_WRONG_PARENT, true, false, 0100644, 0, move_by_link },
	{ F2FS_FSYNC_NO_ROOM, false, false, 0100644, 0, use_up_room },
	{ F2FS_FSYNC_NEW_PARENT, true, true, 0100644, 0, no_change },
	{ F2FS_FSYNC_NONE, false, false, 0100644, 0, take_name },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, take_name },
	{ F2FS_FSYNC_PARENT_XATTRS, false, false, 0100644, 0, change_directory },
	{ F2FS_FSYNC_NODE_FREED, false, false, 0100644, 2000 * BLOCK, lose_node },
	{ F2FS_FSYNC_BEYOND_END, false, false, 0100644, 2 * BLOCK, reserve_behind },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, replace_link },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, remove_directory },
};

/* The same with F2FS_FSYNC_MODE_POSIX. */
static const struct row posix_commits[] = {
	{ F2FS_FSYNC_NONE, true, false, 0100644, 0, no_change },
	{ F2FS_FSYNC_NONE, true, false, 0100644, 0, take_name },
	{ F2FS_FSYNC_NONE, false, false, 0100644, 0, move_other },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, move_other },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, move_other_away },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, exchange_others },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, link_other },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, replace_link },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, remove_directory },
	{ F2FS_FSYNC_PARENT_NAMES, true, false, 0100644, 0, rename_it },
	{ F2FS_FSYNC_WRONG_PARENT, true, false, 0100644, 0, move_by_link },
	{ F2FS_FSYNC_IDENTITY, false, false, 0100644, 0, rename_it },
	{ F2FS_FSYNC_NEW_PARENT, true, true, 0100644, 0, no_change },
	{ F2FS_FSYNC_PARENT_XATTRS, true, false, 0100644, 0, change_directory },
};

static void try_row(const struct row *row, unsigned number)
{
	struct f2fs_inode *inode, *dir = make("/", "dir", 040755), *old = make("/dir", "old", 0100644);
	int reason;

	if (!row->in_new_dir)
		commit();
	inode = make("/dir", "file", row->mode);
	if (row->size)
		write_at(inode, row->size - 1, 1);
	if (!row->is_new)
		commit();
	if (row->change)
		row->change(inode);
	if (forget_cache) {
		f2fs_inode_close(inode);
		f2fs_inode_close(dir);
		f2fs_inode_close(old);
		f2fs_volume_close(s.vol);
		open_volume();
		dir = look("/dir");
		old = look("/dir/old");
		inode = look("/dir/file");
		write_at(inode, 0, BLOCK);
		forget_cache = false;
	}
	assert_int_equal(f2fs_fsync_reason(inode, &reason), 0);
	if (reason != row->reason)
		fail_msg("row %u: %s", number, f2fs_fsync_reason_name(reason));
	assert_int_equal(f2fs_fsync(inode, 0), 0);
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	f2fs_inode_close(old);
	assert_int_equal(pending(), reason == F2FS_FSYNC_NONE);
	f2fs_volume_close(s.vol);
	open_volume();
	assert_int_equal(pending(), reason == F2FS_FSYNC_NONE);
}

static void reasons_to_commit(void **state)
{
	for (unsigned i = 0; i < sizeof(commits) / sizeof(commits[0]); i++) {
		tear_down(state);
		set_up(state);
		try_row(&commits[i], i);
	}
	assert_string_equal(f2fs_fsync_reason_name(F2FS_FSYNC_NO_ROOM), "NO_ROOM");
	assert_string_equal(f2fs_fsync_reason_text(F2FS_FSYNC_LINKS), "the file has not exactly one name");
	assert_null(f2fs_fsync_reason_name(-1));
	assert_null(f2fs_fsync_reason_text(1000));
}

static void reasons_in_posix_mode(void **state)
{
	const struct f2fs_write_options posix = { F2FS_SIZED(f2fs_write_options), .fsync_mode = F2FS_FSYNC_MODE_POSIX };
	const struct f2fs_write_options odd = { F2FS_SIZED(f2fs_write_options), .fsync_mode = 2 };

	for (unsigned i = 0; i < sizeof(posix_commits) / sizeof(posix_commits[0]); i++) {
		tear_down(state);
		set_up(state);
		assert_int_equal(f2fs_volume_configure(s.vol, &posix), 0);
		try_row(&posix_commits[i], i);
	}
	assert_int_equal(f2fs_volume_configure(s.vol, &odd), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_fsync_mode_find("posix"), F2FS_FSYNC_MODE_POSIX);
	assert_int_equal(f2fs_fsync_mode_find("nobarrier"), -1);
	assert_string_equal(f2fs_fsync_mode_name(F2FS_FSYNC_MODE_STRICT), "strict");
	assert_null(f2fs_fsync_mode_name(2));
}

static void wrong_flags(void **state)
{
	struct f2fs_inode *root = look("/");

	(void)state;
	assert_int_equal(f2fs_fsync(root, 2), F2FS_ERR_INVALID);
	f2fs_inode_close(root);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_fsync_writes_what_it_must),
		TEST(the_chain_is_long),
		TEST(what_was_fsynced_waits_for_recovery),
		TEST(a_commit_ends_the_chain),
		TEST(fsynced_blocks_rest),
		TEST(fsyncs_go_on_for_ever),
		TEST(writes_can_be_synchronous),
		TEST(several_pieces_at_once),
		TEST(pieces_that_do_not_fit),
		TEST(reasons_to_commit),
		TEST(reasons_in_posix_mode),
		TEST(wrong_flags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
