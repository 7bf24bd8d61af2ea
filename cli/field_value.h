/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of fields by name, for the programs that overwrite them.
 */
#ifndef F2FSKIT_CLI_FIELD_VALUE_H
#define F2FSKIT_CLI_FIELD_VALUE_H

#include <f2fskit/inject.h>

#include "cli/print.h"

/* Put a value into a record. */
void cli_put_field(struct cli_print *out, const char *name, const struct f2fs_inject_value *value);

#endif
