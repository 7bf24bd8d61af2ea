/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kinds of sources, and starting one.
 */
#include "lab/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct lab_source_type *const types[] = {
#define SOURCE(id, text) &lab_source_##id,
#include "lab/sources.def"
#undef SOURCE
};

static const char *const texts[] = {
#define SOURCE(id, text) text,
#include "lab/sources.def"
#undef SOURCE
};

const struct lab_source_type *lab_source_type_at(unsigned index)
{
	return index < sizeof(types) / sizeof(types[0]) ? types[index] : NULL;
}

const char *lab_source_type_text(unsigned index)
{
	return index < sizeof(texts) / sizeof(texts[0]) ? texts[index] : NULL;
}

const struct lab_source_type *lab_source_type_find(const char *name)
{
	for (unsigned i = 0; lab_source_type_at(i); i++)
		if (strcmp(types[i]->name, name) == 0)
			return types[i];
	return NULL;
}

int lab_source_open(const struct lab_source_type *type, struct lab_config *config, const char *prefix, uint64_t seed,
		    struct lab_source **out)
{
	struct lab_source *source = calloc(1, sizeof(*source));

	*out = NULL;
	if (source) {
		source->type = type;
		source->params = calloc(1, type->params_size ? type->params_size : 1);
		source->state = calloc(1, type->state_size ? type->state_size : 1);
	}
	if (!source || !source->params || !source->state) {
		snprintf(config->error, sizeof(config->error), "out of memory");
		lab_source_close(source);
		return -1;
	}
	lab_random_seed(&source->random, seed);
	if (lab_config_read(config, prefix, type->params, type->param_count, source->params)) {
		lab_source_close(source);
		return -1;
	}
	if (type->start(source)) {
		snprintf(config->error, sizeof(config->error), "%.100s%s%s", prefix, prefix[0] ? ": " : "",
			 source->error[0] ? source->error : "out of memory");
		lab_source_close(source);
		return -1;
	}
	*out = source;
	return 0;
}

int lab_source_next(struct lab_source *source, struct lab_op *op)
{
	int rc;

	*op = (struct lab_op){ 0 };
	rc = source->type->next(source, op);
	source->round += rc == LAB_END;
	return rc;
}

void lab_source_close(struct lab_source *source)
{
	if (!source)
		return;
	if (source->state && source->type->stop)
		source->type->stop(source);
	free(source->params);
	free(source->state);
	free(source);
}
