/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print structures from the format's tables.
 */
#ifndef F2FSKIT_DUMP_FIELDS_H
#define F2FSKIT_DUMP_FIELDS_H

#include <f2fskit/f2fskit.h>

#include "cli/print.h"

/* Print structures from the format's tables. */
const struct f2fs_struct *dump_struct(const char *name);
/* A little-endian number of 32 bits. */
uint32_t dump_word(const uint8_t *raw);
uint64_t dump_get(const struct f2fs_struct *type, const uint8_t *raw, const char *field, uint32_t index);
/* Print the fields wholly within the first size bytes as members of the open record. */
void dump_fields(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw, size_t size);
const char *dump_source_name(unsigned source);

#endif
