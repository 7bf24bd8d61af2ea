/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The names of the operations.
 */
#include "lab/op.h"

#include <stddef.h>

static const char *const op_names[] = {
#define OP(id, letter, name, text) name,
#include "lab/op.def"
#undef OP
};

const char *lab_op_name(unsigned kind)
{
	return kind < LAB_OP_KINDS ? op_names[kind] : NULL;
}
