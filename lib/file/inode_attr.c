/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Setting what stat(2), chattr(1) and the hints of a file say. Everything is checked before the first change.
 */
#include <f2fskit/write.h>

#include "base/error.h"
#include "file/acl_write.h"
#include "file/change.h"
#include "file/dir_filing.h"
#include "file/dir_read.h"
#include "file/inode_attr.h"
#include "file/name.h"
#include "file/quota_count.h"
#include "file/winode.h"
#include "log/nodes.h"

#define SETTABLE_FLAGS                                                                                                 \
	(FLAG_i_flags_sync | FLAG_i_flags_immutable | FLAG_i_flags_append | FLAG_i_flags_nodump |                      \
	 FLAG_i_flags_noatime | FLAG_i_flags_nocomp | FLAG_i_flags_dirsync | FLAG_i_flags_projinherit |                \
	 FLAG_i_flags_casefold)
#define SETTABLE_ADVISE (FLAG_i_advise_cold | FLAG_i_advise_hot)

/* Flags that only some types of files can have (FORMAT files 2.5). */
static uint32_t flags_of_type(const struct winode *w)
{
	switch (inode_i_mode(winode_block(w)) & MODE_TYPE) {
	case MODE_DIR:
		return SETTABLE_FLAGS;
	case MODE_REG:
		return SETTABLE_FLAGS &
		       ~(uint32_t)(FLAG_i_flags_dirsync | FLAG_i_flags_projinherit | FLAG_i_flags_casefold);
	default:
		return FLAG_i_flags_nodump | FLAG_i_flags_noatime;
	}
}

static int check_casefold(const struct winode *w)
{
	struct f2fs_volume *vol = w->txn->vol;

	if (!geometry_has(&vol->geo, F2FS_FEAT_CASEFOLD))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "the volume has no case-insensitive directories");
	if (!winode_is_dir(w))
		return error_set(vol->ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory", (unsigned)w->node->nid);
	return dir_need_empty(vol, w->node->nid);
}

static int check_flags(const struct winode *w, uint32_t wanted)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint32_t old = inode_i_flags(winode_block(w)), changed = (old ^ wanted) & SETTABLE_FLAGS;

	if (quota_is_file(vol, w->node->nid) && changed)
		return error_set(vol->ctx, F2FS_ERR_ACCESS, "the flags of quota files stay");
	if (changed & FLAG_i_flags_casefold) {
		int err = check_casefold(w);

		if (err)
			return err;
	}
	if (wanted & changed & ~flags_of_type(w))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "inode %u is of a type that cannot have flags %x",
				 (unsigned)w->node->nid, (unsigned)(wanted & changed & ~flags_of_type(w)));
	if ((wanted & changed & FLAG_i_flags_nocomp) && !geometry_has(&vol->geo, F2FS_FEAT_COMPRESSION))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "the volume has no compression");
	if ((wanted & changed & FLAG_i_flags_nocomp) && (old & FLAG_i_flags_compr))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "inode %u is to be compressed: it cannot have nocomp, too",
				 (unsigned)w->node->nid);
	return 0;
}

/* Can the inode hold an extra attribute that ends at this offset, and does the volume have its feature? */
static int check_extra(const struct winode *w, uint32_t feature, uint32_t end, const char *what)
{
	if (geometry_has(&w->txn->vol->geo, feature) && inode_has_extra(winode_block(w), end))
		return 0;
	return error_set(w->txn->vol->ctx, F2FS_ERR_UNSUPPORTED, "the inode has no %s", what);
}

int owner_check(struct f2fs_context *ctx, uint32_t uid, uint32_t gid, uint32_t projid)
{
	if (uid != NOBODY_ID && gid != NOBODY_ID && projid != NOBODY_ID)
		return 0;
	return error_set(ctx, F2FS_ERR_RANGE, "there is no %s %u",
			 uid == NOBODY_ID   ? "user"
			 : gid == NOBODY_ID ? "group"
					    : "project",
			 NOBODY_ID);
}

static int check_pin(const struct winode *w, const struct f2fs_stat *v)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	const uint8_t *block = winode_block(w);

	if ((inode_i_mode(block) & MODE_TYPE) != MODE_REG)
		return error_set(ctx, F2FS_ERR_WRONG_TYPE, "inode %u is not a regular file", (unsigned)w->node->nid);
	if ((v->inline_flags & FLAG_i_inline_pin_file) && w->layout.is_compressed)
		return error_set(ctx, F2FS_ERR_UNSUPPORTED, "compressed files cannot be pinned");
	return 0;
}

static int check_all(const struct winode *w, unsigned which, const struct f2fs_stat *v)
{
	struct f2fs_context *ctx = w->txn->vol->ctx;
	int err = 0;

	if (which >= F2FS_SET_PIN << 1)
		return error_set(ctx, F2FS_ERR_INVALID, "unknown members to set: %x", which);
	err = owner_check(ctx, which & F2FS_SET_UID ? v->uid : 0, which & F2FS_SET_GID ? v->gid : 0,
			  which & F2FS_SET_PROJID ? v->projid : 0);
	if (err)
		return err;
	if ((which & F2FS_SET_ADVISE) && (v->advise & ~SETTABLE_ADVISE))
		return error_set(ctx, F2FS_ERR_INVALID, "of the hints only hot and cold can be set");
	if (which & F2FS_SET_PROJID)
		err = check_extra(w, F2FS_FEAT_PROJECT_QUOTA, extra_OFS_i_projid + 4, "project id");
	if (!err && (which & F2FS_SET_CRTIME))
		err = check_extra(w, F2FS_FEAT_INODE_CRTIME, extra_OFS_i_crtime_nsec + 4, "creation time");
	if (!err && (which & F2FS_SET_PIN))
		err = check_pin(w, v);
	if (!err && (which & F2FS_SET_FLAGS))
		err = check_flags(w, v->flags);
	return err;
}

static void set_times(uint8_t *block, unsigned which, const struct f2fs_stat *v)
{
	uint8_t *extra = block + INODE_ADDR_OFFSET;

	if (which & F2FS_SET_ATIME) {
		inode_set_i_atime(block, v->atime.seconds);
		inode_set_i_atime_nsec(block, v->atime.nanoseconds);
	}
	if (which & F2FS_SET_MTIME) {
		inode_set_i_mtime(block, v->mtime.seconds);
		inode_set_i_mtime_nsec(block, v->mtime.nanoseconds);
	}
	if (which & F2FS_SET_CTIME) {
		inode_set_i_ctime(block, v->ctime.seconds);
		inode_set_i_ctime_nsec(block, v->ctime.nanoseconds);
	}
	if (which & F2FS_SET_CRTIME) {
		extra_set_i_crtime(extra, v->crtime.seconds);
		extra_set_i_crtime_nsec(extra, v->crtime.nanoseconds);
	}
}

static void set_owner(uint8_t *block, unsigned which, const struct f2fs_stat *v)
{
	if (which & F2FS_SET_MODE)
		inode_set_i_mode(block, (uint16_t)((inode_i_mode(block) & MODE_TYPE) | (v->mode & 07777)));
	if (which & F2FS_SET_UID)
		inode_set_i_uid(block, v->uid);
	if (which & F2FS_SET_GID)
		inode_set_i_gid(block, v->gid);
	if (which & F2FS_SET_PROJID)
		extra_set_i_projid(block + INODE_ADDR_OFFSET, v->projid);
}

static uint32_t mix(uint32_t old, uint32_t wanted, uint32_t mask)
{
	return (old & ~mask) | (wanted & mask);
}

static void set_hints(uint8_t *block, unsigned which, const struct f2fs_stat *v)
{
	if (which & F2FS_SET_FLAGS)
		inode_set_i_flags(block, mix(inode_i_flags(block), v->flags, SETTABLE_FLAGS));
	if (which & F2FS_SET_ADVISE)
		inode_set_i_advise(block, (uint8_t)mix(inode_i_advise(block), v->advise, SETTABLE_ADVISE));
	if (which & F2FS_SET_PIN) {
		inode_set_i_inline(block, (uint8_t)mix(inode_i_inline(block), v->inline_flags, FLAG_i_inline_pin_file));
		/* the low half counts how often the pin kept GC from moving the file */
		if (!(v->inline_flags & FLAG_i_inline_pin_file))
			inode_set_i_current_depth(block, inode_i_current_depth(block) & 0xffff0000u);
	}
}

static int set_all(struct winode *w, unsigned which, const struct f2fs_stat *v)
{
	const unsigned owners = F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_PROJID;
	const int64_t blocks = (int64_t)(inode_i_blocks(winode_block(w)) - 1);
	uint8_t *block = winode_block(w);
	int err = 0;

	node_dirty(w->txn, w->node);
	if (which & owners) /* usage moves from the old owner to the new one */
		err = quota_charge(w, -blocks, -1);
	if (err)
		return err;
	set_owner(block, which, v);
	if (which & owners)
		err = quota_charge(w, blocks, 1);
	if (!err && (which & F2FS_SET_PIN) && (v->inline_flags & FLAG_i_inline_pin_file))
		err = data_convert(w);
	if (err)
		return err;
	set_hints(block, which, v);
	if (which & F2FS_SET_FLAGS) /* names may be compared by other rules now */
		filing_forget(w->txn->vol, w->node->nid);
	if (which & ~(unsigned)(F2FS_SET_PIN | F2FS_SET_ADVISE)) /* the kernel stamps these */
		winode_stamp(w, STAMP_CTIME);
	set_times(block, which, v);
	return 0;
}

int f2fs_inode_set(struct f2fs_inode *inode, unsigned which, const struct f2fs_stat *values)
{
	struct change change;
	struct winode w;
	int err = change_begin_on(&change, inode);

	/* waiting blocks must be written now: a pinned file must not move later */
	if (!err && (which & F2FS_SET_PIN))
		err = change_flush_file(&change, inode->ino);
	if (!err)
		err = winode_get(inode->vol, inode->ino, &w);
	if (!err)
		err = check_all(&w, which, values);
	if (!err && (which & F2FS_SET_MODE))
		err = acl_follow_mode(inode, &w, (uint16_t)(values->mode & 0777));
	if (!err)
		err = set_all(&w, which, values);
	return change_end(&change, err);
}
