/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume, for functions that work without the engine. Fields of every structure are read and overwritten
 * by their names, label and UUID are set. Everything may fail; a value that was set reads back, and so does the label.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

#define MEMORY_LIMIT ((size_t)64 << 20)
#define NUMBERS 20u /* of nodes and segments that are tried */

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Between both stands a number; without the second the address is whole. */
static const struct {
	const char *start, *end;
} addresses[] = {
	{ "sb.magic", NULL },
	{ "sb[2].feature", NULL },
	{ "sb.devs[7].path", NULL },
	{ "sb.volume_name[511]", NULL },
	{ "cp.ckpt_flags", NULL },
	{ "cp[1].cur_data_segno[7]", NULL },
	{ "cp[2].elapsed_time", NULL },
	{ "cp_foot[1].checkpoint_ver", NULL },
	{ "nat[", "].block_addr" },
	{ "nat[", ",1].ino" },
	{ "nat[", ",2].version" },
	{ "nat_journal[", "].nid" },
	{ "nat_journal.count", NULL },
	{ "sit[", "].valid_blocks" },
	{ "sit[", ",2].valid_map[63]" },
	{ "sit_journal[", "].segno" },
	{ "ssa[", "][511].nid" },
	{ "ssa[", "].entry_type" },
	{ "inode[", "].i_links" },
	{ "inode[", "].i_projid" },
	{ "inode[", "].i_addr[900]" },
	{ "inode[", "].i_nid[4]" },
	{ "node[", "].footer.cp_ver" },
	{ "node[", "].addr[5]" },
	{ "dentry[", "][\"size-5\"].ino" },
	{ "dentry[", "][2].name" },
	{ "dentry[", "][3].hash" },
	{ "dentry[", "][100].used" },
	{ "xattr[", "].h_magic" },
	{ "xattr[", "][0].e_name_index" },
	{ "xattr[", "][1].e_name_len" },
	{ "orphan[", "].ino" },
	{ "orphan_block[", "].entry_count" },
	{ "file[", "].u8[0]" },
	{ "file[", "].u32[1000]" },
};

static void try_address(struct f2fs_inject *inject, const char *address, struct f2fs_inject_value *value)
{
	uint64_t old;

	if (f2fs_inject_get(inject, address, value) != 0)
		return;
	old = value->number;
	if (value->size > 0 || f2fs_inject_set(inject, address, "^= 1", 0, value) != 0)
		return;
	require(value->number == old, "another old value");
}

static void change_fields(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	struct f2fs_inject_value *value = malloc(sizeof(*value));
	struct f2fs_inject *inject;

	require(value != NULL, "no memory");
	require(f2fs_inject_open(ctx, dev, NULL, &inject) == 0, "a volume in any state can be looked at");
	for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		char address[64];

		if (!addresses[i].end)
			try_address(inject, addresses[i].start, value);
		for (unsigned n = 0; addresses[i].end && n < NUMBERS; n++) {
			snprintf(address, sizeof(address), "%s%u%s", addresses[i].start, n, addresses[i].end);
			try_address(inject, address, value);
		}
	}
	f2fs_inject_close(inject);
	free(value);
}

static void set_names(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	static const uint8_t uuid[16] = { 1, 2, 3 };
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_volume *vol;
	int err;

	if (f2fs_volume_open(ctx, dev, NULL, &vol) != 0)
		return;
	if (f2fs_volume_set_label(vol, "label") == 0) {
		f2fs_volume_statfs(vol, &stat);
		require(strcmp(stat.label, "label") == 0, "another label");
	}
	err = f2fs_volume_set_uuid(vol, uuid, F2FS_UUID_FORCE);
	require(f2fs_context_error(ctx)->code == err, "the context has another error");
	f2fs_volume_close(vol);
}

static void run(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	if (c->flags & COMPACT_PACK1) /* before something is damaged, or after */
		set_names(ctx, dev);
	change_fields(ctx, dev);
	if (!(c->flags & COMPACT_PACK1))
		set_names(ctx, dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, run);
}
