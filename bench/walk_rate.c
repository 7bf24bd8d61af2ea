/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads every inode, name and extended attribute of a volume and prints how many inodes a second that was: walk IMAGE.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <time.h>

struct totals {
	uint64_t inodes, attributes, damaged, sum;
};

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct totals *t = user;
	struct f2fs_stat st;
	int n;

	t->damaged += entry->error != 0;
	if (!entry->inode || f2fs_inode_stat(entry->inode, &st) != 0)
		return F2FS_WALK_GO;
	t->inodes++;
	t->sum += st.ino ^ st.size ^ (uint64_t)st.mtime.nanoseconds;
	n = f2fs_xattr_count(entry->inode);
	t->attributes += n > 0 ? (uint64_t)n : 0;
	return F2FS_WALK_GO;
}

int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *root;
	struct timespec a, b;
	struct totals t = { 0 };
	double seconds;

	if (argc != 2 || f2fs_context_open(NULL, &ctx) != 0)
		return 2;
	if (f2fs_device_open_image(ctx, argv[1], F2FS_OPEN_READ, &dev) || f2fs_volume_open(ctx, dev, NULL, &vol) ||
	    f2fs_lookup(vol, "/", 0, &root)) {
		fprintf(stderr, "%s\n", f2fs_context_error(ctx)->message);
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &a);
	f2fs_walk(root, visit, &t);
	clock_gettime(CLOCK_MONOTONIC, &b);
	seconds = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	printf("%llu inodes, %llu attributes, %llu damaged, %.4f s, %.0f inodes/s (%llx)\n",
	       (unsigned long long)t.inodes, (unsigned long long)t.attributes, (unsigned long long)t.damaged, seconds,
	       (double)t.inodes / seconds, (unsigned long long)t.sum);
	f2fs_inode_close(root);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	return 0;
}
