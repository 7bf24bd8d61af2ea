/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume as a whole: overview, features, superblock, checkpoint, logs, journals, orphans.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/fields.h"
#include "dump/session.h"
#include "dump/view_evidence.h"
#include "dump/view_volume.h"
#include "dump/views.h"

void dump_notes(struct dump *d)
{
	const char *note;

	cli_print_begin_array(d->out, "notes");
	for (unsigned i = 0; (note = f2fs_volume_note(d->vol, i)) != NULL; i++)
		cli_print_bytes(d->out, NULL, note, strlen(note));
	cli_print_end_array(d->out);
}

/* Why a copy is not valid: a rule's name, or that it could not be read. */
static void put_state(struct cli_print *out, const char *name, int state)
{
	const struct f2fs_rule *rule;

	for (unsigned i = 0; state > 0 && (rule = f2fs_rule_at(i)) != NULL; i++)
		if (rule->id == state) {
			cli_print_string(out, name, rule->name);
			return;
		}
	cli_print_string(out, name, state == 0 ? "valid" : state < 0 ? f2fs_error_text(state) : "invalid");
}

static void put_copies(struct dump *d)
{
	unsigned used = 0, pack = 0;

	f2fs_volume_superblock(d->vol, &used);
	f2fs_volume_checkpoint(d->vol, NULL, &pack);
	cli_print_begin_array(d->out, "superblocks");
	for (unsigned i = 0; i < 2; i++) {
		cli_print_begin(d->out, NULL);
		put_state(d->out, "state", f2fs_volume_superblock_state(d->vol, i));
		cli_print_bool(d->out, "in_use", used == i);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
	cli_print_begin_array(d->out, "packs");
	for (unsigned i = 1; i <= 2; i++) {
		uint64_t version = 0;
		int state = f2fs_volume_pack_state(d->vol, i, &version);

		cli_print_begin(d->out, NULL);
		put_state(d->out, "state", state);
		cli_print_hex(d->out, "version", version);
		cli_print_bool(d->out, "in_use", pack == i);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_flags(struct cli_print *out, const char *name, uint32_t value)
{
	unsigned count = 0;
	const struct f2fs_flag *flags = f2fs_flags_find(name, &count);

	cli_print_flags(out, name, value, flags, flags ? count : 0);
}

static int put_pending(struct dump *d)
{
	uint64_t nodes = 0;
	int rc = f2fs_volume_pending(d->vol, &nodes);

	if (rc)
		return dump_fail(d, rc, "roll-forward");
	cli_print_u64(d->out, "pending_fsync_nodes", nodes);
	return 0;
}

/* The longest file that the kernel makes: what hangs on node ids, not the slots in the inode. */
static uint64_t max_file_bytes(const struct f2fs_geometry *geo)
{
	const uint64_t slots = geo->addrs_per_block, nids = geo->nids_per_block;
	const uint64_t blocks = slots * (2 + 2 * nids + nids * nids), most = (uint64_t)1 << 32;

	return (blocks < most ? blocks : most) * geo->block_size;
}

enum { LARGE_NAT_BITMAP = 0x400 }; /* of ckpt_flags */

/*
 * Can GRUB read the volume? Versions 2.06 and 2.12 know the layout of an inode without extra attributes, blocks of
 * 4 KiB, and the bitmaps at their first place in the checkpoint. They ignore other features, and cannot open encrypted
 * files.
 */
static void put_grub(struct dump *d, uint32_t ckpt_flags)
{
	const struct {
		int is_there;
		const char *name;
	} obstacles[] = {
		{ (d->geo->feature & F2FS_FEAT_EXTRA_ATTR) != 0, "extra_attr" },
		{ (ckpt_flags & LARGE_NAT_BITMAP) != 0, "large_nat_bitmap" },
		{ d->geo->block_size != 4096, "block_size" },
	};
	char text[80] = "";
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(obstacles) / sizeof(obstacles[0]); i++)
		if (obstacles[i].is_there)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "cannot read: ",
					      obstacles[i].name);
	cli_print_string(d->out, "grub", n ? text : "reads");
}

int view_info(struct dump *d, const char *argument)
{
	const struct f2fs_struct *cp_type = dump_struct("checkpoint");
	const uint8_t *cp = f2fs_volume_checkpoint(d->vol, NULL, NULL);
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint32_t state = (uint32_t)dump_get(cp_type, cp, "ckpt_flags", 0);

	(void)argument;
	f2fs_volume_statfs(d->vol, &st);
	cli_print_bytes(d->out, "image", d->image, strlen(d->image));
	dump_put_container(d);
	cli_print_bytes(d->out, "label", st.label, strlen(st.label));
	cli_print_uuid(d->out, "uuid", st.uuid);
	put_flags(d->out, "feature", d->geo->feature);
	cli_print_u64(d->out, "block_size", d->geo->block_size);
	cli_print_u64(d->out, "volume_bytes", d->geo->block_count * d->geo->block_size);
	cli_print_u64(d->out, "block_count", st.block_count);
	cli_print_u64(d->out, "free_blocks", st.free_blocks);
	cli_print_u64(d->out, "valid_blocks", st.valid_blocks);
	cli_print_u64(d->out, "user_blocks", st.user_blocks);
	cli_print_u64(d->out, "max_files", st.max_files);
	cli_print_u64(d->out, "free_files", st.free_files);
	cli_print_u64(d->out, "valid_nodes", st.valid_nodes);
	cli_print_u64(d->out, "valid_inodes", st.valid_inodes);
	cli_print_u64(d->out, "max_nodes", d->geo->max_nid - 3); /* ids 0, 1 and 2 are no files' */
	cli_print_u64(d->out, "max_file_bytes", max_file_bytes(d->geo));
	cli_print_u64(d->out, "segments", d->geo->segment_count_main);
	cli_print_u64(d->out, "free_segments", st.free_segments);
	cli_print_u64(d->out, "segs_per_sec", d->geo->segs_per_sec);
	cli_print_u64(d->out, "secs_per_zone", d->geo->secs_per_zone);
	cli_print_hex(d->out, "checkpoint_ver", dump_get(cp_type, cp, "checkpoint_ver", 0));
	put_flags(d->out, "ckpt_flags", state);
	cli_print_bool(d->out, "is_clean", (state & 1) != 0);
	cli_print_u64(d->out, "orphans", f2fs_orphan_count(d->vol));
	put_grub(d, state);
	put_pending(d);
	put_copies(d);
	dump_notes(d);
	return 0;
}

int view_features(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "mask", 8 }, { "set", 3 }, { "name", -22 }, { "meaning", -1 } };
	unsigned count = 0;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);
	uint32_t known = 0;

	(void)argument;
	cli_print_begin_table(d->out, "features", columns, 4);
	for (unsigned i = 0; i < count; i++) {
		known |= flags[i].mask;
		cli_print_begin(d->out, NULL);
		cli_print_hex(d->out, "mask", flags[i].mask);
		cli_print_bool(d->out, "is_set", (d->geo->feature & flags[i].mask) != 0);
		cli_print_string(d->out, "name", flags[i].name);
		cli_print_string(d->out, "meaning", flags[i].doc);
		cli_print_end(d->out);
	}
	for (uint32_t bit = 1; bit; bit <<= 1)
		if (d->geo->feature & ~known & bit) {
			cli_print_begin(d->out, NULL);
			cli_print_hex(d->out, "mask", bit);
			cli_print_bool(d->out, "is_set", 1);
			cli_print_null(d->out, "name");
			cli_print_string(d->out, "meaning", "not known to this program");
			cli_print_end(d->out);
		}
	cli_print_end_array(d->out);
	return 0;
}

/* ---- superblock and checkpoint ---- */

/* Read the block that holds a copy other than the one in use; NULL after a message. Free the result. */
static uint8_t *read_copy(struct dump *d, f2fs_blk_t addr)
{
	uint8_t *block = malloc(d->geo->block_size);
	int rc = block ? f2fs_block_read(d->vol, addr, 1, block)
		       : f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");

	if (!rc)
		return block;
	dump_fail(d, rc, NULL);
	free(block);
	return NULL;
}

static int bad_choice(struct dump *d, const char *what, const char *argument, const char *why)
{
	cli_usage_error(&d->cli, what, argument, why);
	d->status |= DUMP_USAGE;
	return F2FS_ERR_INVALID;
}

int view_superblock(struct dump *d, const char *argument)
{
	const struct f2fs_struct *type = dump_struct("superblock");
	unsigned used, copy;
	const uint8_t *raw = f2fs_volume_superblock(d->vol, &used);
	uint8_t *block = NULL;

	copy = used;
	if (argument) {
		if (strcmp(argument, "0") && strcmp(argument, "1"))
			return bad_choice(d, "--superblock", argument, "is not a copy, 0 or 1");
		copy = (unsigned)(argument[0] - '0');
	}
	if (copy != used) {
		block = read_copy(d, copy);
		if (!block)
			return F2FS_ERR_IO;
		raw = block + 1024;
	}
	cli_print_u64(d->out, "copy", copy);
	cli_print_bool(d->out, "in_use", copy == used);
	put_state(d->out, "state", f2fs_volume_superblock_state(d->vol, copy));
	dump_fields(d->out, type, raw, type->size);
	free(block);
	return 0;
}

static void put_bitmaps(struct dump *d)
{
	size_t n;
	const uint8_t *map = f2fs_sit_bitmap(d->vol, &n);

	cli_print_digits(d->out, "sit_version_bitmap", map, n);
	map = f2fs_nat_bitmap(d->vol, &n);
	cli_print_digits(d->out, "nat_version_bitmap", map, n);
}

int view_checkpoint(struct dump *d, const char *argument)
{
	const struct f2fs_struct *type = dump_struct("checkpoint");
	unsigned used, pack;
	const uint8_t *raw = f2fs_volume_checkpoint(d->vol, NULL, &used);
	uint8_t *block = NULL;
	uint64_t at;

	pack = used;
	if (argument) {
		if (strcmp(argument, "1") && strcmp(argument, "2"))
			return bad_choice(d, "--checkpoint", argument, "is not a pack, 1 or 2");
		pack = (unsigned)(argument[0] - '0');
	}
	if (pack != used) {
		block = read_copy(d, d->geo->cp_blkaddr + (pack - 1) * F2FS_SEGMENT_BLOCKS);
		if (!block)
			return F2FS_ERR_IO;
		raw = block;
	}
	at = dump_get(type, raw, "checksum_offset", 0);
	cli_print_u64(d->out, "pack", pack);
	cli_print_bool(d->out, "in_use", pack == used);
	put_state(d->out, "state", f2fs_volume_pack_state(d->vol, pack, NULL));
	dump_fields(d->out, type, raw, type->size);
	if (at <= d->geo->block_size - 4)
		cli_print_hex(d->out, "checksum", dump_word(raw + at));
	if (pack == used)
		put_bitmaps(d);
	free(block);
	return 0;
}

/* ---- what belongs to the pack ---- */

int view_logs(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = {
		{ "log", -9 }, { "segno", 8 }, { "blkoff", 6 }, { "alloc", -6 }, { "next_block", 10 }
	};

	(void)argument;
	cli_print_begin_table(d->out, "logs", columns, 5);
	for (unsigned type = 0; type < F2FS_LOG_COUNT; type++) {
		struct f2fs_log_head head;
		int rc = f2fs_volume_log(d->vol, type, &head);

		if (rc) {
			dump_fail(d, rc, f2fs_log_type_name(type));
			continue;
		}
		cli_print_begin(d->out, NULL);
		cli_print_string(d->out, "type", f2fs_log_type_name(type));
		cli_print_u64(d->out, "segno", head.segno);
		cli_print_u64(d->out, "blkoff", head.blkoff);
		cli_print_string(d->out, "alloc_type", head.alloc_type ? "SSR" : "LFS");
		cli_print_u64(d->out, "next_block",
			      d->geo->main_blkaddr + (uint64_t)head.segno * F2FS_SEGMENT_BLOCKS + head.blkoff);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
	return 0;
}

static void put_nat_journal(struct dump *d)
{
	static const struct cli_column columns[] = {
		{ "nid", 10 }, { "version", 7 }, { "ino", 10 }, { "block_addr", 10 }
	};
	const struct f2fs_struct *type = dump_struct("nat_journal_entry");
	unsigned n = f2fs_nat_journal_count(d->vol);

	cli_print_heading(d->out, n ? "NAT journal:" : "NAT journal: empty");
	cli_print_begin_table(d->out, "nat", columns, 4);
	for (unsigned i = 0; i < n; i++) {
		cli_print_begin(d->out, NULL);
		dump_fields(d->out, type, f2fs_nat_journal_at(d->vol, i), type->size);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

static void put_sit_journal(struct dump *d)
{
	static const struct cli_column columns[] = { { "segno", 8 }, { "valid", 5 }, { "type", -9 }, { "mtime", 12 } };
	const struct f2fs_struct *type = dump_struct("sit_journal_entry");
	unsigned n = f2fs_sit_journal_count(d->vol);

	cli_print_heading(d->out, n ? "SIT journal:" : "SIT journal: empty");
	cli_print_begin_table(d->out, "sit", columns, 4);
	for (unsigned i = 0; i < n; i++) {
		const uint8_t *raw = f2fs_sit_journal_at(d->vol, i);
		uint32_t vblocks = (uint32_t)dump_get(type, raw, "vblocks", 0);
		const struct f2fs_field *map = f2fs_field_find(type, "valid_map");

		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "segno", dump_get(type, raw, "segno", 0));
		cli_print_u64(d->out, "valid_blocks", vblocks & 0x3ff);
		cli_print_string(d->out, "type", f2fs_log_type_name(vblocks >> 10));
		cli_print_u64(d->out, "mtime", dump_get(type, raw, "mtime", 0));
		cli_print_digits(d->out, "valid_map", raw + map->offset, map->count);
		cli_print_end(d->out);
	}
	cli_print_end_array(d->out);
}

int view_journals(struct dump *d, const char *argument)
{
	(void)argument;
	put_nat_journal(d);
	put_sit_journal(d);
	return 0;
}

int view_orphans(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "ino", 10 }, { "mode", -11 }, { "links", 5 }, { "size", 1 } };
	uint32_t n = f2fs_orphan_count(d->vol);

	(void)argument;
	cli_print_begin_table(d->out, "orphans", columns, 4);
	for (uint32_t i = 0; i < n; i++) {
		f2fs_nid_t ino = f2fs_orphan_at(d->vol, i);
		struct f2fs_inode *inode = NULL;
		struct f2fs_stat st;
		char text[12];
		int rc = f2fs_inode_open(d->vol, ino, &inode);

		if (!rc)
			rc = f2fs_inode_stat(inode, &st);
		if (rc)
			dump_fail(d, rc, "orphan");
		cli_print_begin(d->out, NULL);
		cli_print_u64(d->out, "ino", ino);
		if (!rc) {
			cli_print_string(d->out, "mode", cli_mode_text(st.mode, text));
			cli_print_u64(d->out, "links", st.nlink);
			cli_print_u64(d->out, "size", st.size);
		}
		cli_print_end(d->out);
		f2fs_inode_close(inode);
	}
	cli_print_end_array(d->out);
	return 0;
}
