/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The times of all inodes, in use, deleted and old, with the age in checkpoints as a second clock. A file in use that
 * was renamed or has lost a name has a mark that its recorded name may be stale. A round over the directories finds its
 * present name.
 */
#include <string.h>

#include "base/error.h"
#include "file/inode_read.h"
#include "forensics/inode_at.h"
#include "forensics/past_entries.h"
#include "forensics/past_names.h"
#include "forensics/version_list.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

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
	struct map32 renamed; /* files in use whose own record of their name may be stale */
	struct past_entries names_now; /* of these */
};

/* Find the present use of the number. */
static void look_up(struct timeline *t, f2fs_nid_t ino)
{
	struct f2fs_volume *vol = t->past->vol;
	struct f2fs_nat_info entry;
	const uint8_t *block;

	t->ino = ino;
	t->is_live = nat_get(vol, ino, &entry) == 0 && geometry_is_main(&vol->geo, entry.block_addr) &&
		     volume_peek(vol, entry.block_addr, &block) == 0;
	t->live_addr = t->is_live ? entry.block_addr : 0;
	t->live_generation = t->is_live ? inode_i_generation(block) : 0;
}

static bool may_be_stale(const uint8_t *block)
{
	return (inode_i_advise(block) & FLAG_i_advise_lost_pino) && (inode_i_mode(block) & MODE_TYPE) != MODE_DIR;
}

/* Find the names of files in use that do not know their own. */
static int find_names(struct timeline *t)
{
	struct f2fs_volume *vol = t->past->vol;
	const uint8_t *block;
	int err = 0;

	for (size_t i = 0; i < t->past->nodes.count && !err; i++) {
		const struct past_node *node = vec_at(&t->past->nodes, i);

		if (node->nid != node->ino)
			continue;
		if (t->ino != node->ino)
			look_up(t, node->ino);
		if (t->live_addr == node->addr && volume_peek(vol, node->addr, &block) == 0 && may_be_stale(block))
			err = map32_set(&t->renamed, node->ino, 1);
	}
	if (!err && t->renamed.count > 0)
		err = past_entries_load(&t->names_now);
	return err;
}

/* Make the path: one of its present names, or the one recorded in it. */
static int make_path(struct timeline *t, const struct f2fs_inode *inode, struct f2fs_moment *moment)
{
	const struct past_entry *now;
	size_t count = 0;

	if (moment->state == F2FS_MOMENT_LIVE && map32_find(&t->renamed, moment->ino)) {
		now = past_entries_of(&t->names_now, moment->ino, &count);
		if (count)
			return past_names_path(&t->names, now->dir, vec_at(&t->names_now.text, now->name), now->length,
					       now->is_cipher, t->path, &moment->path_state);
	}
	return past_names_of_inode(&t->names, inode->block, t->path, &moment->path_state);
}

/* Is it the last version that is left of its use of the inode number? */
static bool is_last(const struct timeline *t, size_t i)
{
	const struct past_node *node = vec_at(&t->past->nodes, i), *next = node + 1;

	return i + 1 == t->past->nodes.count || next->nid != node->nid || next->ino != node->ino ||
	       next->place != node->place;
}

/* How much is left of a file that is gone? */
static int judge(struct timeline *t, struct f2fs_moment *moment)
{
	struct f2fs_version version;
	int err = version_describe(t->past, moment->addr, &version);

	if (!err)
		moment->confidence = version.confidence;
	return err;
}

static int tell(struct timeline *t, size_t i)
{
	const struct past_node *node = vec_at(&t->past->nodes, i);
	struct f2fs_volume *vol = t->past->vol;
	struct f2fs_moment moment = {
		.path = t->path, .ino = node->ino, .addr = node->addr, .age = node->age, .confidence = -1
	};
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
		err = make_path(t, inode, &moment);
	f2fs_inode_close(inode);
	if (!err && moment.state == F2FS_MOMENT_DELETED && is_last(t, i))
		err = judge(t, &moment);
	if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO)
		return 0;
	return err ? err : t->visit(t->user, &moment);
}

int f2fs_past_list_times(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_moment *moment), void *user)
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
	map32_init(&t.renamed, ctx);
	past_entries_init(&t.names_now, past, ENTRIES_IN_USE);
	t.names_now.only = &t.renamed;
	t.path = mem_alloc(ctx, PAST_PATH_ROOM);
	err = t.path ? find_names(&t) : F2FS_ERR_NOMEM;
	for (size_t i = 0; i < past->nodes.count && !err; i++) {
		const struct past_node *node = vec_at(&past->nodes, i);

		if (node->nid == node->ino)
			err = tell(&t, i);
		progress.done = i + 1;
		if (!err && i % 4096 == 0)
			err = progress_report(ctx, &progress);
	}
	mem_free(ctx, t.path);
	past_entries_fini(&t.names_now);
	map32_fini(&t.renamed);
	past_names_fini(&t.names);
	if (!err)
		error_clear(ctx);
	return err;
}
