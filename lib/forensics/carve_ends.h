/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Know signatures, and find the ends of files by their own structure.
 */
#ifndef F2FSKIT_FORENSICS_CARVE_ENDS_H
#define F2FSKIT_FORENSICS_CARVE_ENDS_H

#include "forensics/carver.h"

/* Find where a file ends. *size is set, 0: it is none after all. Returns enum f2fs_carved_end or a negative error. */
typedef int (*carve_end_fn)(struct f2fs_carver *c, uint64_t *size);
struct signature {
	const char *kind, *suffix;
	unsigned offset;
	const char *bytes;
	unsigned length;
	carve_end_fn find_end;
};
const struct signature *signature_of(unsigned i);
/* Find the kind of a file that begins with these bytes; *kind stays NULL when it is unknown. may_ask: ask the host,
 * too. */
void carve_recognise(struct f2fs_carver *c, const uint8_t *start, size_t n, bool may_ask, const char **kind,
		     const char **suffix, carve_end_fn *find_end);

#endif
