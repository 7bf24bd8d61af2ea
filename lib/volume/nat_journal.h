/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sift a NAT journal whose end is unknown.
 */
#ifndef F2FSKIT_VOLUME_NAT_JOURNAL_H
#define F2FSKIT_VOLUME_NAT_JOURNAL_H

#include "volume/volume.h"

/* Leave the entries that count in a NAT journal whose end is unknown. Fails with NOMEM. */
int nat_journal_sift(struct f2fs_volume *vol, uint8_t *journal);

#endif
