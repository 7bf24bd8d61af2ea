/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run a resize.
 */
#ifndef F2FSKIT_RESIZE_RESIZE_H
#define F2FSKIT_RESIZE_RESIZE_H

#include "resize/run.h"

/* Open the volume unless it is borrowed, plan, and take the steps unless it is a dry run. Fails as f2fs_resize(). */
int resize_run(struct resize *r);

#endif
