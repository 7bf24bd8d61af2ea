/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rescue opening: run its steps, choose the nodes, and answer for the NAT afterwards. A node that the NAT names and
 * whose block agrees is taken. For the others the newest version in the main area is taken.
 */
#include "volume/rescue.h"
#include "volume/rescue_nat.h"

#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "volume/block_read.h"
#include "volume/half_pack.h"
#include "volume/heads_read.h"
#include "volume/newest_pack.h"
#include "volume/rescue_checkpoint.h"
#include "volume/rescue_features.h"
#include "volume/rescue_superblock.h"
#include "volume/roots.h"
#include "volume/scan_nodes.h"

/* Keep entries with an address, in ascending order, and count their sources. */
static int sort_table(struct f2fs_volume *vol)
{
	struct rescue *r = vol->rescue;
	struct rescue_node *nodes = r->nodes.items;
	size_t n = 0, from_scan = 0, lost = 0;

	for (size_t i = 0; i < r->nodes.count; i++) {
		if (nodes[i].addr == 0) {
			lost++;
			continue;
		}
		from_scan += !nodes[i].is_in_nat;
		nodes[n++] = nodes[i];
	}
	r->nodes.count = n;
	map32_fini(&r->index);
	if (n > 1)
		qsort(nodes, n, sizeof(*nodes), rescue_compare_nodes);
	r->is_ready = true;
	if (from_scan + lost == 0)
		return 0;
	return volume_note(vol, "NAT: %zu of %zu nodes were found by their footers; %zu node ids have no node block",
			   from_scan, n, lost);
}

/* With the checkpoint a version that is higher than any node's can be is known. */
static void set_limit(struct f2fs_volume *vol)
{
	struct rescue *r = vol->rescue;

	if (r->root == RESCUE_ROOT_MADE)
		return;
	r->limit = (uint32_t)cp_checkpoint_ver(vol->view->cp) + (r->root == RESCUE_ROOT_OLDER);
	r->has_limit = true;
}

/* A checkpoint that was made up is newer than any node. One that takes the place of a lost one has its version. */
static int set_version(struct f2fs_volume *vol)
{
	const size_t size = (size_t)(1 + vol->geo.cp_payload) << vol->geo.block_bits;
	uint8_t *cp = mem_alloc(vol->ctx, size);
	const struct rescue *r = vol->rescue;
	uint64_t newest = r->root == RESCUE_ROOT_OLDER ? cp_checkpoint_ver(vol->view->cp) : 0;

	if (!cp)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < r->nodes.count; i++) {
		const struct rescue_node *node = vec_at(&r->nodes, i);

		if (r->root == RESCUE_ROOT_MADE && node->cp_ver > newest)
			newest = node->cp_ver;
	}
	memcpy(cp, vol->view->cp, size);
	cp_set_checkpoint_ver(cp, newest + 1);
	put_le32(cp + cp_checksum_offset(cp), checkpoint_crc(cp, vol->geo.block_size));
	checkpoint_view_adopt(&vol->loaded, cp, vol->view->pack, &vol->geo, vol->ctx);
	return 0;
}

/* When the pack in force is not the newest that was complete: the nodes of that one. */
static int find_newest(struct f2fs_volume *vol)
{
	enum pack_loss loss;
	f2fs_blk_t left = 0;
	int err = volume_judge_pack(vol, &loss, &left);

	if (err || loss == PACK_NEWEST)
		return err;
	vol->rescue->root = RESCUE_ROOT_OLDER;
	return volume_note(vol, "checkpoint pack %u was the newer one and is lost; its nodes are searched",
			   3 - vol->view->pack);
}

/* Load the checkpoint, or the remains of one. */
static int load_checkpoint(struct f2fs_volume *vol, unsigned forced_pack)
{
	int err = roots_load_checkpoint(vol, forced_pack);

	if (!err)
		err = heads_load(vol);
	if (!err && !forced_pack)
		err = half_pack_take(vol);
	if (!err && !forced_pack)
		err = rescue_newer_pack(vol);
	if (!err && !forced_pack && vol->rescue->root == RESCUE_ROOT_WHOLE)
		err = find_newest(vol);
	if (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO)
		return err;
	if (err == F2FS_ERR_IO) /* a part of a pack that is valid as a whole */
		vol->unread |= vol->view->pack == 2 ? UNREAD_PACK2 : UNREAD_PACK1;
	volume_unload_pack(vol);
	return rescue_checkpoint(vol);
}

static int prepare(struct f2fs_volume *vol)
{
	if (vol->rescue)
		return 0;
	vol->rescue = mem_zalloc(vol->ctx, sizeof(*vol->rescue));
	if (!vol->rescue)
		return F2FS_ERR_NOMEM;
	vol->rescue->has_superblock = vol->rescue->has_features = vol->rescue->has_seed = true;
	map32_init(&vol->rescue->index, vol->ctx);
	vec_init(&vol->rescue->nodes, vol->ctx, sizeof(struct rescue_node));
	return 0;
}

int rescue_find_superblock(struct f2fs_volume *vol, unsigned preferred)
{
	struct f2fs_error_detail detail;
	int err = roots_load_superblock(vol, preferred);

	if (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_NOT_F2FS && err != F2FS_ERR_IO)
		return err ? err : prepare(vol);
	/* its nodes must not be taken for remains of a volume that begins here */
	if (vol->is_elsewhere && !vol->accepts_foreign)
		return err;
	detail = vol->ctx->error;
	err = prepare(vol);
	if (!err)
		err = rescue_superblock(vol);
	if (err == F2FS_ERR_NOT_FOUND) {
		vol->ctx->error = detail;
		err = detail.code;
	}
	return err;
}

int rescue_load(struct f2fs_volume *vol, unsigned forced_pack)
{
	int err = load_checkpoint(vol, forced_pack);

	if (!err && !vol->rescue->has_features)
		err = rescue_guess_features(vol);
	if (err)
		return err;
	set_limit(vol);
	err = rescue_scan(vol);
	if (!err && vol->rescue->unread > 0)
		err = volume_note(vol,
				  "the search for nodes could not read %llu blocks, the first at %u: their nodes may "
				  "be missing",
				  (unsigned long long)vol->rescue->unread, (unsigned)vol->rescue->first_unread);
	if (!err)
		err = sort_table(vol);
	if (!err && (vol->rescue->root == RESCUE_ROOT_MADE || vol->rescue->root == RESCUE_ROOT_OLDER))
		err = set_version(vol);
	return err;
}

void rescue_close(struct f2fs_volume *vol)
{
	if (!vol->rescue)
		return;
	map32_fini(&vol->rescue->index);
	vec_fini(&vol->rescue->nodes);
	mem_free(vol->ctx, vol->rescue);
	vol->rescue = NULL;
}
