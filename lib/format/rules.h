/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The structural rules as numbers: what an x_check() function returns, 0 for none broken.
 */
#ifndef F2FSKIT_FORMAT_RULES_H
#define F2FSKIT_FORMAT_RULES_H

#include <f2fskit/format.h>

enum rule {
	RULE_NONE = 0,
#define RULE(id, name, structure, text, section) RULE_##name = (id),
#include "format/rules.def"
#undef RULE
};

/* Return the row of a rule; never NULL for a number of the table. */
const struct f2fs_rule *rule_row(enum rule rule);

#endif
