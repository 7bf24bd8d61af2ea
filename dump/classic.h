/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The classic views: the output of f2fs-tools' programs.
 */
#ifndef F2FSKIT_DUMP_CLASSIC_H
#define F2FSKIT_DUMP_CLASSIC_H

#include <stdio.h>

#include "dump/dump.h"

/* "name		[0x  2a : 42]" */
void classic_number(const char *name, uint64_t value);
/* The fields of an inode block; with only_name just name and size, if it has a name. Returns 1 when it was all fields.
 */
int classic_inode(struct dump *d, const uint8_t *block, int only_name);
/* The extended attributes of an inode. */
void classic_xattrs(struct dump *d, f2fs_nid_t ino);
/* What -i shows of a node; returns 0, or a negative error after a message. */
int classic_node(struct dump *d, f2fs_nid_t nid, int only_name);
/* The block map of a regular file that is not inline, on a line; with path in front unless NULL. */
int classic_map(struct dump *d, struct f2fs_inode *inode, const char *below);

/* What zones a device has; nothing when it has none. */
void classic_zones(FILE *out, struct f2fs_device *dev, uint32_t block_size);

/* Lines before and after the results. */
void classic_banner(struct dump *d);
/* "Info: checkpoint state = c5 :  nat_bits crc unmount" */
void classic_state(struct dump *d);
void classic_footer(struct dump *d, double seconds);

/* views */
int classic_layout(struct dump *d, const char *argument);
int classic_nat(struct dump *d, const char *argument);
int classic_sit(struct dump *d, const char *argument);
int classic_ssa(struct dump *d, const char *argument);
int classic_block(struct dump *d, const char *argument);
int classic_scan(struct dump *d, const char *argument);
int classic_map_all(struct dump *d, const char *argument);
int classic_tree(struct dump *d, const char *argument);

#endif
