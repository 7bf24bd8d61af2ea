/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read and write single fields of any structure in place, by their names, on volumes in any state. For making test
 * cases of damage, and for examining them. There is no protection here: no transactions, and no rules of the format are
 * enforced.
 *
 * An address is a place, a dot and a field, with the names of the tables of format.h:
 *
 *	sb.magic  sb[1].feature  sb.devs[2].path  sb.extension_list[0]
 *	cp[2].ckpt_flags  cp.cur_node_segno[1]  cp_foot[1].checkpoint_ver
 *	nat[5].block_addr  nat[5,1].ino  nat_journal[0].nid  nat_journal.count
 *	sit[12].valid_blocks  sit[12].type  sit[12].valid_map[3]  sit_journal[0].segno
 *	ssa[12][3].nid  ssa[12].entry_type
 *	inode[3].i_links  inode[3].i_addr[4]  inode[3].i_nid[0]  inode[3].i_projid
 *	inode[3].extra.i_compr_blocks (the same bytes also where the inode says that it has none)
 *	node[7].footer.cp_ver  node[7].addr[5]  node[7].nid[1]  node_at[4107].footer.nid
 *	dentry[3]["name"].ino  dentry[3][2].hash_code  dentry[3]["name"].name  dentry[3]["name"].used
 *	xattr[4].h_magic  xattr[4][0].e_name_index
 *	orphan[0].ino  orphan_block[0].entry_count
 *	block[4096].u32[12]  file[6].u8[1000]
 *
 * Copies: sb[0] and cp[0] (and no brackets) are the ones in use, 1 and 2 the first and the second; so is the number
 * after the comma of nat and sit, where the one in use may be an entry of the journal. Both checkpoint blocks of a pack
 * change together, cp_foot is the last one alone. ssa is always the table. i_addr counts from the first block address.
 * dentry takes a name or a slot (block * entries per block + slot in the block). Each place also has u8, u16, u32 and
 * u64: arrays over all its bytes. Numbers may be hexadecimal (0x) or octal (0).
 */
#ifndef F2FSKIT_INJECT_H
#define F2FSKIT_INJECT_H

#include <f2fskit/volume.h>

#ifdef __cplusplus
extern "C" {
#endif

struct f2fs_inject;

/*
 * Open a volume for access by addresses. options as of f2fs_volume_open, may be NULL. The call also succeeds when the
 * volume itself cannot be opened: fields that can be found without its tables are always accessible. Fails with NOMEM,
 * INVALID, IO.
 */
F2FS_API int f2fs_inject_open(struct f2fs_context *ctx, struct f2fs_device *dev,
			      const struct f2fs_open_options *options, struct f2fs_inject **out);
/* Close it. NULL is allowed. */
F2FS_API void f2fs_inject_close(struct f2fs_inject *inject);
/*
 * Return the error code that opening the volume failed with, 0 when it is open; *message gets the error message, which
 * belongs to inject.
 */
F2FS_API int f2fs_inject_volume_error(const struct f2fs_inject *inject, const char **message);

/* The field at an address, and its value. */
struct f2fs_inject_value {
	char structure[32];	 /* name of the table */
	struct f2fs_field field; /* name, type, way to show; its offset counts from offset below */
	uint64_t offset;	 /* byte of the structure on the volume */
	uint64_t number;	 /* of numeric fields, and of single bytes of others */
	uint32_t index;		 /* element of an array */
	uint32_t size;		 /* of bytes; 0: it is the number */
	uint8_t bytes[1024];	 /* with size */
};
/*
 * Read a field. Fails with INVALID (not an address), NOT_FOUND (no such node, entry, copy), STATE (finding it needs an
 * open volume), RANGE, IO.
 */
F2FS_API int f2fs_inject_get(struct f2fs_inject *inject, const char *address, struct f2fs_inject_value *out);

/* Flags of f2fs_inject_set(). */
enum f2fs_inject_flag {
	F2FS_INJECT_RAW = 1,	 /* leave checksums as they are */
	F2FS_INJECT_DRY_RUN = 2, /* write nothing */
	F2FS_INJECT_FORCE = 4	 /* write even if neither superblock is one of F2FS */
};
/*
 * Write a field, and update the checksums of superblock, checkpoint and inode. value: a number in any base of C; names
 * of flags joined by |; with += -= |= &= ^= in front, a change of the old value; text for texts; a UUID; hex:DIGITS for
 * any bytes, from the first on. before (may be NULL) gets the old value. Fails with READ_ONLY, RANGE (does not fit),
 * NOT_F2FS (neither superblock was one of F2FS when the image was opened), and as f2fs_inject_get.
 */
F2FS_API int f2fs_inject_set(struct f2fs_inject *inject, const char *address, const char *value, unsigned flags,
			     struct f2fs_inject_value *before);

#ifdef __cplusplus
}
#endif
#endif
