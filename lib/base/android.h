/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths and capabilities as Android's two lists, fs_config and file_contexts, write them.
 */
#ifndef F2FSKIT_BASE_ANDROID_H
#define F2FSKIT_BASE_ANDROID_H

#include "base/vec.h"

/* Put a mount point (NULL: "/") in front of a path without slashes at its ends, "bin/sh"; the root's is "". *out, which
 * begins with a slash, is in to, a vector of char. */
int android_mount_path(struct vec *to, const char *mount_point, const char *path, const char **out);
/* The mask of fs_config as the value of security.capability, and back: false for a value that no mask can say. */
enum { ANDROID_CAPABILITY_SIZE = 20 };
void android_capability_encode(uint64_t mask, uint8_t value[ANDROID_CAPABILITY_SIZE]);
bool android_capability_decode(const uint8_t *value, size_t size, uint64_t *mask);

#endif
