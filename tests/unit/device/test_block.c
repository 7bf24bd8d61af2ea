/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Block devices of the host, by a loop device; needs root and losetup, and is skipped without. Other sizes of sectors,
 * exclusive opening, and the file of a loop device that is in use.
 */
#include "model.h"

#include <fcntl.h>
#include <linux/blkpg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define SIZE (8u << 20)

struct fixture {
	struct test_host host;
	char file[64];
	char loop[64];
};

/* Run a command and keep the first word it prints. */
static int run(const char *command, char *word, int size)
{
	FILE *f = popen(command, "r");
	int rc;

	assert_non_null(f);
	if (!fgets(word, size, f))
		word[0] = 0;
	word[strcspn(word, "\n")] = 0;
	rc = pclose(f);
	return rc;
}

static int attach(struct fixture *f, unsigned sector)
{
	char command[200];

	test_host_init(&f->host);
	test_path(f->file);
	assert_int_equal(truncate(f->file, SIZE), 0);
	snprintf(command, sizeof(command), "losetup -f --show -b %u %s 2>/dev/null", sector, f->file);
	if (run(command, f->loop, sizeof(f->loop)) == 0 && strncmp(f->loop, "/dev/loop", 9) == 0)
		return 0;
	unlink(f->file);
	test_host_fini(&f->host);
	return -1;
}

static void detach(struct fixture *f)
{
	char command[200], word[8];

	snprintf(command, sizeof(command), "losetup -d %s", f->loop);
	assert_int_equal(run(command, word, sizeof(word)), 0);
	unlink(f->file);
	test_host_fini(&f->host);
}

static void agrees_with_array(void **state)
{
	static const unsigned sectors[] = { 512, 4096 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		const struct f2fs_device_info *info;
		struct f2fs_device *dev;
		struct fixture f;
		struct model m;

		if (attach(&f, sectors[i]) != 0)
			skip();
		assert_int_equal(f2fs_device_open(f.host.ctx, f.loop, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &dev), 0);
		info = f2fs_device_info(dev);
		assert_int_equal(info->size, SIZE);
		assert_int_equal(info->sector_size, sectors[i]);
		assert_int_equal(info->start_sector, 0);
		assert_int_equal(info->zone_bytes, 0);
		assert_int_equal(info->caps,
				 F2FS_DEVICE_WRITE | F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE |
					 F2FS_DEVICE_BLOCK | F2FS_DEVICE_DISCARD);
		model_init(&m, dev, 0, SIZE, 100 + i);
		model_run(&m, 400);
		assert_int_equal(f2fs_device_flush(dev), 0);
		f2fs_device_close(dev);
		/* As in its file. */
		assert_int_equal(f2fs_device_open(f.host.ctx, f.file, F2FS_OPEN_READ, &m.dev), 0);
		model_compare(&m);
		f2fs_device_close(m.dev);
		model_fini(&m);
		detach(&f);
	}
}

static void users_are_named(void **state)
{
	struct f2fs_device *dev, *other = NULL;
	struct fixture f;

	(void)state;
	if (attach(&f, 512) != 0)
		skip();
	/* The file of a loop device. */
	assert_int_equal(f2fs_device_open(f.host.ctx, f.file, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &other),
			 F2FS_ERR_BUSY);
	assert_non_null(strstr(f2fs_context_error(f.host.ctx)->message, f.loop));
	assert_int_equal(f2fs_device_open(f.host.ctx, f.file, F2FS_OPEN_EXCLUSIVE, &dev), 0);
	f2fs_device_close(dev);
	assert_int_equal(f2fs_device_open(f.host.ctx, f.file, F2FS_OPEN_WRITE, &dev), 0);
	f2fs_device_close(dev);
	/* Two that want a device for themselves. */
	assert_int_equal(f2fs_device_open(f.host.ctx, f.loop, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &dev), 0);
	assert_int_equal(f2fs_device_open(f.host.ctx, f.loop, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &other),
			 F2FS_ERR_BUSY);
	assert_non_null(strstr(f2fs_context_error(f.host.ctx)->message, f.loop));
	assert_null(other);
	assert_int_equal(f2fs_device_open(f.host.ctx, f.loop, F2FS_OPEN_READ, &other), 0);
	f2fs_device_close(other);
	f2fs_device_close(dev);
	detach(&f);
}

/* Announce a partition to the kernel, or remove it. */
static int change_partition(const char *disk, int operation)
{
	struct blkpg_partition partition = { .start = 4096 * 512, .length = 4096 * 512, .pno = 1 };
	struct blkpg_ioctl_arg arg = { .op = operation, .datalen = sizeof(partition), .data = &partition };
	int fd = open(disk, O_RDONLY);
	int rc;

	assert_true(fd >= 0);
	rc = ioctl(fd, BLKPG, &arg);
	close(fd);
	return rc;
}

/* A partition starts where the kernel says. */
static void partitions_have_a_start(void **state)
{
	struct f2fs_device *dev = NULL;
	struct fixture f;
	char path[80];
	int rc;

	(void)state;
	if (attach(&f, 512) != 0)
		skip();
	snprintf(path, sizeof(path), "%sp1", f.loop);
	if (change_partition(f.loop, BLKPG_ADD_PARTITION) != 0) {
		detach(&f);
		skip();
	}
	rc = f2fs_device_open(f.host.ctx, path, F2FS_OPEN_EXCLUSIVE, &dev);
	if (rc == 0) {
		assert_int_equal(f2fs_device_info(dev)->start_sector, 4096);
		assert_int_equal(f2fs_device_info(dev)->size, 4096 * 512);
	}
	f2fs_device_close(dev);
	assert_int_equal(change_partition(f.loop, BLKPG_DEL_PARTITION), 0);
	detach(&f);
	/* Where nobody makes the nodes of new devices there is no path. */
	if (rc == F2FS_ERR_NOT_FOUND)
		skip();
	assert_int_equal(rc, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array),
		cmocka_unit_test(users_are_named),
		cmocka_unit_test(partitions_have_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
