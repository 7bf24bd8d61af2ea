/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tar archive as a source.
 */
#ifndef F2FSKIT_SOURCE_TAR_H
#define F2FSKIT_SOURCE_TAR_H

#include "source/source.h"

int source_tar_open(struct source *src, const struct f2fs_input *input);

#endif
