/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Describe a volume for planning, and find out whether its areas are where they belong.
 */
#ifndef F2FSKIT_FORMAT_PLAN_HOME_H
#define F2FSKIT_FORMAT_PLAN_HOME_H

#include "format/plan.h"

/* Describe a volume as it is. large_nat: it has the feature. */
void plan_areas_of(const struct f2fs_geometry *geo, bool large_nat, struct plan_areas *out);
/*
 * Segments between the start of a volume, *home, and its areas: those of larger areas that were not written yet, when a
 * resize was interrupted between two hops. 0: the areas are at home.
 */
uint32_t plan_dead_segments(const struct f2fs_geometry *geo, bool large_nat, f2fs_blk_t *home);

#endif
