/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes at random places, all equally likely: the paper's cleaning and aging experiments, iozone's random write.
 */
#include "lab/source.h"

#include <stdio.h>

struct uniform_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_uniform.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(uniform_params, key, kind, standard, min, max, help)
#include "lab/gen_uniform.def"
#undef PARAM
};

enum { FILL_REQUEST = 1 << 20 };

struct uniform {
	uint64_t places;     /* in a file */
	uint64_t round;	     /* writes in a round */
	uint64_t done;	     /* of those */
	uint64_t unsynced;   /* writes since the last fsync */
	uint64_t filled;     /* bytes of the file that is being made */
	uint32_t made, last; /* files made, the one written last */
	uint8_t is_created;
};

static int start(struct lab_source *source)
{
	const struct uniform_params *p = source->params;
	struct uniform *u = source->state;

	u->places = p->size / p->request;
	u->round = p->bytes / p->request;
	if (u->places == 0) {
		snprintf(source->error, sizeof(source->error), "request is larger than size");
		return -1;
	}
	return 0;
}

/* Round 0: the files are written from their start to their end. */
static int make(struct lab_source *source, struct lab_op *op)
{
	const struct uniform_params *p = source->params;
	struct uniform *u = source->state;

	op->file = u->made;
	if (!u->is_created) {
		if (u->made == p->files)
			return LAB_END;
		op->kind = LAB_OP_CREATE;
		snprintf(source->name, sizeof(source->name), "u%u", u->made);
		op->name = source->name;
		u->is_created = 1;
		return 0;
	}
	op->kind = LAB_OP_WRITE;
	op->offset = u->filled;
	op->length = p->size - u->filled < FILL_REQUEST ? p->size - u->filled : FILL_REQUEST;
	u->filled += op->length;
	if (u->filled == p->size) {
		u->filled = 0;
		u->is_created = 0;
		u->made++;
	}
	return 0;
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct uniform_params *p = source->params;
	struct uniform *u = source->state;

	if (source->round == 0 && p->made_in_round)
		return LAB_END;
	if (source->round == p->made_in_round)
		return make(source, op);
	if (p->fsync_every && u->unsynced == p->fsync_every) {
		u->unsynced = 0;
		op->kind = LAB_OP_FSYNC;
		op->file = u->last;
		return 0;
	}
	if (u->done == u->round) {
		u->done = 0;
		return LAB_END;
	}
	op->kind = LAB_OP_WRITE;
	if (p->turns)
		op->file = (uint32_t)((source->round - 1) % p->files);
	else if (p->in_turn)
		op->file = (uint32_t)(u->done * p->files / u->round);
	else
		op->file = p->files > 1 ? (uint32_t)lab_random_below(&source->random, p->files) : 0;
	op->offset = lab_random_below(&source->random, u->places) * p->request;
	op->length = p->request;
	u->last = op->file;
	u->done++;
	u->unsynced++;
	return 0;
}

const struct lab_source_type lab_source_uniform = {
	.name = "uniform",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct uniform_params),
	.state_size = sizeof(struct uniform),
	.start = start,
	.next = next,
};
