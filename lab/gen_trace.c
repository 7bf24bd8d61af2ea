/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A trace as a source: the operations of a file. Errors have the number of their record.
 */
#include "lab/source.h"
#include "lab/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

struct trace_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/gen_trace.def"
#undef PARAM
};

static const struct lab_param params[] = {
#define PARAM(key, kind, standard, min, max, help) LAB_PARAM_ROW(trace_params, key, kind, standard, min, max, help)
#include "lab/gen_trace.def"
#undef PARAM
};

struct trace {
	FILE *from;
	uint64_t record, time_us;
	int is_in_round;
};

/* File numbers stand for entries of a table, so they are not taken without bound. */
enum { FILES_MOST = 1 << 24 };

static int start(struct lab_source *source)
{
	const struct trace_params *p = source->params;
	struct trace *t = source->state;
	char magic[sizeof(LAB_TRACE_MAGIC) - 1];

	t->from = fopen(p->file, "rb");
	if (!t->from) {
		snprintf(source->error, sizeof(source->error), "%.100s: %s", p->file, strerror(errno));
		return -1;
	}
	if (fread(magic, 1, sizeof(magic), t->from) == sizeof(magic) &&
	    memcmp(magic, LAB_TRACE_MAGIC, sizeof(magic)) == 0)
		return 0;
	snprintf(source->error, sizeof(source->error), "%.100s: is no trace", p->file);
	return -1;
}

static void stop(struct lab_source *source)
{
	struct trace *t = source->state;

	if (t->from)
		fclose(t->from);
}

static int wrong(struct lab_source *source, const char *why)
{
	const struct trace_params *p = source->params;
	const struct trace *t = source->state;

	snprintf(source->error, sizeof(source->error), "%.80s: record %" PRIu64 ": %s", p->file, t->record, why);
	return -1;
}

static int get_number(struct lab_source *source, uint64_t most, uint64_t *n)
{
	struct trace *t = source->state;

	*n = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		const int c = fgetc(t->from);

		if (c == EOF)
			return wrong(source, "the trace ends within it");
		if (shift == 63 && c > 1)
			break;
		*n |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return *n > most ? wrong(source, "a number is too large") : 0;
	}
	return wrong(source, "a number is too long");
}

static int get_name(struct lab_source *source, struct lab_op *op)
{
	struct trace *t = source->state;
	uint64_t n;

	if (get_number(source, LAB_TRACE_NAME_MOST, &n))
		return -1;
	if (fread(source->name, 1, (size_t)n, t->from) != n)
		return wrong(source, "the trace ends within it");
	source->name[n] = '\0';
	op->name = source->name;
	return n == 0 || strlen(source->name) != n ? wrong(source, "a file has no name, or a zero byte in it") : 0;
}

static int get_op(struct lab_source *source, struct lab_op *op)
{
	struct trace *t = source->state;
	uint64_t thread, file, later;

	if (get_number(source, UINT16_MAX, &thread) || get_number(source, FILES_MOST, &file) ||
	    get_number(source, UINT64_MAX, &later))
		return -1;
	op->thread = (uint16_t)thread;
	op->file = (uint32_t)file;
	op->time_us = t->time_us += later;
	if (op->kind == LAB_OP_CREATE)
		return get_name(source, op);
	if (op->kind != LAB_OP_WRITE && op->kind != LAB_OP_READ && op->kind != LAB_OP_TRUNCATE)
		return 0;
	if (get_number(source, INT64_MAX, &op->offset))
		return -1;
	return op->kind == LAB_OP_TRUNCATE ? 0 : get_number(source, INT64_MAX - op->offset, &op->length);
}

/* Rounds after the last one are empty. */
static int next(struct lab_source *source, struct lab_op *op)
{
	struct trace *t = source->state;
	const int kind = fgetc(t->from);

	if (kind == EOF && !t->is_in_round)
		return LAB_END;
	t->record++;
	t->is_in_round = kind != LAB_TRACE_ROUND;
	if (kind == LAB_TRACE_ROUND)
		return LAB_END;
	if (kind == EOF)
		return wrong(source, "the trace ends within a round");
	if (kind >= LAB_OP_KINDS)
		return wrong(source, "there is no such kind of operation");
	op->kind = (uint8_t)kind;
	return get_op(source, op);
}

const struct lab_source_type lab_source_trace = {
	.name = "trace",
	.params = params,
	.param_count = sizeof(params) / sizeof(params[0]),
	.params_size = sizeof(struct trace_params),
	.state_size = sizeof(struct trace),
	.start = start,
	.next = next,
	.stop = stop,
};
