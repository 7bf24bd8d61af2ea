/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect garbage with a budget, batch by batch.
 */
#ifndef F2FSKIT_GC_GC_H
#define F2FSKIT_GC_GC_H

#include <f2fskit/gc.h>

#include "volume/volume.h"

int gc_check_options(struct f2fs_volume *vol, const struct f2fs_gc_options *options);
/* f2fs_gc() within another call. */
int gc_run(struct f2fs_volume *vol, const struct f2fs_gc_options *options, struct f2fs_gc_result *result);

#endif
