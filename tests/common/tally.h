/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the writes that a recorder device received with the volume's own counters.
 */
#ifndef F2FSKIT_TESTS_COMMON_TALLY_H
#define F2FSKIT_TESTS_COMMON_TALLY_H

#include <f2fskit/f2fskit.h>

struct tally {
	uint64_t written, writes, zeroed, discarded, discards, flushes;
};

/* Add the recorded writes; the caller may then clear them. */
void tally_add(struct tally *tally, const struct f2fs_device *recorder);
/* Name what differs from the counters of a volume, of which all was added since it was opened; NULL: nothing. */
const char *tally_differs(const struct tally *tally, const struct f2fs_volume *vol);

#endif
