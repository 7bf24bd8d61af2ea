/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Nodes as the program of f2fs-tools shows them: -i (one node), -I (every copy of an inode on the disk), -b (identity
 * of a block). Unlike there, fields that an inode does not have and inline contents are not shown as numbers and block
 * pointers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/classic.h"
#include "dump/classic_inode.h"
#include "dump/classic_xattr.h"
#include "dump/fields.h"
#include "dump/history.h"
#include "dump/session.h"
#include "dump/views.h"

enum { INLINE_MASK = 0x02 | 0x04, ADVISE_ENC_NAME = 0x08 };

/* The base64 of f2fs-tools: six bits at a time, the lowest first, without padding; clients take it apart again. */
static size_t encode_name(const uint8_t *name, size_t n, char *text)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,";
	unsigned held = 0, bits = 0;
	size_t length = 0;

	for (size_t i = 0; i < n; i++) {
		held |= (unsigned)name[i] << bits;
		for (bits += 8; bits >= 6; bits -= 6, held >>= 6)
			text[length++] = digits[held & 63];
	}
	if (bits)
		text[length++] = digits[held];
	text[length] = '\0';
	return length;
}

/* The name that the inode remembers, fit to be shown, an encrypted one in base64; empty when there is none. */
static size_t inode_name(const struct f2fs_struct *type, const uint8_t *block, char text[4 * 255 + 1])
{
	const struct f2fs_field *name = f2fs_field_find(type, "i_name");
	uint64_t n = dump_get(type, block, "i_namelen", 0);

	if (n > name->count)
		n = 0;
	if (dump_get(type, block, "i_advise", 0) & ADVISE_ENC_NAME)
		return encode_name(block + name->offset, (size_t)n, text);
	return f2fs_text_printable(block + name->offset, (size_t)n, text, 4 * 255 + 1);
}

static void put_name(const struct f2fs_struct *type, const uint8_t *block)
{
	const struct f2fs_field *name = f2fs_field_find(type, "i_name");
	uint64_t n = dump_get(type, block, "i_namelen", 0);
	char text[4 * 255 + 1];

	if (inode_name(type, block, text) == 0)
		return;
	classic_number("i_namelen", n);
	printf("%-30s\t\t[%s]\n", "i_name", text);
	printf("%-30s\t\t[", "i_name(hex)");
	for (uint64_t i = 0; i < n; i++)
		printf("0x%x ", block[name->offset + i]);
	puts("0x0]");
}

static void put_named(const struct f2fs_struct *type, const uint8_t *raw, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		classic_number(names[i], dump_get(type, raw, names[i], 0));
}

/* The order of the other program; the numbers come from the format's tables. */
static void put_head(const struct f2fs_struct *type, const uint8_t *block)
{
	static const char *const names[] = {
		"i_mode",	   "i_advise",	   "i_uid",   "i_gid",	      "i_links", "i_size",	 "i_blocks",
		"i_atime",	   "i_atime_nsec", "i_ctime", "i_ctime_nsec", "i_mtime", "i_mtime_nsec", "i_generation",
		"i_current_depth", "i_xattr_nid",  "i_flags", "i_inline",     "i_pino",	 "i_dir_level",
	};

	put_named(type, block, names, sizeof(names) / sizeof(names[0]));
	put_name(type, block);
	printf("i_ext: fofs:%" PRIx64 " blkaddr:%" PRIx64 " len:%" PRIx64 "\n", dump_get(type, block, "i_ext_fofs", 0),
	       dump_get(type, block, "i_ext_blk", 0), dump_get(type, block, "i_ext_len", 0));
}

/* Extra attributes, as far as the volume has the feature and the inode the room. */
static void put_extra(struct dump *d, const uint8_t *block, const struct f2fs_inode_layout *layout)
{
	static const struct {
		const char *name;
		uint32_t feature;
	} rows[] = {
		{ "i_extra_isize", F2FS_FEAT_EXTRA_ATTR },
		{ "i_inline_xattr_size", F2FS_FEAT_FLEXIBLE_INLINE_XATTR },
		{ "i_projid", F2FS_FEAT_PROJECT_QUOTA },
		{ "i_inode_checksum", F2FS_FEAT_INODE_CHECKSUM },
		{ "i_crtime", F2FS_FEAT_INODE_CRTIME },
		{ "i_crtime_nsec", F2FS_FEAT_INODE_CRTIME },
		{ "i_compr_blocks", F2FS_FEAT_COMPRESSION },
		{ "i_compress_algorithm", F2FS_FEAT_COMPRESSION },
		{ "i_log_cluster_size", F2FS_FEAT_COMPRESSION },
		{ "i_compress_flag", F2FS_FEAT_COMPRESSION },
	};
	const struct f2fs_struct *type = dump_struct("inode_extra");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct f2fs_field *f = f2fs_field_find(type, rows[i].name);

		if ((d->geo->feature & rows[i].feature) && f->offset + f2fs_field_width(f) <= layout->extra_size)
			classic_number(f->name, f2fs_field_get(f, block + layout->extra_offset, 0));
	}
}

static void put_pointers(const uint8_t *block, const struct f2fs_inode_layout *layout, unsigned flags)
{
	uint32_t first = layout->extra_size / 4;
	char label[16];

	for (uint32_t i = 0; i < layout->slots && !(flags & INLINE_MASK); i++) {
		uint32_t addr = dump_word(block + layout->slot_offset + 4 * i);

		if (addr)
			printf("i_addr[0x%x] %-16s\t\t[0x%8x : %u]\n", first + i,
			       addr == F2FS_COMPRESS_ADDR ? "cluster flag"
			       : addr == F2FS_NEW_ADDR	  ? "reserved flag"
							  : "",
			       addr, addr);
	}
	for (unsigned i = 0; i < 5; i++) {
		snprintf(label, sizeof(label), "i_nid[%u]", i);
		classic_number(label, dump_word(block + layout->nid_offset + 4 * i));
	}
}

int classic_inode(struct dump *d, const uint8_t *block, int only_name)
{
	const struct f2fs_struct *type = dump_struct("inode");
	struct f2fs_inode_layout layout;
	char text[4 * 255 + 1];

	if (only_name && inode_name(type, block, text) > 0) {
		printf(" - File name         : %s%s\n", text,
		       dump_get(type, block, "i_advise", 0) & ADVISE_ENC_NAME ? " <encrypted>" : "");
		printf(" - File size         : %" PRIu64 " (bytes)\n", dump_get(type, block, "i_size", 0));
		return 0;
	}
	f2fs_inode_layout(d->geo, block, &layout);
	put_head(type, block);
	put_extra(d, block, &layout);
	put_pointers(block, &layout, (unsigned)dump_get(type, block, "i_inline", 0));
	return 1;
}

/* ---- -i ---- */

static void put_words(struct dump *d, const uint8_t *block)
{
	for (uint32_t i = 0; i < d->geo->addrs_per_block; i++) {
		uint32_t word = dump_word(block + 4 * i);

		printf("[%u]\t\t\t[0x%8x : %u]\n", i, word, word);
	}
}

int classic_node(struct dump *d, f2fs_nid_t nid, int only_name)
{
	struct f2fs_nat_info nat = { 0 };
	uint8_t *block = malloc(d->geo->block_size);
	int rc =
		block ? f2fs_nat_lookup(d->vol, nid, &nat) : f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");

	if (!rc && nat.block_addr == 0) {
		printf("Invalid node blkaddr: 0\n\n");
		cli_error(&d->cli, "nid %u is free", nid);
		d->status |= DUMP_MISSING;
		rc = F2FS_ERR_NOT_FOUND;
	} else if (!rc) {
		rc = f2fs_node_read(d->vol, nid, block);
	}
	if (rc && rc != F2FS_ERR_NOT_FOUND)
		dump_fail(d, rc, NULL);
	if (!rc && nat.ino == nid) {
		if (!only_name)
			printf("Node ID [0x%x:%u] is inode\n", nid, nid);
		classic_inode(d, block, only_name);
		if (!only_name)
			classic_xattrs(d, nid);
	} else if (!rc) {
		printf("Node ID [0x%x:%u] is direct node or indirect node.\n", nid, nid);
		put_words(d, block);
	}
	free(block);
	return rc;
}

/* ---- -I ---- */

static int put_copy(void *user, f2fs_blk_t addr, const uint8_t *block)
{
	struct dump *d = user;
	const struct f2fs_struct *type = dump_struct("node_footer");
	const uint8_t *footer = block + d->geo->block_size - type->size;

	printf("Info: nid: %u, blkaddr: %u\n", (unsigned)dump_get(type, footer, "nid", 0), addr);
	printf("node_blk.footer.flag [0x%x]\n", (unsigned)dump_get(type, footer, "flag", 0));
	printf("node_blk.footer.cp_ver [%" PRIx64 "]\n", dump_get(type, footer, "cp_ver", 0));
	classic_inode(d, block, 0);
	putchar('\n');
	return 0;
}

int classic_scan(struct dump *d, const char *argument)
{
	uint32_t nid;
	int rc = dump_parse_number(d, "-I", argument, d->geo->max_nid, &nid);

	if (rc)
		return rc;
	printf("Info: scan all nid: %u from block_addr [%u: %" PRIu64 "]\n", nid, d->geo->main_blkaddr,
	       d->geo->end_blkaddr);
	return dump_each_copy(d, nid, put_copy, d);
}
