/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the remaining versions of an inode, each with the state of its contents.
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_read.h"
#include "forensics/fate.h"
#include "forensics/inode_at.h"
#include "forensics/past.h"
#include "forensics/remains.h"
#include "forensics/version_list.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

const char *f2fs_confidence_name(int confidence)
{
	static const char *const names[] = { "whole", "likely", "part", "blank", "metadata", "name" };

	return confidence >= 0 && confidence <= F2FS_CONFIDENCE_NAME ? names[confidence] : "?";
}

/*
 * sure: blocks that a newer version shares were not rewritten in place since then. A node that is newer than the inode
 * may have been moved with its contents, or changed together with an inode that is not left.
 */
static int confidence_of(const struct f2fs_remains *r, bool is_sure)
{
	const uint64_t gone = r->overwritten + r->bad + r->lost;

	if (gone + r->blank == 0 && r->nodes_lost == 0)
		return r->unknown || r->nodes_later || r->nodes_unsure || (r->shared && !is_sure) ?
			       F2FS_CONFIDENCE_LIKELY :
			       F2FS_CONFIDENCE_WHOLE;
	if (r->current + r->intact + r->unknown)
		return F2FS_CONFIDENCE_PART;
	return r->blank ? F2FS_CONFIDENCE_BLANK : F2FS_CONFIDENCE_METADATA;
}

static void fill_name(const uint8_t *block, struct f2fs_version *out)
{
	const uint32_t length = inode_i_namelen(block);

	out->parent = inode_i_pino(block);
	out->name_len = (uint16_t)(length <= 255 ? length : 0);
	memcpy(out->name, block + inode_OFS_i_name, out->name_len);
	out->name[out->name_len] = '\0';
}

static void fill_flags(const struct f2fs_past *past, const struct past_time *time, struct f2fs_version *out)
{
	struct f2fs_nat_info entry;
	const uint8_t *block;
	struct f2fs_volume *vol = past->vol;

	out->flags = (time->is_current ? F2FS_VERSION_CURRENT : 0u) | (time->is_last ? F2FS_VERSION_LAST : 0u) |
		     (time->age == 0 ? F2FS_VERSION_RECENT : 0u);
	if (time->is_succeeded)
		out->flags |= F2FS_VERSION_OTHER_USE;
	else if (nat_get(vol, out->ino, &entry) == 0 && geometry_is_main(&vol->geo, entry.block_addr) &&
		 volume_peek(vol, entry.block_addr, &block) == 0 && inode_i_generation(block) != out->generation)
		out->flags |= F2FS_VERSION_OTHER_USE;
}

/* Open the version that followed; *is_sure: contents have not changed since, as the newest one has the same times. */
static int open_newer(struct f2fs_past *past, const struct past_time *time, const struct f2fs_inode *inode,
		      struct f2fs_inode **out, bool *is_sure)
{
	const uint8_t *last;
	int err = past_open_inode(past->vol, past, time->next_addr, 0, out);

	if (err) {
		*out = NULL;
		return err == F2FS_ERR_NOMEM ? err : 0;
	}
	if (volume_peek(past->vol, time->last_addr, &last) != 0)
		return 0;
	*is_sure = inode_i_mtime(last) == inode_i_mtime(inode->block) &&
		   inode_i_mtime_nsec(last) == inode_i_mtime_nsec(inode->block);
	return 0;
}

/*
 * Where the file has a digest its contents speak for themselves: all of it is there, whatever the tables say and even
 * if blocks are blank, or some block was written over.
 */
static int ask_digest(struct f2fs_inode *inode, struct f2fs_version *out)
{
	struct f2fs_remains *r = &out->remains;
	enum digest digest;
	int err;

	if (r->overwritten + r->bad + r->lost + r->nodes_lost)
		return 0;
	err = past_digest(inode, &digest);
	if (err)
		return err;
	if (digest == DIGEST_RIGHT) {
		out->confidence = F2FS_CONFIDENCE_WHOLE;
		r->intact += r->blank;
		r->blank = 0;
	} else if (digest == DIGEST_WRONG && out->confidence <= F2FS_CONFIDENCE_LIKELY) {
		out->confidence = F2FS_CONFIDENCE_PART;
	}
	return 0;
}

int version_describe(struct f2fs_past *past, f2fs_blk_t addr, struct f2fs_version *out)
{
	struct f2fs_volume *vol = past->vol;
	const struct past_time *time;
	struct f2fs_inode *inode, *newer = NULL;
	bool is_sure = false;
	enum fate unused;
	int err = past_open_inode(vol, past, addr, 0, &inode);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->ino = inode->ino;
	out->addr = addr;
	out->cp_ver = (uint32_t)footer_cp_ver(node_footer(&vol->geo, inode->block));
	out->age = past->newest - out->cp_ver;
	out->generation = inode_i_generation(inode->block);
	fill_name(inode->block, out);
	err = inode_stat(inode, &out->stat);
	if (!err)
		err = past_judge(inode, 0, 0, 0, &unused); /* so that the time is known */
	past_of(inode, &time);
	if (!err && time->has_next && !time->is_current)
		err = open_newer(past, time, inode, &newer, &is_sure);
	if (!err)
		err = fate_count(inode, newer, &out->remains);
	f2fs_inode_close(newer);
	if (!err)
		fill_flags(past, time, out);
	out->confidence = confidence_of(&out->remains, is_sure);
	if (!err && !time->is_current)
		err = ask_digest(inode, out);
	f2fs_inode_close(inode);
	return err;
}

/* Describe one and hand it over; blocks that are no inode any more are left out. */
static int visit_one(struct f2fs_past *past, f2fs_blk_t addr,
		     int (*visit)(void *user, const struct f2fs_version *version), void *user)
{
	struct f2fs_version version;
	int err = version_describe(past, addr, &version);

	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO || err == F2FS_ERR_OVERWRITTEN)
		return 0;
	return err ? err : visit(user, &version);
}

int f2fs_past_list_versions(struct f2fs_past *past, f2fs_nid_t ino,
			    int (*visit)(void *user, const struct f2fs_version *version), void *user)
{
	struct f2fs_volume *vol = past->vol;
	const struct past_node *nodes;
	struct f2fs_nat_info entry;
	bool has_current = false;
	size_t count;
	int err;

	error_clear(vol->ctx);
	err = past_need_inode(past, ino);
	if (err)
		return err;
	if (!past->as_of && nat_get(vol, ino, &entry) == 0 && entry.block_addr != 0)
		has_current = true;
	nodes = past_find(past, ino, ino, &count);
	for (size_t i = 0; i < count && !err; i++)
		if (!past_is_beyond(past, &nodes[i]) && (!has_current || nodes[i].addr != entry.block_addr))
			err = visit_one(past, nodes[i].addr, visit, user);
	if (!err && has_current)
		err = visit_one(past, entry.block_addr, visit, user);
	if (!err)
		error_clear(vol->ctx);
	return err;
}
