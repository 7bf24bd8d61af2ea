/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of the fsync chain in a transaction: the place of its next node, whether a recovery could still follow it,
 * and the nodes that it would find of each inode. chain_write.c writes it.
 */
#include "log/chain.h"
#include "log/run.h"
#include "volume/nat_read.h"

void chain_begin(struct txn *txn)
{
	const struct head *head = &txn->heads[F2FS_WARM_NODE];

	txn->chain.next = geometry_segment_start(&txn->vol->geo, head->segno) + head->blkoff;
	txn->chain.is_broken = head_of(txn, F2FS_WARM_NODE) != F2FS_WARM_NODE;
}

static uint64_t unmarked_bit(f2fs_nid_t ino)
{
	return (uint64_t)1 << ino % 64;
}

static uint64_t *find_unmarked(const struct txn *txn, f2fs_nid_t ino)
{
	return map32_find(&txn->chain.unmarked, ino / 64);
}

static int note_unmarked(struct txn *txn, f2fs_nid_t ino)
{
	const uint64_t *value = find_unmarked(txn, ino);

	return map32_set(&txn->chain.unmarked, ino / 64, (value ? *value : 0) | unmarked_bit(ino));
}

int chain_note(struct txn *txn, f2fs_nid_t ino, unsigned bits)
{
	const uint64_t *value;
	int err = bits & CHAIN_UNMARKED ? note_unmarked(txn, ino) : 0;

	bits &= ~(unsigned)CHAIN_UNMARKED;
	if (err || !bits)
		return err;
	value = map32_find(&txn->chain.inodes, ino);
	return map32_set(&txn->chain.inodes, ino, (value ? *value : 0) | bits);
}

void chain_unnote(struct txn *txn, f2fs_nid_t ino, unsigned bits)
{
	uint64_t *value = map32_find(&txn->chain.inodes, ino), *unmarked = find_unmarked(txn, ino);

	if (unmarked && (bits & CHAIN_UNMARKED))
		*unmarked &= ~unmarked_bit(ino);
	if (value)
		*value &= ~(uint64_t)bits;
}

unsigned chain_bits(const struct txn *txn, f2fs_nid_t ino)
{
	const uint64_t *value = map32_find(&txn->chain.inodes, ino), *unmarked = find_unmarked(txn, ino);
	const bool is_unmarked = unmarked && (*unmarked & unmarked_bit(ino));

	return (value ? (unsigned)*value : 0) | (is_unmarked ? (unsigned)CHAIN_UNMARKED : 0);
}

int chain_reserve_base(struct txn *txn, f2fs_nid_t ino)
{
	return map32_find(&txn->chain.inodes, ino) ? 0 : map32_set(&txn->chain.inodes, ino, 0);
}

void chain_set_base(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t addr)
{
	uint64_t *value = map32_find(&txn->chain.inodes, ino);

	*value |= (uint64_t)addr << 32;
}

int chain_base(struct txn *txn, f2fs_nid_t ino, f2fs_blk_t *addr)
{
	const uint64_t *value = map32_find(&txn->chain.inodes, ino);
	struct f2fs_nat_info entry;
	int err;

	*addr = value ? (f2fs_blk_t)(*value >> 32) : F2FS_NULL_ADDR;
	if (*addr != F2FS_NULL_ADDR)
		return 0;
	err = nat_get_stored(txn->vol, ino, &entry);
	if (!err)
		*addr = entry.block_addr;
	return err;
}

bool chain_has_room(const struct txn *txn)
{
	const uint32_t before = txn->free_before, now = txn->free_segments;

	/* recovery frees nothing before all is there (the kernel's rule) */
	if (cp_valid_block_count(txn->vol->view->cp) + txn->chain.taken > txn->user_blocks)
		return false;
	return now > 2 * cp_rsvd_segment_count(txn->vol->view->cp) || now > before / 2;
}

void chain_follow(struct txn *txn, f2fs_blk_t addr, f2fs_blk_t next)
{
	if (addr != txn->chain.next)
		txn->chain.is_broken = true;
	txn->chain.next = next;
}
