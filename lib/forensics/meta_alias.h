/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Give names other names.
 */
#ifndef F2FSKIT_FORENSICS_META_ALIAS_H
#define F2FSKIT_FORENSICS_META_ALIAS_H

#include "forensics/meta.h"

/* Give a name of a directory with these flags its other name, in place. Fails with CANCELED. */
int meta_alias(const struct meta_plan *plan, uint32_t dir_flags, uint8_t *name, size_t length);

#endif
