/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume that is cleaned by each policy, into the log and into holes, with pinned files moved. What must
 * hold besides not crashing: on a volume on which the checker finds nothing, every section is confirmed, the checker
 * finds nothing afterwards, and all files are as before; else what is left alone is counted, and a failure keeps the
 * contract of errors. Memory is bounded and given back.
 */
#include <f2fskit/f2fskit.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"

/* The volume's own pages, what cleaning writes to it, the facts of the checker, nodes that wait. */
#define MEMORY_LIMIT ((size_t)320 << 20)

static void require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

static uint64_t problems(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	struct f2fs_check_result found;

	return f2fs_check(ctx, dev, NULL, &found) == 0 ? found.found : UINT64_MAX;
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

static uint64_t contents(struct f2fs_volume *vol)
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

static void clean(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_open_options open = { .recover = F2FS_RECOVER_APPLY };
	const int is_sound = problems(ctx, dev) == 0;
	struct f2fs_volume *vol;
	uint64_t before;

	(void)c;
	if (f2fs_volume_open(ctx, dev, &open, &vol) != 0)
		return;
	before = is_sound ? contents(vol) : 0;
	for (unsigned i = 0; f2fs_clean_policy_name(i); i++) {
		const struct f2fs_clean_options options = { .policy = i,
							    .sections = 6,
							    .used_limit = 100,
							    .target = i & 1,
							    .move_pinned = i > 1 };
		struct f2fs_clean_result result;
		int err = f2fs_clean(vol, &options, &result);

		require(err == 0 || f2fs_context_error(ctx)->code == err, "a failure without its error");
		require(result.sections <= options.sections, "more sections than were asked for");
		require(!is_sound || result.unconfirmed + result.unreadable == 0, "a sound section was left alone");
	}
	require(before == 0 || contents(vol) == before, "cleaning changed what the volume holds");
	f2fs_volume_close(vol);
	require(before == 0 || problems(ctx, dev) == 0, "cleaning damaged the volume");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, clean);
}
