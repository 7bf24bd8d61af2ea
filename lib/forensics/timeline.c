/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times of all inodes, in use, deleted and old, with the age in checkpoints as a second clock.
 */
#include <string.h>

#include "forensics/past_names.h"

struct timeline {
	struct f2fs_past *past;
	struct past_names names;
	char *path;
	int (*visit)(void *user, const struct f2fs_moment *moment);
	void *user;
	f2fs_nid_t ino; /* whose state is known */
	bool is_live;
	f2fs_blk_t live_addr;
	uint32_t live_generation;
};

/* Learn what the number is in use for. */
static void look_up(struct timeline *t, f2fs_nid_t ino)
{
	struct f2fs_volume *vol = t->past->vol;
	struct f2fs_nat_entry entry;
	const uint8_t *block;

	t->ino = ino;
	t->is_live = nat_get(vol, ino, &entry) == 0 && geometry_is_main(&vol->geo, entry.block_addr) &&
		     volume_peek(vol, entry.block_addr, &block) == 0;
	t->live_addr = t->is_live ? entry.block_addr : 0;
	t->live_generation = t->is_live ? inode_i_generation(block) : 0;
}

static int tell(struct timeline *t, const struct past_node *node)
{
	struct f2fs_volume *vol = t->past->vol;
	struct f2fs_moment moment = { .path = t->path, .ino = node->ino, .addr = node->addr, .age = node->age };
	struct f2fs_inode *inode;
	int err;

	if (t->ino != node->ino)
		look_up(t, node->ino);
	moment.cp_ver = t->past->newest - node->age;
	moment.state = t->live_addr == node->addr				       ? F2FS_MOMENT_LIVE
		       : t->is_live && t->live_generation == node->place ? F2FS_MOMENT_OLD
									       : F2FS_MOMENT_DELETED;
	err = past_open_inode(vol, t->past, node->addr, 0, &inode);
	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	err = inode_stat(inode, &moment.stat);
	if (!err)
		err = past_names_of_inode(&t->names, inode->block, t->path, &moment.path_state);
	f2fs_inode_close(inode);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO)
		return 0;
	return err ? err : t->visit(t->user, &moment);
}

int f2fs_timeline(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_moment *moment), void *user)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct f2fs_progress progress = { .task = "timeline", .phase = "inodes", .unit = "nodes" };
	struct timeline t = { .past = past, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	err = past_need_now(past);
	if (err)
		return err;
	progress.total = past->nodes.count;
	past_names_init(&t.names, past);
	t.path = mem_alloc(ctx, PAST_PATH_ROOM);
	if (!t.path)
		err = F2FS_ERR_NOMEM;
	for (size_t i = 0; i < past->nodes.count && !err; i++) {
		const struct past_node *node = vec_at(&past->nodes, i);

		if (node->nid == node->ino)
			err = tell(&t, node);
		progress.done = i + 1;
		if (!err && i % 4096 == 0)
			err = progress_report(ctx, &progress);
	}
	mem_free(ctx, t.path);
	past_names_fini(&t.names);
	if (!err)
		error_clear(ctx);
	return err;
}
