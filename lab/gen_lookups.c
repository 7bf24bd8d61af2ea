/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look up files by their paths: a directory of many names, which are looked up at random.
 */
#include "lab/source.h"

#include <stdio.h>

struct lookups_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_lookups.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(lookups_params, key, kind, standard, min, max, help)
#include "lab/gen_lookups.def"
#undef PARAM
};

struct lookups {
	uint64_t made, done;
};

static int start(struct lab_source *source)
{
	(void)source;
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct lookups_params *p = source->params;
	struct lookups *l = source->state;

	if (source->round == 0 && l->made == p->names)
		return LAB_END;
	if (source->round == 0) {
		op->kind = LAB_OP_CREATE;
		op->file = (uint32_t)l->made;
		snprintf(source->name, sizeof(source->name), "f%u", op->file);
		op->name = source->name;
		l->made++;
		return 0;
	}
	if (l->done == p->lookups) {
		l->done = 0;
		return LAB_END;
	}
	op->kind = LAB_OP_LOOKUP;
	op->file = (uint32_t)lab_random_below(&source->random, p->names);
	l->done++;
	return 0;
}

const struct lab_source_type lab_source_lookups = {
	.name = "lookups",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct lookups_params),
	.state_size = sizeof(struct lookups),
	.start = start,
	.next = next,
};
