/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fs_config: owner, mode and capabilities of paths.
 */
#ifndef F2FSKIT_SOURCE_FSCONFIG_H
#define F2FSKIT_SOURCE_FSCONFIG_H

#include "base/context.h"

struct fs_config_entry {
	const char *path; /* no slashes at the ends; "" is the root */
	size_t line;
	uint32_t uid, gid, mode;
	uint64_t capabilities;
	const char *label; /* SELinux context, or NULL */
};
struct fs_config;

int fs_config_load(struct f2fs_context *ctx, const char *path, struct fs_config **out);
/* Parse text (taken over, also on failure); name is for messages. */
int fs_config_parse(struct f2fs_context *ctx, const char *name, char *text, struct fs_config **out);
void fs_config_free(struct fs_config *config);
/* The last line of a path, without a slash in front; NULL when there is none. */
const struct fs_config_entry *fs_config_find(const struct fs_config *config, const char *path);

#endif
