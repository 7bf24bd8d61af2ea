/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * -b as the program of f2fs-tools shows it: the area of a block and, in the main area, the node and the inode that own
 * it by the summary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/size.h"
#include "dump/classic_inode.h"
#include "dump/session.h"
#include "dump/views.h"

static int is_current(struct dump *d, f2fs_seg_t segno)
{
	for (unsigned type = 0; type < F2FS_LOG_COUNT; type++) {
		struct f2fs_log_head head;

		if (!f2fs_volume_log(d->vol, type, &head) && head.segno == segno)
			return 1;
	}
	return 0;
}

/* A block outside the main area. */
static void put_area(struct dump *d, int area)
{
	static const char *const names[] = {
		NULL, NULL, "FS Metadata Area", "FS SIT Area", "FS NAT Area", "FS SSA Area"
	};

	printf("\n%s: ", area >= F2FS_AREA_CHECKPOINT && area <= F2FS_AREA_SSA ? names[area] : "Out of address space");
	printf("User data is from 0x%x to 0x%" PRIx64 "\n\n", d->geo->main_blkaddr, d->geo->end_blkaddr);
}

static void put_details(struct dump *d, f2fs_blk_t addr, const struct f2fs_block_identity *id,
			const struct f2fs_block_owner *sum, const struct f2fs_nat_info *nat)
{
	if (d->debug <= 0)
		return;
	printf("Note: blkaddr = main_blkaddr + segno * 512 + offset\n");
	printf("Block_addr            [0x%x]\n", addr);
	printf(" - Segno              [0x%x]\n", id->segno);
	printf(" - Offset             [0x%x]\n", id->offset);
	printf("SUM.nid               [0x%x]\n", sum->nid);
	printf("SUM.type              [SEG_TYPE_%s%s]\n", is_current(d, id->segno) ? "CUR_" : "",
	       sum->is_node ? "NODE" : "DATA");
	printf("SUM.version           [%u]\n", sum->version);
	printf("SUM.ofs_in_node       [0x%x]\n", sum->ofs_in_node);
	printf("NAT.blkaddr           [0x%x]\n", nat->block_addr);
	printf("NAT.ino               [0x%x]\n", nat->ino);
}

static void put_inode(struct dump *d, const struct f2fs_nat_info *inode)
{
	uint8_t *block = malloc(d->geo->block_size);
	int rc = block ? f2fs_node_read(d->vol, inode->nid, block)
		       : f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory");

	printf(" - Inode block       : id = 0x%x from 0x%x\n", inode->nid, inode->block_addr);
	if (rc)
		dump_fail(d, rc, NULL);
	else if (classic_inode(d, block, d->debug <= 0))
		putchar('\n');
	free(block);
}

static void put_owner(struct dump *d, f2fs_blk_t addr, const struct f2fs_block_identity *id,
		      const struct f2fs_block_owner *sum, const struct f2fs_nat_info *nat,
		      const struct f2fs_nat_info *inode)
{
	printf("FS Userdata Area: %s block from 0x%x\n", sum->is_node ? "Node" : "Data", addr);
	if (!sum->is_node)
		printf(" - Direct node block : id = 0x%x from 0x%x\n", nat->nid, nat->block_addr);
	else if (nat->nid != nat->ino)
		printf(" - Node block        : id = 0x%x from 0x%x\n", nat->nid, nat->block_addr);
	put_inode(d, inode);
	if (!sum->is_node && id->file_block != F2FS_NO_BLOCK)
		printf(" - Data offset       : 0x%" PRIx64 " (BLOCK), %" PRIu64 " (bytes)\n", id->file_block,
		       id->file_block * d->geo->block_size);
	else if (sum->is_node && nat->nid != nat->ino)
		printf(" - Node offset       : 0x%x\n", id->node_offset);
	if (!id->is_owned)
		printf(" - Note              : the owner does not point here any more\n");
}

static int put_main(struct dump *d, f2fs_blk_t addr, const struct f2fs_block_identity *id)
{
	struct f2fs_nat_info nat, inode;
	struct f2fs_block_owner sum;
	int rc = f2fs_ssa_lookup(d->vol, id->segno, id->offset, &sum);

	if (!id->is_valid)
		printf("\nblkaddr is not valid\n");
	if (!rc)
		rc = f2fs_nat_lookup(d->vol, sum.nid, &nat);
	if (!rc) {
		put_details(d, addr, id, &sum, &nat);
		rc = f2fs_nat_lookup(d->vol, nat.ino, &inode);
	}
	if (rc && rc != F2FS_ERR_RANGE)
		return dump_fail(d, rc, NULL);
	if (rc || nat.block_addr == 0 || inode.block_addr == 0) {
		printf("FS Userdata Area: Obsolete block from 0x%x\n", addr);
		return 0;
	}
	put_owner(d, addr, id, &sum, &nat, &inode);
	return 0;
}

int classic_block(struct dump *d, const char *argument)
{
	struct f2fs_block_identity id;
	uint32_t addr;
	int rc = dump_parse_number(d, "-b", argument, UINT64_MAX, &addr);

	if (rc)
		return rc;
	printf("\n== Dump data from block address ==\n\n");
	if (addr < d->geo->segment0_blkaddr) {
		printf("\nFS Reserved Area for SEG #0: User data is from 0x%x to 0x%" PRIx64 "\n\n",
		       d->geo->main_blkaddr, d->geo->end_blkaddr);
		return 0;
	}
	rc = f2fs_block_identify(d->vol, addr, &id);
	if (rc == F2FS_ERR_RANGE) {
		put_area(d, F2FS_AREA_NONE);
		return 0;
	}
	if (rc)
		return dump_fail(d, rc, NULL);
	if (id.area == F2FS_AREA_MAIN)
		return put_main(d, addr, &id);
	put_area(d, id.area);
	return 0;
}
