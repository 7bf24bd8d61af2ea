/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare usage with the limits of the volume's quota files, as Linux does: a hard limit holds at once, a soft limit
 * when its time of grace is over.
 */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuse/caller_memory.h"
#include "fuse/guard.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quota_guard.h"

enum { KINDS = 3 /* users, groups, projects */ };
enum { COMFORTABLE = 4 << 20 /* bytes: no request needs more at once */ };

struct limited {
	uint32_t id;
	unsigned kind;
};

struct quota_guard {
	struct limited *owners;
	size_t count, room;
};

struct loading {
	struct quota_guard *guard;
	unsigned kind;
};

static int load(void *user, const struct f2fs_quota *q)
{
	const struct loading *l = user;
	struct quota_guard *g = l->guard;

	if (!q->space_hard_kib && !q->space_soft_kib && !q->inodes_hard && !q->inodes_soft)
		return 0;
	if (g->count == g->room) {
		const size_t room = g->room ? 2 * g->room : 16;
		struct limited *more = realloc(g->owners, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		g->owners = more;
		g->room = room;
	}
	g->owners[g->count++] = (struct limited){ q->id, l->kind };
	return 0;
}

int quota_guard_open(struct mount *m)
{
	struct quota_guard *g = calloc(1, sizeof(*g));
	int err = g ? 0 : F2FS_ERR_NOMEM;

	for (unsigned kind = 0; !err && kind < KINDS; kind++) {
		struct loading l = { g, kind };

		err = f2fs_quota_list(m->vol, kind, load, &l);
		if (err != F2FS_ERR_NOMEM) /* no quota, or a file that is damaged, which a check reports */
			err = 0;
	}
	m->quota = g;
	if (!err && g->count > 0)
		return 0;
	quota_guard_close(m);
	return err;
}

void quota_guard_close(struct mount *m)
{
	if (m->quota)
		free(m->quota->owners);
	free(m->quota);
	m->quota = NULL;
}

static int is_limited(const struct quota_guard *g, unsigned kind, uint32_t id)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->owners[i].kind == kind && g->owners[i].id == id)
			return 1;
	return 0;
}

/* ---- usage ---- */

struct looking {
	uint32_t id;
	int64_t now;
	struct quota_room *room;
};

static void lower(uint64_t *room, uint64_t limit, uint64_t used)
{
	const uint64_t left = limit > used ? limit - used : 0;

	*room = left < *room ? left : *room;
}

static int is_over(uint64_t grace, int64_t now)
{
	return grace && now > 0 && (uint64_t)now >= grace;
}

static int look(void *user, const struct f2fs_quota *q)
{
	const struct looking *l = user;

	if (q->id != l->id)
		return 0;
	if (q->space_hard_kib)
		lower(&l->room->bytes, q->space_hard_kib << 10, q->space_bytes);
	if (q->space_soft_kib && is_over(q->space_grace, l->now))
		lower(&l->room->bytes, q->space_soft_kib << 10, q->space_bytes);
	if (q->inodes_hard)
		lower(&l->room->inodes, q->inodes_hard, q->inodes);
	if (q->inodes_soft && is_over(q->inode_grace, l->now))
		lower(&l->room->inodes, q->inodes_soft, q->inodes);
	return 0;
}

static int look_up(struct mount *m, uid_t caller, const struct f2fs_stat *owner, struct quota_room *out)
{
	const uint32_t ids[KINDS] = { owner->uid, owner->gid, owner->projid };
	int err = 0;

	*out = (struct quota_room){ UINT64_MAX, UINT64_MAX };
	for (unsigned kind = 0; !err && m->quota && caller != 0 && kind < KINDS; kind++) {
		struct looking l = { ids[kind], m->cli->epoch, out };

		if (!m->cli->has_epoch)
			l.now = (int64_t)time(NULL);
		if (is_limited(m->quota, kind, ids[kind]))
			err = f2fs_quota_list(m->vol, kind, look, &l);
	}
	return err;
}

int quota_guard_room(struct mount *m, uid_t caller, const struct f2fs_stat *owner, struct quota_room *out)
{
	int err = look_up(m, caller, owner, out);

	/* files that lost their names and users still count until the next change or checkpoint */
	if (!err && m->has_forgotten && (out->inodes == 0 || out->bytes < COMFORTABLE)) {
		err = mount_checkpoint(m);
		if (!err)
			err = look_up(m, caller, owner, out);
	}
	return err;
}

int quota_guard_holes(struct mount *m, struct f2fs_inode *inode, uint64_t offset, uint64_t length, uint64_t *holes)
{
	const uint64_t bs = m->block_size, end = (offset + length + bs - 1) / bs;
	int err = 0;

	*holes = 0;
	for (uint64_t at = offset / bs; !err && at < end;) {
		struct f2fs_file_extent extent;
		uint64_t until;

		err = f2fs_inode_extent(inode, at, &extent);
		if (err == F2FS_ERR_NOT_FOUND) { /* nothing but a hole follows */
			*holes += end - at;
			return 0;
		}
		until = extent.file_block + extent.count < end ? extent.file_block + extent.count : end;
		if (!err && extent.kind == F2FS_EXTENT_HOLE)
			*holes += until - at;
		at = until;
	}
	return err;
}

/* Does the range stay inside the inode, without a block? */
static int fits_inode(struct mount *m, struct f2fs_inode *inode, const struct f2fs_stat *st, uint64_t end)
{
	struct f2fs_inode_layout layout;

	if (!st->is_inline)
		return 0;
	f2fs_inode_layout(f2fs_volume_geometry(m->vol), f2fs_inode_raw(inode), &layout);
	return end <= layout.inline_size;
}

int quota_guard_range(struct mount *m, uid_t caller, struct f2fs_inode *inode, uint64_t offset, uint64_t length)
{
	struct quota_room room;
	struct f2fs_stat st;
	uint64_t holes;
	int err;

	if (!m->quota || caller == 0)
		return 0;
	err = f2fs_inode_stat(inode, &st);
	if (!err)
		err = quota_guard_room(m, caller, &st, &room);
	if (!err && (room.bytes == UINT64_MAX || fits_inode(m, inode, &st, offset + length)))
		return 0;
	if (!err)
		err = quota_guard_holes(m, inode, offset, length, &holes);
	return err ? err : holes > room.bytes / m->block_size ? MOUNT_QUOTA : 0;
}

int quota_guard_blocks(struct mount *m, uid_t caller, struct f2fs_inode *inode, uint64_t holes)
{
	struct quota_room room;
	struct f2fs_stat st;
	int err = m->quota && caller != 0 ? f2fs_inode_stat(inode, &st) : 0;

	if (err || !m->quota || caller == 0)
		return err;
	err = quota_guard_room(m, caller, &st, &room);
	return err ? err : holes > room.bytes / m->block_size ? MOUNT_QUOTA : 0;
}
