/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android's lists of what files of an image become: fs_config (owner, mode, capabilities) and file_contexts (SELinux
 * labels).
 */
#ifndef F2FSKIT_SOURCE_ANDROID_H
#define F2FSKIT_SOURCE_ANDROID_H

#include "base/context.h"

/* Read a text file of the host, NUL-terminated; free with mem_free(). */
int android_read_text(struct f2fs_context *ctx, const char *path, char **text);
/* Take the next word off a line, words being parted by blanks; NULL at its end. *line moves behind it. */
char *android_word(char **line);

/* ---- source/fsconfig.c */

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

/* ---- source/contexts.c */

struct contexts;

/* Add the lines of a file; *contexts is made when it is NULL. */
int contexts_load(struct f2fs_context *ctx, const char *path, struct contexts **contexts);
/* Add the lines of text (taken over, also on failure). */
int contexts_parse(struct f2fs_context *ctx, const char *name, char *text, struct contexts **contexts);
void contexts_free(struct contexts *contexts);
/* The label of a path ("/system/bin") of that mode; NULL for none. */
const char *contexts_find(const struct contexts *contexts, const char *path, uint32_t mode);

#endif
