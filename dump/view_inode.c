/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One inode with everything in its block, and one node of any kind.
 */
#include <stdlib.h>
#include <string.h>

#include "dump/fields.h"
#include "dump/session.h"
#include "dump/view_inode.h"
#include "dump/view_xattr.h"
#include "dump/views.h"

enum { INLINE_DATA = 0x02, INLINE_DENTRY = 0x04 };

void dump_footer(struct dump *d, const uint8_t *block)
{
	const struct f2fs_struct *type = dump_struct("node_footer");
	const uint8_t *footer = block + d->geo->block_size - type->size;

	cli_print_begin(d->out, "footer");
	dump_fields(d->out, type, footer, type->size);
	cli_print_end(d->out);
}

static const char *address_kind(uint32_t addr)
{
	return addr == F2FS_NEW_ADDR ? "reserved" : addr == F2FS_COMPRESS_ADDR ? "cluster" : "block";
}

/* Slots that are in use. */
static void put_slots(struct dump *d, const uint8_t *slots, uint32_t count)
{
	static const struct cli_column columns[] = { { "slot", 6 }, { "block", 10 }, { "kind", -1 } };
	uint32_t n = 0;

	cli_print_begin_table(d->out, "slots", columns, 3);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t addr = dump_word(slots + 4 * i);

		if (addr == F2FS_NULL_ADDR)
			continue;
		if (n++ == 0)
			cli_print_heading(d->out, "slots:");
		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "slot", i);
		cli_print_u64(d->out, "addr", addr);
		cli_print_string(d->out, "kind", address_kind(addr));
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_children(struct dump *d, const uint8_t *nids, uint32_t count)
{
	static const struct cli_column columns[] = { { "slot", 6 }, { "nid", 10 } };

	cli_print_begin_table(d->out, "children", columns, 2);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t nid = dump_word(nids + 4 * i);

		if (nid == 0)
			continue;
		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "slot", i);
		cli_print_u64(d->out, "nid", nid);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_location(struct dump *d, const struct f2fs_nat_info *nat)
{
	cli_print_begin(d->out, "nat");
	cli_print_u64(d->out, "nid", nat->nid);
	cli_print_u64(d->out, "ino", nat->ino);
	cli_print_u64(d->out, "version", nat->version);
	cli_print_u64(d->out, "block_addr", nat->block_addr);
	cli_print_string(d->out, "source", dump_source_name(nat->source));
	cli_print_u64(d->out, "table_block", nat->table_block);
	cli_print_end(d->out);
}

/* Everything that an inode's block says. */
void dump_inode_block(struct dump *d, const uint8_t *block)
{
	const struct f2fs_struct *type = dump_struct("inode");
	unsigned flags = (unsigned)dump_get(type, block, "i_inline", 0);
	struct f2fs_inode_layout layout;

	f2fs_inode_layout(d->geo, block, &layout);
	dump_fields(d->out, type, block, type->size);
	cli_print_begin(d->out, "extra");
	dump_fields(d->out, dump_struct("inode_extra"), block + layout.extra_offset, layout.extra_size);
	cli_print_end(d->out);
	cli_print_begin_array(d->out, "i_nid");
	for (unsigned i = 0; i < 5; i++)
		cli_print_u64(d->out, NULL, dump_word(block + layout.nid_offset + 4 * i));
	cli_print_end_array(d->out);
	dump_footer(d, block);
	if (!(flags & (INLINE_DATA | INLINE_DENTRY)))
		put_slots(d, block + layout.slot_offset, layout.slots);
}

void dump_path(struct dump *d, struct f2fs_inode *inode)
{
	char *path = malloc(65536);

	if (path && !f2fs_inode_path(inode, path, 65536))
		cli_print_bytes(d->out, "path", path, strlen(path));
	else
		cli_print_null(d->out, "path");
	free(path);
}

/* Print the fields of an inode that breaks a rule. The damage was reported already. */
static void put_broken(struct dump *d)
{
	f2fs_nid_t ino = f2fs_context_error(d->ctx)->nid;
	struct f2fs_nat_info nat;
	uint8_t *block = malloc(d->geo->block_size);

	if (block && ino != F2FS_NO_NID && !f2fs_nat_lookup(d->vol, ino, &nat) && nat.ino == ino &&
	    !f2fs_node_read(d->vol, ino, block)) {
		cli_print_u64(d->out, "ino", ino);
		put_location(d, &nat);
		dump_inode_block(d, block);
	}
	free(block);
}

/* The first node of a file is its inode. */
static int take_place(void *user, const struct f2fs_node_info *node)
{
	*(f2fs_blk_t *)user = node->addr;
	return F2FS_ERR_CANCELED;
}

int view_inode(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	struct f2fs_nat_info nat;
	struct f2fs_stat st;
	f2fs_blk_t addr = 0;
	char text[12];
	int rc = dump_open_inode(d, argument, 0, &inode);

	if (rc == F2FS_ERR_CORRUPT)
		put_broken(d);
	if (rc)
		return rc;
	cli_print_u64(d->out, "ino", f2fs_inode_number(inode));
	f2fs_inode_list_nodes(inode, take_place, &addr);
	if (addr)
		cli_print_u64(d->out, "block_addr", addr);
	dump_path(d, inode);
	if (!f2fs_inode_stat(inode, &st))
		cli_print_string(d->out, "mode", cli_mode_text(st.mode, text));
	if (!f2fs_nat_lookup(d->vol, f2fs_inode_number(inode), &nat))
		put_location(d, &nat);
	dump_inode_block(d, f2fs_inode_raw(inode));
	dump_xattrs(d, inode);
	f2fs_inode_close(inode);
	return 0;
}

static void put_node_block(struct dump *d, const uint8_t *block, f2fs_nid_t nid, f2fs_nid_t ino)
{
	const struct f2fs_struct *type = dump_struct("node_footer");
	const uint8_t *footer = block + d->geo->block_size - type->size;
	uint32_t offset = (uint32_t)dump_get(type, footer, "flag", 0) >> 3;
	const uint32_t xattr_offset = 0x1FFFFFFF;

	cli_print_u64(d->out, "node_offset", offset);
	if (nid == ino) {
		cli_print_string(d->out, "kind", "inode");
		dump_inode_block(d, block);
		return;
	}
	dump_footer(d, block);
	if (offset == xattr_offset) {
		cli_print_string(d->out, "kind", "xattr");
		cli_print_digits(d->out, "bytes", block, d->geo->block_size - type->size);
	} else if (f2fs_node_is_direct(d->geo, offset)) {
		cli_print_string(d->out, "kind", "direct");
		put_slots(d, block, d->geo->addrs_per_block);
	} else {
		cli_print_string(d->out, "kind", "indirect");
		put_children(d, block, d->geo->nids_per_block);
	}
}

int view_node(struct dump *d, const char *argument)
{
	struct f2fs_nat_info nat;
	uint8_t *block;
	uint32_t nid;
	int rc = dump_parse_number(d, "--node", argument, d->geo->max_nid, &nid);

	if (rc)
		return rc;
	rc = f2fs_nat_lookup(d->vol, nid, &nat);
	if (rc)
		return dump_fail(d, rc, argument);
	put_location(d, &nat);
	if (nat.block_addr == 0) {
		cli_error(&d->cli, "nid %u is free", nid);
		d->status |= DUMP_MISSING;
		return F2FS_ERR_NOT_FOUND;
	}
	block = malloc(d->geo->block_size);
	rc = block ? f2fs_node_read(d->vol, nid, block) : f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");
	if (rc)
		dump_fail(d, rc, argument);
	else if (block)
		put_node_block(d, block, nid, nat.ino);
	free(block);
	return rc;
}
