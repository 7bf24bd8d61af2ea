/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A forged volume of many small files, copied to a device without a context. */
#include "many.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BLOCK 4096u

static int read_copy(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct many *many = self;

	for (unsigned i = 0; i < count; i++) {
		if (offset < many->bad_to && offset + iov[i].length > many->bad_from)
			return F2FS_SYS_ERROR(EIO);
		memcpy(iov[i].base, many->bytes + offset, iov[i].length);
		offset += iov[i].length;
	}
	return 0;
}

static void make_file(struct many *many, struct forge *forge, unsigned i)
{
	const unsigned blocks = 1 + i % 6;
	uint32_t slots[6];
	char data[BLOCK], name[20];
	f2fs_nid_t ino;

	for (unsigned k = 0; k < blocks; k++) {
		memset(data, 'a' + (int)((i + k) % 26), sizeof(data));
		slots[k] = forge_block(forge, data, sizeof(data));
	}
	if (i == 40 || i == 120)
		slots[0] = (uint32_t)(many->bad_from / BLOCK);
	if (i == 70)
		slots[1] = 1;
	snprintf(name, sizeof(name), "f%u", i);
	ino = forge_entry(forge, forge->root, name, MODE_REG | 0644, NULL);
	forge_slots(forge, ino, (uint64_t)(blocks - 1) * BLOCK + 1 + i, slots, blocks);
	if (i == 50)
		forge_name(forge, forge->root, "none", 4, forge_direct_node(forge, ino, 1));
}

void many_open(struct many *many, struct forge *forge)
{
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_copy };
	struct f2fs_device_info info = *f2fs_device_info(forge->dev);
	const f2fs_blk_t bad = forge_block(forge, "", 1);

	many->bad_from = (uint64_t)bad * BLOCK;
	many->bad_to = many->bad_from + BLOCK;
	for (unsigned i = 0; i < MANY; i++)
		make_file(many, forge, i);
	many->bytes = malloc((size_t)info.size);
	assert_non_null(many->bytes);
	assert_int_equal(f2fs_device_read(forge->dev, 0, many->bytes, (size_t)info.size), 0);
	info.caps = F2FS_DEVICE_PARALLEL;
	assert_int_equal(f2fs_device_open_custom(forge->ctx, &ops, many, &info, &many->dev), 0);
}

void many_close(struct many *many)
{
	f2fs_device_close(many->dev);
	free(many->bytes);
}
