/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The open handles of a volume: a hash table of lists that run through the handles. It exists while a handle is open.
 */
#include "file/handle_list.h"

#include "file/write.h"

#define FIRST_ROOM 16u

struct handle_table {
	size_t room, count; /* lists, a power of two; handles in them */
	struct f2fs_inode *lists[];
};

static struct f2fs_inode **list_of(struct handle_table *table, f2fs_nid_t ino)
{
	return &table->lists[(size_t)((ino * 0x9E3779B97F4A7C15u) >> 32) & (table->room - 1)];
}

static struct f2fs_inode *first_of(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	return vol->files.handles ? *list_of(vol->files.handles, ino) : NULL;
}

static struct handle_table *make_table(struct f2fs_context *ctx, size_t room)
{
	struct handle_table *table = mem_calloc(ctx, 1, sizeof(*table) + room * sizeof(struct f2fs_inode *));

	if (table)
		table->room = room;
	return table;
}

static void link_handle(struct handle_table *table, struct f2fs_inode *inode)
{
	struct f2fs_inode **list = list_of(table, inode->ino);

	inode->next_handle = *list;
	inode->this_handle = list;
	if (*list)
		(*list)->this_handle = &inode->next_handle;
	*list = inode;
	table->count++;
}

static void unlink_handle(struct handle_table *table, struct f2fs_inode *inode)
{
	*inode->this_handle = inode->next_handle;
	if (inode->next_handle)
		inode->next_handle->this_handle = inode->this_handle;
	inode->this_handle = NULL;
	inode->next_handle = NULL;
	table->count--;
}

static void drop_if_empty(struct f2fs_volume *vol)
{
	if (!vol->files.handles || vol->files.handles->count)
		return;
	mem_free(vol->ctx, vol->files.handles);
	vol->files.handles = NULL;
}

static int grow(struct f2fs_volume *vol)
{
	struct handle_table *old = vol->files.handles;
	struct handle_table *table = make_table(vol->ctx, old ? old->room * 2 : FIRST_ROOM);
	struct f2fs_inode *next;

	if (!table)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; old && i < old->room; i++)
		for (struct f2fs_inode *handle = old->lists[i]; handle; handle = next) {
			next = handle->next_handle;
			link_handle(table, handle);
		}
	mem_free(vol->ctx, old);
	vol->files.handles = table;
	return 0;
}

int handles_add(struct f2fs_inode *inode)
{
	struct f2fs_volume *vol = inode->vol;
	int err = vol->files.handles && vol->files.handles->count < vol->files.handles->room ? 0 : grow(vol);

	if (!err)
		link_handle(vol->files.handles, inode);
	return err;
}

void handles_remove(struct f2fs_inode *inode)
{
	if (!inode->this_handle)
		return;
	unlink_handle(inode->vol->files.handles, inode);
	drop_if_empty(inode->vol);
}

bool inode_is_open(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	for (const struct f2fs_inode *handle = first_of(vol, ino); handle; handle = handle->next_handle)
		if (handle->ino == ino && !handle->is_freed)
			return true;
	return false;
}

void handles_freed(struct f2fs_volume *vol, f2fs_nid_t ino)
{
	vol->files.given_up++;
	for (struct f2fs_inode *handle = first_of(vol, ino); handle; handle = handle->next_handle)
		if (handle->ino == ino)
			handle->is_freed = true;
}

static void count_rollback(const struct txn *txn)
{
	if (txn->is_done || txn->begun == txn->vol->generation)
		return;
	txn->vol->files.rollbacks++;
	txn->vol->files.given_up++;
}

static void settle_one(const struct txn *txn, struct f2fs_inode *handle)
{
	if (txn->is_done ? handle->is_freed : handle->born > cp_checkpoint_ver(txn->vol->view->cp)) {
		handle->is_dead = true;
		unlink_handle(txn->vol->files.handles, handle);
	} else {
		handle->is_freed = false; /* a rollback: it exists again */
	}
}

void handles_settle(const struct txn *txn)
{
	struct handle_table *table = txn->vol->files.handles;
	struct f2fs_inode *next;

	count_rollback(txn);
	for (size_t i = 0; table && i < table->room; i++)
		for (struct f2fs_inode *handle = table->lists[i]; handle; handle = next) {
			next = handle->next_handle;
			settle_one(txn, handle);
		}
	drop_if_empty(txn->vol);
}
