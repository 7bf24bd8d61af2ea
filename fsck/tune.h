/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes by -O, -C and --nolinear-lookup on a volume without damage.
 */
#ifndef F2FSKIT_FSCK_TUNE_H
#define F2FSKIT_FSCK_TUNE_H

#include "devices.h"

/* After the check; is_sound: nothing is wrong any more. Returns exit bits, after a message when it could not be done.
 */
int session_tune(struct session *s, int is_sound);

#endif
