/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing traces; gen_trace.c reads them.
 */
#include "lab/trace.h"

#include <string.h>

static void put_number(FILE *to, uint64_t n)
{
	for (; n > 127; n >>= 7)
		fputc((int)(n & 127) | 128, to);
	fputc((int)n, to);
}

void lab_trace_begin(struct lab_trace_writer *w, FILE *to)
{
	*w = (struct lab_trace_writer){ .to = to };
	fputs(LAB_TRACE_MAGIC, to);
}

void lab_trace_put(struct lab_trace_writer *w, const struct lab_op *op)
{
	fputc(op->kind, w->to);
	put_number(w->to, op->thread);
	put_number(w->to, op->file);
	put_number(w->to, op->time_us - w->time_us);
	w->time_us = op->time_us;
	if (op->kind == LAB_OP_CREATE) {
		put_number(w->to, strlen(op->name));
		fputs(op->name, w->to);
	}
	if (op->kind == LAB_OP_WRITE || op->kind == LAB_OP_READ || op->kind == LAB_OP_TRUNCATE)
		put_number(w->to, op->offset);
	if (op->kind == LAB_OP_WRITE || op->kind == LAB_OP_READ)
		put_number(w->to, op->length);
}

void lab_trace_end_round(struct lab_trace_writer *w)
{
	fputc(LAB_TRACE_ROUND, w->to);
}
