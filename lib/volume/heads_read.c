/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the parts of the pack in force besides the checkpoint block: NAT and SIT journals, orphan inodes, the logs, and
 * the summaries of the current segments (FORMAT volume 4.7, 7).
 */
#include <string.h>

#include "base/error.h"
#include "device/device.h"
#include "format/node.h"
#include "volume/block_read.h"
#include "volume/heads_read.h"
#include "volume/nat_journal.h"
#include "volume/volume.h"

/* Read one block of the pack. */
static int read_pack_block(struct f2fs_volume *vol, uint32_t index, uint8_t *block)
{
	f2fs_blk_t addr = volume_pack_in_use(vol) + index;

	if (index >= F2FS_SEGMENT_BLOCKS)
		return volume_corrupt(vol, RULE_CP_PACK_SIZE, addr, 0, "a part of the pack is past its end");
	return volume_device_read(vol, vol->dev, (uint64_t)addr * vol->geo.block_size, block, vol->geo.block_size);
}

/* A journal's entries: how many there can be, their size, and whether one can count. */
struct journal_kind {
	unsigned max, size;
	enum rule (*check)(const struct f2fs_geometry *geo, const uint8_t *journal);
	bool (*is_sound)(const struct f2fs_geometry *geo, const uint8_t *journal, unsigned i);
	/* read one that claims more entries than fit; NULL: it is full */
	int (*sift)(struct f2fs_volume *vol, uint8_t *journal);
};

/* Of a journal that breaks a rule, the bad entries are dropped; strictly, it is refused. */
static int accept_journal(struct f2fs_volume *vol, f2fs_blk_t addr, uint8_t *journal, const struct journal_kind *kind)
{
	const enum rule rule = kind->check(&vol->geo, journal);
	unsigned n = journal_count(journal), kept = 0;
	int err;

	if (!rule)
		return 0;
	err = volume_corrupt(vol, rule, addr, 0, "%u entries", n);
	if (vol->mode == F2FS_MODE_STRICT)
		return err;
	err = volume_note(vol, "%s; bad entries are not used", vol->ctx->error.message);
	if (err)
		return err;
	if (n > kind->max && kind->sift)
		return kind->sift(vol, journal);
	n = n > kind->max ? kind->max : n;
	for (unsigned i = 0; i < n; i++) {
		uint8_t *entry = journal + 2 + (size_t)i * kind->size;

		memmove(journal + 2 + (size_t)kept * kind->size, entry, kind->size);
		kept += kind->is_sound(&vol->geo, journal, kept);
	}
	put_le16(journal, (uint16_t)kept);
	return 0;
}

static int index_nat_journal(struct f2fs_volume *vol)
{
	unsigned n = journal_count(vol->view->nat_journal);
	int err = 0;

	for (unsigned i = 0; i < n && !err; i++)
		err = map32_set(&vol->loaded.nat_journal_index, natj_nid(journal_nat_entry(vol->view->nat_journal, i)),
				i);
	return err;
}

static uint8_t *copy_journal(const struct f2fs_volume *vol, const uint8_t *from)
{
	uint8_t *journal = mem_alloc(vol->ctx, vol->geo.journal_size);

	if (journal)
		memcpy(journal, from, vol->geo.journal_size);
	return journal;
}

static int load_journals(struct f2fs_volume *vol, uint8_t *block)
{
	const struct journal_kind nat = { vol->geo.nat_journal_max, natj_SIZE, journal_check_nat, journal_nat_is_sound,
					  nat_journal_sift };
	const struct journal_kind sit = { vol->geo.sit_journal_max, sitj_SIZE, journal_check_sit, journal_sit_is_sound,
					  NULL };
	const bool compact = vol->view->layout.compact;
	const uint32_t at = vol->view->layout.data_start, sit_at = compact ? at : at + F2FS_COLD_DATA;
	const uint32_t offset = compact ? 0 : vol->geo.journal_offset;
	const f2fs_blk_t start = volume_pack_in_use(vol);
	uint8_t *nats, *sits;
	int err = read_pack_block(vol, at, block);

	if (err)
		return err;
	vol->loaded.nat_journal = nats = copy_journal(vol, block + offset);
	if (!compact)
		err = read_pack_block(vol, sit_at, block);
	if (err)
		return err;
	vol->loaded.sit_journal = sits = copy_journal(vol, block + (compact ? vol->geo.journal_size : offset));
	if (!nats || !sits)
		return F2FS_ERR_NOMEM;
	err = accept_journal(vol, start + at, nats, &nat);
	if (!err)
		err = accept_journal(vol, start + sit_at, sits, &sit);
	return err ? err : index_nat_journal(vol);
}

static int load_orphans(struct f2fs_volume *vol, uint8_t *block)
{
	for (uint32_t b = 0; b < vol->view->layout.orphan_blocks; b++) {
		f2fs_blk_t addr = volume_pack_in_use(vol) + vol->view->layout.orphan_start + b;
		const uint8_t *tail = block + vol->geo.block_size - orphan_SIZE;
		uint32_t n;
		int err = read_pack_block(vol, vol->view->layout.orphan_start + b, block);

		if (err)
			return err;
		n = orphan_entry_count(tail);
		if (n > vol->geo.orphans_per_block) {
			err = volume_corrupt(vol, RULE_ORPHAN_COUNT, addr, 0, "entry_count is %u", (unsigned)n);
			if (vol->mode == F2FS_MODE_STRICT)
				return err;
			err = volume_note(vol, "%s; this block is not used", vol->ctx->error.message);
			if (err)
				return err;
			continue;
		}
		for (uint32_t i = 0; i < n; i++) {
			f2fs_nid_t *slot = vec_push(&vol->loaded.orphans, 1);

			if (!slot)
				return F2FS_ERR_NOMEM;
			*slot = get_le32(block + (size_t)i * 4);
		}
	}
	return 0;
}

int heads_load(struct f2fs_volume *vol)
{
	uint8_t *block = mem_alloc(vol->ctx, vol->geo.block_size);
	int err;

	if (!block)
		return F2FS_ERR_NOMEM;
	err = load_journals(vol, block);
	if (!err)
		err = load_orphans(vol, block);
	mem_free(vol->ctx, block);
	return err;
}

unsigned f2fs_nat_journal_count(const struct f2fs_volume *vol)
{
	return journal_count(vol->view->nat_journal);
}

const uint8_t *f2fs_nat_journal_at(const struct f2fs_volume *vol, unsigned index)
{
	return index < journal_count(vol->view->nat_journal) ? journal_nat_entry(vol->view->nat_journal, index) : NULL;
}

unsigned f2fs_sit_journal_count(const struct f2fs_volume *vol)
{
	return journal_count(vol->view->sit_journal);
}

const uint8_t *f2fs_sit_journal_at(const struct f2fs_volume *vol, unsigned index)
{
	return index < journal_count(vol->view->sit_journal) ? journal_sit_entry(vol->view->sit_journal, index) : NULL;
}

uint32_t f2fs_orphan_count(const struct f2fs_volume *vol)
{
	return (uint32_t)vol->view->orphans.count;
}

f2fs_nid_t f2fs_orphan_at(const struct f2fs_volume *vol, uint32_t index)
{
	return index < vol->view->orphans.count ? *(f2fs_nid_t *)vec_at(&vol->view->orphans, index) : 0;
}

int f2fs_volume_log(const struct f2fs_volume *vol, unsigned type, struct f2fs_log_head *out)
{
	if (type >= F2FS_LOG_COUNT)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no log number %u", type);
	out->segno = checkpoint_log_segno(vol->view->cp, type);
	out->blkoff = checkpoint_log_blkoff(vol->view->cp, type);
	out->alloc_type = cp_alloc_type(vol->view->cp, type);
	out->type = (uint8_t)type;
	return 0;
}

bool volume_lacks_ssa(const struct f2fs_volume *vol)
{
	return vol->geo.segment_count_ssa == 0 ||
	       (geometry_has(&vol->geo, F2FS_FEAT_RO) && !checkpoint_has_six_logs(vol->view->cp));
}

bool volume_is_locked(const struct f2fs_volume *vol)
{
	return geometry_has(&vol->geo, F2FS_FEAT_RO) && !volume_lacks_ssa(vol);
}

bool volume_has_log_in(const struct f2fs_volume *vol, f2fs_seg_t segno)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (checkpoint_log_segno(vol->view->cp, i) == segno)
			return true;
	return false;
}

/* A second cursor at half speed finds loops. */
int volume_walk_chain(struct f2fs_volume *vol, struct chain_count *count)
{
	const uint64_t limit = vol->geo.end_blkaddr - vol->geo.main_blkaddr;
	f2fs_blk_t addr, slow;

	*count = (struct chain_count){ 0 };
	addr = geometry_segment_start(&vol->geo, checkpoint_log_segno(vol->view->cp, F2FS_WARM_NODE)) +
	       checkpoint_log_blkoff(vol->view->cp, F2FS_WARM_NODE);
	for (slow = addr; count->nodes < limit && geometry_is_main(&vol->geo, addr); count->nodes++) {
		const uint8_t *block, *footer;
		int err = volume_peek(vol, addr, &block);

		if (err)
			return err;
		footer = node_footer(&vol->geo, block);
		if (!checkpoint_is_recoverable(vol->view->cp, footer_cp_ver(footer)))
			break;
		count->fsynced += node_is_fsynced(footer);
		addr = footer_next_blkaddr(footer);
		if (addr == slow)
			return volume_corrupt(vol, RULE_CHAIN_LOOP, addr, footer_nid(footer),
					      "fsynced data can only be dropped");
		if (count->nodes % 2 == 1) {
			err = volume_peek(vol, slow, &block);
			if (err)
				return err;
			slow = footer_next_blkaddr(node_footer(&vol->geo, block));
		}
	}
	count->end = addr;
	return 0;
}

int volume_pending(struct f2fs_volume *vol, uint64_t *nodes)
{
	struct chain_count count = { 0 };
	int err = 0;

	/* a rescue has the newest nodes */
	if (!(cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_disabled) && !vol->rescue)
		err = volume_walk_chain(vol, &count);
	*nodes = err ? 0 : count.fsynced;
	return err;
}

int f2fs_volume_pending(struct f2fs_volume *vol, uint64_t *nodes)
{
	error_clear(vol->ctx);
	return volume_pending(vol, nodes);
}

void volume_drop_summaries(struct f2fs_volume *vol)
{
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		mem_free(vol->ctx, vol->log_sums[i]);
		vol->log_sums[i] = NULL;
	}
}

void volume_unload_pack(struct f2fs_volume *vol)
{
	volume_drop_summaries(vol);
	checkpoint_view_fini(&vol->loaded, vol->ctx);
}
