/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find files in the slack of other files.
 */
#ifndef F2FSKIT_FORENSICS_CARVE_SLACK_H
#define F2FSKIT_FORENSICS_CARVE_SLACK_H

#include "forensics/carver.h"

void slack_row_init(struct f2fs_carver *c, struct slack_row *row);
void slack_row_fini(struct slack_row *row);

#endif
