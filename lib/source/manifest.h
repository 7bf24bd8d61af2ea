/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A manifest as a source.
 */
#ifndef F2FSKIT_SOURCE_MANIFEST_H
#define F2FSKIT_SOURCE_MANIFEST_H

#include "source/source.h"

int source_manifest_open(struct source *src, const struct f2fs_input *input);

#endif
