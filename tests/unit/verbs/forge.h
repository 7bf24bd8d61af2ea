/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forges volumes in memory for tests of tasks: a formatted volume into which inodes, names and blocks are put without
 * any of the checks that a kernel makes. The test decides how well-formed it is. All functions fail the running test
 * when they fail.
 */
#ifndef F2FSKIT_TESTS_UNIT_FORGE_H
#define F2FSKIT_TESTS_UNIT_FORGE_H

#include <f2fskit/f2fskit.h>

#include "format/inode.h"

struct forge {
	struct f2fs_context *ctx;
	struct f2fs_device *dev; /* memory */
	struct f2fs_geometry geo;
	f2fs_blk_t next_block; /* blocks are taken from the end of the main area */
	f2fs_nid_t next_nid;
	f2fs_nid_t root;
};

/* Format 64 MiB; host: of the context, NULL for none. */
void forge_open(struct forge *f, const struct f2fs_host *host);
void forge_close(struct forge *f);

/* Take a free block and write data into it; NULL: zeros. */
f2fs_blk_t forge_block(struct forge *f, const void *data, size_t length);
/* Read and write a node's block. */
void forge_node_read(struct forge *f, f2fs_nid_t nid, uint8_t *block);
void forge_node_write(struct forge *f, f2fs_nid_t nid, const uint8_t *block);
/* Make an empty inode of a mode (type and permissions): directories and files have everything inline. */
f2fs_nid_t forge_inode(struct forge *f, uint32_t mode);
/* Make a direct node at a place of an inode's tree, all slots empty; the inode does not point at it yet. */
f2fs_nid_t forge_direct_node(struct forge *f, f2fs_nid_t ino, uint32_t node_offset);
/* Put a name into an inline directory: any bytes, any length. */
void forge_name(struct forge *f, f2fs_nid_t dir, const char *name, size_t length, f2fs_nid_t ino);
/* The same for a string, and the new inode's number; data of a file or link, NULL: empty. */
f2fs_nid_t forge_entry(struct forge *f, f2fs_nid_t dir, const char *name, uint32_t mode, const char *data);
/* Give a file a size and blocks instead of inline data; slots are addresses. */
void forge_slots(struct forge *f, f2fs_nid_t ino, uint64_t size, const uint32_t *slots, unsigned count);
/* Set a field of the inode by its name in the format's table. */
void forge_set(struct forge *f, f2fs_nid_t ino, const char *field, uint64_t value);
/* Open the volume as it is now. dev: another device over the forge's, NULL for the forge's. */
struct f2fs_volume *forge_volume(struct forge *f, struct f2fs_device *dev);

#endif
