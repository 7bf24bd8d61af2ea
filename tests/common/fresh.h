/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A new volume on a device in memory, for tests of writing. Each function ends the program when it fails.
 */
#ifndef F2FSKIT_TESTS_COMMON_FRESH_H
#define F2FSKIT_TESTS_COMMON_FRESH_H

#include <f2fskit/f2fskit.h>

struct fresh {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
};

/* Make and open a volume of that many bytes with features. */
void fresh_open(struct fresh *f, uint64_t size, uint32_t features);
/* The same with options; device, uuid and time are filled in. */
void fresh_open_with(struct fresh *f, uint64_t size, const struct f2fs_mkfs_options *options);
/* The same with a host (NULL: the usual one). */
void fresh_open_on(struct fresh *f, const struct f2fs_host *host, uint64_t size,
		   const struct f2fs_mkfs_options *options);
/* The same on a device with such zones. */
void fresh_open_zoned(struct fresh *f, uint64_t size, const struct f2fs_mkfs_options *options,
		      const struct f2fs_zone_options *zones);
/* Commit, close and open it again. */
void fresh_reopen(struct fresh *f);
/* The same while an inode is open, which is closed and looked up again by its path. */
void fresh_reopen_keep(struct fresh *f, struct f2fs_inode **inode, const char *path);
/* Make an entry in the root. */
struct f2fs_inode *fresh_make(struct fresh *f, const char *name, unsigned mode);
void fresh_close(struct fresh *f);
/* End the program if a call has failed, with its message. */
void fresh_need(struct fresh *f, int err, const char *what);
/* Return the next of the numbers below 2^24 that a seed gives. */
uint32_t fresh_random(uint32_t *seed);

#endif
