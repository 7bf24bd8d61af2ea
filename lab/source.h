/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sources of operations: generators of loads. A source runs in rounds: in round 0 it makes the files that it works on,
 * in each later one it does the work of its parameters, with the existing files.
 */
#ifndef F2FSKIT_LAB_SOURCE_H
#define F2FSKIT_LAB_SOURCE_H

#include <stddef.h>

#include "lab/config.h"
#include "lab/op.h"
#include "lab/random.h"

enum { LAB_NAME_MOST = 96, LAB_END = 1 };

struct lab_source {
	const struct lab_source_type *type;
	struct lab_random random;
	void *params; /* as the type's table describes them */
	void *state;
	unsigned round; /* the one that runs */
	char name[LAB_NAME_MOST]; /* room for a CREATE */
	char error[160];	  /* why start failed */
};

/* A kind of source. Its functions return 0, LAB_END (next: the round is over), or -1 with source->error. */
struct lab_source_type {
	const char *name;
	const struct lab_param *params;
	unsigned param_count;
	size_t params_size, state_size; /* zeroed before start */
	int (*start)(struct lab_source *source);
	int (*next)(struct lab_source *source, struct lab_op *op);
	void (*stop)(struct lab_source *source); /* NULL: nothing to be given back */
};

/* Kinds by number from 0, NULL past the last; and by name. */
const struct lab_source_type *lab_source_type_at(unsigned index);
const char *lab_source_type_text(unsigned index);
const struct lab_source_type *lab_source_type_find(const char *name);

/*
 * Start a source of a type with the parameters below a prefix of the configuration. 0, or -1 with config->error. Free
 * with lab_source_close(), which takes NULL.
 */
int lab_source_open(const struct lab_source_type *type, struct lab_config *config, const char *prefix, uint64_t seed,
		    struct lab_source **out);
int lab_source_next(struct lab_source *source, struct lab_op *op);
void lab_source_close(struct lab_source *source);

#define SOURCE(id, text) extern const struct lab_source_type lab_source_##id;
#include "lab/sources.def"
#undef SOURCE

#endif
