/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of nodes of a rescue: fill it, and answer from it in place of the NAT.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "volume/rescue.h"
#include "volume/rescue_nat.h"

int rescue_compare_nodes(const void *a, const void *b)
{
	const struct rescue_node *x = a, *y = b;

	return x->nid < y->nid ? -1 : x->nid > y->nid;
}

/* Number of the first node whose id is not below nid. */
static size_t first_from(const struct rescue *r, f2fs_nid_t nid)
{
	return vec_first(&r->nodes, rescue_compare_nodes, &(struct rescue_node){ .nid = nid });
}

static void fill_entry(const struct rescue_node *node, struct f2fs_nat_info *out)
{
	out->nid = node->nid;
	out->ino = node->ino;
	out->block_addr = node->addr;
	out->version = node->nat_version;
	out->source = F2FS_FROM_SCAN;
}

void rescue_nat_get(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const struct rescue *r = vol->rescue;
	const size_t at = first_from(r, nid);
	const struct rescue_node none = { .nid = nid }, *node = &none;

	if (at < r->nodes.count && ((const struct rescue_node *)r->nodes.items)[at].nid == nid)
		node = vec_at(&r->nodes, at);
	fill_entry(node, out);
}

int rescue_nat_next(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const struct rescue *r = vol->rescue;
	const size_t at = first_from(r, nid);

	if (at >= r->nodes.count)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "no further node id is in use");
	fill_entry(vec_at(&r->nodes, at), out);
	return 0;
}

void rescue_nat_read(const struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries)
{
	const struct rescue *r = vol->rescue;

	memset(entries, 0, (size_t)count * nat_SIZE);
	for (size_t at = first_from(r, first); at < r->nodes.count; at++) {
		const struct rescue_node *node = vec_at(&r->nodes, at);
		uint8_t *raw;

		if (node->nid - first >= count)
			return;
		raw = entries + (size_t)(node->nid - first) * nat_SIZE;
		raw[nat_OFS_version] = node->nat_version;
		put_le32(raw + nat_OFS_ino, node->ino);
		put_le32(raw + nat_OFS_block_addr, node->addr);
	}
}

int rescue_entry(struct rescue *r, f2fs_nid_t nid, struct rescue_node **out)
{
	uint64_t *at = map32_find(&r->index, nid);
	struct rescue_node *node = at ? vec_at(&r->nodes, (size_t)*at) : vec_push(&r->nodes, 1);
	int err = 0;

	if (!node)
		return F2FS_ERR_NOMEM;
	if (!at)
		err = map32_set(&r->index, nid, r->nodes.count - 1);
	if (err)
		return err;
	node->nid = nid;
	*out = node;
	return 0;
}

bool rescue_trusts_nat(const struct f2fs_geometry *geo, f2fs_nid_t first, const uint8_t *entries, uint32_t count)
{
	uint32_t used = 0, wrong = 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *raw = entries + (size_t)i * nat_SIZE;

		if (nat_block_addr(raw) == 0 || first + i < geo->root_ino)
			continue;
		used++;
		wrong += !geometry_is_main(geo, nat_block_addr(raw)) || !geometry_is_nid(geo, nat_ino(raw));
	}
	return wrong <= used / 4;
}
