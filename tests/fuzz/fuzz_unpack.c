/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extract any bytes as a volume into a directory of the host, then into a tar archive, while reads may fail. Beside the
 * destination is a file, and links at the destination lead to it: whatever names, links and modes the volume holds,
 * that file stays as it is and nothing else appears beside it.
 *
 * The last two bytes of the input choose: existing files at the destination, their treatment, which read fails, and
 * whether it continues to fail.
 */
#define _XOPEN_SOURCE 700
#include <f2fskit/f2fskit.h>

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

#define MAX_CONTENTS ((uint64_t)4 << 20)
#define MEMORY_LIMIT ((size_t)F2FS_EXTRACT_MEMORY + F2FS_EXTRACT_MEMORY_THREAD + ((size_t)48 << 20))
#define MOST_ENTRIES 400u
#define KEPT "nobody may write here"

enum { LINKS = 1, STICKY = 2, EXISTING = 4, FAULT = 8 };

struct place {
	char base[80], out[96], kept[96];
	uint64_t entries, problems;
};

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

/* A directory with a file that must stay, and the destination in it. */
static void make_place(struct place *p, unsigned choice)
{
	const char *top = getenv("TMPDIR");
	char path[160];
	FILE *file;

	snprintf(p->base, sizeof(p->base), "%.50s/fuzz-unpack-XXXXXX", top ? top : "/tmp");
	require(mkdtemp(p->base) != NULL, "no directory");
	snprintf(p->out, sizeof(p->out), "%s/out", p->base);
	snprintf(p->kept, sizeof(p->kept), "%s/kept", p->base);
	file = fopen(p->kept, "w");
	require(file && fputs(KEPT, file) >= 0 && fclose(file) == 0, "no file");
	require(chmod(p->kept, 0640) == 0, "no mode");
	if (!(choice & LINKS))
		return;
	require(mkdir(p->out, 0755) == 0, "no destination");
	for (unsigned i = 0; i < 8; i++) { /* names of the seeds */
		static const char *const names[] = { "tree", "dir", "f0", "file", "folded", "link", "many", "sealed" };

		snprintf(path, sizeof(path), "%s/%s", p->out, names[i]);
		require(symlink(i % 2 ? "../kept" : "..", path) == 0, "no link");
	}
}

static void judge_place(const struct place *p)
{
	char text[sizeof(KEPT) + 1] = "";
	struct dirent *entry;
	struct stat st;
	FILE *file = fopen(p->kept, "r");
	DIR *dir = opendir(p->base);

	require(file && dir, "what lay beside the destination is gone");
	require(fread(text, 1, sizeof(text), file) == strlen(KEPT) && strcmp(text, KEPT) == 0, "it was written");
	require(fstat(fileno(file), &st) == 0 && st.st_mode == (S_IFREG | 0640) && st.st_nlink == 1, "it was changed");
	while ((entry = readdir(dir)) != NULL)
		require(entry->d_name[0] == '.' || strcmp(entry->d_name, "out") == 0 ||
				strcmp(entry->d_name, "kept") == 0,
			"something appeared beside the destination");
	require(fstat(dirfd(dir), &st) == 0 && (st.st_mode & 07777) == 0700, "the directory above was changed");
	closedir(dir);
	fclose(file);
}

static int count_entry(void *user, const char *path, const struct f2fs_stat *stat)
{
	struct place *p = user;

	(void)path;
	(void)stat;
	return ++p->entries > MOST_ENTRIES;
}

static int count_problem(void *user, const struct f2fs_extract_problem *problem)
{
	struct place *p = user;

	require(problem->path && problem->what && problem->detail->message[0], "a problem without words");
	p->problems += problem->is_counted != 0;
	return p->problems > MOST_ENTRIES;
}

static int take(void *user, const void *data, size_t length)
{
	(void)user;
	(void)data;
	(void)length;
	return 0;
}

static void extract(struct f2fs_volume *vol, struct place *p, const struct f2fs_stream *tar, int existing)
{
	const struct f2fs_extract_options options = {
		F2FS_SIZED(f2fs_extract_options),
		.directory = tar ? NULL : p->out,
		.tar = tar,
		.keep = geteuid() == 0 ? F2FS_KEEP_DEFAULT : F2FS_KEEP_DEFAULT & ~F2FS_KEEP_MODE,
		.existing = existing,
		.encrypted = F2FS_ENCRYPTED_RAW,
		.threads = 1,
		.max_bytes = MAX_CONTENTS,
		.entry = count_entry,
		.problem = count_problem,
		.user = p,
	};
	struct f2fs_extract_result result = { F2FS_SIZED(f2fs_extract_result) };
	int err;

	p->entries = p->problems = 0;
	err = f2fs_extract(vol, &options, &result);
	require(err == 0 || f2fs_context_error(f2fs_volume_context(vol))->code == err, "the context has another error");
	require(err != 0 || p->problems == 0, "problems, and it ended well");
	require(err != F2FS_ERR_INCOMPLETE || p->problems > 0, "not all of it, and no problem");
	require(result.bytes <= MAX_CONTENTS, "more than was allowed");
}

static void unpack(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .cache_bytes = 1 << 20 };
	const struct f2fs_stream tar = { .write = take };
	const unsigned choice = c->data[c->size - 1], nth = c->data[c->size - 2];
	struct f2fs_fault_rule rule = { .fail_read = choice & FAULT ? nth : 0, .sticky = (choice & STICKY) != 0 };
	struct f2fs_device *faulty;
	struct f2fs_volume *vol;
	struct place place = { .entries = 0 };

	if (f2fs_volume_open(ctx, dev, &open, &vol) != 0) /* most are damaged further than that */
		return;
	f2fs_volume_close(vol);
	if (f2fs_device_open_fault(dev, &faulty) != 0)
		return;
	f2fs_device_fault_set(faulty, &rule);
	make_place(&place, choice);
	if (f2fs_volume_open(ctx, faulty, &open, &vol) == 0) {
		extract(vol, &place, NULL,
			choice & EXISTING ? F2FS_EXISTING_REPLACE : F2FS_EXISTING_REFUSE);
		extract(vol, &place, &tar, F2FS_EXISTING_REFUSE);
		f2fs_volume_close(vol);
	}
	f2fs_device_close(faulty);
	judge_place(&place);
	require(nftw(place.base, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, "the directory cannot be removed");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, unpack);
}
