/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * iozone's tests, one a round: write a file in order, read it in order, read it at random, write it at random, and read
 * it in order again. Tests at random go through all records once, in an order that a stride mixes.
 */
#include "lab/source.h"

#include <stdio.h>

struct iozone_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_iozone.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(iozone_params, key, kind, standard, min, max, help)
#include "lab/gen_iozone.def"
#undef PARAM
};

static const struct test {
	uint8_t kind, is_random;
} tests[] = { { LAB_OP_WRITE, 0 }, { LAB_OP_READ, 0 }, { LAB_OP_READ, 1 }, { LAB_OP_WRITE, 1 }, { LAB_OP_READ, 0 } };

struct iozone {
	uint64_t done, count; /* records of this round */
	uint64_t at, stride;
	uint8_t is_created, is_running;
};

static int start(struct lab_source *source)
{
	const struct iozone_params *p = source->params;

	if (p->size % p->record == 0 && p->size % p->random_record == 0)
		return 0;
	snprintf(source->error, sizeof(source->error), "size is no multiple of the records");
	return -1;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Begin a round: a stride without a common divisor with the count reaches each record once. */
static void begin(struct lab_source *source, const struct test *test, uint64_t length)
{
	const struct iozone_params *p = source->params;
	struct iozone *z = source->state;

	z->is_running = 1;
	z->done = z->at = 0;
	z->count = p->size / length;
	z->stride = 1;
	if (!test->is_random)
		return;
	z->at = lab_random_below(&source->random, z->count);
	do
		z->stride = 1 + lab_random_below(&source->random, z->count);
	while (common_divisor(z->stride, z->count) != 1);
}

static int next(struct lab_source *source, struct lab_op *op)
{
	const struct iozone_params *p = source->params;
	struct iozone *z = source->state;
	const struct test *test;

	if (source->round == 0 || source->round > sizeof(tests) / sizeof(tests[0]))
		return LAB_END;
	if (!z->is_created) {
		z->is_created = 1;
		op->kind = LAB_OP_CREATE;
		op->name = "iozone";
		return 0;
	}
	test = &tests[source->round - 1];
	op->length = test->is_random ? p->random_record : p->record;
	if (!z->is_running)
		begin(source, test, op->length);
	if (z->done == z->count) {
		z->is_running = 0;
		return LAB_END;
	}
	op->kind = test->kind;
	op->offset = z->at * op->length;
	z->at = (z->at + z->stride) % z->count;
	z->done++;
	return 0;
}

const struct lab_source_type lab_source_iozone = {
	.name = "iozone",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct iozone_params),
	.state_size = sizeof(struct iozone),
	.start = start,
	.next = next,
};
