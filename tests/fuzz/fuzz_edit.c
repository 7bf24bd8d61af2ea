/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change any bytes as a volume: names, contents, sizes, ranges, attributes, fsyncs of some files and a commit, on
 * existing files. Besides not crashing: where the checker found nothing, it finds nothing after the commit, and nothing
 * after a rollback; a failure keeps the contract of errors; memory is bounded and given back.
 */
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

#include <string.h>

#define MEMORY_LIMIT ((size_t)320 << 20)
#define MOST_FILES 40u

struct work {
	struct f2fs_volume *vol;
	struct f2fs_inode *root;
	f2fs_nid_t files[MOST_FILES];
	unsigned count;
};

static int keeps_contract(struct work *w, int err)
{
	require(err == 0 || f2fs_context_error(f2fs_volume_context(w->vol))->code == err,
		"a failure without its error");
	return err;
}

static int take(void *user, const struct f2fs_walk_entry *entry)
{
	struct work *w = user;

	if (entry->inode)
		w->files[w->count++] = f2fs_inode_number(entry->inode);
	return w->count < MOST_FILES ? F2FS_WALK_GO : F2FS_WALK_STOP;
}

/* Change an inode in each way; most of them fail on anything but a regular file. */
static void change(struct work *w, unsigned step, struct f2fs_inode *inode)
{
	static const char text[5000] = "some text";
	static const char *const names[] = { "fuzz-a", "fuzz-b", "fuzz-c" };
	const char *name = names[step % 3];
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *made = NULL;
	struct f2fs_stat st;

	if (keeps_contract(w, f2fs_inode_stat(inode, &st)) != 0)
		return;
	switch (step % 9) {
	case 0:
		keeps_contract(w, f2fs_inode_write(inode, st.size / 2, text, sizeof(text)));
		break;
	case 1:
		keeps_contract(w, f2fs_inode_truncate(inode, st.size / 3));
		break;
	case 2:
		keeps_contract(w, f2fs_xattr_set(inode, "user.fuzz", text, 100));
		break;
	case 3:
		keeps_contract(w, f2fs_fallocate(inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE, 4096,
						 20000));
		break;
	case 4:
		keeps_contract(w, f2fs_link(w->root, name, strlen(name), inode));
		break;
	case 5:
		if (keeps_contract(w, f2fs_create(inode, name, strlen(name), &spec, &made)) == 0)
			keeps_contract(w, f2fs_inode_write(made, 70000, text, 300));
		f2fs_inode_close(made);
		break;
	case 6:
		keeps_contract(w, f2fs_remove(w->root, name, strlen(name)));
		break;
	case 7:
		keeps_contract(w, f2fs_rename(w->root, name, strlen(name), inode, "fuzz-d", 6, 0));
		break;
	default:
		keeps_contract(w, f2fs_inode_truncate(inode, st.size + 9000));
		break;
	}
	if (step % 4 == 0)
		keeps_contract(w, f2fs_fsync(inode, 0));
}

static void change_all(struct work *w, unsigned turn)
{
	for (unsigned i = 0; i < w->count; i++) {
		struct f2fs_inode *inode;

		if (keeps_contract(w, f2fs_inode_open(w->vol, w->files[i], &inode)) != 0)
			continue;
		change(w, i + turn, inode);
		f2fs_inode_close(inode);
	}
}

/* Make changes, then commit or lose all but the fsynced data. */
static void edit(struct f2fs_context *ctx, struct f2fs_device *dev, unsigned turn, int commits)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options),
						.recover = F2FS_RECOVER_APPLY, .cache_bytes = 1 << 20 };
	struct work w = { 0 };

	if (f2fs_volume_open(ctx, dev, &open, &w.vol) != 0)
		return;
	if (f2fs_lookup(w.vol, "/", 0, &w.root) == 0) {
		f2fs_walk(w.root, take, &w);
		change_all(&w, turn);
		if (commits)
			keeps_contract(&w, f2fs_volume_commit(w.vol));
		f2fs_inode_close(w.root);
	}
	f2fs_volume_close(w.vol);
}

static void edit_twice(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const int is_sound = is_sound_recovered(ctx, dev);

	(void)c;
	edit(ctx, dev, 0, 1);
	require(!is_sound || problems(ctx, dev) == 0, "changes damaged the volume");
	edit(ctx, dev, 4, 0);
	require(!is_sound || problems(ctx, dev) == 0, "fsyncs damaged the volume");
	edit(ctx, dev, 8, 1);
	require(!is_sound || problems(ctx, dev) == 0, "what was recovered, or came after it, damaged the volume");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, edit_twice);
}
