/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Addresses of fields as text.
 */
#ifndef F2FSKIT_INJECT_ADDRESS_H
#define F2FSKIT_INJECT_ADDRESS_H

#include "inject/run.h"

int address_parse(struct f2fs_context *ctx, const char *text, struct address *out);

#endif
