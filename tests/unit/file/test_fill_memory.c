/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory of a transaction that makes many files: caches of a fixed size, and a few bytes for each new inode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/fresh.h"
#include "common/test_host.h"
#include "log/nodes.h"
#include "log/txn.h"

#define MIB (1u << 20)
#define FILES_IN_DIR 1000u
#define BYTES_PER_INODE 32u

static struct fresh v;
static struct f2fs_context *counted; /* of the volume; the device in memory has its own */
static struct test_host host;
static struct f2fs_inode *dir;
static unsigned files;

static int set_up(void **state)
{
	(void)state;
	test_host_init(&host);
	fresh_open(&v, 512 * MIB, 0);
	f2fs_volume_close(v.vol);
	if (f2fs_context_open(&host.host, &counted) != 0)
		return -1;
	return f2fs_volume_open(counted, v.dev, NULL, &v.vol);
}

static int tear_down(void **state)
{
	(void)state;
	f2fs_inode_close(dir);
	f2fs_volume_close(v.vol);
	f2fs_context_close(counted);
	f2fs_device_close(v.dev);
	f2fs_context_close(v.ctx);
	return host.live == 0 ? 0 : -1;
}

static void make_file(void)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *inode;
	char name[32];

	if (files % FILES_IN_DIR == 0) {
		f2fs_inode_close(dir);
		snprintf(name, sizeof(name), "directory-%u", files / FILES_IN_DIR);
		dir = fresh_make(&v, name, 040755);
	}
	snprintf(name, sizeof(name), "file-number-%u", files++);
	assert_int_equal(f2fs_create(dir, name, strlen(name), &spec, &inode), 0);
	f2fs_inode_close(inode);
}

/* Make files until the nodes in memory are written and dropped. Returns the bytes in use then, without pages. */
static size_t fill_nodes(void)
{
	size_t before;

	do {
		before = v.vol->txn ? v.vol->txn->node_count : 0;
		make_file();
	} while (v.vol->txn->node_count >= before);
	return host.live - v.vol->txn->waiting_blocks * (v.vol->geo.block_size + 1);
}

static void each_inode_takes_little(void **state)
{
	size_t first, second;
	unsigned made;

	(void)state;
	first = fill_nodes(); /* caches and buffers are there now */
	made = files;
	second = fill_nodes();
	made = files - made;
	assert_in_range(made, NODES_IN_MEMORY - 100, NODES_IN_MEMORY);
	assert_true(second - first <= (size_t)made * BYTES_PER_INODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_inode_takes_little, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
