/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Optional parts of the library, each by a library of others.
 */
#ifndef F2FSKIT_BASE_PART_H
#define F2FSKIT_BASE_PART_H

#include <stdbool.h>

enum part {
#define PART(name, option, library, purpose) PART_##name,
#include "base/part.def"
#undef PART
	PART_COUNT,
	PART_NONE = PART_COUNT /* nothing is needed */
};

/* Can it be used? Always true of PART_NONE. */
bool part_is_usable(enum part part);
/* Say why it cannot be used, "liblz4 is not built in"; static string. */
const char *part_why_not(enum part part);

#endif
