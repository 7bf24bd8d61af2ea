/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure the making of names: empty files in an ordinary directory and in casefolded ones, all in one transaction, and
 * the most memory that was in use. names_rate IMAGE [COUNT [KIND]]: IMAGE is made again for each kind of directory;
 * KIND (plain, folded, hashonly, spread): this one only.
 */
#include <f2fskit/f2fskit.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BYTES_PER_NAME 8192u /* the inode, its share of the directory, and room to spare */
#define FLAG_CASEFOLD 0x40000000u /* of i_flags */

static struct f2fs_context *ctx;

static const struct {
	const char *name;
	bool fold;
	uint8_t encoding_flags;
	bool spread; /* over directories of 1000 */
} kinds[] = { { "plain", false, 0, false },
	      { "folded", true, 0, false },
	      { "hashonly", true, 2, false },
	      { "spread", false, 0, true } };

static void check(int err)
{
	if (!err)
		return;
	fprintf(stderr, "%s\n", f2fs_context_error(ctx)->message);
	exit(1);
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct f2fs_volume *format(const char *path, unsigned count, unsigned kind)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench",
						   .feature = F2FS_FEAT_CASEFOLD,
						   .encoding_flags = kinds[kind].encoding_flags };
	const uint64_t size = ((uint64_t)256 << 20) + (uint64_t)count * BYTES_PER_NAME;
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_volume *vol;

	remove(path);
	check(f2fs_device_create(ctx, path, size, F2FS_OPEN_WRITE | F2FS_OPEN_CREATE, &device.device));
	check(f2fs_mkfs_write(ctx, &device, 1, &options, NULL));
	check(f2fs_volume_open(ctx, device.device, NULL, &vol));
	f2fs_device_close(device.device);
	return vol;
}

static struct f2fs_inode *make_directory(struct f2fs_volume *vol, unsigned number, bool fold)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 040755 };
	const struct f2fs_stat flags = { .flags = FLAG_CASEFOLD };
	struct f2fs_inode *root, *dir;
	char name[16];
	int length = snprintf(name, sizeof(name), "dir%u", number);

	check(f2fs_lookup(vol, "/", 0, &root));
	check(f2fs_create(root, name, (size_t)length, &spec, &dir));
	f2fs_inode_close(root);
	if (fold)
		check(f2fs_inode_set(dir, F2FS_SET_FLAGS, &flags));
	return dir;
}

static double run(const char *path, unsigned count, unsigned kind)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_volume *vol = format(path, count, kind);
	struct f2fs_inode *dir = make_directory(vol, 0, kinds[kind].fold);
	double start = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC), making, all;
	struct rusage usage;
	char name[32];

	for (unsigned i = 0; i < count; i++) {
		int length = snprintf(name, sizeof(name), "A-File-%07u.txt", i);

		if (kinds[kind].spread && i % 1000 == 999) {
			f2fs_inode_close(dir);
			dir = make_directory(vol, i, false);
		}
		check(f2fs_create(dir, name, (size_t)length, &spec, NULL));
	}
	making = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	f2fs_inode_close(dir);
	check(f2fs_volume_commit(vol));
	all = now(CLOCK_PROCESS_CPUTIME_ID) - start;
	f2fs_volume_close(vol);
	getrusage(RUSAGE_SELF, &usage);
	printf("| %s | %u | %.2f | %.2f | %.2f | ", kinds[kind].name, count, making, all,
	       now(CLOCK_MONOTONIC) - wall);
	printf("%.0f |", (double)usage.ru_maxrss / 1024);
	return all;
}

int main(int argc, char **argv)
{
	const unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 100000;
	double first = 0;

	if (argc < 2 || count == 0 || f2fs_context_open(NULL, &ctx) != 0)
		return 2;
	printf("| directory | names | s to make them | with the commit | on the wall | peak MiB so far | "
	       "times the first |\n"
	       "|---|---|---|---|---|---|---|\n");
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		double taken;

		if (argc > 3 && strcmp(argv[3], kinds[i].name) != 0)
			continue;
		taken = run(argv[1], count, i);
		first = first > 0 ? first : taken;
		printf(" %.2f |\n", taken / first);
	}
	remove(argv[1]);
	f2fs_context_close(ctx);
	return 0;
}
