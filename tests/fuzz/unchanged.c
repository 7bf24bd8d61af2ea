/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State against which targets that move blocks compare a volume: findings of the checker, contents of files.
 */
#include "fuzz/unchanged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static int show(void *user, const struct f2fs_problem *problem)
{
	(void)user;
	printf("%s: %s\n", problem->info->name, problem->message);
	return F2FS_DECIDE_SKIP;
}

uint64_t problems(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options),
						    .problem = getenv("FUZZ_STATS") ? show : NULL };
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	return f2fs_check(ctx, dev, &options, &found) == 0 ? found.found : UINT64_MAX;
}

int is_sound_recovered(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(ctx, dev, &open, &vol) != 0)
		return 0;
	f2fs_volume_close(vol);
	return problems(ctx, dev) == 0;
}

#define MOST_FILES 2000u
#define PIECE (64u << 10)

struct tally {
	uint64_t digest; /* of paths and contents */
	unsigned files, failed;
};

static void add(struct tally *tally, const void *data, size_t length)
{
	const uint8_t *bytes = data;

	for (size_t i = 0; i < length; i++)
		tally->digest = (tally->digest ^ bytes[i]) * UINT64_C(0x100000001B3);
}

/* The start and the end of a file: some are holes of terabytes. */
static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	static uint8_t piece[PIECE];
	struct tally *tally = user;
	struct f2fs_stat st;
	int err = entry->error;

	add(tally, entry->path, strlen(entry->path));
	if (!err)
		err = f2fs_inode_stat(entry->inode, &st);
	for (unsigned end = 0; end < 2 && !err && (st.mode & 0170000) == 0100000; end++) {
		size_t done = 0;

		err = f2fs_inode_read(entry->inode, end && st.size > PIECE ? st.size - PIECE : 0, piece, PIECE, &done);
		add(tally, piece, done);
	}
	tally->failed += err != 0;
	return ++tally->files < MOST_FILES ? F2FS_WALK_GO : F2FS_WALK_STOP;
}

uint64_t contents(struct f2fs_volume *vol)
{
	struct tally tally = { .digest = 1 };
	struct f2fs_inode *root;

	if (f2fs_lookup(vol, "/", 0, &root) != 0)
		return 0;
	if (f2fs_walk(root, visit, &tally) != 0)
		tally.digest = 0;
	f2fs_inode_close(root);
	return tally.digest ^ tally.failed;
}
