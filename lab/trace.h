/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Operations in a file, .f2t: eight bytes "F2FSLAB1", then records. A record is a byte, the kind of the operation, and
 * numbers of seven bits a byte, the low ones first, with the highest bit set in all but the last byte: thread, file,
 * microseconds since the record before; then offset and length (write, read), the new size (truncate), or the length of
 * a name and its bytes (create). The byte 127 alone ends a round.
 */
#ifndef F2FSKIT_LAB_TRACE_H
#define F2FSKIT_LAB_TRACE_H

#include <stdio.h>

#include "lab/op.h"

#define LAB_TRACE_MAGIC "F2FSLAB1"
enum { LAB_TRACE_ROUND = 127, LAB_TRACE_NAME_MOST = 95 };

struct lab_trace_writer {
	FILE *to;
	uint64_t time_us; /* of the record before */
};
/* Begin with a file that was opened; errors show in ferror(to). */
void lab_trace_begin(struct lab_trace_writer *w, FILE *to);
void lab_trace_put(struct lab_trace_writer *w, const struct lab_op *op);
void lab_trace_end_round(struct lab_trace_writer *w);

#endif
