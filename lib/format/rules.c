/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The rule table.
 */
#include "format/rules.h"

#include <string.h>

static const struct f2fs_rule rules[] = {
#define RULE(id, name, structure, text, section) { id, #name, structure, text, section },
#include "format/rules.def"
#undef RULE
};

const struct f2fs_rule *f2fs_rule_at(unsigned index)
{
	return index < sizeof(rules) / sizeof(rules[0]) ? &rules[index] : NULL;
}

const struct f2fs_rule *f2fs_rule_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(rules[i].name, name) == 0)
			return &rules[i];
	return NULL;
}

const struct f2fs_rule *rule_row(enum rule rule)
{
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (rules[i].id == (unsigned)rule)
			return &rules[i];
	return NULL;
}
