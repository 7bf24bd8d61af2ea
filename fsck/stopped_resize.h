/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A resize that was stopped between the two hops of larger areas: a repair of a volume that is sound takes the second.
 */
#ifndef F2FSKIT_FSCK_STOPPED_RESIZE_H
#define F2FSKIT_FSCK_STOPPED_RESIZE_H

#include "devices.h"

/* Move the areas to the start of the volume, whose size stays. When that cannot be done a warning says why. */
void stopped_resize_finish(struct session *s);

#endif
