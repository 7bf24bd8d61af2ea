/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The passes of a check. They run in the order of passes.def. Each file pass_*.c begins with its requirements and
 * results.
 */
#ifndef F2FSKIT_CHECK_PASSES_H
#define F2FSKIT_CHECK_PASSES_H

#include "facts/run.h"

#define PASS(name, function, needs_volume) int function(struct checker *c);
#include "check/passes.def"

#undef PASS

#endif
